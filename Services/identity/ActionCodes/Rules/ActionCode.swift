import Contracts
import Crypto
import Vocabulary

/// An action code: its purpose, its account and its expiry.
struct ActionCode: Equatable, Sendable {
    typealias Purpose = Identity.ActionPurpose

    /// 256 random bits, as a link contains them.
    struct Text: Equatable, Sendable {
        static let byteCount = 32
        let bytes: [UInt8]

        init(bytes: [UInt8]) {
            precondition(bytes.count == Self.byteCount)
            self.bytes = bytes
        }

        /// - Returns: nil for malformed text.
        init?(_ text: String) {
            guard text.utf8.count <= 64, let bytes = Base64URL.decode(text), bytes.count == Self.byteCount else {
                return nil
            }
            self.bytes = bytes
        }

        var text: String { Base64URL.encode(bytes) }
        /// The stored hash.
        var hash: [UInt8] { SHA2.sha256(bytes) }
    }

    var purpose: Purpose
    var realm: Realm
    /// nil for a sign-in whose address has no account yet.
    var accountID: AccountID?
    /// The recipient, except for `verifyAndChangeEmail`: its code is sent to `newEmail`, and its account has this
    /// address.
    var email: EmailAddress
    /// For `verifyAndChangeEmail` the new address, for `recoverEmail` the one that replaced `email`.
    var newEmail: EmailAddress?
    /// For `revertSecondFactorAddition`.
    var factorID: FactorID?
    /// For `revertPasskeyAddition`.
    var credentialID: CredentialID?
    /// nil for a code that stands in a link.
    var digits: EmailCode?
    var createdAt: Moment
    var expiresAt: Moment

    init(
        _ purpose: Purpose, in realm: Realm, accountID: AccountID?, email: EmailAddress,
        newEmail: EmailAddress? = nil, factorID: FactorID? = nil, credentialID: CredentialID? = nil,
        digits: EmailCode? = nil, at now: Moment
    ) {
        self.purpose = purpose
        self.realm = realm
        self.accountID = accountID
        self.email = email
        self.newEmail = newEmail
        self.factorID = factorID
        self.credentialID = credentialID
        self.digits = digits
        createdAt = now
        expiresAt = now
        expiresAt = now + lifetime
    }

    /// Few digits can be guessed, so they are valid for a shorter time than a link.
    private var lifetime: Duration { digits == nil ? purpose.lifetime : Identity.emailCodeLifetime }

    /// How long an expired code is kept, so that a late use gets the right error.
    static let memory = Duration.seconds(24 * 60 * 60)

    /// Checks that the code is not expired.
    func validate(at now: Moment) throws(ServiceError) {
        guard expiresAt.endsWindow(ofAtMost: lifetime, at: now) else {
            throw ServiceError(digits == nil ? .expiredActionCode : .verificationSessionExpired)
        }
    }

    /// Checks that the code is valid for its account as it is now: it still has the address, and no password or address
    /// was set since. A change of those voids earlier requests.
    func validate(_ account: Account, at now: Moment) throws(ServiceError) {
        try validate(at: now)
        switch purpose {
        case .passwordReset, .verifyAndChangeEmail:
            guard account.email?.folded == email.folded, createdAt.timestamp >= account.validSince else {
                throw ServiceError(.invalidActionCode)
            }
        case .verifyEmail:
            guard account.email?.folded == email.folded else { throw ServiceError(.invalidActionCode) }
        case .revertSecondFactorAddition:
            guard account.secondFactors.contains(where: { $0.id == factorID }) else {
                throw ServiceError(.invalidActionCode)
            }
        case .revertPasskeyAddition:
            guard account.passkeys.contains(where: { $0.credentialID == credentialID }) else {
                throw ServiceError(.invalidActionCode)
            }
        // A revert must work after every change an attacker made. A sign-in verifies the address again.
        case .recoverEmail, .emailSignIn: break
        }
        // A disabled account stays disabled. A stolen address can still be recovered.
        guard !account.disabled || Purpose.undoing.contains(purpose) else { throw ServiceError(.accountDisabled) }
    }
}

extension Identity.ActionPurpose {
    /// The codes of an account that end with its sessions, because they may have been requested by an attacker.
    static let revokedWithSessions: [Self] = [.passwordReset, .verifyAndChangeEmail]

    /// The other codes of the account that the use of one voids. For undo codes see `UndoRevocation`.
    var revokedByUse: [Self] {
        switch self {
        case .recoverEmail: [.verifyEmail]
        case .passwordReset, .emailSignIn, .verifyEmail, .verifyAndChangeEmail, .revertSecondFactorAddition,
            .revertPasskeyAddition:
            []
        }
    }
}

// MARK: - Effects of codes on an account

extension StoredAccount {
    /// Makes the change that the code permits. The caller has checked the code, and redeems it in the same transaction.
    /// - Parameter removesPasskeys: only for `recoverEmail`.
    /// - Throws: `invalidActionCode`, `invalidRequest`.
    mutating func apply(_ code: ActionCode, removesPasskeys: Bool = false, at now: Moment) throws(ServiceError) {
        guard !removesPasskeys || code.purpose == .recoverEmail else { throw .passkeysNotRemovable }
        switch code.purpose {
        case .verifyEmail:
            proveEmail()
        case .verifyAndChangeEmail:
            guard let newEmail = code.newEmail else { throw ServiceError(.invalidActionCode) }
            changeEmail(to: newEmail, at: now)
            proveEmail()
        case .recoverEmail:
            account.email = code.email
            proveEmail()
            if account.initialEmail?.folded == code.email.folded { account.initialEmail = nil }
            if removesPasskeys { account.passkeys = [] }
            endEarlierSessions(at: now)
        case .revertSecondFactorAddition:
            account.secondFactors.removeAll { $0.id == code.factorID }
            endEarlierSessions(at: now)
        case .revertPasskeyAddition:
            account.passkeys.removeAll { $0.credentialID == code.credentialID }
            endEarlierSessions(at: now)
        case .passwordReset, .emailSignIn: throw ServiceError(.invalidActionCode)  // They need more than the code.
        }
    }

    /// Sets a new password for a reader of the address. Second factors stay.
    mutating func resetPassword(_ record: String, at now: Moment) {
        if !hasProvenEmail { removeUnverifiedCredentials() }
        proveEmail()
        setPassword(record, at: now)
    }

    /// Signs in a reader of the address. An account with this address unverified may have been created by another user,
    /// who must not keep access (security rule FE13).
    mutating func signInByLink(at now: Moment) {
        if !hasProvenEmail {
            removeUnverifiedCredentials()
            endEarlierSessions(at: now)
        }
        proveEmail()
        account.emailLinkSignIn = true
    }

    /// Sets an address that its owner has just verified.
    mutating func linkEmail(_ email: EmailAddress, at now: Moment) {
        if let previous = account.email, previous.folded != email.folded {
            account.initialEmail = account.initialEmail ?? previous
            endEarlierSessions(at: now)
        }
        account.email = email
        proveEmail()
        account.emailLinkSignIn = true
    }

    /// The reader of the address did not create the account, so all its sign-in methods are removed. Second factors
    /// stay, because access to a mailbox alone never removes them.
    /// - Throws: `invalidActionCode` for a verified address, whose reader owns the account.
    mutating func rejectVerification(at now: Moment) throws(ServiceError) {
        guard !account.emailVerified else { throw ServiceError(.invalidActionCode) }
        removeUnverifiedCredentials()
        account.emailLinkSignIn = false
        endEarlierSessions(at: now)
    }

    /// Removes the sign-in methods of a user who never verified the address.
    mutating func removeUnverifiedCredentials() {
        removePassword()
        account.providers = []
        account.passkeys = []
        account.phoneNumber = nil
    }
}
