import Contracts
import Vocabulary

/// A passkey that the owner of an account adds. It is checked before the ceremony starts, and again in the transaction
/// that adds the passkey.
struct PasskeyEnrollment: Sendable {
    /// Maximum per account.
    static let limit = 32

    var principal: Principal
    /// The authentication of the session of the request.
    var presented: AuthenticationContext
    /// The authenticator has verified the user, not only noticed a presence.
    var isUserVerified: Bool
    var now: Moment

    /// Checks that this session may add passkeys to the account.
    /// - Throws: `accountDisabled`, `sessionExpired`, `passkeyLimitExceeded`, `secondFactorRequired` for a further passkey of an
    ///   operator without the first one, and what the policy refuses with.
    func check(_ stored: StoredAccount, _ policy: SessionPolicy) throws(ServiceError) {
        try stored.requireActive(tokenIssuedAt: principal.issuedAt)
        guard stored.account.passkeys.count < Self.limit else { throw ServiceError(.passkeyLimitExceeded) }
        let hasFirst = stored.account.realm == .operators && !stored.account.passkeys.isEmpty
        guard !hasFirst || presented.hasTwoFactors else { throw ServiceError(.secondFactorRequired) }
        _ = try authenticationContext(after: stored, wasAnonymous: isAnonymousUser(stored), policy)
    }

    private func isAnonymousUser(_ stored: StoredAccount) -> Bool {
        stored.isAnonymousUser(of: principal.signInProvider)
    }

    /// Adds the passkey. The passkey service has verified it.
    /// - Returns: the authentication context of the session after the enrollment.
    /// - Throws: those of `check`, `passkeyExists`, `invalidDisplayName`.
    func apply(
        _ passkey: AccountPasskey, to stored: inout StoredAccount, _ policy: SessionPolicy
    ) throws(ServiceError) -> AuthenticationContext {
        try check(stored, policy)
        guard !stored.account.passkeys.contains(where: { $0.credentialID == passkey.credentialID }) else {
            throw ServiceError(.passkeyExists)
        }
        let wasAnonymous = isAnonymousUser(stored)
        var passkey = passkey
        passkey.name = try AccountPasskey.checkedName(passkey.name)
        passkey.createdAt = now
        passkey.lastUsedAt = nil
        stored.account.passkeys.append(passkey)
        if wasAnonymous { stored.account.recordSignIn(at: now) }
        return try authenticationContext(after: stored, wasAnonymous: wasAnonymous, policy)
    }

    private func authenticationContext(
        after stored: StoredAccount, wasAnonymous: Bool, _ policy: SessionPolicy
    ) throws(ServiceError) -> AuthenticationContext {
        var authentication = presented
        authentication.authenticatedAt = now.timestamp
        if wasAnonymous {
            authentication.signInProvider = AuthenticationContext.passkeyProvider
            authentication.isUserVerified = isUserVerified
        }
        return try policy.authenticationContext(
            for: .init(
                operation: .passkeyEnrollment, stored: stored, authentication: authentication, presented: presented,
                upgradesAnonymous: wasAnonymous))
    }
}

extension AccountPasskey {
    /// - Throws: `invalidDisplayName` for a text that is no name.
    static func checkedName(_ text: String) throws(ServiceError) -> String {
        guard isName(text) else { throw ServiceError(.invalidDisplayName) }
        return text
    }
}

// MARK: - Changes of the list

extension StoredAccount {
    /// - Throws: `passkeyNotFound`.
    mutating func removePasskey(_ id: CredentialID) throws(ServiceError) {
        guard let position = account.passkeys.firstIndex(where: { $0.credentialID == id }) else {
            throw ServiceError(.passkeyNotFound)
        }
        account.passkeys.remove(at: position)
    }

    /// - Throws: `passkeyNotFound`, `invalidDisplayName`.
    mutating func rename(_ renamed: Identity.OwnAccountChanges.RenamedPasskey) throws(ServiceError) {
        guard let position = account.passkeys.firstIndex(where: { $0.credentialID == renamed.credentialID }) else {
            throw ServiceError(.passkeyNotFound)
        }
        account.passkeys[position].name = try AccountPasskey.checkedName(renamed.name)
    }
}
