package import Crypto
package import FoundationEssentials

/// The key file of a service account with its private key: what a backend needs to sign assertions.
package struct ServiceAccountCredentials: Sendable {
    package let email: String
    package let keyID: String
    package let privateKey: PrivateKey
    /// The token endpoint, to which an assertion is addressed.
    package let tokenURL: String

    /// Parses the text of a file.
    /// - Parameter path: for error messages.
    /// - Throws: `ServiceAccountFileError`, which names the file.
    package init(_ bytes: Data, path: String) throws(ServiceAccountFileError) {
        let document = try KeyFileDocument(bytes, path: path)
        email = try document.require(.email)
        keyID = try document.require(.keyID)
        tokenURL = try document.require(.tokenURL)
        privateKey = try document.key {
            let key = try PrivateKey(pem: try document.require(.privateKey))
            guard key.algorithm == .rs256 else { throw CryptoError.unsupportedKey }
            return key
        }
    }

    /// Reads a file.
    /// - Throws: `ServiceAccountFileError`, which names the file.
    package init(path: String) throws(ServiceAccountFileError) {
        try self.init(try KeyFileDocument.read(path: path), path: path)
    }
}
