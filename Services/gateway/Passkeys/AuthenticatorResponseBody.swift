import Contracts
import Vocabulary

/// `RegistrationResponseJSON` or `AuthenticationResponseJSON` (Web Authentication Level 3, 5.1), with bytes as text. iOS
/// libraries send neither `rawId` nor `type`.
struct AuthenticatorResponseBody<Response: Decodable & Sendable>: Decodable, Sendable {
    var id: String?
    var rawId: String?
    var type: String?
    var response: Response?
}

/// The client's part of a registration.
struct AttestationBody: Decodable, Sendable {
    var clientDataJSON: String?
    /// The spelling that `client_data_json` becomes.
    var clientDataJson: String?
    var attestationObject: String?
    /// No library sends it; pages do.
    var transports: [String]?
}

/// The client's part of a sign-in.
struct AssertionBody: Decodable, Sendable {
    var clientDataJSON: String?
    /// The spelling that `client_data_json` becomes.
    var clientDataJson: String?
    var authenticatorData: String?
    var signature: String?
    /// JavaScript libraries leave it out if it is null.
    var userHandle: String?
}

extension AuthenticatorResponseBody {
    /// - Throws: `missingAuthenticatorResponse`, `invalidCredentialID`; `invalidAuthenticatorResponse` for other
    ///   missing or malformed bytes.
    static func decoded(_ body: Self?) throws(ServiceError) -> Passkey.RegistrationResponse
    where Response == AttestationBody {
        guard let body, let response = body.response, !response.isEmpty else {
            throw ServiceError(.missingAuthenticatorResponse)
        }
        return .init(
            id: try CredentialID(field: body.id), rawID: try body.rawCredentialID(), type: body.type.nilIfEmpty,
            clientDataJSON: try OctetString(field: response.clientDataJSON ?? response.clientDataJson),
            attestationObject: try OctetString(field: response.attestationObject),
            transports: response.transports ?? [])
    }

    /// - Throws: the same.
    static func decoded(_ body: Self?) throws(ServiceError) -> Passkey.AuthenticationResponse
    where Response == AssertionBody {
        guard let body, let response = body.response, !response.isEmpty else {
            throw ServiceError(.missingAuthenticatorResponse)
        }
        return .init(
            id: try CredentialID(field: body.id), rawID: try body.rawCredentialID(), type: body.type.nilIfEmpty,
            clientDataJSON: try OctetString(field: response.clientDataJSON ?? response.clientDataJson),
            authenticatorData: try OctetString(field: response.authenticatorData),
            signature: try OctetString(field: response.signature),
            userHandle: try response.userHandle.nilIfEmpty.map { text throws(ServiceError) in
                try OctetString(field: text)
            })
    }

    private func rawCredentialID() throws(ServiceError) -> CredentialID? {
        guard let text = rawId.nilIfEmpty else { return nil }
        guard let id = Base64Field.decode(text).flatMap(CredentialID.init) else {
            throw ServiceError(.invalidAuthenticatorResponse)
        }
        return id
    }
}

extension AttestationBody {
    fileprivate var isEmpty: Bool {
        [clientDataJSON, clientDataJson, attestationObject].allSatisfy { $0.nilIfEmpty == nil }
    }
}

extension AssertionBody {
    fileprivate var isEmpty: Bool {
        [clientDataJSON, clientDataJson, authenticatorData, signature, userHandle].allSatisfy { $0.nilIfEmpty == nil }
    }
}

extension CredentialID {
    /// - Throws: `invalidCredentialID` for text that is absent, malformed, empty or too long.
    init(field text: String?) throws(ServiceError) {
        guard let text, let id = Base64Field.decode(text).flatMap(CredentialID.init) else {
            throw ServiceError(.invalidCredentialID)
        }
        self = id
    }
}

extension OctetString {
    /// - Throws: `invalidAuthenticatorResponse` for text that is absent, malformed or empty.
    fileprivate init(field text: String?) throws(ServiceError) {
        guard let text = text.nilIfEmpty, let bytes = Base64Field.decode(text) else {
            throw ServiceError(.invalidAuthenticatorResponse)
        }
        self.init(bytes)
    }
}
