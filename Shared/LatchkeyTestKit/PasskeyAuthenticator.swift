public import Foundation
public import LatchkeyAuth

#if canImport(CryptoKit)
    import CryptoKit
#else
    import Crypto
#endif

/// A device with one passkey (ES256), whose user agrees to every request.
///
/// ```swift
/// var device = try PasskeyAuthenticator(origin: "https://localhost")
/// let created = try device.register(try await user.passkeyRegistrationRequest(withName: "Phone"))
/// try await user.finalizePasskeyEnrollment(withPlatformCredential: created)
/// let used = try device.authenticate(try await auth.passkeyAssertionRequest())
/// try await auth.finalizePasskeySignIn(withPlatformCredential: used)
/// ```
public struct PasskeyAuthenticator: Sendable {
    /// User present, user verified.
    private static let flags: UInt8 = 0x05

    #if canImport(CryptoKit)
        private let key: P256.Signing.PrivateKey
    #else
        private let key: PrivateKey
    #endif
    /// The ID of the passkey.
    public let credentialID: Data
    /// The origin of the page or the application in front of the device.
    public let origin: String
    private var userID: Data?
    private var signatureCount: UInt32 = 0

    /// A device without a passkey.
    /// - Parameter origin: one that the server expects for the relying party, such as `https://localhost`.
    public init(origin: String) throws {
        #if canImport(CryptoKit)
            key = P256.Signing.PrivateKey()
        #else
            key = try .generateP256()
        #endif
        var random = SystemRandomNumberGenerator()
        credentialID = Data((0..<24).map { _ in UInt8.random(in: 0...255, using: &random) })
        self.origin = origin
    }

    /// Creates the passkey.
    public mutating func register(_ request: PasskeyRegistrationRequest) throws -> PasskeyRegistration {
        userID = request.userID
        let length = [UInt8(0), UInt8(credentialID.count)]
        let data =
            authenticatorData(request.relyingPartyID, flags: Self.flags | 0x40) + [UInt8](repeating: 0, count: 16)
            + length + credentialID + (try coseKey)
        // {"fmt": "none", "attStmt": {}, "authData": data}
        let header = [0xa3] + Self.cborText("fmt") + Self.cborText("none") + Self.cborText("attStmt") + [0xa0]
        let object = header + Self.cborText("authData") + [0x58, UInt8(data.count)] + data
        return PasskeyRegistration(
            credentialID: credentialID, clientDataJSON: try clientData("webauthn.create", request.challenge),
            attestationObject: Data(object))
    }

    /// Uses the passkey.
    public mutating func authenticate(_ request: PasskeyAssertionRequest) throws -> PasskeyAssertion {
        signatureCount += 1
        let data = authenticatorData(request.relyingPartyID, flags: Self.flags)
        let client = try clientData("webauthn.get", request.challenge)
        return PasskeyAssertion(
            credentialID: credentialID, clientDataJSON: client, authenticatorData: Data(data),
            signature: try signature(of: data + SHA256Digest.of(client)), userID: userID)
    }

    // MARK: - WebAuthn level 2

    /// The members of section 5.8.1.
    private func clientData(_ type: String, _ challenge: Data) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(["type": type, "challenge": challenge.base64URLText, "origin": origin])
    }

    /// Section 6.1.
    private func authenticatorData(_ relyingPartyID: String, flags: UInt8) -> [UInt8] {
        SHA256Digest.of(Data(relyingPartyID.utf8)) + [flags]
            + stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: signatureCount >> UInt32($0)) }
    }

    /// {1: 2, 3: -7, -1: 1, -2: x, -3: y} (RFC 9053 section 7.1.1)
    private var coseKey: [UInt8] {
        get throws {
            #if canImport(CryptoKit)
                let point = key.publicKey.rawRepresentation
                let (x, y) = (Array(point.prefix(32)), Array(point.suffix(32)))
            #else
                guard let (x, y) = key.publicKey.p256Coordinates else { throw CocoaError(.featureUnsupported) }
            #endif
            return [0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20] + x + [0x22, 0x58, 0x20] + y
        }
    }

    /// In DER, as section 6.5.5 requires.
    private func signature(of message: [UInt8]) throws -> Data {
        #if canImport(CryptoKit)
            return try key.signature(for: Data(message)).derRepresentation
        #else
            let raw = try key.sign(message, .es256)
            let body = Self.derInteger(raw.prefix(32)) + Self.derInteger(raw.suffix(32))
            return Data([0x30, UInt8(body.count)] + body)
        #endif
    }

    /// A positive integer, without zeros in front.
    private static func derInteger(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var digits = Array(bytes.drop { $0 == 0 })
        if (digits.first ?? 0x80) >= 0x80 { digits.insert(0, at: 0) }
        return [0x02, UInt8(digits.count)] + digits
    }

    /// At most 23 bytes.
    private static func cborText(_ text: String) -> [UInt8] { [0x60 + UInt8(text.utf8.count)] + Array(text.utf8) }
}

/// The SHA-256 of the client library, beside whose name CryptoKit has another one.
private enum SHA256Digest {
    static func of(_ data: Data) -> [UInt8] { LatchkeyAuth.SHA256.digest(Array(data)) }
}
