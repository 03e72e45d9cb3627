import Contracts
import FoundationEssentials
import JSON
import Vocabulary

/// The claims of a custom token (tokens 4). Its signature and its expiry were verified before.
struct CustomTokenClaims: Equatable, Sendable {
    static let audience =
        "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"

    var accountID: AccountID
    var tenant: TenantID?
    /// JSON text of an object, for the whole session.
    var claims: String?

    /// Parses the payload.
    /// - Throws: `missingIdentifier`, `invalidIdentifier`, `invalidCustomClaims`, `customClaimsTooLarge`,
    ///   `reservedClaim`, `invalidCustomToken`.
    init(_ payload: JSONValue) throws(ServiceError) {
        accountID = try Self.accountID(payload)
        switch payload["tenant_id"] {
        case nil, .null?: tenant = nil
        case .string(let text)?: tenant = text.nilIfEmpty.map { TenantID($0) }
        case .bool?, .integer?, .number?, .array?, .object?:
            throw .invalidCustomToken("tenant_id must be a string.")
        }
        claims = try Self.sessionClaims(payload["claims"])
    }

    private static func accountID(_ payload: JSONValue) throws(ServiceError) -> AccountID {
        switch payload["uid"] ?? payload["user_id"] {
        case nil, .null?, .string("")?:
            throw ServiceError(.missingIdentifier)
        case .string(let text)?:
            let id = AccountID(text)
            guard id.isAcceptable else { throw ServiceError(.invalidIdentifier) }
            return id
        case .bool?, .integer?, .number?, .array?, .object?:
            throw ServiceError(.invalidIdentifier)
        }
    }

    private static func sessionClaims(_ value: JSONValue?) throws(ServiceError) -> String? {
        switch value {
        case nil, .null?: return nil
        case .object(let members)?:
            guard !members.isEmpty else { return nil }
            do {
                let text = String(decoding: try WireJSON.encodeSorted(members), as: UTF8.self)
                return try CustomClaims.parse(text) == nil ? nil : text
            } catch let error as ServiceError {
                throw error
            } catch {
                throw ServiceError(.invalidCustomClaims)
            }
        case .bool?, .integer?, .number?, .string?, .array?: throw ServiceError(.invalidCustomClaims)
        }
    }
}

extension AccountID {
    /// 1 to 128 characters without controls.
    var isAcceptable: Bool {
        (1...128).contains(rawValue.unicodeScalars.count)
            && rawValue.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f }
    }
}
