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

    /// Withdraws a signing key at once: identity signs with another one, publishes it no longer, and refuses the ID
    /// tokens that it has signed. Its private half is deleted.
    package struct RevokeSigningKey: BusRequest {
        package static let operation = Identity.Operation.revokeSigningKey
        // A repeated request finds no key to revoke.
        package static let retrySemantics = RetrySemantics.idempotent
        package var keyID: SigningKeyID

        package init(keyID: SigningKeyID) {
            self.keyID = keyID
        }

        package struct Reply: Codable, Equatable, Sendable {
            /// The purpose of the revoked key; nil if there was no such key.
            package var purpose: ListSigningKeys.Purpose?
            /// The key that signs for this purpose now.
            package var activeKeyID: SigningKeyID?

            package init(purpose: ListSigningKeys.Purpose? = nil, activeKeyID: SigningKeyID? = nil) {
                self.purpose = purpose
                self.activeKeyID = activeKeyID
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
