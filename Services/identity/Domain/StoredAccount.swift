import Contracts
import Vocabulary

/// An account with what only identity may see of it.
struct StoredAccount: Equatable, Sendable {
    var account: Account
    /// The text of a `PasswordRecord`.
    var passwordRecord: String? {
        didSet { account.hasPassword = passwordRecord != nil }
    }
    /// A change since the account was read ended every session of before, see `SessionRevocation`. Not stored.
    private(set) var endsSessions = false

    init(account: Account, passwordRecord: String?) {
        self.account = account
        self.passwordRecord = passwordRecord
        self.account.hasPassword = passwordRecord != nil
    }

    /// Sets a password and ends every earlier session (tokens 3).
    mutating func setPassword(_ record: String, at now: Moment) {
        passwordRecord = record
        account.passwordChangedAt = now
        endEarlierSessions(at: now)
    }

    /// Tokens of earlier seconds are void from here on, and every session of before.
    mutating func endEarlierSessions(at now: Moment) {
        account.validSince = max(account.validSince, now.timestamp)
        endsSessions = true
    }

    /// An account that was deleted, disabled, or whose sessions were revoked lets nobody in.
    func requireActive(tokenIssuedAt issuedAt: Timestamp) throws(IdentityError) {
        guard !account.disabled else { throw .accountDisabled }
        guard issuedAt >= account.validSince else { throw .sessionExpired }
    }
}

/// What a change of an account takes from those who are signed in, or about to be (tokens 3, security rules
/// TK8 and MP4). The one place that says so, whatever changed and whoever changed it: `IdentityStore.change` asks here.
struct SessionRevocation: Equatable, Sendable {
    /// Refresh tokens of before end now, also those of this very second, which `validSince` cannot tell apart.
    var endsSessions: Bool
    /// Who has given a first factor begins anew.
    var endsPendingSignIns: Bool
    /// Other processes must forget what they know of the account's sessions.
    var requiresEvent: Bool

    init(_ before: StoredAccount, _ after: StoredAccount) {
        // A disabled account keeps its sessions: they rest, and go on when it is enabled again. Who waits for its second
        // factor hears that it is disabled, and begins anew afterwards.
        let locksOut = after.account.disabled && !before.account.disabled
        let letsIn = before.account.disabled && !after.account.disabled
        endsSessions = after.endsSessions
        let endsEarlier = after.endsSessions || after.account.validSince > before.account.validSince
        requiresEvent = endsEarlier || locksOut
        endsPendingSignIns =
            endsEarlier || letsIn || before.account.secondFactors != after.account.secondFactors
    }
}

extension Account {
    /// The name by which a mail greets its reader. Only a verified address is told it: in a mail to any other it would be
    /// a text that somebody else has us send.
    func displayName(shownTo recipient: EmailAddress) -> String? {
        emailVerified && email == recipient ? displayName : nil
    }

    /// Nobody could sign in to it again.
    var isAnonymous: Bool { email == nil && phoneNumber == nil && providers.isEmpty && !customAuthentication }
}

extension EmailAddress {
    /// An address from outside, or `invalidEmail`.
    init(checking text: String) throws(IdentityError) {
        guard let address = EmailAddress(text) else { throw .invalidEmail }
        self = address
    }
}

extension PhoneNumber {
    /// A number from outside, or `invalidPhoneNumber`.
    init(checking text: String) throws(IdentityError) {
        guard let number = PhoneNumber(text) else { throw .invalidPhoneNumber }
        self = number
    }
}
