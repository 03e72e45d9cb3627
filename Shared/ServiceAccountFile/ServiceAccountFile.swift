package import Contracts
internal import Crypto
package import FoundationEssentials
internal import JSON
internal import Vocabulary

/// The key file of a service account, as Google Cloud and its command line write it. Only what others may know is kept:
/// the private key is read for its public half, and forgotten.
package struct ServiceAccountFile: Sendable, Equatable {
    /// What identity registers.
    package let key: Identity.ServiceAccountKey

    private static let maximumBytes = 64 << 10

    private struct Document: Decodable {
        var email: String?
        var keyID: String?
        var project: String?
        var privateKey: String?
        /// In place of the private key, for whoever does not want to bring that here.
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
    /// - Throws: `ServiceAccountFileError`, a sentence that names the file.
    package init(path: String) throws(ServiceAccountFileError) {
        let bytes: Data
        do {
            bytes = try Data(contentsOf: URL(filePath: path))
        } catch {
            throw .init(path: path, problem: "cannot be read")
        }
        try self.init(bytes, path: path)
    }

    /// Reads the text of a file.
    /// - Parameter path: for the sentences.
    package init(_ bytes: Data, path: String) throws(ServiceAccountFileError) {
        guard bytes.count <= Self.maximumBytes,
            let document = try? WireJSON.decode(Document.self, from: bytes)  // `try?`: the sentence says enough.
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

/// What is wrong with a key file. The description never shows what is in it.
package struct ServiceAccountFileError: Error, Equatable, Sendable, CustomStringConvertible {
    package var path: String
    /// The rest of a sentence that begins with the path.
    package var problem: String

    package var description: String { "\(path) \(problem)" }
}
