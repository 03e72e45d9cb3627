package import Crypto
package import FoundationEssentials
import JSON

/// The key file of a service account with its private key: what a backend needs to sign assertions.
package struct ServiceAccountCredentials: Sendable {
    package let email: String
    package let keyID: String
    package let privateKey: PrivateKey
    /// The token endpoint, to which an assertion is addressed.
    package let tokenURL: String

    private struct Document: Decodable {
        var email: String?
        var keyID: String?
        var privateKey: String?
        var tokenURL: String?

        enum CodingKeys: String, CodingKey {
            case email = "client_email"
            case keyID = "private_key_id"
            case privateKey = "private_key"
            case tokenURL = "token_uri"
        }
    }

    /// Parses the text of a file.
    /// - Parameter path: for error messages.
    /// - Throws: `ServiceAccountFileError`, which names the file.
    package init(_ bytes: Data, path: String) throws(ServiceAccountFileError) {
        guard bytes.count <= ServiceAccountFile.maximumBytes,
            let document = try? WireJSON.decode(Document.self, from: bytes)  // `try?`: the error message is sufficient.
        else { throw .init(path: path, problem: "is no key file of a service account") }
        func require(_ name: String, _ value: String?) throws(ServiceAccountFileError) -> String {
            guard let value, !value.isEmpty else { throw .init(path: path, problem: "has no \"\(name)\"") }
            return value
        }
        email = try require("client_email", document.email)
        keyID = try require("private_key_id", document.keyID)
        tokenURL = try require("token_uri", document.tokenURL)
        do {
            privateKey = try PrivateKey(pem: try require("private_key", document.privateKey))
            guard privateKey.algorithm == .rs256 else { throw CryptoError.unsupportedKey }
        } catch let error as ServiceAccountFileError {
            throw error
        } catch {
            throw .init(path: path, problem: "holds no RSA key of 2048 bits or more")
        }
    }

    /// Reads a file.
    /// - Throws: `ServiceAccountFileError`, which names the file.
    package init(path: String) throws(ServiceAccountFileError) {
        let bytes: Data
        do {
            bytes = try Data(contentsOf: URL(filePath: path))
        } catch {
            throw .init(path: path, problem: "cannot be read")
        }
        try self.init(bytes, path: path)
    }
}
