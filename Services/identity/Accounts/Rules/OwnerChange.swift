import Contracts
import Vocabulary

/// A change that the owner of an account requests with an ID token (REST 2.12, column "User", and the legacy link of
/// 2.1). It is checked before the new password is hashed, and again inside the transaction, on the account as it is
/// then.
struct OwnerChange: Sendable {
    var changes: Identity.OwnAccountChanges
    var principal: Principal
    /// The authentication context of the token's session.
    var presented: AuthenticationContext
    var policy: Policy
    var now: Moment
    /// E-mail and password are added as a sign-in method (`signUp` with a token), instead of replacing one.
    var isLinking = false

    /// The settings of the project that concern the change.
    struct Policy: Equatable, Sendable {
        var allowsPasswords: Bool
        /// E-mail privacy: a change to an unverified address would reveal whether another account has it.
        var wantsNewEmailVerified: Bool
        var sessions = SessionPolicy()
    }

    /// Checks that the change may be made to the account as it is.
    func check(_ stored: StoredAccount) throws(ServiceError) {
        try stored.requireActive(tokenIssuedAt: principal.issuedAt)
        // An owner withdraws a factor with a request of its own, which has further rules.
        if removesSecondFactor { throw ServiceError(.invalidRequest) }
        if changes.password != nil, !policy.allowsPasswords { throw ServiceError(.operationNotAllowed) }
        let leaves = try leavesEmail(of: stored)
        let isSensitive = leaves || changes.password != nil || removesCredentials
        if isSensitive { try stored.requireRecentSignIn(of: principal, at: now) }
        _ = try authenticationContext(after: stored, before: stored)
        // The first address of an account without one: this is how an anonymous account is upgraded.
        let changesDirectly = leaves && !(isLinking && stored.account.email == nil)
        guard changesDirectly else { return }
        guard stored.account.secondFactors.isEmpty else { throw ServiceError(.emailChangeNeedsVerification) }
        guard !policy.wantsNewEmailVerified else { throw .newEmailNotVerified }
    }

    /// Makes the change; the password is hashed before. The last way to sign in may be removed, as production permits:
    /// only the session of the caller continues. Who asks to keep it is refused here, on the account as it is now.
    func apply(to stored: inout StoredAccount, passwordRecord: String?) throws(ServiceError) {
        try check(stored)
        for removal in changes.removals {
            guard !changes.keepsWayIn || stored.account.keepsWayIn(without: removal) else {
                throw ServiceError(.onlyWayIn)
            }
            try stored.remove(removal, at: now)
        }
        if let email = try newEmail() { stored.changeEmail(to: email, at: now) }
        if let passwordRecord { stored.setPassword(passwordRecord, at: now) }
        if let renamed = changes.renamedPasskey { try stored.rename(renamed) }
        if let renamed = changes.renamedFactor { try stored.rename(renamed) }
        try stored.setProfile(displayName: changes.displayName, photoURL: changes.photoURL)
        if isLinking { stored.account.recordSignIn(at: now) }
    }

    /// The authentication context of the session after the change.
    /// - Throws: `secondFactorRequired`, and what else `SessionPolicy` refuses with.
    func authenticationContext(
        after stored: StoredAccount, before: StoredAccount
    ) throws(ServiceError) -> AuthenticationContext {
        var authentication = presented
        authentication.authenticatedAt = now.timestamp
        let isUpgraded = before.isAnonymousUser(of: presented.signInProvider) && stored.account.hasPassword
        if isLinking || isUpgraded { authentication.signInProvider = "password" }
        return try policy.sessions.authenticationContext(
            for: .init(
                operation: operation, stored: stored, authentication: authentication, presented: presented,
                upgradesAnonymous: before.isAnonymousUser(of: presented.signInProvider)
                    && !stored.isAnonymousUser(of: presented.signInProvider)))
    }

    private var operation: SessionOperation {
        if isLinking { return .passwordLink }
        let changesCredentials = changes.email != nil || changes.password != nil || removesCredentials
        return changesCredentials ? .credentialUpdate : .profileUpdate
    }

    private func newEmail() throws(ServiceError) -> EmailAddress? {
        guard let text = changes.email else { return nil }
        return try EmailAddress(checking: text)
    }

    private func leavesEmail(of stored: StoredAccount) throws(ServiceError) -> Bool {
        guard let email = try newEmail() else { return false }
        return email.folded != stored.account.email?.folded
    }

    private var removesSecondFactor: Bool {
        changes.removals.contains { removal in
            switch removal {
            case .secondFactor: true
            case .email, .displayName, .photoURL, .password, .phoneNumber, .provider, .providers, .emailSignIn,
                .passkey:
                false
            }
        }
    }

    private var removesCredentials: Bool {
        changes.removals.contains { removal in
            switch removal {
            case .email, .password, .emailSignIn, .phoneNumber, .secondFactor, .provider, .providers, .passkey: true
            case .displayName, .photoURL: false
            }
        }
    }
}

extension Principal {
    /// Sensitive changes need a sign-in that is at most this old (REST 1.8, security rule PW12).
    static let recentSignInSeconds: Int64 = 300

    /// - Throws: `recentSignInRequired`.
    func requireRecentSignIn(at now: Moment) throws(ServiceError) {
        guard now.timestamp <= authenticatedAt + Self.recentSignInSeconds, !Moment(authenticatedAt).isAhead(of: now)
        else {
            throw ServiceError(.recentSignInRequired)
        }
    }
}
