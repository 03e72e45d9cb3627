package import Vocabulary

extension MFASMS {
    /// With which numbers of an account no code is accepted right now, after wrong ones.
    package struct ReadBlocks: BusRequest, Equatable {
        package static let operation = MFASMS.Operation.readBlocks
        package static let retrySemantics = RetrySemantics.idempotent
        package static let maximumCount = 100

        package struct Factor: Codable, Equatable, Sendable {
            package var id: FactorID
            package var phoneNumber: PhoneNumber

            package init(id: FactorID, phoneNumber: PhoneNumber) {
                self.id = id
                self.phoneNumber = phoneNumber
            }
        }

        package var realm: Realm
        package var accountID: AccountID
        /// With which the account signs in.
        package var phoneNumber: PhoneNumber?
        /// At most `maximumCount`; further ones are ignored.
        package var factors: [Factor]

        package init(realm: Realm, accountID: AccountID, phoneNumber: PhoneNumber?, factors: [Factor]) {
            self.realm = realm
            self.accountID = accountID
            self.phoneNumber = phoneNumber
            self.factors = factors
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var blocks: [CodeBlock]

            package init(blocks: [CodeBlock]) {
                self.blocks = blocks
            }
        }
    }
}
