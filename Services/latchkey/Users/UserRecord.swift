import Contracts
import ServiceRuntime
import Vocabulary

/// An account in the output of the commands about users. The names of the members are stable.
struct UserRecord: Encodable, Equatable {
    struct Factor: Encodable, Equatable {
        var id: String
        var kind: String
        var phoneNumber: String?
        var displayName: String?
        var enrolledAt: String

        init(_ factor: SecondFactor) {
            id = factor.id.rawValue
            kind = factor.kind.method.rawValue
            switch factor.kind {
            case .phone(let number): phoneNumber = number.rawValue
            case .totp: break
            }
            displayName = factor.displayName
            enrolledAt = factor.enrolledAt.text
        }
    }

    struct Passkey: Encodable, Equatable {
        var id: String
        var name: String
        var createdAt: String
        var lastUsedAt: String?

        init(_ passkey: AccountPasskey) {
            id = Base64URL.encode(passkey.credentialID.bytes)
            name = passkey.name
            createdAt = passkey.createdAt.text
            lastUsedAt = passkey.lastUsedAt?.text
        }
    }

    var uid: String
    var tenant: String?
    var email: String?
    var emailVerified: Bool
    var phoneNumber: String?
    var displayName: String?
    var photoURL: String?
    var disabled: Bool
    /// `password`, `emailLink`, `phone`, `passkey`, `custom` and the ids of identity providers.
    var signInMethods: [String]
    var secondFactors: [Factor]
    var passkeys: [Passkey]
    /// JSON text.
    var customClaims: String?
    var createdAt: String
    var lastSignInAt: String?
    var passwordChangedAt: String?
    /// Tokens from before are invalid.
    var tokensValidSince: String

    init(_ account: Account) {
        uid = account.id.rawValue
        tenant = account.realm.tenant?.rawValue
        email = account.email?.rawValue
        emailVerified = account.emailVerified
        phoneNumber = account.phoneNumber?.rawValue
        displayName = account.displayName
        photoURL = account.photoURL
        disabled = account.disabled
        let methods: [(name: String, isUsed: Bool)] = [
            ("password", account.hasPassword), ("emailLink", account.emailLinkSignIn),
            ("phone", account.phoneNumber != nil), ("passkey", !account.passkeys.isEmpty),
            ("custom", account.customAuthentication),
        ]
        signInMethods = methods.filter(\.isUsed).map(\.name) + account.providers.map(\.providerID)
        secondFactors = account.secondFactors.map(Factor.init)
        passkeys = account.passkeys.map(Passkey.init)
        customClaims = account.customClaims
        createdAt = account.createdAt.text
        lastSignInAt = account.lastSignInAt?.text
        passwordChangedAt = account.passwordChangedAt?.text
        tokensValidSince = Moment(account.validSince).text
    }
}

extension UserRecord {
    /// Every value with its name, for one account alone.
    var fields: [(name: String, text: String?)] {
        [
            ("User id", uid), ("Tenant", tenant), ("E-mail", email.map { $0 + (emailVerified ? " (verified)" : "") }),
            ("Phone number", phoneNumber), ("Name", displayName), ("Photo", photoURL),
            ("State", disabled ? "disabled" : "enabled"), ("Sign-in methods", signInMethods.joined(separator: ", ")),
        ]
            + secondFactors.map { factor in
                (
                    "Second factor",
                    [factor.id, factor.kind, factor.phoneNumber, factor.displayName].compactMap(\.self)
                        .joined(separator: "  ")
                )
            } + passkeys.map { ("Passkey", "\($0.id)  \($0.name)") } + [
                ("Claims", customClaims), ("Created", createdAt), ("Last sign-in", lastSignInAt),
                ("Password changed", passwordChangedAt), ("Tokens valid since", tokensValidSince),
            ]
    }
}

extension CommandOutput {
    func listUsers() -> OutputList<UserRecord> {
        list(
            OutputColumn("UID") { $0.uid }, OutputColumn("E-MAIL") { $0.email ?? "" },
            OutputColumn("PHONE") { $0.phoneNumber ?? "" }, OutputColumn("NAME") { $0.displayName ?? "" },
            OutputColumn("STATE") { $0.disabled ? "disabled" : "enabled" },
            OutputColumn("SIGN-IN") { $0.signInMethods.joined(separator: ",") },
            OutputColumn("FACTORS") { $0.secondFactors.map(\.kind).joined(separator: ",") },
            OutputColumn("LAST SIGN-IN") { $0.lastSignInAt ?? "" })
    }
}
