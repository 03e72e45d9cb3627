import CBOR
import Crypto
import WebAuthn

extension FuzzTarget {
    /// Reads the input as the first CBOR item. The bytes of an accepted item must be that item alone.
    static func readCBOR(_ input: [UInt8]) throws {
        guard let (value, byteCount) = try? CBORDecoder().decodeFirst(of: input) else { return }
        try demand((1...max(1, input.count)).contains(byteCount), "an item is a part of the input")
        try demand(
            try CBORDecoder().decode(Array(input.prefix(byteCount))) == value, "an item does not depend on what follows"
        )
    }

    /// Reads the input as the attestation object of a registration.
    static func readAttestationObject(_ input: [UInt8]) throws {
        let ceremony = RegistrationCeremony(
            challenge: challenge, relyingParty: relyingParty, userVerification: .discouraged,
            requiresUserPresence: false, algorithms: COSEAlgorithm.allCases)
        guard let object = try? AttestationObject(input) else { return }
        try demand(try AttestationObject(input) == object, "an object is read in one way")
        let credentialID = object.authenticatorData.attestedCredentialData?.credentialID ?? []
        let response = RegistrationResponse(
            id: credentialID, clientDataJSON: clientDataJSON(.registration), attestationObject: input)
        guard let credential = try? ceremony.verify(response, at: now.milliseconds / 1000) else { return }
        try demand((1...1023).contains(credential.credentialID.count), "a credential ID has 1 to 1023 bytes")
        try demand(
            try CredentialPublicKey(credential.publicKey).algorithm == credential.algorithm, "a key is read in one way")
        try demand(credential.isBackupEligible || !credential.isBackedUp, "a backed-up credential is eligible")
    }

    /// Reads the input as the authenticator data of an authentication, whose signature cannot be valid.
    static func readAuthenticatorData(_ input: [UInt8]) throws {
        if let data = try? AuthenticatorData(input) {
            try demand(data.bytes == input, "the signed bytes are the received ones")
            try demand(
                (data.attestedCredentialData != nil) == data.flags.contains(.attestedCredentialData)
                    && (data.extensions != nil) == data.flags.contains(.extensionData),
                "the parts are those of the flags")
        }
        try demand(!isAccepted(input, clientDataJSON(.authentication)), "no signature is valid")
    }

    /// Reads the input as the client data of an authentication, whose signature cannot be valid.
    static func readClientData(_ input: [UInt8]) throws {
        if let data = try? ClientData(json: input) {
            try demand(data.hash == SHA2.sha256(input), "the hash covers the received bytes")
        }
        let data = SHA2.sha256(Array(relyingParty.id.utf8)) + [0x05, 0, 0, 0, 0]
        try demand(!isAccepted(data, input), "no signature is valid")
    }

    /// Reads the input as the public key of a credential.
    static func readCOSEKey(_ input: [UInt8]) throws {
        guard let key = try? CredentialPublicKey(input) else { return }
        let rebuilt =
            switch key.components {
            case .ellipticCurve(let curve, let x, let y): try VerificationKey(curve, x: x, y: y)
            case .edwards(let curve, let x): try VerificationKey(curve, publicKey: x)
            case .rsa(let modulus, let exponent): try VerificationKey(rsaModulus: modulus, exponent: exponent)
            }
        try demand(key.bytes == input && rebuilt == key.verificationKey, "a key is its numbers")
        try demand(!key.isValid(signature: [], for: input), "an empty signature is not valid")
    }

    // MARK: The ceremonies

    private static let challenge = [UInt8](repeating: 7, count: 32)
    private static let relyingParty = RelyingParty(
        id: "login.example.com", origins: ["https://login.example.com"], allowsLocalhostOrigins: true,
        framing: .allowed(topOrigins: ["https://shop.example"]))

    private static func clientDataJSON(_ ceremony: ClientData.Ceremony) -> [UInt8] {
        Array(
            """
            {"type":"\(ceremony.rawValue)","challenge":"\(Base64URL.encode(challenge))",\
            "origin":"https://login.example.com"}
            """.utf8)
    }

    /// The generator of P-256 as the public key.
    private static let publicKey: [UInt8] =
        [0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]
        + generator.x + [0x22, 0x58, 0x20] + generator.y
    private static let generator: (x: [UInt8], y: [UInt8]) = (
        [
            0x6b, 0x17, 0xd1, 0xf2, 0xe1, 0x2c, 0x42, 0x47, 0xf8, 0xbc, 0xe6, 0xe5, 0x63, 0xa4, 0x40, 0xf2, 0x77, 0x03,
            0x7d, 0x81, 0x2d, 0xeb, 0x33, 0xa0, 0xf4, 0xa1, 0x39, 0x45, 0xd8, 0x98, 0xc2, 0x96,
        ],
        [
            0x4f, 0xe3, 0x42, 0xe2, 0xfe, 0x1a, 0x7f, 0x9b, 0x8e, 0xe7, 0xeb, 0x4a, 0x7c, 0x0f, 0x9e, 0x16, 0x2b, 0xce,
            0x33, 0x57, 0x6b, 0x31, 0x5e, 0xce, 0xcb, 0xb6, 0x40, 0x68, 0x37, 0xbf, 0x51, 0xf5,
        ]
    )

    private static func isAccepted(_ authenticatorData: [UInt8], _ clientDataJSON: [UInt8]) -> Bool {
        let ceremony = AuthenticationCeremony(
            challenge: challenge, relyingParty: relyingParty, userVerification: .discouraged)
        let credential = StoredCredential(
            credentialID: [1], publicKey: publicKey, algorithm: .es256, signCount: 0, isBackupEligible: nil,
            userHandle: [9])
        let response = AuthenticationResponse(
            id: [1], clientDataJSON: clientDataJSON, authenticatorData: authenticatorData,
            signature: [0x30, 0x06, 0x02, 0x01, 0x01, 0x02, 0x01, 0x01], userHandle: [9])
        return (try? ceremony.verify(response, credential: credential, signCountPolicy: .report)) != nil
    }
}
