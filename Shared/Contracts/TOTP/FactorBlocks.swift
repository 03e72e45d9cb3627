package import Vocabulary

extension MFATOTP {
    /// Which factors of an account accept no code right now, after wrong ones.
    package struct ReadBlocks: BusRequest, Equatable {
        package static let operation = MFATOTP.Operation.readBlocks
        package static let retrySemantics = RetrySemantics.idempotent
        package static let maximumCount = 100
        package var realm: Realm
        package var accountID: AccountID
        /// At most `maximumCount`; further ones are ignored, and so are unknown ones.
        package var factorIDs: [FactorID]

        package init(realm: Realm, accountID: AccountID, factorIDs: [FactorID]) {
            self.realm = realm
            self.accountID = accountID
            self.factorIDs = factorIDs
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var blocks: [CodeBlock]

            package init(blocks: [CodeBlock]) {
                self.blocks = blocks
            }
        }
    }
}

/// No code is accepted after too many wrong ones.
package struct CodeBlock: Codable, Equatable, Sendable {
    /// Nil for the number of a sign-in by SMS.
    package var factorID: FactorID?
    /// Nil: for good, until the factor is removed and added again.
    package var until: Moment?

    package init(factorID: FactorID? = nil, until: Moment?) {
        self.factorID = factorID
        self.until = until
    }
}
