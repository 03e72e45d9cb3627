package import Contracts
import Crypto
package import FoundationEssentials
import JSON
import Vocabulary

/// The key file of a service account in the format of Google Cloud and its command line. Only public data is kept: the
/// private key is read to compute its public key, and is then discarded.
package struct ServiceAccountFile: Sendable, Equatable {
    /// The key that identity registers.
    package let key: Identity.ServiceAccountKey

    static let maximumBytes = 64 << 10

    private struct Document: Decodable {
        var email: String?
        var keyID: String?
        var project: String?
        var privateKey: String?
        /// Replaces the private key, for an operator who does not want to transfer it.
        var publicKey: String?

        enum CodingKeys: String, CodingKey {
            case email = "client_email"
            case keyID = "private_key_id"
            case project = "project_id"
            case privateKey = "private_key"
            case publicKey = "public_key"
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

    /// Parses the text of a file.
    /// - Parameter path: for error messages.
    package init(_ bytes: Data, path: String) throws(ServiceAccountFileError) {
        guard bytes.count <= Self.maximumBytes,
            let document = try? WireJSON.decode(Document.self, from: bytes)  // `try?`: the error message is sufficient.
        else { throw .init(path: path, problem: "is no key file of a service account") }
        func demand(_ name: String, _ value: String?) throws(ServiceAccountFileError) -> String {
            guard let value, !value.isEmpty else { throw .init(path: path, problem: "has no \"\(name)\"") }
            return value
        }
        let email = try demand("client_email", document.email)
        let keyID = try demand("private_key_id", document.keyID)
        let project = try demand("project_id", document.project)
        let publicKey: PublicKey
        do {
            if let pem = document.privateKey, !pem.isEmpty {
                publicKey = try PrivateKey(pem: pem).publicKey
            } else {
                publicKey = try PublicKey(pem: try demand("private_key", document.publicKey))
            }
            guard publicKey.algorithm == .rs256 else { throw CryptoError.unsupportedKey }
            key = Identity.ServiceAccountKey(
                email: email, keyID: keyID, project: ProjectID(project),
                publicKey: Base64URL.encode(try publicKey.subjectPublicKeyInfo))
        } catch let fault as ServiceAccountFileError {
            throw fault
        } catch {
            throw .init(path: path, problem: "holds no RSA key of 2048 bits or more")
        }
    }
}

/// The error in a key file. The description never shows its content.
package struct ServiceAccountFileError: Error, Equatable, Sendable, CustomStringConvertible {
    package var path: String
    /// The rest of a sentence that begins with the path.
    package var problem: String

    package var description: String { "\(path) \(problem)" }
}
