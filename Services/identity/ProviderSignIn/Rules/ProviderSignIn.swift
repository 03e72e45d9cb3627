import Contracts
import Vocabulary

/// Decides which account an identity of a provider signs in to or is linked to (REST 2.4, the table of account
/// resolution, in its order). It runs inside the transaction, on the accounts as they are there.
struct ProviderSignIn: Sendable {
    /// Checked by `ProviderIdentity.check`.
    var identity: ProviderIdentity
    /// When the identity was verified, if that was before this request.
    var verifiedAt: Moment?
    /// From the ID token of the request; nil for a request without one.
    var principal: Principal?
    var createsAccount: Bool
    var allowsSelfSignUp: Bool
    /// Several accounts may have the address of one person. Then a provider's address is no account's address: it
    /// stays in the entry of the provider.
    var allowsDuplicateEmails: Bool
    var now: Moment

    enum Decision: Equatable, Sendable {
        case open(NewSession)
        /// Nothing changes.
        /// - Parameter notifying: the account whose owner is informed, because an identity with its address has no access
        ///   to it.
        case confirm(Identity.ProviderSignInReply.Confirmation, notifying: StoredAccount?)
        /// Nothing changes.
        case conflict(Identity.ProviderSignInReply.Conflict)
    }

    /// The address of the identity, where it can be the address of an account.
    var email: EmailAddress? { allowsDuplicateEmails ? nil : identity.email.flatMap(EmailAddress.init) }

    /// Whether `decide` depends on the account that has `email`: not for a sign-in with a known identity.
    func needsEmailOwner(besides identityOwner: StoredAccount?) -> Bool { principal != nil || identityOwner == nil }

    /// - Parameters:
    ///   - identityOwner: the account that has the identity now.
    ///   - emailOwner: the account that has `email` now; nil if it is not needed.
    ///   - requestingAccount: the account of the ID token, as it is now.
    ///   - newAccount: becomes the account of an unknown identity.
    /// - Throws: `accountNotFound`, `accountDisabled`, `sessionExpired`, `recentSignInRequired`, `adminOnlyOperation`,
    ///   `invalidPendingToken`.
    func decide(
        identityOwner: StoredAccount?, emailOwner: StoredAccount?, requestingAccount: StoredAccount?,
        newAccount: StoredAccount
    ) throws(ServiceError) -> Decision {
        if let principal {
            guard let requestingAccount else { throw ServiceError(.accountNotFound) }
            try requestingAccount.requireActive(tokenIssuedAt: principal.issuedAt)
            try requestingAccount.requireCurrentIdentity(verifiedAt: verifiedAt, at: now)
            return try link(requestingAccount, principal, identityOwner, emailOwner)
        }
        try (identityOwner ?? emailOwner)?.requireCurrentIdentity(verifiedAt: verifiedAt, at: now)
        if let identityOwner { return .open(try signIn(identityOwner)) }
        if let email, let emailOwner { return try join(emailOwner, email) }
        guard createsAccount else { throw ServiceError(.accountNotFound) }
        guard allowsSelfSignUp else { throw ServiceError(.adminOnlyOperation) }
        return .open(create(newAccount))
    }

    // MARK: With an ID token

    private func link(
        _ requestingAccount: StoredAccount, _ principal: Principal, _ identityOwner: StoredAccount?,
        _ emailOwner: StoredAccount?
    ) throws(ServiceError) -> Decision {
        let id = requestingAccount.account.id
        if let identityOwner, identityOwner.account.id != id { return .conflict(.identityLinked) }
        if let emailOwner, emailOwner.account.id != id { return .conflict(.emailExists) }
        let isLinked = identityOwner != nil
        if !isLinked { try requestingAccount.requireRecentSignIn(of: principal, at: now) }
        var account = requestingAccount
        if account.account.email == nil, let email {
            account.account.email = email
            account.account.emailVerified = identity.isEmailVerified
            account.isEmailProven = isEmailProven
        }
        // An additional sign-in method ends no session (tokens 3). An anonymous session continues too.
        update(&account)
        return .open(
            NewSession(
                account: account, before: requestingAccount, action: isLinked ? .signIn : .providerLinked,
                operation: isLinked ? .providerReauthentication : .providerLink))
    }

    // MARK: Without an ID token

    private func signIn(_ identityOwner: StoredAccount) throws(ServiceError) -> NewSession {
        guard !identityOwner.account.disabled else { throw ServiceError(.accountDisabled) }
        var account = identityOwner
        update(&account)
        return NewSession(account: account, before: identityOwner, action: .signIn, operation: .providerSignIn)
    }

    /// The identity is unknown, and an account has its address. An account that has another identity of the provider is
    /// perhaps that of a former holder of the address: it is neither joined nor is its identity replaced (security rule
    /// FE11).
    private func join(_ emailOwner: StoredAccount, _ email: EmailAddress) throws(ServiceError) -> Decision {
        let isOther = emailOwner.hasProvenEmail && emailOwner.account.hasIdentity(of: identity.providerID)
        guard isEmailProven, !isOther else {
            return .confirm(
                .init(
                    accountID: emailOwner.account.id, email: email,
                    // The provider itself confirms nothing: its other identity may belong to somebody else.
                    verifiedProviders: emailOwner.account.signInMethods.filter {
                        !isOther || $0 != identity.providerID
                    }),
                // Only the provider that decides about the address tells the owner something.
                notifying: isEmailProven ? emailOwner : nil)
        }
        guard !emailOwner.account.disabled else { throw ServiceError(.accountDisabled) }
        var account = emailOwner
        let isEmailRecycled = !account.hasProvenEmail
        if isEmailRecycled { account.removeUnverifiedAccess(at: now) }
        update(&account)
        return .open(
            NewSession(
                account: account, before: emailOwner,
                action: isEmailRecycled ? .unverifiedAccessRemoved : .providerLinked, operation: .providerSignIn,
                isEmailRecycled: isEmailRecycled))
    }

    private func create(_ newAccount: StoredAccount) -> NewSession {
        var account = newAccount
        account.account.email = email
        account.account.emailVerified = email != nil && identity.isEmailVerified
        account.isEmailProven = isEmailProven
        update(&account)
        return NewSession(account: account, before: nil, action: .accountCreated, operation: .providerSignIn)
    }

    // MARK: Details

    /// The user is the owner of the address, according to a provider that decides about the address (security rule
    /// FE12).
    private var isEmailProven: Bool { identity.isEmailVerified && identity.isEmailAuthoritative }

    private func update(_ account: inout StoredAccount) {
        if isEmailProven, let email, account.account.email == email { account.proveEmail() }
        account.signIn(by: identity, at: now)
    }
}

// MARK: - After the second factor

extension ProviderSignIn {
    /// The account after the second factor of a pending sign-in was verified, with the entry of the identity that was
    /// the first factor.
    /// - Parameter identityOwner: the account that has the identity now.
    /// - Returns: nil if the identity belongs to another account now, or would not join this one.
    static func complete(
        _ identity: ProviderIdentity, of stored: StoredAccount, identityOwner: StoredAccount?, at now: Moment
    ) -> StoredAccount? {
        if let identityOwner {
            guard identityOwner.account.id == stored.account.id else { return nil }
        } else {
            guard identity.isEmailVerified, identity.isEmailAuthoritative, stored.hasProvenEmail,
                !stored.account.hasIdentity(of: identity.providerID),
                let email = identity.email.flatMap(EmailAddress.init), stored.account.email == email
            else { return nil }
        }
        var account = stored
        account.signIn(by: identity, at: now)
        return account
    }
}

extension Account {
    /// The identities that the account did not have before.
    func links(addedTo before: Account) -> [ProviderLink] {
        providers.filter { link in
            !before.providers.contains {
                $0.providerID == link.providerID && $0.providerAccountID == link.providerAccountID
            }
        }
    }

    fileprivate func hasIdentity(of providerID: String) -> Bool {
        providers.contains { $0.providerID == providerID }
    }

    /// As sign-in replies name them: `password`, also for e-mail links, and the IDs of providers.
    fileprivate var signInMethods: [String] {
        (hasPassword || emailLinkSignIn ? ["password"] : []) + providers.map(\.providerID)
    }
}

extension StoredAccount {
    /// Sets the entry of the provider, and the values of the profile that the account does not have.
    fileprivate mutating func signIn(by identity: ProviderIdentity, at now: Moment) {
        account.displayName = account.displayName ?? identity.displayName?.nilIfEmpty
        account.photoURL = account.photoURL ?? identity.photoURL?.nilIfEmpty
        account.recordSignIn(at: now)
        set(identity.link)
    }

    /// An account has one identity per provider.
    fileprivate mutating func set(_ link: ProviderLink) {
        if let position = account.providers.firstIndex(where: { $0.providerID == link.providerID }) {
            account.providers[position] = link
        } else {
            account.providers.append(link)
        }
    }

    /// The owner of the address signs in to an account that has the address unverified. Its creator, perhaps another
    /// user, must not keep access (security rule FE13): all sign-in methods, second factors and the profile are removed,
    /// and all sessions end.
    fileprivate mutating func removeUnverifiedAccess(at now: Moment) {
        removeUnverifiedCredentials()
        account.emailLinkSignIn = false
        account.secondFactors = []
        account.displayName = nil
        account.photoURL = nil
        endEarlierSessions(at: now)
    }
}
