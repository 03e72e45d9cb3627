import Contracts
import Crypto
import Vocabulary

/// A one-time code that went out by e-mail, as identity remembers it: what it permits, to whom, until when.
struct ActionCode: Equatable, Sendable {
    typealias Purpose = Identity.ActionPurpose

    /// 256 random bits, as they stand in a link.
    struct Text: Equatable, Sendable {
        static let byteCount = 32
        let bytes: [UInt8]

        init(bytes: [UInt8]) {
            precondition(bytes.count == Self.byteCount)
            self.bytes = bytes
        }

        /// - Returns: nil for anything we never issued the like of.
        init?(_ text: String) {
            guard text.utf8.count <= 64, let bytes = Base64URL.decode(text), bytes.count == Self.byteCount else {
                return nil
            }
            self.bytes = bytes
        }

        var text: String { Base64URL.encode(bytes) }
        /// What is stored of it.
        var hash: [UInt8] { SHA2.sha256(bytes) }
    }

    var purpose: Purpose
    var realm: Realm
    /// nil for a sign-in whose address has no account yet.
    var accountID: AccountID?
    /// Where the code was sent, but for `verifyAndChangeEmail`, whose code goes to `newEmail` and whose account has this.
    var email: EmailAddress
    /// For `verifyAndChangeEmail` the address to be, for `recoverEmail` the one that took the place of `email`.
    var newEmail: EmailAddress?
    /// For `revertSecondFactorAddition`.
    var factorID: FactorID?
    var createdAt: Moment
    var expiresAt: Moment

    init(
        _ purpose: Purpose, in realm: Realm, accountID: AccountID?, email: EmailAddress,
        newEmail: EmailAddress? = nil, factorID: FactorID? = nil, at now: Moment
    ) {
        self.purpose = purpose
        self.realm = realm
        self.accountID = accountID
        self.email = email
        self.newEmail = newEmail
        self.factorID = factorID
        createdAt = now
        expiresAt = now + purpose.lifetime
    }

    /// How long an expired code is remembered, so that whoever comes late hears why it does not work.
    static let memory = Duration.seconds(24 * 60 * 60)

    /// Whether the code is still good.
    func validate(at now: Moment) throws(IdentityError) {
        guard now < expiresAt else { throw .expiredActionCode }
    }

    /// Whether the code is still good for what its account has become: the address it was sent for, and no password or
    /// address set since. A change of those ends sessions, and with them what they asked for.
    func validate(_ account: Account, at now: Moment) throws(IdentityError) {
        try validate(at: now)
        switch purpose {
        case .passwordReset, .verifyAndChangeEmail:
            guard account.email?.folded == email.folded, createdAt.timestamp >= account.validSince else {
                throw .invalidActionCode
            }
        case .verifyEmail:
            guard account.email?.folded == email.folded else { throw .invalidActionCode }
        case .revertSecondFactorAddition:
            guard account.secondFactors.contains(where: { $0.id == factorID }) else { throw .invalidActionCode }
        // Undoing must work after whatever a thief did to the account, and a sign-in proves the address anew.
        case .recoverEmail, .emailSignIn: break
        }
        // Whoever disabled the account meant it; an address that was stolen is given back all the same.
        guard !account.disabled || purpose == .recoverEmail || purpose == .revertSecondFactorAddition else {
            throw .accountDisabled
        }
    }
}

extension Identity.ActionPurpose {
    /// Security rules, section 0: an hour for what opens an account, a day for what verifies an address; three days
    /// for what undoes a change that somebody else may have made while the owner was away.
    var lifetime: Duration {
        switch self {
        case .passwordReset, .emailSignIn: .seconds(60 * 60)
        case .verifyEmail, .verifyAndChangeEmail: .seconds(24 * 60 * 60)
        case .recoverEmail, .revertSecondFactorAddition: .seconds(3 * 24 * 60 * 60)
        }
    }

    /// The codes of an account that end with its sessions: they were asked for by whoever had it until then.
    static let revokedWithSessions: [Self] = [.passwordReset, .verifyAndChangeEmail]

    /// The codes of the account that the use of one voids besides; for undo codes see `UndoRevocation`.
    var revokedByUse: [Self] {
        switch self {
        case .recoverEmail: [.verifyEmail]
        case .passwordReset, .emailSignIn, .verifyEmail, .verifyAndChangeEmail, .revertSecondFactorAddition: []
        }
    }
}

// MARK: - What codes do to an account

extension StoredAccount {
    /// Does what the code permits. The caller has judged it, and consumes it in the same transaction.
    mutating func apply(_ code: ActionCode, at now: Moment) throws(IdentityError) {
        switch code.purpose {
        case .verifyEmail:
            account.emailVerified = true
        case .verifyAndChangeEmail:
            guard let newEmail = code.newEmail else { throw .invalidActionCode }
            changeEmail(to: newEmail, at: now)
            account.emailVerified = true
        case .recoverEmail:
            account.email = code.email
            account.emailVerified = true
            if account.initialEmail?.folded == code.email.folded { account.initialEmail = nil }
            endEarlierSessions(at: now)
        case .revertSecondFactorAddition:
            account.secondFactors.removeAll { $0.id == code.factorID }
            endEarlierSessions(at: now)
        case .passwordReset, .emailSignIn: throw .invalidActionCode  // They need more than the code.
        }
    }

    /// A new password from somebody who can read the mail of the address. Second factors stay in force.
    mutating func resetPassword(_ record: String, at now: Moment) {
        if !account.emailVerified { removeUnverifiedCredentials() }
        account.emailVerified = true
        setPassword(record, at: now)
    }

    /// A sign-in by somebody who can read the mail of the address: an account that had it unverified may have been made
    /// by anybody, who must not keep a way in (security rule FE13).
    mutating func signInByLink(at now: Moment) {
        if !account.emailVerified {
            removeUnverifiedCredentials()
            endEarlierSessions(at: now)
        }
        account.emailVerified = true
        account.emailLinkSignIn = true
    }

    /// Gives the account an address that its owner has just proved to read.
    mutating func linkEmail(_ email: EmailAddress, at now: Moment) {
        if let previous = account.email, previous.folded != email.folded {
            account.initialEmail = account.initialEmail ?? previous
            endEarlierSessions(at: now)
        }
        account.email = email
        account.emailVerified = true
        account.emailLinkSignIn = true
    }

    /// The reader of the address did not make the account: nobody who did keeps a way in. Second factors stay: a mailbox
    /// alone never removes them.
    /// - Throws: `invalidActionCode` for an address that is verified: its reader has claimed the account.
    mutating func rejectVerification(at now: Moment) throws(IdentityError) {
        guard !account.emailVerified else { throw .invalidActionCode }
        removeUnverifiedCredentials()
        account.emailLinkSignIn = false
        endEarlierSessions(at: now)
    }

    private mutating func removeUnverifiedCredentials() {
        removePassword()
        account.providers = []
        account.phoneNumber = nil
    }
}
