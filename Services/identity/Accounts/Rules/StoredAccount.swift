import Contracts
import Vocabulary

/// An account with its confidential data.
struct StoredAccount: Equatable, Sendable {
    var account: Account {
        didSet { hasHadSignInMethod = hasHadSignInMethod || account.hasSignInMethod }
    }
    /// The account has a sign-in method, or had one before. It is never anonymous again: a session of then could
    /// otherwise add a method without a recent sign-in (security rule FE20).
    private(set) var hasHadSignInMethod: Bool
    /// Whether a verified address was proven: by an e-mail to it, by a provider that is authoritative for it, or by an
    /// administrator. The word of another provider makes it verified, and not proven.
    var isEmailProven: Bool
    /// An identity that a provider verified until then does not sign in when it is presented again: since then sessions
    /// of the account have ended, or one of its identities was removed.
    private(set) var identitiesValidSince: Moment?
    /// When the identity of each provider was linked, as far as it is known.
    private(set) var linkTimes: [String: Moment]
    /// The text of a `PasswordRecord`.
    var passwordRecord: String? {
        didSet {
            account.hasPassword = passwordRecord != nil
            if passwordRecord != oldValue { importedHashMilliseconds = nil }
        }
    }
    /// The time of a comparison with the record of an imported password; nil for any other record.
    var importedHashMilliseconds: Int64?
    /// A change since the account was read has ended every earlier session, see `SessionRevocation`. Not stored.
    private(set) var endsSessions = false

    /// - Parameter hasHadSignInMethod: what is stored; an account with a method has had one in any case.
    init(
        account: Account, passwordRecord: String?, hasHadSignInMethod: Bool = false, isEmailProven: Bool = true,
        importedHashMilliseconds: Int64? = nil, identitiesValidSince: Moment? = nil, linkTimes: [String: Moment] = [:]
    ) {
        self.account = account
        self.identitiesValidSince = identitiesValidSince
        self.linkTimes = linkTimes
        self.isEmailProven = isEmailProven
        self.hasHadSignInMethod = hasHadSignInMethod || account.hasSignInMethod
        self.passwordRecord = passwordRecord
        self.importedHashMilliseconds = importedHashMilliseconds
        self.account.hasPassword = passwordRecord != nil
    }

    /// The owner of the mailbox controls the account. Otherwise its creator may be another user, whose methods go when
    /// the owner arrives (security rule FE13).
    var hasProvenEmail: Bool { account.emailVerified && isEmailProven }

    /// The address is that of the account's owner.
    mutating func proveEmail() {
        account.emailVerified = true
        isEmailProven = true
    }

    /// The account replaces `former`, which has the same ID.
    mutating func keepHistory(of former: StoredAccount) {
        hasHadSignInMethod = hasHadSignInMethod || former.hasHadSignInMethod
        identitiesValidSince = former.identitiesValidSince
        linkTimes = former.linkTimes
        account.deletionDueAt = former.account.deletionDueAt
    }

    /// Records a change that voids identities which were verified before: sessions have ended, or identities were removed.
    /// Every change of an account passes here.
    mutating func voidVerifiedIdentities(of before: StoredAccount, at now: Moment) {
        let isRevoked = endsSessions || account.validSince > before.account.validSince
        guard isRevoked || !before.account.links(addedTo: account).isEmpty else { return }
        identitiesValidSince = now
    }

    /// Records when the identities were linked that the account did not have before.
    /// - Parameter before: nil for a new account.
    mutating func recordLinks(addedTo before: StoredAccount?, at now: Moment) {
        for link in before.map({ account.links(addedTo: $0.account) }) ?? account.providers {
            linkTimes[link.providerID] = now
        }
    }

    /// - Parameter verifiedAt: when the identity was verified; nil: in this request.
    /// - Throws: `invalidPendingToken`.
    func requireCurrentIdentity(verifiedAt: Moment?, at now: Moment) throws(ServiceError) {
        guard let verifiedAt else { return }
        // A time in the future was recorded by a clock that was ahead, and would void every identity until then.
        let isVoid = identitiesValidSince.map { verifiedAt <= $0 && $0 <= now } ?? false
        // An account whose sessions never ended is valid since the second in which it was created. The identity may have
        // been verified before that: an application creates the account with a pending token, and presents it again.
        let isOfEarlierSession =
            account.validSince > account.createdAt.timestamp && verifiedAt.timestamp < account.validSince
        guard !isOfEarlierSession, !isVoid else { throw ServiceError(.invalidPendingToken) }
    }

    /// Sets a password and ends every earlier session (tokens 3).
    mutating func setPassword(_ record: String, at now: Moment) {
        passwordRecord = record
        account.passwordChangedAt = now
        endEarlierSessions(at: now)
    }

    /// Voids tokens of earlier seconds, and every earlier session.
    mutating func endEarlierSessions(at now: Moment) {
        account.validSince = max(account.validSince, now.timestamp)
        endsSessions = true
    }

    /// The account is deleted at this time, unless it is restored before.
    mutating func scheduleDeletion(at dueAt: Moment, now: Moment) {
        account.deletionDueAt = dueAt
        endEarlierSessions(at: now)
    }

    /// The account stays. Sessions that could only restore it end.
    mutating func cancelDeletion(at now: Moment) {
        guard account.deletionDueAt != nil else { return }
        account.deletionDueAt = nil
        endEarlierSessions(at: now)
    }

    /// - Throws: `accountNotFound` where the account is not to be deleted any more, or not yet.
    func requireDueDeletion(at now: Moment) throws(ServiceError) {
        guard let dueAt = account.deletionDueAt, dueAt <= now else { throw ServiceError(.accountNotFound) }
    }

    /// Ends every earlier session, and lets later ones begin, also where a clock that was ahead recorded a revocation.
    mutating func beginRevocation(at now: Moment) {
        let before = self
        account.validSince = now.timestamp
        endsSessions = true
        voidVerifiedIdentities(of: before, at: now)
    }

    /// Whether a session with this `sign_in_provider` is that of an anonymous user, who cannot sign in again. The session
    /// decides and the history of the account, not whether the account is empty now.
    func isAnonymousUser(of signInProvider: String?) -> Bool {
        signInProvider == AuthenticationContext.anonymousProvider && !hasHadSignInMethod
    }

    /// A change of the sign-in methods needs a recent sign-in, except for anonymous users (security rule FE20).
    /// - Throws: `recentSignInRequired`.
    func requireRecentSignIn(of principal: Principal, at now: Moment) throws(ServiceError) {
        if !isAnonymousUser(of: principal.signInProvider) { try principal.requireRecentSignIn(at: now) }
    }

    /// Rejects a disabled account, and a token that was issued before its sessions were revoked. An account that is to be
    /// deleted is as disabled, except for a session that can only restore it.
    /// - Parameter scope: of the session of the token.
    /// - Throws: `accountDisabled`, `sessionExpired`.
    func requireActive(tokenIssuedAt issuedAt: Timestamp, in scope: SessionScope = .full) throws(ServiceError) {
        guard !account.disabled else { throw ServiceError(.accountDisabled) }
        switch scope {
        case .full, .enrollment:
            guard account.deletionDueAt == nil else { throw ServiceError(.accountDisabled) }
        case .restoration:
            guard account.deletionDueAt != nil else { throw ServiceError(.sessionExpired) }
        }
        guard issuedAt >= account.validSince else { throw ServiceError(.sessionExpired) }
    }
}

/// Which sessions and pending sign-ins a change of an account ends (tokens 3, security rules TK8 and MP4).
/// `IdentityStore.change` uses no other rule, for any change.
struct SessionRevocation: Equatable, Sendable {
    /// Existing refresh tokens become void, including those of this second, which `validSince` cannot distinguish.
    var endsSessions: Bool
    /// Those before `validSince` do.
    var endsEarlierSessions: Bool
    /// The change deletes pending sign-ins.
    var endsPendingSignIns: Bool
    /// The devices that are not asked for a second factor are asked again.
    var forgetsDevices: Bool
    /// Other processes must drop what they have cached about the account's sessions.
    var requiresEvent: Bool

    init(_ before: StoredAccount, _ after: StoredAccount) {
        // A disabled account keeps its sessions: they continue when it is enabled again. A pending sign-in is refused
        // while the account is disabled, and deleted when it is enabled.
        let isDisabling = after.account.disabled && !before.account.disabled
        let isEnabling = before.account.disabled && !after.account.disabled
        endsSessions = after.endsSessions
        endsEarlierSessions = after.endsSessions || after.account.validSince > before.account.validSince
        requiresEvent = endsEarlierSessions || isDisabling
        endsPendingSignIns =
            endsEarlierSessions || isEnabling || before.account.secondFactors != after.account.secondFactors
        let hasLostFactor = before.account.secondFactors.contains { factor in
            !after.account.secondFactors.contains { $0.id == factor.id && $0.kind == factor.kind }
        }
        forgetsDevices = endsEarlierSessions || hasLostFactor
    }
}

extension Account {
    /// A sign-in issues an ID token, as a refresh does.
    mutating func recordSignIn(at now: Moment) {
        lastSignInAt = now
        lastRefreshAt = now
    }

    /// A blocking function may mark an account verified that has no address.
    var hasVerifiedEmail: Bool { email != nil && emailVerified }

    /// The name in the greeting of an e-mail. Only an e-mail to a verified address contains it: in any other e-mail it would be
    /// a text from another user.
    func displayName(shownTo recipient: EmailAddress) -> String? {
        emailVerified && email == recipient ? displayName : nil
    }

    /// The name of a passkey in an e-mail, or on the page that an e-mail links to. As the display name, it is chosen by the
    /// user of the account.
    func name(of passkey: AccountPasskey, shownTo recipient: EmailAddress) -> String? {
        emailVerified && email == recipient ? passkey.chosenName : nil
    }

    fileprivate var hasSignInMethod: Bool {
        email != nil || phoneNumber != nil || !providers.isEmpty || !passkeys.isEmpty || customAuthentication
    }
}

extension EmailAddress {
    /// An address from outside, or `invalidEmail`.
    init(checking text: String) throws(ServiceError) {
        guard let address = EmailAddress(text) else { throw ServiceError(.invalidEmail) }
        self = address
    }
}

extension PhoneNumber {
    /// A number from outside, or `invalidPhoneNumber`.
    init(checking text: String) throws(ServiceError) {
        guard let number = PhoneNumber(text) else { throw ServiceError(.invalidPhoneNumber) }
        self = number
    }
}
