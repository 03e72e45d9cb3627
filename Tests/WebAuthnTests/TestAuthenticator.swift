import Crypto
import Testing
import WebAuthn

/// An authenticator and a browser with an ES256 credential. A test changes one property and expects an error.
struct TestAuthenticator {
    let privateKey: PrivateKey
    var challenge = [UInt8](repeating: 7, count: 32)
    var relyingPartyID = "login.example.com"
    var origin = "https://login.example.com"
    /// JSON members after the others, each with a comma before it.
    var furtherMembers = ""
    var flags: AuthenticatorFlags = [.userPresent, .userVerified]
    var signCount: UInt8 = 0
    var credentialID = [UInt8](repeating: 1, count: 32)
    var userHandle: [UInt8]? = [9]
    /// The COSE key that is registered.
    var publicKey: [UInt8]
    /// CBOR at the end of the authenticator data.
    var extensions: [UInt8] = []

    init() throws {
        privateKey = try .generateP256()
        let point = try #require(privateKey.publicKey.p256Coordinates)
        publicKey = COSEKeyBytes.ellipticCurve(algorithm: -7, curve: 1, x: point.x, y: point.y)
    }

    // MARK: Parts

    func clientDataJSON(_ ceremony: ClientData.Ceremony) -> [UInt8] {
        Array(
            """
            {"type":"\(ceremony.rawValue)","challenge":"\(Base64URL.encode(challenge))","origin":"\(origin)"\
            \(furtherMembers)}
            """.utf8)
    }

    private var head: [UInt8] {
        SHA2.sha256(Array(relyingPartyID.utf8)) + [flags.rawValue, 0, 0, 0, signCount]
    }

    var registrationData: [UInt8] {
        var data = head
        data[32] |= AuthenticatorFlags.attestedCredentialData.rawValue
        data += [UInt8](repeating: 0xaa, count: 16)
        data += [UInt8(credentialID.count >> 8), UInt8(credentialID.count & 0xff)]
        return data + credentialID + publicKey + extensions
    }

    var authenticationData: [UInt8] { head + extensions }

    static func attestationObject(
        format: String = "none", statement: [UInt8] = [0xa0], authenticatorData: [UInt8]
    ) -> [UInt8] {
        CBORBytes.map([
            (CBORBytes.text("fmt"), CBORBytes.text(format)), (CBORBytes.text("attStmt"), statement),
            (CBORBytes.text("authData"), CBORBytes.bytes(authenticatorData)),
        ])
    }

    /// A DER signature of the private key.
    func sign(_ message: [UInt8]) throws -> [UInt8] {
        let raw = try privateKey.sign(message, .es256)
        let numbers = [raw.prefix(32), raw.suffix(32)].flatMap { number in
            let digits = number.drop { $0 == 0 }
            let content = (digits.first ?? 0x80) & 0x80 == 0 ? Array(digits) : [0] + digits
            return [0x02, UInt8(content.count)] + content
        }
        return [0x30, UInt8(numbers.count)] + numbers
    }

    // MARK: Ceremonies

    func register() -> RegistrationResponse {
        RegistrationResponse(
            id: credentialID, clientDataJSON: clientDataJSON(.registration),
            attestationObject: Self.attestationObject(authenticatorData: registrationData))
    }

    /// With packed self attestation.
    func registerWithSelfAttestation() throws -> RegistrationResponse {
        let clientDataJSON = clientDataJSON(.registration)
        let signature = try sign(registrationData + SHA2.sha256(clientDataJSON))
        return RegistrationResponse(
            id: credentialID, clientDataJSON: clientDataJSON,
            attestationObject: Self.selfAttestation(algorithm: -7, signature, registrationData))
    }

    static func selfAttestation(algorithm: Int, _ signature: [UInt8], _ data: [UInt8]) -> [UInt8] {
        let statement = CBORBytes.map([
            (CBORBytes.text("alg"), CBORBytes.integer(algorithm)),
            (CBORBytes.text("sig"), CBORBytes.bytes(signature)),
        ])
        return attestationObject(format: "packed", statement: statement, authenticatorData: data)
    }

    func authenticate() throws -> AuthenticationResponse {
        let clientDataJSON = clientDataJSON(.authentication)
        return AuthenticationResponse(
            id: credentialID, clientDataJSON: clientDataJSON, authenticatorData: authenticationData,
            signature: try sign(authenticationData + SHA2.sha256(clientDataJSON)), userHandle: userHandle)
    }

    // MARK: The relying party

    static let relyingParty = RelyingParty(id: "login.example.com", origins: ["https://login.example.com"])
    static let now: Int64 = 1_750_000_000

    static var registration: RegistrationCeremony {
        RegistrationCeremony(challenge: .init(repeating: 7, count: 32), relyingParty: relyingParty)
    }

    static var authentication: AuthenticationCeremony {
        AuthenticationCeremony(challenge: .init(repeating: 7, count: 32), relyingParty: relyingParty)
    }

    /// The record of the unchanged credential.
    var record: StoredCredential {
        StoredCredential(
            credentialID: .init(repeating: 1, count: 32), publicKey: publicKey, algorithm: .es256, signCount: 0,
            isBackupEligible: false, userHandle: [9])
    }
}

/// COSE keys in canonical form.
enum COSEKeyBytes {
    static func ellipticCurve(algorithm: Int, curve: Int, x: [UInt8], y: [UInt8]) -> [UInt8] {
        map([
            (1, CBORBytes.integer(2)), (3, CBORBytes.integer(algorithm)), (-1, CBORBytes.integer(curve)),
            (-2, CBORBytes.bytes(x)), (-3, CBORBytes.bytes(y)),
        ])
    }

    static func edwards(algorithm: Int, curve: Int, x: [UInt8]) -> [UInt8] {
        map([
            (1, CBORBytes.integer(1)), (3, CBORBytes.integer(algorithm)), (-1, CBORBytes.integer(curve)),
            (-2, CBORBytes.bytes(x)),
        ])
    }

    static func rsa(algorithm: Int, modulus: [UInt8], exponent: [UInt8]) -> [UInt8] {
        map([
            (1, CBORBytes.integer(3)), (3, CBORBytes.integer(algorithm)), (-1, CBORBytes.bytes(modulus)),
            (-2, CBORBytes.bytes(exponent)),
        ])
    }

    static func map(_ entries: [(label: Int, value: [UInt8])]) -> [UInt8] {
        CBORBytes.map(entries.map { (CBORBytes.integer($0.label), $0.value) })
    }
}
