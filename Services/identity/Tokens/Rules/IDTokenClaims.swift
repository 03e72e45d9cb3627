import Contracts
import FoundationEssentials
import JSON
import Vocabulary

/// The payload of an ID token (tokens 2).
struct IDTokenClaims: Equatable, Sendable {
    static let lifetimeSeconds: Int64 = 3600
    /// The lifetime of the token of a session of another scope.
    static let enrollmentLifetimeSeconds: Int64 = 900
    /// A token is accepted this long after its expiry, as in Google Identity Platform.
    static let expiryLeewaySeconds: Int64 = 300

    var project: ProjectID
    var tenant: TenantID?
    var accountID: AccountID
    var issuedAt: Timestamp
    var expiresAt: Timestamp
    var authentication: AuthenticationContext

    static func issuer(of project: ProjectID) -> String { "https://securetoken.google.com/\(project)" }

    static func lifetimeSeconds(_ scope: SessionScope) -> Int64 {
        switch scope {
        case .full: lifetimeSeconds
        case .enrollment, .restoration: enrollmentLifetimeSeconds
        }
    }

    /// Follows the project in the audience of a token of scope `enrollment`: a backend that compares the audience with
    /// the project rejects the token. No project id contains a slash.
    private static let enrollmentAudienceSuffix = "/second-factor-enrollment"
    /// As `enrollmentAudienceSuffix`, for a token of scope `restoration`.
    private static let restorationAudienceSuffix = "/account-restoration"

    private static func audienceSuffix(_ scope: SessionScope) -> String {
        switch scope {
        case .full: ""
        case .enrollment: enrollmentAudienceSuffix
        case .restoration: restorationAudienceSuffix
        }
    }

    private static func audience(of project: ProjectID, _ scope: SessionScope) -> String {
        project.rawValue + audienceSuffix(scope)
    }
}

// MARK: - Names

extension IDTokenClaims {
    /// The claims that identity puts into ID tokens, by their names (tokens 2).
    enum Name: String, CaseIterable, Sendable {
        case issuer = "iss"
        case audience = "aud"
        case subject = "sub"
        case userID = "user_id"
        case issuedAt = "iat"
        case expiresAt = "exp"
        case authenticatedAt = "auth_time"
        case name, picture, email, firebase
        case phoneNumber = "phone_number"
        case emailVerified = "email_verified"
        case providerID = "provider_id"
        case nonce
        case methods = "amr"
        case level = "acr"

        /// Whether custom claims may not have the name. A claim of the profile replaces one of the same name.
        var isReserved: Bool {
            switch self {
            case .issuer, .audience, .subject, .issuedAt, .expiresAt, .authenticatedAt, .firebase, .nonce, .methods,
                .level:
                true
            case .userID, .name, .picture, .email, .phoneNumber, .emailVerified, .providerID: false
            }
        }
    }
}

extension [String: JSONValue] {
    fileprivate subscript(claim: IDTokenClaims.Name) -> JSONValue? {
        get { self[claim.rawValue] }
        set { self[claim.rawValue] = newValue }
    }
}

// MARK: - Issuing

extension IDTokenClaims {
    /// The payload for a session of `account`: authentication context and claims of the session, profile and claims of
    /// the current account.
    /// - Parameter nonce: of the request of an application (OpenID Connect Core §2).
    static func payload(
        for account: Account, authentication: AuthenticationContext, issuedAt: Timestamp, nonce: String? = nil
    ) throws -> Data {
        var claims: [String: JSONValue] = [:]
        // Claims of the session replace those of the account.
        for text in [account.customClaims, authentication.claims] {
            if let text, let custom = try CustomClaims.parse(text) { claims.merge(custom) { $1 } }
        }
        claims[.issuer] = .string(issuer(of: account.realm.project))
        claims[.audience] = .string(audience(of: account.realm.project, authentication.scope))
        claims[.subject] = .string(account.id.rawValue)
        claims[.userID] = .string(account.id.rawValue)
        claims[.issuedAt] = .integer(issuedAt.seconds)
        claims[.expiresAt] = .integer((issuedAt + lifetimeSeconds(authentication.scope)).seconds)
        claims[.authenticatedAt] = .integer(authentication.authenticatedAt.seconds)
        claims[.name] = account.displayName.map(JSONValue.string)
        claims[.picture] = account.photoURL.map(JSONValue.string)
        claims[.phoneNumber] = account.phoneNumber.map { .string($0.rawValue) }
        if let email = account.email { claims[.email] = .string(email.rawValue) }
        if account.email != nil || account.emailVerified {
            claims[.emailVerified] = .bool(account.emailVerified)
        }
        if authentication.signInProvider == AuthenticationContext.anonymousProvider {
            claims[.providerID] = .string("anonymous")
        }
        claims[.methods] = authentication.methods.nilIfEmpty.map { .array($0.map { .string($0.rawValue) }) }
        claims[.level] = authentication.level.map { .string($0.rawValue) }
        claims[.nonce] = nonce.map(JSONValue.string)
        claims[.firebase] = .object(firebase(account, authentication))
        return try WireJSON.encode(claims)
    }

    private static func firebase(_ account: Account, _ authentication: AuthenticationContext) -> [String: JSONValue] {
        var identities: [String: [JSONValue]] = [:]
        if let email = account.email { identities["email"] = [.string(email.rawValue)] }
        if let phoneNumber = account.phoneNumber { identities["phone"] = [.string(phoneNumber.rawValue)] }
        for link in account.providers {
            identities[link.providerID, default: []].append(.string(link.providerAccountID))
        }
        var members: [String: JSONValue] = [
            "sign_in_provider": .string(authentication.signInProvider),
            "identities": .object(identities.mapValues(JSONValue.array)),
        ]
        if let factor = authentication.secondFactor {
            members["sign_in_second_factor"] = .string(factor.kind)
            members["second_factor_identifier"] = factor.id.map { .string($0.rawValue) }
        }
        if authentication.isDeviceRemembered == true { members["second_factor_remembered"] = .bool(true) }
        if let isUserVerified = authentication.isUserVerified {
            members["sign_in_attributes"] = .object(["user_verified": .bool(isUserVerified)])
        } else if let attributes = authentication.attributes.flatMap(SignInAttributes.init) {
            members["sign_in_attributes"] = .object(attributes.members)
        }
        switch authentication.scope {
        case .full: break
        // For applications, which show how to enroll.
        case .enrollment: members["second_factor_required"] = .bool(true)
        case .restoration: members["deletion_scheduled"] = .bool(true)
        }
        members["session_id"] = authentication.signInID.map { .string($0.text) }
        members["tenant"] = account.realm.tenant.map { .string($0.rawValue) }
        return members
    }
}

// MARK: - Parsing

extension IDTokenClaims {
    /// Parses the payload of a token whose signature was verified.
    init(payload: Data) throws(ServiceError) {
        let fields: Payload
        do {
            fields = try WireJSON.decodeUnchecked(Payload.self, from: payload)
        } catch {
            throw ServiceError(.invalidIDToken)
        }
        let limited: [SessionScope] = [.enrollment, .restoration]
        let scope = limited.first { fields.aud.hasSuffix(Self.audienceSuffix($0)) } ?? .full
        project = ProjectID(String(fields.aud.dropLast(Self.audienceSuffix(scope).count)))
        guard fields.iss == Self.issuer(of: project),
            [fields.iat, fields.exp, fields.authTime].allSatisfy(Self.times.contains)
        else { throw ServiceError(.invalidIDToken) }
        tenant = fields.firebase.tenant.map { TenantID($0) }
        accountID = AccountID(fields.sub)
        issuedAt = Timestamp(seconds: fields.iat)
        expiresAt = Timestamp(seconds: fields.exp)
        authentication = AuthenticationContext(
            authenticatedAt: Timestamp(seconds: fields.authTime), signInProvider: fields.firebase.signInProvider,
            secondFactor: fields.firebase.secondFactor, scope: scope,
            isUserVerified: fields.firebase.isUserVerified, attributes: fields.firebase.attributes,
            isByEmail: fields.amr?.contains(AuthenticationContext.Method.email.rawValue) == true ? true : nil,
            isDeviceRemembered: fields.firebase.isDeviceRemembered,
            signInID: fields.firebase.sessionID.flatMap { SessionID(text: $0) })
    }

    /// The range of times in seconds: until the year 9999. Unsigned tokens of dev mode are not trusted.
    private static let times: ClosedRange<Int64> = 0...253_402_300_799

    /// The claims that identity reads, under their names in the token.
    private struct Payload: Decodable {
        var iss: String
        var aud: String
        var sub: String
        var iat: Int64
        var exp: Int64
        var authTime: Int64
        /// Absent in tokens of former versions.
        var amr: [String]?
        var firebase: Firebase

        enum CodingKeys: String, CodingKey {
            case iss, aud, sub, iat, exp, amr, firebase
            case authTime = "auth_time"
        }

        struct Firebase: Decodable {
            var signInProvider: String
            var secondFactorKind: String?
            var secondFactorID: String?
            /// Values of any type, because a provider chooses the values.
            var signInAttributes: JSONValue?
            var isDeviceRemembered: Bool?
            /// Absent in tokens of former versions.
            var sessionID: String?
            var tenant: String?

            enum CodingKeys: String, CodingKey {
                case tenant
                case signInProvider = "sign_in_provider"
                case secondFactorKind = "sign_in_second_factor"
                case secondFactorID = "second_factor_identifier"
                case isDeviceRemembered = "second_factor_remembered"
                case signInAttributes = "sign_in_attributes"
                case sessionID = "session_id"
            }

            private var isSignedInByPasskey: Bool { signInProvider == AuthenticationContext.passkeyProvider }

            /// Only identity sets it. The attributes of other sign-ins come from their provider, whatever their names.
            var isUserVerified: Bool? {
                guard isSignedInByPasskey, case .bool(let value) = signInAttributes?["user_verified"] else {
                    return nil
                }
                return value
            }

            var attributes: String? {
                isSignedInByPasskey ? nil : signInAttributes.flatMap(SignInAttributes.init)?.text
            }

            var secondFactor: AuthenticationContext.Factor? {
                secondFactorKind.map { .init(kind: $0, id: secondFactorID.map { FactorID($0) }) }
            }
        }
    }

    /// Checks the realm and the age of the token.
    func check(for realm: Realm, at now: Timestamp) throws(ServiceError) {
        // A token from the future was issued by a clock that was ahead, and could not be revoked until then.
        guard project == realm.project, now <= expiresAt + Self.expiryLeewaySeconds,
            !Moment(issuedAt).isAhead(of: Moment(now))
        else {
            throw ServiceError(.invalidIDToken)
        }
        guard realm.tenant == nil || realm.tenant == tenant else { throw ServiceError(.tenantMismatch) }
    }
}
