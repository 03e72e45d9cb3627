package import Vocabulary

extension Passkey {
    /// Stores the public keys of passkeys that another installation has exported, before identity lists the passkeys
    /// (`Identity.ImportedAccount.passkeys`). A credential that identity does not list within a day is deleted.
    package struct ImportCredentials: BusRequest, Equatable {
        package static let operation = Passkey.Operation.importCredentials
        // A second request finds the credentials of the first.
        package static let retrySemantics = RetrySemantics.idempotent
        /// A thousand would have more values than a message may have.
        package static let maximumCount = 200
        package var realm: Realm
        package var credentials: [ImportedCredential]

        package init(realm: Realm, credentials: [ImportedCredential]) {
            self.realm = realm
            self.credentials = credentials
        }

        package struct Reply: Codable, Equatable, Sendable {
            /// The positions of credentials that were not stored: another account of the project has the ID, or the
            /// public key is malformed or of an unknown algorithm.
            package var refusedIndices: [Int]

            package init(refusedIndices: [Int]) {
                self.refusedIndices = refusedIndices
            }
        }
    }

    /// A passkey with its public key.
    package struct ImportedCredential: Codable, Equatable, Sendable {
        package var accountID: AccountID
        package var passkey: AccountPasskey
        package var publicKey: PublicKeyRecord

        package init(accountID: AccountID, passkey: AccountPasskey, publicKey: PublicKeyRecord) {
            self.accountID = accountID
            self.passkey = passkey
            self.publicKey = publicKey
        }
    }

    /// What the passkey service has about a credential, and identity has not.
    package struct PublicKeyRecord: Codable, Equatable, Sendable {
        /// A COSE key.
        package var coseKey: OctetString
        package var signCount: UInt32
        /// Fixed at registration (BE).
        package var isBackupEligible: Bool
        /// The user was verified at the registration or at a use since.
        package var hasVerifiedUser: Bool
        package var attestationFormat: String
        package var attestationType: String
        /// As the client reported them.
        package var transports: [String]

        package init(
            coseKey: OctetString, signCount: UInt32, isBackupEligible: Bool, hasVerifiedUser: Bool,
            attestationFormat: String, attestationType: String, transports: [String]
        ) {
            self.coseKey = coseKey
            self.signCount = signCount
            self.isBackupEligible = isBackupEligible
            self.hasVerifiedUser = hasVerifiedUser
            self.attestationFormat = attestationFormat
            self.attestationType = attestationType
            self.transports = transports
        }
    }
}
