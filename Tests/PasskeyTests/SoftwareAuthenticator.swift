import Contracts
import Crypto
import Testing
import Vocabulary

/// An authenticator with one ES256 credential, and the browser in front of it. Every deviation that a test needs is a
/// member of `Deviation`.
struct SoftwareAuthenticator {
    static let userPresent: UInt8 = 0x01
    static let userVerified: UInt8 = 0x04
    static let backupEligible: UInt8 = 0x08
    static let backedUp: UInt8 = 0x10

    /// What differs from a correct response.
    struct Deviation {
        var type: String?
        var challenge: [UInt8]?
        var origin: String?
        /// JSON text of further members of the client data.
        var members = ""
        var relyingPartyID: String?
        var flags: UInt8?
        var signCount: UInt32?
        var userHandle: OctetString??
        var breaksSignature = false
        var rawID: CredentialID?
    }

    private let key: PrivateKey
    var credentialID: CredentialID
    var userHandle: OctetString?
    var flags = userPresent | userVerified
    var signCount: UInt32 = 0
    var origin = "https://example.com"

    init(credentialID: CredentialID? = CredentialID(Random.bytes(24))) throws {
        key = try .generateP256()
        self.credentialID = try #require(credentialID)
    }

    /// The response to creation options.
    mutating func register(
        _ options: Passkey.StartEnrollment.Reply, _ deviation: Deviation = .init()
    ) throws -> Passkey.RegistrationResponse {
        userHandle = options.userHandle
        let client = clientData("webauthn.create", options.challenge, deviation)
        let id = credentialID.bytes
        let attested =
            [UInt8](repeating: 0, count: 16) + [UInt8(id.count >> 8), UInt8(truncatingIfNeeded: id.count)] + id
            + (try coseKey)
        let data = authenticatorData(options.relyingPartyID, 0x40, deviation) + attested
        let object: [UInt8] =
            [0xa3] + CBORBytes.text("fmt") + CBORBytes.text("none") + CBORBytes.text("attStmt") + [0xa0]
            + CBORBytes.text("authData") + CBORBytes.byteString(data)
        return .init(
            id: credentialID, rawID: deviation.rawID, clientDataJSON: OctetString(client),
            attestationObject: OctetString(object), transports: ["internal", "hybrid"])
    }

    /// The response to request options.
    mutating func authenticate(
        _ options: Passkey.StartSignIn.Reply, _ deviation: Deviation = .init()
    ) throws -> Passkey.AuthenticationResponse {
        let client = clientData("webauthn.get", options.challenge, deviation)
        let data = authenticatorData(options.relyingPartyID, 0, deviation)
        let signed = data + SHA2.sha256(client) + (deviation.breaksSignature ? [0] : [])
        let signature = Self.der(try key.sign(signed, .es256))
        return .init(
            id: credentialID, rawID: deviation.rawID, clientDataJSON: OctetString(client),
            authenticatorData: OctetString(data), signature: OctetString(signature),
            userHandle: deviation.userHandle ?? userHandle)
    }

    private func clientData(_ type: String, _ challenge: Secret<OctetString>, _ deviation: Deviation) -> [UInt8] {
        let challenge = Base64URL.encode(deviation.challenge ?? challenge.reveal().bytes)
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

    /// {1: 2, 3: -7, -1: 1, -2: x, -3: y}
    private var coseKey: [UInt8] {
        get throws {
            let (x, y) = try #require(key.publicKey.p256Coordinates)
            return [0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20] + x + [0x22, 0x58, 0x20] + y
        }
    }

    /// An ECDSA signature in the form of WebAuthn: SEQUENCE { r INTEGER, s INTEGER }.
    private static func der(_ raw: [UInt8]) -> [UInt8] {
        let numbers = [raw.prefix(32), raw.suffix(32)].flatMap { half -> [UInt8] in
            var number = Array(half.drop { $0 == 0 })
            if number.first.map({ $0 >= 0x80 }) ?? true { number.insert(0, at: 0) }
            return [0x02, UInt8(number.count)] + number
        }
        return [0x30, UInt8(numbers.count)] + numbers
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
