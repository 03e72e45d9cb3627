package import Vocabulary

extension Identity {
    /// The public keys of all signing keys whose tokens may still be valid or that will soon sign.
    package struct ListSigningKeys: BusRequest {
        package static let operation = Identity.Operation.listSigningKeys
        package static let retrySemantics = RetrySemantics.idempotent

        package enum Purpose: String, Codable, CaseIterable, Sendable { case idToken, sessionCookie }
        package var purpose: Purpose

        package init(purpose: Purpose) {
            self.purpose = purpose
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var keys: [PublishedKey]
            /// How long a client may cache this reply: it ends before the next unknown key signs.
            package var maximumAgeSeconds: Int

            package init(keys: [PublishedKey], maximumAgeSeconds: Int) {
                self.keys = keys
                self.maximumAgeSeconds = maximumAgeSeconds
            }
        }
    }

    package struct PublishedKey: Codable, Equatable, Sendable {
        package var id: SigningKeyID
        /// A self-signed X.509 certificate for the key.
        package var certificatePEM: String
        /// RSA modulus and exponent, base64url without padding (RFC 7518 §6.3.1).
        package var modulus: String
        package var exponent: String

        package init(id: SigningKeyID, certificatePEM: String, modulus: String, exponent: String) {
            self.id = id
            self.certificatePEM = certificatePEM
            self.modulus = modulus
            self.exponent = exponent
        }
    }
}
