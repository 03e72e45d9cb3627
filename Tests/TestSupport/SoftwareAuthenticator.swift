package import Contracts
package import Crypto
import FoundationEssentials
package import HTTPClient
package import JSON
package import Vocabulary

/// An authenticator with one ES256 credential, and the browser in front of it. Every deviation that a test needs is a
/// member of `Deviation`.
package struct SoftwareAuthenticator: Sendable {
    package static let userPresent: UInt8 = 0x01
    package static let userVerified: UInt8 = 0x04
    package static let backupEligible: UInt8 = 0x08
    package static let backedUp: UInt8 = 0x10

    /// What differs from a correct response.
    package struct Deviation: Sendable {
        package var type: String?
        package var challenge: [UInt8]?
        package var origin: String?
        /// JSON text of further members of the client data.
        package var members = ""
        package var relyingPartyID: String?
        package var flags: UInt8?
        package var signCount: UInt32?
        package var userHandle: OctetString??
        package var breaksSignature = false
        package var rawID: CredentialID?

        package init(
            type: String? = nil, challenge: [UInt8]? = nil, origin: String? = nil, members: String = "",
            relyingPartyID: String? = nil, flags: UInt8? = nil, signCount: UInt32? = nil,
            userHandle: OctetString?? = nil, breaksSignature: Bool = false, rawID: CredentialID? = nil
        ) {
            self.type = type
            self.challenge = challenge
            self.origin = origin
            self.members = members
            self.relyingPartyID = relyingPartyID
            self.flags = flags
            self.signCount = signCount
            self.userHandle = userHandle
            self.breaksSignature = breaksSignature
            self.rawID = rawID
        }
    }

    /// What a ceremony asks for.
    package struct Options: Sendable {
        package var relyingPartyID: String
        package var challenge: [UInt8]
        /// The user handle of a registration.
        package var userHandle: OctetString?

        package init(relyingPartyID: String, challenge: [UInt8], userHandle: OctetString? = nil) {
            self.relyingPartyID = relyingPartyID
            self.challenge = challenge
            self.userHandle = userHandle
        }
    }

    private let key: PrivateKey
    /// Signs in place of `key`, of which it is a form. Nil: signatures differ each time.
    private var repeatableKey: RepeatableKey?
    package var credentialID: CredentialID
    package var userHandle: OctetString?
    package var flags = userPresent | userVerified
    package var signCount: UInt32 = 0
    package var origin: String
    package var aaguid = [UInt8](repeating: 0, count: 16)
    /// The key and certificate of the model, for the attestation format `packed`; nil for `none`.
    package var attestation: (key: PrivateKey, certificate: Certificate)?

    /// - Parameter credentialID: nil: a random one of 24 bytes.
    package init(credentialID: CredentialID? = nil, origin: String = "https://example.com") throws {
        key = try .generateP256()
        self.credentialID = credentialID ?? CredentialID(Random.bytes(24))!  // A valid length.
        self.origin = origin
    }

    /// One whose key, credential ID and signatures follow from 32 bytes, so that a run with it can be repeated.
    package init(secret: [UInt8], origin: String) throws {
        let repeatableKey = try RepeatableKey(secret)
        key = repeatableKey.key
        self.repeatableKey = repeatableKey
        credentialID = CredentialID(Array(SHA2.sha256(secret).prefix(24)))!  // A valid length.
        self.origin = origin
    }

    /// The response to creation options.
    package mutating func register(
        _ options: Options, _ deviation: Deviation = .init()
    ) throws -> Passkey.RegistrationResponse {
        userHandle = options.userHandle
        let client = clientData("webauthn.create", options.challenge, deviation)
        let id = credentialID.bytes
        let length = [UInt8(id.count >> 8), UInt8(truncatingIfNeeded: id.count)]
        let data = authenticatorData(options.relyingPartyID, 0x40, deviation) + aaguid + length + id + (try coseKey)
        let object =
            [0xa3] + CBORBytes.text("fmt") + (try statement(signing: data + SHA2.sha256(client)))
            + CBORBytes.text("authData") + CBORBytes.byteString(data)
        return .init(
            id: credentialID, rawID: deviation.rawID, clientDataJSON: OctetString(client),
            attestationObject: OctetString(object), transports: ["internal", "hybrid"])
    }

    /// The format and the attestation statement.
    private func statement(signing bytes: [UInt8]) throws -> [UInt8] {
        guard let attestation else { return CBORBytes.text("none") + CBORBytes.text("attStmt") + [0xa0] }
        let signature = try CertificateBuilder.signature(of: bytes, by: attestation.key)
        return CBORBytes.text("packed") + CBORBytes.text("attStmt") + [0xa3] + CBORBytes.text("alg") + [0x26]
            + CBORBytes.text("sig") + CBORBytes.byteString(signature) + CBORBytes.text("x5c") + [0x81]
            + CBORBytes.byteString(attestation.certificate.der)
    }

    /// The response to request options.
    package mutating func authenticate(
        _ options: Options, _ deviation: Deviation = .init()
    ) throws -> Passkey.AuthenticationResponse {
        let client = clientData("webauthn.get", options.challenge, deviation)
        let data = authenticatorData(options.relyingPartyID, 0, deviation)
        let signed = data + SHA2.sha256(client) + (deviation.breaksSignature ? [0] : [])
        let signature =
            try repeatableKey?.signature(of: signed) ?? CertificateBuilder.signature(of: signed, by: key)
        return .init(
            id: credentialID, rawID: deviation.rawID, clientDataJSON: OctetString(client),
            authenticatorData: OctetString(data), signature: OctetString(signature),
            userHandle: deviation.userHandle ?? userHandle)
    }

    private func clientData(_ type: String, _ challenge: [UInt8], _ deviation: Deviation) -> [UInt8] {
        let challenge = Base64URL.encode(deviation.challenge ?? challenge)
        let text = """
            {"type":"\(deviation.type ?? type)","challenge":"\(challenge)","origin":"\(deviation.origin ?? origin)"\
            \(deviation.members)}
            """
        return Array(text.utf8)
    }

    private func authenticatorData(_ relyingPartyID: String, _ extra: UInt8, _ deviation: Deviation) -> [UInt8] {
        let count = deviation.signCount ?? signCount
        return SHA2.sha256(Array((deviation.relyingPartyID ?? relyingPartyID).utf8))
            + [(deviation.flags ?? flags) | extra]
            + stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: count >> $0) }
    }

    private struct KeyTypeError: Error {}

    /// {1: 2, 3: -7, -1: 1, -2: x, -3: y}
    private var coseKey: [UInt8] {
        get throws {
            guard let (x, y) = key.publicKey.p256Coordinates else { throw KeyTypeError() }
            return [0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20] + x + [0x22, 0x58, 0x20] + y
        }
    }
}

private enum CBORBytes {
    /// At most 65535 bytes.
    static func byteString(_ bytes: [UInt8]) -> [UInt8] {
        let length =
            bytes.count < 256
            ? [0x58, UInt8(bytes.count)] : [0x59, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xff)]
        return length + bytes
    }

    /// A text of at most 23 bytes.
    static func text(_ text: String) -> [UInt8] { [0x60 + UInt8(text.utf8.count)] + Array(text.utf8) }
}

// MARK: - Contract and REST

extension SoftwareAuthenticator {
    package mutating func register(
        _ reply: Passkey.StartEnrollment.Reply, _ deviation: Deviation = .init()
    ) throws -> Passkey.RegistrationResponse {
        try register(
            Options(
                relyingPartyID: reply.relyingPartyID, challenge: reply.challenge.reveal().bytes,
                userHandle: reply.userHandle), deviation)
    }

    package mutating func authenticate(
        _ reply: Passkey.StartSignIn.Reply, _ deviation: Deviation = .init()
    ) throws -> Passkey.AuthenticationResponse {
        try authenticate(
            Options(relyingPartyID: reply.relyingPartyID, challenge: reply.challenge.reveal().bytes), deviation)
    }
}

extension SoftwareAuthenticator.Options {
    /// Reads the options of the response to `passkeyEnrollment:start`.
    package init(creation response: HTTPClientResponse) throws { try self.init(creation: response.json) }

    /// Reads the options of the response to `passkeySignIn:start`.
    package init(request response: HTTPClientResponse) throws { try self.init(request: response.json) }

    package init(creation json: JSONValue) throws {
        let options = json["credentialCreationOptions"]
        try self.init(
            relyingPartyID: options?["rp"]?["id"], challenge: options?["challenge"],
            userHandle: options?["user"]?["id"])
    }

    package init(request json: JSONValue) throws {
        let options = json["credentialRequestOptions"]
        try self.init(relyingPartyID: options?["rpId"], challenge: options?["challenge"], userHandle: nil)
    }

    private init(relyingPartyID: JSONValue?, challenge: JSONValue?, userHandle: JSONValue?) throws {
        guard case .string(let relyingPartyID)? = relyingPartyID, case .string(let challenge)? = challenge,
            let bytes = Data(base64Encoded: challenge)
        else { throw MissingOptionError() }
        self.init(relyingPartyID: relyingPartyID, challenge: Array(bytes))
        if case .string(let text)? = userHandle, let bytes = Data(base64Encoded: text) {
            self.userHandle = OctetString(Array(bytes))
        }
    }

    private struct MissingOptionError: Error {}
}

extension Passkey.RegistrationResponse {
    /// `authenticatorRegistrationResponse` as the iOS library sends it, with base64url.
    package var json: JSONValue {
        .object([
            "id": .string(id.description),
            "response": .object([
                "clientDataJSON": .string(Base64URL.encode(clientDataJSON.bytes)),
                "attestationObject": .string(Base64URL.encode(attestationObject.bytes)),
            ]),
        ])
    }
}

extension Passkey.AuthenticationResponse {
    /// `authenticatorAuthenticationResponse`, with base64url.
    package var json: JSONValue {
        var response: [String: JSONValue] = [
            "clientDataJSON": .string(Base64URL.encode(clientDataJSON.bytes)),
            "authenticatorData": .string(Base64URL.encode(authenticatorData.bytes)),
            "signature": .string(Base64URL.encode(signature.bytes)),
        ]
        response["userHandle"] = userHandle.map { .string(Base64URL.encode($0.bytes)) }
        return .object(["id": .string(id.description), "response": .object(response)])
    }
}
