import Contracts
import Vocabulary

/// An account with what only identity may see of it.
struct StoredAccount: Equatable, Sendable {
    var account: Account
    /// The text of a `PasswordRecord`.
    var passwordRecord: String? {
        didSet { account.hasPassword = passwordRecord != nil }
    }

    init(account: Account, passwordRecord: String?) {
        self.account = account
        self.passwordRecord = passwordRecord
        self.account.hasPassword = passwordRecord != nil
    }

    /// Sets a password and ends every earlier session (tokens reference 3).
    mutating func setPassword(_ record: String, at now: Moment) {
        passwordRecord = record
        account.passwordChangedAt = now
        endEarlierSessions(at: now)
    }

    /// Tokens and sessions of earlier seconds are void from here on.
    mutating func endEarlierSessions(at now: Moment) {
        account.validSince = max(account.validSince, now.timestamp)
    }

    /// An account that was deleted, disabled, or whose sessions were revoked lets nobody in.
    func admit(issuedAt: Timestamp) throws(IdentityError) {
        guard !account.disabled else { throw .accountDisabled }
        guard issuedAt >= account.validSince else { throw .sessionExpired }
    }
}

// MARK: - Administration

extension StoredAccount {
    /// Applies an administrator's changes; the password comes hashed, for hashing takes time that a transaction has not.
    mutating func apply(_ changes: Identity.AccountChanges, passwordRecord: String?, at now: Moment)
        throws(IdentityError)
    {
        for removal in changes.removals { remove(removal) }
        if let text = changes.email { try changeEmail(to: text, at: now) }
        if let emailVerified = changes.emailVerified { account.emailVerified = emailVerified }
        if let passwordRecord { setPassword(passwordRecord, at: now) }
        if let displayName = changes.displayName { account.displayName = displayName.nilIfEmpty }
        if let photoURL = changes.photoURL { account.photoURL = photoURL.nilIfEmpty }
        if let text = changes.phoneNumber { account.phoneNumber = try text.nilIfEmpty.map(PhoneNumber.init(checking:)) }
        if let disabled = changes.disabled { account.disabled = disabled }
        if let text = changes.customClaims {
            account.customClaims = try CustomClaims.parse(text).flatMap { $0.isEmpty ? nil : text }
        }
        if let createdAt = changes.createdAt { account.createdAt = createdAt }
        if let lastSignInAt = changes.lastSignInAt { account.lastSignInAt = lastSignInAt }
        if let link = changes.link { try add(link) }
        // Last: an administrator's word stands as given, also where another change moved it.
        if let validSince = changes.validSince { account.validSince = validSince }
    }

    private mutating func changeEmail(to text: String, at now: Moment) throws(IdentityError) {
        let email = try EmailAddress(checking: text)
        guard email != account.email else { return }
        if let previous = account.email, previous.folded != email.folded {
            account.initialEmail = account.initialEmail ?? previous
            endEarlierSessions(at: now)
        }
        account.emailVerified = account.emailVerified && account.email?.folded == email.folded
        account.email = email
    }

    private mutating func add(_ link: ProviderLink) throws(IdentityError) {
        guard !link.providerID.isEmpty else { throw .missingProviderID }
        guard !link.providerAccountID.isEmpty else { throw .missingProviderAccountID }
        account.providers.removeAll { $0.providerID == link.providerID }
        account.providers.append(link)
    }

    private mutating func remove(_ removal: Identity.AccountChanges.Removal) {
        switch removal {
        case .email:
            account.email = nil
            account.emailVerified = false
        case .displayName: account.displayName = nil
        case .photoURL: account.photoURL = nil
        case .password:
            passwordRecord = nil
            account.passwordChangedAt = nil
            account.emailLinkSignIn = false
        case .phoneNumber: account.phoneNumber = nil
        case .provider(let id): account.providers.removeAll { $0.providerID == id }
        case .providers: account.providers = []
        }
    }
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

extension String {
    var nilIfEmpty: String? { isEmpty ? nil : self }
}
