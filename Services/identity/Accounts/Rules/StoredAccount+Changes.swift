import Contracts
import Vocabulary

// MARK: - Administration

extension StoredAccount {
    /// Applies an administrator's changes (REST 2.12 and 4.2). The password is hashed before, because hashing takes too
    /// long for a transaction.
    mutating func apply(_ changes: Identity.AccountChanges, passwordRecord: String?, at now: Moment)
        throws(ServiceError)
    {
        for removal in changes.removals { try remove(removal, at: now) }
        if let renamed = changes.renamedPasskey { try rename(renamed) }
        if let text = changes.email { changeEmail(to: try EmailAddress(checking: text), at: now) }
        if let emailVerified = changes.emailVerified {
            account.emailVerified = emailVerified && account.email != nil
            isEmailProven = true
        }
        if let passwordRecord { setPassword(passwordRecord, at: now) }
        try setProfile(displayName: changes.displayName, photoURL: changes.photoURL)
        if let text = changes.phoneNumber { account.phoneNumber = try text.nilIfEmpty.map(PhoneNumber.init(checking:)) }
        if let disabled = changes.disabled { account.disabled = disabled }
        if changes.cancelsDeletion == true { cancelDeletion(at: now) }
        if let text = changes.customClaims {
            account.customClaims = try CustomClaims.parse(text).map { _ in text }
        }
        if let createdAt = changes.createdAt { account.createdAt = try createdAt.checked() }
        if let lastSignInAt = changes.lastSignInAt { account.lastSignInAt = try lastSignInAt.checked() }
        if let link = changes.link { try add(link) }
        if let entries = changes.secondFactors { try replaceFactors(by: entries, at: now) }
        // An administrator may add a factor to an account with a number, which then no longer signs in. A number that
        // could not sign in is refused.
        if changes.phoneNumber?.nilIfEmpty != nil, changes.secondFactors == nil {
            try account.requirePhoneAllowedAsFirstFactor()
        }
        // Last: a value that the administrator sets overrides one that another change has set.
        if let validSince = changes.validSince { account.validSince = try validSince.checked() }
    }

    private mutating func add(_ link: ProviderLink) throws(ServiceError) {
        guard !link.providerID.isEmpty else { throw ServiceError(.missingProviderID) }
        guard !link.providerAccountID.isEmpty else { throw ServiceError(.missingProviderAccountID) }
        guard link.providerID.utf8.count <= Self.maximumProviderIDBytes,
            link.providerAccountID.utf8.count <= Self.maximumProviderAccountIDBytes,
            (link.email ?? "").utf8.count <= EmailAddress.maximumBytes
        else { throw .profileTooLong }
        try Self.checkProfile(displayName: link.displayName, photoURL: link.photoURL)
        account.providers.removeAll { $0.providerID == link.providerID }
        account.providers.append(link)
    }

    private mutating func replaceFactors(by entries: [Identity.FactorEntry], at now: Moment) throws(ServiceError) {
        let before = account.secondFactors
        let after = try SecondFactorList.replacing(before, by: entries, at: now)
        guard after.isEmpty || account.hasVerifiedEmail else { throw ServiceError(.unverifiedEmail) }
        account.secondFactors = after
        if !before.allSatisfy({ old in after.contains { $0.id == old.id && $0.kind == old.kind } }) {
            endEarlierSessions(at: now)
        }
    }
}

extension SecondFactor {
    var isPhone: Bool {
        switch kind {
        case .phone: true
        case .totp: false
        }
    }
}

// MARK: - For administrators and owners

extension StoredAccount {
    /// In Unicode characters, and in bytes: the name must fit into a token.
    static let maximumDisplayNameLength = 1024
    static let maximumPhotoURLBytes = 2048
    static let maximumProviderIDBytes = 128
    /// A SAML name identifier may be long.
    static let maximumProviderAccountIDBytes = 1024

    /// Absent: unchanged; empty: removed.
    /// - Throws: `profileTooLong`.
    mutating func setProfile(displayName: String?, photoURL: String?) throws(ServiceError) {
        try Self.checkProfile(displayName: displayName, photoURL: photoURL)
        if let displayName { account.displayName = displayName.nilIfEmpty }
        if let photoURL { account.photoURL = photoURL.nilIfEmpty }
    }

    /// - Throws: `profileTooLong`.
    static func checkProfile(displayName: String?, photoURL: String?) throws(ServiceError) {
        guard (displayName ?? "").unicodeScalars.count <= maximumDisplayNameLength,
            (photoURL ?? "").utf8.count <= maximumPhotoURLBytes
        else { throw .profileTooLong }
    }

    /// The new address is unverified, and every session ends.
    mutating func changeEmail(to email: EmailAddress, at now: Moment) {
        guard account.email != email else { return }
        account.initialEmail = account.initialEmail ?? account.email
        account.email = email
        account.emailVerified = false
        endEarlierSessions(at: now)
    }

    /// - Throws: `passkeyNotFound`.
    mutating func remove(_ removal: Identity.AccountChanges.Removal, at now: Moment) throws(ServiceError) {
        switch removal {
        case .email:
            if account.email != nil { endEarlierSessions(at: now) }
            removeEmail()
        case .displayName: account.displayName = nil
        case .photoURL: account.photoURL = nil
        case .password:
            if passwordRecord != nil { endEarlierSessions(at: now) }
            removePassword()
        case .phoneNumber: account.phoneNumber = nil
        case .provider(let id): account.providers.removeAll { $0.providerID == id }
        case .providers: account.providers = []
        case .emailSignIn:
            // The removal of a sign-in method ends no session (tokens 3: provider unlink).
            removePassword()
            account.emailLinkSignIn = false
            let emailsOfProviders = account.providers.compactMap { $0.email.flatMap(EmailAddress.init) }
            if let email = account.email, !emailsOfProviders.contains(email) { removeEmail() }
        // As the removal of a provider: no session ends (tokens 3).
        case .passkey(let id): try removePasskey(id)
        case .secondFactor(let id):
            guard account.secondFactors.contains(where: { $0.id == id }) else { throw ServiceError(.factorNotFound) }
            account.secondFactors.removeAll { $0.id == id }
            endEarlierSessions(at: now)
        }
    }

    private mutating func removeEmail() {
        account.email = nil
        account.emailVerified = false
        account.emailLinkSignIn = false
    }

    mutating func removePassword() {
        passwordRecord = nil
        account.passwordChangedAt = nil
    }
}

// MARK: - Bounds of times

extension Timestamp {
    /// From the beginning of Unix time to the end of the year 9999: nothing that is computed from it overflows.
    fileprivate func checked() throws(ServiceError) -> Self {
        guard (0...253_402_300_799).contains(seconds) else { throw .timeOutOfRange }
        return self
    }
}

extension Moment {
    /// As `Timestamp.checked`.
    func checked() throws(ServiceError) -> Self {
        _ = try timestamp.checked()
        guard milliseconds >= 0 else { throw .timeOutOfRange }
        return self
    }
}
