import Contracts
import FoundationEssentials
import JSON
import Vocabulary

/// The payload of the JWT that a blocking function receives (REST 8).
struct BlockingFunctionEventClaims: Sendable {
    /// The function has to check the token within this time.
    static let lifetimeSeconds: Int64 = 60
    /// Longer claims of a provider are omitted.
    static let maximumRawUserInfoBytes = 64 << 10

    var required: BlockingFunctionRequired
    var context: BlockingFunctionContext
    /// The URL of the function.
    var audience: String
    /// Differs for every call.
    var eventID: String
    var issuedAt: Timestamp

    /// - Throws: never in practice: every value can be encoded.
    func payload() throws -> Data {
        let account = required.stored.account
        var claims: [String: JSONValue] = [
            "iss": .string(IDTokenClaims.issuer(of: account.realm.project)), "aud": .string(audience),
            "sub": .string(account.id.rawValue), "iat": .integer(issuedAt.seconds),
            "exp": .integer((issuedAt + Self.lifetimeSeconds).seconds), "event_id": .string(eventID),
            "event_type": .string(required.event.rawValue),
            "sign_in_method": .string(context.signInMethod ?? required.authentication.signInProvider),
            "user_record": .object(Self.userRecord(account)),
        ]
        claims["ip_address"] = context.client.ipAddress.map(JSONValue.string)
        claims["user_agent"] = context.client.userAgent.map(JSONValue.string)
        claims["locale"] = context.client.locale.map(JSONValue.string)
        claims["sign_in_second_factor"] = (required.authentication.secondFactor?.kind).map(JSONValue.string)
        claims["tenant_id"] = account.realm.tenant.map { .string($0.rawValue) }
        if let provider = context.provider { claims.merge(provider.claims(forwarding: context.forwards)) { $1 } }
        return try WireJSON.encode(claims)
    }

    private static func userRecord(_ account: Account) -> [String: JSONValue] {
        var record: [String: JSONValue] = [
            "uid": .string(account.id.rawValue), "disabled": .bool(account.disabled),
            "email_verified": .bool(account.emailVerified),
            "provider_data": .array(providerData(account)),
            "tokens_valid_after_time": .integer(account.validSince.seconds),
        ]
        record["email"] = account.email.map { .string($0.rawValue) }
        record["display_name"] = account.displayName.map(JSONValue.string)
        record["photo_url"] = account.photoURL.map(JSONValue.string)
        record["phone_number"] = account.phoneNumber.map { .string($0.rawValue) }
        record["tenant_id"] = account.realm.tenant.map { .string($0.rawValue) }
        // `try?`: stored claims were parsed before.
        record["custom_claims"] = account.customClaims.flatMap { try? CustomClaims.parse($0) }.map(JSONValue.object)
        // Milliseconds, as Google's libraries expect.
        var metadata: [String: JSONValue] = ["creation_time": .integer(account.createdAt.milliseconds)]
        metadata["last_sign_in_time"] = account.lastSignInAt.map { .integer($0.milliseconds) }
        record["metadata"] = .object(metadata)
        if !account.secondFactors.isEmpty {
            record["multi_factor"] = .object(["enrolled_factors": .array(account.secondFactors.map(factor))])
        }
        return record
    }

    /// The password and the phone count as providers, as in the records of accounts (REST 4.1).
    private static func providerData(_ account: Account) -> [JSONValue] {
        var all: [JSONValue] = []
        if account.hasPassword || account.emailLinkSignIn, let email = account.email?.rawValue {
            all.append(
                entry(
                    "password", email, email: email, displayName: account.displayName, photoURL: account.photoURL))
        }
        all += account.providers.map { link in
            entry(
                link.providerID, link.providerAccountID, email: link.email, displayName: link.displayName,
                photoURL: link.photoURL)
        }
        if let number = account.phoneNumber?.rawValue { all.append(entry("phone", number, phoneNumber: number)) }
        return all
    }

    private static func entry(
        _ providerID: String, _ id: String, email: String? = nil, displayName: String? = nil, photoURL: String? = nil,
        phoneNumber: String? = nil
    ) -> JSONValue {
        var members: [String: JSONValue] = ["provider_id": .string(providerID), "uid": .string(id)]
        members["email"] = email.map(JSONValue.string)
        members["display_name"] = displayName.map(JSONValue.string)
        members["photo_url"] = photoURL.map(JSONValue.string)
        members["phone_number"] = phoneNumber.map(JSONValue.string)
        return .object(members)
    }

    private static func factor(_ factor: SecondFactor) -> JSONValue {
        var members: [String: JSONValue] = [
            "uid": .string(factor.id.rawValue),
            "enrollment_time": .string(
                Date(timeIntervalSince1970: Double(factor.enrolledAt.timestamp.seconds)).formatted(.iso8601)),
            "factor_id": .string(factor.kind.method.rawValue),
        ]
        members["display_name"] = factor.displayName.map(JSONValue.string)
        switch factor.kind {
        case .phone(let number): members["phone_number"] = .string(number.rawValue)
        case .totp: break
        }
        return .object(members)
    }
}

extension Identity.ProviderDetails {
    /// - Parameter forwards: the tokens that the project passes on.
    fileprivate func claims(
        forwarding forwards: ProjectConfiguration.BlockingFunctions.InboundCredentials?
    ) -> [String: JSONValue] {
        var claims: [String: JSONValue] = [:]
        if let rawUserInfo, rawUserInfo.utf8.count <= BlockingFunctionEventClaims.maximumRawUserInfoBytes {
            claims["raw_user_info"] = .string(rawUserInfo)
        }
        if forwards?.idToken == true { claims["oauth_id_token"] = (idToken?.reveal()).map(JSONValue.string) }
        if forwards?.accessToken == true {
            claims["oauth_access_token"] = (accessToken?.reveal()).map(JSONValue.string)
            claims["oauth_token_secret"] = (tokenSecret?.reveal()).map(JSONValue.string)
            claims["oauth_expires_in"] = expiresInSeconds.map { .integer(Int64($0)) }
        }
        if forwards?.refreshToken == true {
            claims["oauth_refresh_token"] = (refreshToken?.reveal()).map(JSONValue.string)
        }
        return claims
    }
}
