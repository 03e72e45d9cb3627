import Contracts
import JSON
import ServiceRuntime
import Vocabulary

/// An account in the wire format (REST 2.13). The client libraries require the choice of strings and numbers (1.5).
/// Absent values have no key.
struct UserRecord: Encodable {
    /// base64url of `REDACTED`: indicates that a password exists and reveals nothing about it.
    static let redactedHash = "UkVEQUNURUQ="

    var localId: String
    var tenantId: String?
    var email: String?
    var emailVerified: Bool?
    var initialEmail: String?
    var displayName: String?
    var photoUrl: String?
    var phoneNumber: String?
    var disabled: Bool
    var emailLinkSignin: Bool?
    var customAuth: Bool?
    /// base64url with padding, like `salt`: of an imported hash, for callers that may read it.
    var passwordHash: String?
    var salt: String?
    /// 0 for a hash of Firebase, the only one that its tools export; a number.
    var version: Int?
    /// A Latchkey extension: how the hash was computed.
    var passwordHashConfig: JSONValue?
    /// Milliseconds, a number.
    var passwordUpdatedAt: Int64?
    /// Seconds, a string.
    var validSince: String
    /// Milliseconds, a string.
    var createdAt: String
    var lastLoginAt: String?
    /// RFC 3339 with a fraction.
    var lastRefreshAt: String?
    /// RFC 3339 with a fraction. A Latchkey extension: the owner has deleted the account, and it is deleted then.
    var deletionDueAt: String?
    var customAttributes: String?
    var providerUserInfo: [ProviderInfo]?
    var mfaInfo: [FactorInfo]?
    /// In order of registration.
    var passkeyInfo: [PasskeyInfo]?

    struct ProviderInfo: Encodable {
        var providerId: String
        var rawId: String
        var federatedId: String?
        var email: String?
        var displayName: String?
        var photoUrl: String?
        var phoneNumber: String?
    }

    /// Exactly one of `phoneInfo` and `totpInfo`.
    struct FactorInfo: Encodable {
        struct TOTPInfo: Encodable {}
        var mfaEnrollmentId: String
        var displayName: String?
        var enrolledAt: String
        var phoneInfo: String?
        var unobfuscatedPhoneInfo: String?
        var totpInfo: TOTPInfo?
    }

    /// Clients read the first three; the others are Latchkey extensions.
    struct PasskeyInfo: Encodable {
        /// Standard base64 with padding.
        var credentialId: String
        var name: String
        var rpId: String
        /// RFC 3339 with a fraction, like `lastUsedAt`.
        var createdAt: String
        var lastUsedAt: String?
        var backedUp: Bool
        /// A UUID in lower case.
        var aaguid: String
        /// Absent: the model is the authenticator's own claim.
        var aaguidVerified: Bool?

        init(_ passkey: AccountPasskey) {
            credentialId = Base64Field.encode(passkey.credentialID.bytes)
            name = passkey.name
            rpId = passkey.relyingPartyID
            createdAt = passkey.createdAt.text
            lastUsedAt = passkey.lastUsedAt?.text
            backedUp = passkey.isBackedUp
            aaguid = passkey.aaguid
            aaguidVerified = passkey.isModelVerified == true ? true : nil
        }
    }

    /// - Parameter password: for a caller that may read it.
    init(_ account: Account, password: Identity.ExportedPassword? = nil) {
        localId = account.id.rawValue
        tenantId = account.realm.tenant?.rawValue
        email = account.email?.rawValue
        emailVerified = account.email == nil && !account.emailVerified ? nil : account.emailVerified
        initialEmail = account.initialEmail?.rawValue
        displayName = account.displayName
        photoUrl = account.photoURL
        phoneNumber = account.phoneNumber?.rawValue
        disabled = account.disabled
        emailLinkSignin = account.emailLinkSignIn ? true : nil
        customAuth = account.customAuthentication ? true : nil
        passwordHash = account.hasPassword ? Self.redactedHash : nil
        if let password, let config = password.algorithm.importFields {
            passwordHash = Base64Field.encodeURL(password.hash.reveal().bytes)
            salt = Base64Field.encodeURL(password.salt.bytes)
            version = password.algorithm.kind.family == .firebaseScrypt ? 0 : 1
            passwordHashConfig = config
        }
        passwordUpdatedAt = account.passwordChangedAt?.milliseconds
        validSince = String(account.validSince.seconds)
        createdAt = String(account.createdAt.milliseconds)
        lastLoginAt = account.lastSignInAt.map { String($0.milliseconds) }
        lastRefreshAt = account.lastRefreshAt?.text
        deletionDueAt = account.deletionDueAt?.text
        customAttributes = account.customClaims
        providerUserInfo = ProviderInfo.all(of: account).nilIfEmpty
        mfaInfo = account.secondFactors.map(FactorInfo.init).nilIfEmpty
        passkeyInfo = account.passkeys.map(PasskeyInfo.init).nilIfEmpty
    }
}

extension UserRecord.ProviderInfo {
    /// The password and the phone count as providers, and an e-mail link sign-in counts as a password: libraries treat
    /// an account without providers as anonymous. Links are in order of creation.
    static func all(of account: Account) -> [Self] {
        var all: [Self] = []
        if account.hasPassword || account.emailLinkSignIn, let email = account.email?.rawValue {
            all.append(
                .init(
                    providerId: "password", rawId: email, federatedId: email, email: email,
                    displayName: account.displayName, photoUrl: account.photoURL))
        }
        all += account.providers.map(Self.init)
        if let number = account.phoneNumber?.rawValue {
            all.append(.init(providerId: "phone", rawId: number, phoneNumber: number))
        }
        return all
    }

    private init(_ link: ProviderLink) {
        providerId = link.providerID
        rawId = link.providerAccountID
        // REST 2.4 and 2.13: the bare subject where no URL is known.
        federatedId =
            Federation.SupportedProvider.accountURL(of: link.providerAccountID, at: link.providerID)
            ?? link.providerAccountID
        email = link.email
        displayName = link.displayName
        photoUrl = link.photoURL
    }
}

extension UserRecord.FactorInfo {
    init(_ factor: SecondFactor) {
        mfaEnrollmentId = factor.id.rawValue
        displayName = factor.displayName
        enrolledAt = factor.enrolledAt.text
        switch factor.kind {
        case .phone(let number):
            phoneInfo = number.rawValue
            unobfuscatedPhoneInfo = number.rawValue
        case .totp:
            totpInfo = TOTPInfo()
        }
    }
}
