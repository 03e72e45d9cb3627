import Contracts
import Vocabulary

extension ProviderIdentity {
    /// UTF-8 bytes of `attributes`: they must fit into a token.
    static let maximumAttributeBytes = 4096

    /// Checks the bounds of all values.
    /// - Throws: `invalidRequest`.
    func check() throws(ServiceError) {
        // Every provider ID contains a dot. One without could be confused with `password`, `custom` or `passkey`.
        guard providerID.contains("."), providerID.utf8.count <= StoredAccount.maximumProviderIDBytes,
            !subject.isEmpty, subject.utf8.count <= StoredAccount.maximumProviderAccountIDBytes,
            (email ?? "").utf8.count <= EmailAddress.maximumBytes
        else { throw .invalidProviderIdentity }
        try StoredAccount.checkProfile(displayName: displayName, photoURL: photoURL)
        guard let attributes else { return }
        guard attributes.utf8.count <= Self.maximumAttributeBytes, SignInAttributes(attributes) != nil else {
            throw .invalidProviderIdentity
        }
    }

    /// The entry of the identity in the list of an account.
    var link: ProviderLink {
        ProviderLink(
            providerID: providerID, providerAccountID: subject, email: email, displayName: displayName?.nilIfEmpty,
            photoURL: photoURL?.nilIfEmpty)
    }
}
