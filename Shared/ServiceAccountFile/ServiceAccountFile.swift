package import Contracts
import Crypto
package import FoundationEssentials
import Vocabulary

/// The key file of a service account. Only public data is kept: the private key is read to compute its public key, and is
/// then discarded.
package struct ServiceAccountFile: Sendable, Equatable {
    /// The key that identity registers.
    package let key: Identity.ServiceAccountKey

    /// Reads a file.
    /// - Throws: `ServiceAccountFileError`, which names the file.
    package init(path: String) throws(ServiceAccountFileError) {
        try self.init(try KeyFileDocument.read(path: path), path: path)
    }

    /// Parses the text of a file.
    /// - Parameter path: for error messages.
    package init(_ bytes: Data, path: String) throws(ServiceAccountFileError) {
        let document = try KeyFileDocument(bytes, path: path)
        let email = try document.require(.email)
        let keyID = try document.require(.keyID)
        let project = try document.require(.project)
        key = try document.key {
            let key =
                if document[.privateKey] == nil, let pem = document[.publicKey] {
                    try PublicKey(pem: pem)
                } else {
                    try PrivateKey(pem: try document.require(.privateKey)).publicKey
                }
            guard key.algorithm == .rs256 else { throw CryptoError.unsupportedKey }
            return Identity.ServiceAccountKey(
                email: email, keyID: keyID, project: ProjectID(project),
                publicKey: Base64URL.encode(try key.subjectPublicKeyInfo))
        }
    }
}
