import Contracts
import Crypto
import Vocabulary

/// Sign in with Apple.
struct AppleAdapter: ProviderAdapter {
    static let idTokens = IDTokenSource(
        issuer: .anyOf(["https://appleid.apple.com"]), keySetURL: "https://appleid.apple.com/auth/keys",
        algorithms: [.rs256, .es256])
    static let authorization = AuthorizationServer(
        authorizationURL: "https://appleid.apple.com/auth/authorize", tokenURL: "https://appleid.apple.com/auth/token",
        scopes: ["name", "email"],
        // Apple requires it with scopes.
        responseMode: "form_post", usesPKCE: false, clientAuthentication: .appleKey)

    var description: ProviderDescription {
        ProviderDescription(idTokens: Self.idTokens, authorization: Self.authorization)
    }

    func clientIDs(of provider: Federation.Provider) -> [String] {
        guard case .supported(let apple?) = provider.kind else { return [provider.clientID] }
        return [provider.clientID] + apple.bundleIDs
    }

    /// Apple verifies every address; its private relay is its own domain.
    func email(_ claims: ProviderClaims) -> EmailAssertion {
        EmailAssertion(claims.email, isVerified: claims.flag("email_verified")) { _ in true }
    }

    /// With the name that Apple sends beside its token.
    func profile(of user: ProviderUser) -> Federation.ProviderProfile {
        var profile = Federation.ProviderProfile(user, email: email(user.claims))
        guard let name = user.sentBesideToken.flatMap(AppleUserName.init) else { return profile }
        (profile.firstName, profile.lastName, profile.fullName) = (name.firstName, name.lastName, name.fullName)
        profile.identity.displayName = name.fullName ?? profile.identity.displayName
        return profile
    }

    func validate(_ provider: Federation.Provider) throws(ServiceError) {
        guard case .supported(let apple?) = provider.kind else { return }
        guard apple.bundleIDs.count <= Federation.Provider.maximumListEntries,
            apple.bundleIDs.allSatisfy(ProjectConfiguration.MobileApp.isBundleID)
        else { throw .invalid("bundleIds must be bundle IDs") }
        switch (apple.teamID, apple.keyID, apple.privateKey?.reveal()) {
        case (nil, nil, nil): return
        case (let team?, let keyID?, let pem?):
            guard [team, keyID].allSatisfy({ $0.utf8.count == 10 && $0.utf8.allSatisfy(\.isASCIILetterOrDigit) }) else {
                throw .invalid("teamId and keyId must have 10 letters and digits")
            }
            // `try?`: the error below reports it.
            guard pem.utf8.count <= 4096, let key = try? PrivateKey(pem: pem), key.algorithm == .es256 else {
                throw .invalid("privateKey must be a P-256 key in PEM form")
            }
        case (_, _, _): throw .invalid("codeFlowConfig needs teamId, keyId and privateKey")
        }
    }
}
