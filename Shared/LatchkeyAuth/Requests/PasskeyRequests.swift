import Foundation

/// `accounts/passkeyEnrollment:start` (REST 3.6).
struct StartPasskeyEnrollmentRequest: AuthRequest {
    static let path = "v2/accounts/passkeyEnrollment:start"
    static let repetition = Repetition.always

    var idToken: String
    var tenantId: String?

    struct Response: Decodable, Sendable {
        var credentialCreationOptions: Options
    }

    /// `PublicKeyCredentialCreationOptionsJSON`; bytes are base64.
    struct Options: Decodable, Sendable {
        struct RelyingParty: Decodable, Sendable {
            var id: String
            var name: String
        }

        struct User: Decodable, Sendable {
            var id: String
            var name: String
            var displayName: String
        }

        struct Selection: Decodable, Sendable {
            var userVerification: String?
        }

        var rp: RelyingParty
        var user: User
        var challenge: String
        var excludeCredentials: [PasskeyDescriptor]?
        var authenticatorSelection: Selection?
    }
}

/// `accounts/passkeyEnrollment:finalize` (REST 3.6). The server accepts the challenge once.
struct FinalizePasskeyEnrollmentRequest: AuthRequest {
    static let path = "v2/accounts/passkeyEnrollment:finalize"
    static let repetition = Repetition.ifNotReceived
    typealias Response = SignInResponse

    /// Bytes are base64.
    struct Registration: Encodable, Sendable {
        struct Content: Encodable, Sendable {
            var clientDataJSON: String
            var attestationObject: String
        }

        var id: String
        var response: Content
    }

    var idToken: String
    var name: String?
    var displayName: String?
    var authenticatorRegistrationResponse: Registration
    var tenantId: String?

    init(idToken: String, name: String?, _ registration: PasskeyRegistration, tenantId: String?) {
        self.idToken = idToken
        self.name = name
        displayName = name
        authenticatorRegistrationResponse = Registration(
            id: registration.credentialID.base64EncodedString(),
            response: .init(
                clientDataJSON: registration.clientDataJSON.base64EncodedString(),
                attestationObject: registration.attestationObject.base64EncodedString()))
        self.tenantId = tenantId
    }
}

/// `accounts/passkeySignIn:start` (REST 3.6).
struct StartPasskeySignInRequest: AuthRequest {
    static let path = "v2/accounts/passkeySignIn:start"
    static let repetition = Repetition.always

    /// An e-mail address or a phone number: the options allow only the passkeys of this account.
    var identifier: String?
    var tenantId: String?

    struct Response: Decodable, Sendable {
        var credentialRequestOptions: Options
    }

    /// `PublicKeyCredentialRequestOptionsJSON`; bytes are base64.
    struct Options: Decodable, Sendable {
        var challenge: String
        var rpId: String
        var allowCredentials: [PasskeyDescriptor]?
        var userVerification: String?
    }
}

/// `accounts/passkeySignIn:finalize` (REST 3.6). The server accepts the challenge once.
struct FinalizePasskeySignInRequest: AuthRequest {
    static let path = "v2/accounts/passkeySignIn:finalize"
    static let repetition = Repetition.ifNotReceived
    typealias Response = SignInResponse

    /// Bytes are base64.
    struct Assertion: Encodable, Sendable {
        struct Content: Encodable, Sendable {
            var clientDataJSON: String
            var authenticatorData: String
            var signature: String
            var userHandle: String?
        }

        var id: String
        var response: Content
    }

    var authenticatorAuthenticationResponse: Assertion
    var tenantId: String?

    init(_ assertion: PasskeyAssertion, tenantId: String?) {
        authenticatorAuthenticationResponse = Assertion(
            id: assertion.credentialID.base64EncodedString(),
            response: .init(
                clientDataJSON: assertion.clientDataJSON.base64EncodedString(),
                authenticatorData: assertion.authenticatorData.base64EncodedString(),
                signature: assertion.signature.base64EncodedString(),
                userHandle: assertion.userID?.base64EncodedString()))
        self.tenantId = tenantId
    }
}

/// `PublicKeyCredentialDescriptorJSON`.
struct PasskeyDescriptor: Decodable, Sendable {
    /// Base64.
    var id: String

    /// - Throws: `internalError`: the response is malformed.
    static func credentialIDs(_ descriptors: [PasskeyDescriptor]?) throws(AuthErrorCode) -> [Data] {
        try (descriptors ?? []).map { descriptor throws(AuthErrorCode) in try Data(passkeyField: descriptor.id) }
    }
}

extension Data {
    /// - Parameter text: base64 of either alphabet, with or without padding; not empty.
    /// - Throws: `internalError`: the response is malformed.
    init(passkeyField text: String) throws(AuthErrorCode) {
        let digits = text.utf8.prefix { $0 != UInt8(ascii: "=") }.map { byte in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: byte
            }
        }
        guard text.utf8.dropFirst(digits.count).allSatisfy({ $0 == UInt8(ascii: "=") }),
            let bytes = Data(base64URL: String(decoding: digits, as: UTF8.self)), !bytes.isEmpty
        else { throw AuthErrorCode(.internalError) }
        self = bytes
    }
}
