package import Vocabulary

extension MFATOTP {
    /// Stores the secrets of factors that come from another system, before identity lists the factors
    /// (`Identity.ImportedAccount.totpFactors`). A factor that identity does not list within a day is deleted.
    package struct ImportFactors: BusRequest, Equatable {
        package static let operation = MFATOTP.Operation.importFactors
        // A second request finds the secrets of the first.
        package static let retrySemantics = RetrySemantics.idempotent
        package static let maximumCount = 1000
        package var realm: Realm
        package var factors: [ImportedFactor]
        /// Whether a secret replaces another one of a factor that identity lists. Its counters begin anew.
        package var replacesSecrets: Bool

        package init(realm: Realm, factors: [ImportedFactor], replacesSecrets: Bool) {
            self.realm = realm
            self.factors = factors
            self.replacesSecrets = replacesSecrets
        }

        package struct Reply: Codable, Equatable, Sendable {
            /// The positions of factors that are listed with another secret, which was kept.
            package var keptIndices: [Int]

            package init(keptIndices: [Int]) {
                self.keptIndices = keptIndices
            }
        }
    }

    /// A factor of another system: SHA-1, six digits, 30 seconds.
    package struct ImportedFactor: Codable, Equatable, Sendable {
        /// Authenticator apps have secrets of 80 bits; Latchkey's own have 160.
        package static let secretByteCounts = 10...128
        package var accountID: AccountID
        package var factorID: FactorID
        package var secret: Secret<OctetString>

        package init(accountID: AccountID, factorID: FactorID, secret: Secret<OctetString>) {
            self.accountID = accountID
            self.factorID = factorID
            self.secret = secret
        }
    }
}
