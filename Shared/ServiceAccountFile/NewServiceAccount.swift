package import Contracts
import Crypto
import FoundationEssentials
import JSON
package import Vocabulary

/// A new key of a service account, with its file in the format of Google Cloud, which the admin libraries read.
package struct NewServiceAccount: Sendable {
    package static let defaultName = "admin"
    private static let keyBits = 2048

    /// The public half, for identity.
    package let key: Identity.ServiceAccountKey
    /// The text of the key file. It contains the private key.
    package let file: Secret<String>

    /// Generates the key.
    /// - Parameters:
    ///   - name: as `isName` permits.
    ///   - adminURL: of the listener with the token endpoint.
    /// - Throws: `CryptoError`.
    package init(name: String, project: ProjectID, adminURL: String) throws {
        let privateKey = try PrivateKey.generateRSA(bits: Self.keyBits)
        let email = "\(name)@\(project).iam.gserviceaccount.com"
        let keyID = Random.bytes(20).map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
        key = Identity.ServiceAccountKey(
            email: email, keyID: keyID, project: project,
            publicKey: Base64URL.encode(try privateKey.publicKey.subjectPublicKeyInfo))
        let members: [(name: String, value: String)] = [
            ("type", "service_account"), ("project_id", project.rawValue), ("private_key_id", keyID),
            ("private_key", Self.pem(try privateKey.pkcs8DER)), ("client_email", email),
            // The library for Java requires a number of the client.
            ("client_id", "1" + Random.bytes(20).map { String($0 % 10) }.joined()),
            ("token_uri", adminURL + "/token"),
        ]
        let lines = try members.map { member in
            "  \"\(member.name)\": \(try WireJSON.text(member.value))"
        }
        file = Secret("{\n" + lines.joined(separator: ",\n") + "\n}\n")
    }

    /// Whether a text can be the name: 1 to 63 lower-case letters, digits and hyphens; a letter is first.
    package static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, (0x61...0x7a).contains(first), text.utf8.count <= 63 else { return false }
        return text.utf8.allSatisfy { (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2d }
    }

    /// RFC 7468 §10.
    private static func pem(_ der: [UInt8]) -> String {
        let base64 = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN PRIVATE KEY-----\n\(base64)\n-----END PRIVATE KEY-----\n"
    }
}
