import Contracts
import Crypto
import ServiceRuntime
import Vocabulary

/// A link to an identity provider, in both forms of a user.
struct ProviderUserRecord: Encodable {
    var providerId: String
    var rawId: String
    var email: String?
    var displayName: String?
    var photoUrl: String?

    init(_ link: ProviderLink) {
        providerId = link.providerID
        rawId = link.providerAccountID
        email = link.email
        displayName = link.displayName
        photoUrl = link.photoURL
    }
}

/// A user as `firebase auth:export` writes one. `firebase auth:import` refuses a file with any other field.
struct FirebaseUserRecord: Encodable {
    var localId: String
    var email: String?
    var emailVerified: Bool
    var passwordHash: String?
    var salt: String?
    var displayName: String?
    var photoUrl: String?
    /// Milliseconds, a string.
    var lastSignedInAt: String?
    var createdAt: String
    var phoneNumber: String?
    var disabled: Bool
    var customAttributes: String?
    var providerUserInfo: [ProviderUserRecord]

    init(_ account: Account) {
        localId = account.id.rawValue
        email = account.email?.rawValue
        emailVerified = account.emailVerified
        displayName = account.displayName
        photoUrl = account.photoURL
        lastSignedInAt = account.lastSignInAt.map { String($0.milliseconds) }
        createdAt = String(account.createdAt.milliseconds)
        phoneNumber = account.phoneNumber?.rawValue
        disabled = account.disabled
        customAttributes = account.customClaims
        providerUserInfo = account.providers.filter { UserRecordColumns.providers.contains($0.providerID) }
            .map(ProviderUserRecord.init)
    }
}

extension UserRecordColumns {
    /// The line of a user, without its end.
    static func line(_ user: FirebaseUserRecord) -> String {
        var columns = [
            user.localId, user.email, user.emailVerified ? "true" : "false", user.passwordHash, user.salt,
            user.displayName, user.photoUrl,
        ]
        for provider in providers {
            let link = user.providerUserInfo.first { $0.providerId == provider }
            columns += [link?.rawId, link?.email, link?.displayName, link?.photoUrl]
        }
        columns += [
            user.createdAt, user.lastSignedInAt, user.phoneNumber, user.disabled ? "true" : "false",
            user.customAttributes, nil,
        ]
        return columns.map { quoted($0 ?? "") }.joined(separator: ",")
    }

    /// RFC 4180: in quotes, if the text has a comma, a quote or a line end.
    private static func quoted(_ text: String) -> String {
        guard text.utf8.contains(where: { [0x22, 0x2c, 0x0a, 0x0d].contains($0) }) else { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}

/// A user in JSON Lines: the fields of `accounts:batchGet` (REST 2.13), with the hash in PHC form.
struct OwnUserRecord: Encodable {
    /// Exactly one of `phoneInfo` and `totpInfo`.
    struct Factor: Encodable {
        struct TOTP: Encodable {
            /// In base32; only in a sealed file.
            var sharedSecretKey: String?
        }
        var mfaEnrollmentId: String
        var displayName: String?
        var enrolledAt: String
        var phoneInfo: String?
        var totpInfo: TOTP?

        init(_ factor: SecondFactor, _ secret: Secret<OctetString>?) {
            mfaEnrollmentId = factor.id.rawValue
            displayName = factor.displayName
            enrolledAt = factor.enrolledAt.text
            switch factor.kind {
            case .phone(let number): phoneInfo = number.rawValue
            case .totp: totpInfo = TOTP(sharedSecretKey: secret.map { Base32.encode($0.reveal().bytes) })
            }
        }
    }

    var localId: String
    var tenantId: String?
    var email: String?
    var emailVerified: Bool?
    var emailLinkSignin: Bool?
    var displayName: String?
    var photoUrl: String?
    var phoneNumber: String?
    var disabled: Bool?
    var passwordHash: String?
    /// Milliseconds, like the other times, except `validSince` in seconds.
    var passwordUpdatedAt: Int64?
    var validSince: String
    var createdAt: String
    var lastLoginAt: String?
    /// RFC 3339.
    var deletionDueAt: String?
    var customAttributes: String?
    var providerUserInfo: [ProviderUserRecord]?
    var mfaInfo: [Factor]?
    var passkeyInfo: [PasskeyRecord]?

    init(_ account: Account, _ secrets: AccountSecrets) {
        localId = account.id.rawValue
        tenantId = account.realm.tenant?.rawValue
        email = account.email?.rawValue
        emailVerified = account.emailVerified ? true : nil
        emailLinkSignin = account.emailLinkSignIn ? true : nil
        displayName = account.displayName
        photoUrl = account.photoURL
        phoneNumber = account.phoneNumber?.rawValue
        disabled = account.disabled ? true : nil
        passwordUpdatedAt = account.passwordChangedAt?.milliseconds
        validSince = String(account.validSince.seconds)
        createdAt = String(account.createdAt.milliseconds)
        lastLoginAt = account.lastSignInAt.map { String($0.milliseconds) }
        deletionDueAt = account.deletionDueAt?.text
        customAttributes = account.customClaims
        providerUserInfo = account.providers.map(ProviderUserRecord.init).nilIfEmpty
        mfaInfo = account.secondFactors.map { Factor($0, secrets.factors[.init(account.id, $0.id)]) }.nilIfEmpty
        passkeyInfo = account.passkeys.map { PasskeyRecord($0, secrets.publicKeys[$0.credentialID]) }.nilIfEmpty
    }
}
