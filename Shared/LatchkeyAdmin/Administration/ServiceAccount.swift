public import Foundation
import LatchkeyAuth

/// A service account of a backend, from its JSON key file: `latchkey service-account create -o FILE`.
///
/// No description of it shows the private key.
public struct ServiceAccount: Sendable {
    /// Signs bytes with the private key: RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017 section 8.2).
    ///
    /// This library contains no arithmetic with private keys. On Linux, pass a function of a library for cryptography,
    /// such as that of `_CryptoExtras` in swift-crypto:
    ///
    /// ```swift
    /// let account = try ServiceAccount(contentsOf: file)
    /// let key = try _RSA.Signing.PrivateKey(pemRepresentation: account.privateKeyPEM)
    /// let credential = AdminCredential.serviceAccount(account) {
    ///     try key.signature(for: SHA256.hash(data: $0), padding: .insecurePKCS1v1_5).rawRepresentation
    /// }
    /// ```
    public typealias Signer = @Sendable (Data) async throws -> Data

    /// The largest key file that is read, in bytes.
    static let maximumBytes = 64 << 10

    /// The name of the service account, in the form of an e-mail address.
    public let clientEmail: String
    /// The ID of the key.
    public let privateKeyID: String
    /// The project.
    public let projectID: String
    /// The token endpoint of the server: `/token` of its admin listener.
    public let tokenURL: URL
    private let privateKey: Secret

    /// The private key, PKCS#8 in PEM. A program that knows it administers the project.
    public var privateKeyPEM: String { privateKey.text }

    /// Reads a key file.
    /// - Throws: ``AdminError/Code/invalidCredential`` for a file that is no key file; an error of Foundation for a file
    ///   that cannot be read.
    public init(contentsOf file: URL) throws {
        try self.init(json: Data(contentsOf: file))
    }

    /// Reads the content of a key file.
    /// - Throws: `AdminError` with the code ``AdminError/Code/invalidCredential``.
    public init(json: Data) throws(AdminError) {
        // `try?`: the error contains nothing of the file.
        guard json.count <= Self.maximumBytes, let document = try? JSONDecoder().decode(Document.self, from: json),
            let tokenURL = URL(string: document.tokenURL), tokenURL.host != nil
        else { throw AdminError(.invalidCredential, "The file is no key file of a service account.") }
        clientEmail = document.clientEmail
        privateKeyID = document.privateKeyID
        projectID = document.projectID
        privateKey = Secret(text: document.privateKey)
        self.tokenURL = tokenURL
    }

    private struct Document: Decodable {
        var clientEmail, privateKeyID, privateKey, projectID, tokenURL: String

        enum CodingKeys: String, CodingKey {
            case clientEmail = "client_email"
            case privateKeyID = "private_key_id"
            case privateKey = "private_key"
            case projectID = "project_id"
            case tokenURL = "token_uri"
        }
    }

    /// A text that no description shows.
    private struct Secret: Sendable, CustomStringConvertible, CustomReflectable {
        let text: String
        var description: String { "[secret]" }
        var customMirror: Mirror { Mirror(self, children: []) }
    }

    /// The private key in the form of PKCS#1, which the Security framework reads; nil for any other key than RSA with
    /// 2,048 bits or more.
    var pkcs1PrivateKey: Data? {
        let lines = privateKey.text.split(whereSeparator: \.isNewline)
        guard lines.first == "-----BEGIN PRIVATE KEY-----", lines.last == "-----END PRIVATE KEY-----",
            let pkcs8 = Data(base64Encoded: lines.dropFirst().dropLast().joined())
        else { return nil }
        // RFC 5208: a sequence, version 0, `rsaEncryption`, and an octet string. Both lengths have two bytes.
        let algorithm: [UInt8] = [
            0x02, 0x01, 0x00, 0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00,
        ]
        let header = pkcs8.prefix(26)
        guard header.count == 26, header.prefix(2) == Data([0x30, 0x82]),
            header.dropFirst(4).prefix(18) == Data(algorithm),
            header.dropFirst(22).prefix(2) == Data([0x04, 0x82])
        else { return nil }
        return Data(pkcs8.dropFirst(26))
    }

    // MARK: - Tokens

    /// A signed assertion with which the token endpoint issues an access token (RFC 7523 section 2.1).
    func assertion(at now: Date, sign: Signer) async throws -> String {
        let issuedAt = Int(now.timeIntervalSince1970)
        return try await token(
            Assertion(
                iss: clientEmail, sub: clientEmail, aud: tokenURL.absoluteString,
                scope: "https://www.googleapis.com/auth/identitytoolkit", iat: issuedAt, exp: issuedAt + 3600,
                jti: UUID().uuidString),
            sign: sign)
    }

    /// A JWT with these claims, signed with RS256.
    func token(_ claims: some Encodable, sign: Signer) async throws -> String {
        let header = try JSONEncoder().encode(["alg": "RS256", "kid": privateKeyID, "typ": "JWT"])
        let input = header.base64URLText + "." + (try JSONEncoder().encode(claims)).base64URLText
        return input + "." + (try await sign(Data(input.utf8))).base64URLText
    }

    private struct Assertion: Encodable {
        var iss, sub, aud, scope: String
        var iat, exp: Int
        var jti: String
    }
}
