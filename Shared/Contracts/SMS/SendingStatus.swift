package import Vocabulary

extension MFASMS {
    /// The valid codes, the latest last.
    package struct ListCodes: BusRequest, Equatable {
        package static let operation = MFASMS.Operation.listCodes
        package static let retrySemantics = RetrySemantics.idempotent
        package var realm: Realm

        package init(realm: Realm) {
            self.realm = realm
        }

        package struct Code: Codable, Equatable, Sendable {
            package var phoneNumber: PhoneNumber
            package var code: Secret<String>
            package var sessionInfo: Secret<String>

            package init(phoneNumber: PhoneNumber, code: Secret<String>, sessionInfo: Secret<String>) {
                self.phoneNumber = phoneNumber
                self.code = code
                self.sessionInfo = sessionInfo
            }
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var codes: [Code]

            package init(codes: [Code]) {
                self.codes = codes
            }
        }
    }

    /// The sent messages of a project and the limits in effect: budgets, blocked prefixes.
    package struct ReadSendingStatus: BusRequest, Equatable {
        package static let operation = MFASMS.Operation.readSendingStatus
        package static let retrySemantics = RetrySemantics.idempotent
        package var project: ProjectID

        package init(project: ProjectID) {
            self.project = project
        }

        package struct Reply: Codable, Equatable, Sendable {
            /// In millionths of the currency of the operator's prices.
            package var spentThisHourMicros: Int64
            package var spentThisDayMicros: Int64
            package var budgetPerHourMicros: Int64?
            package var budgetPerDayMicros: Int64?
            package var sentThisDay: Int
            package var verifiedThisDay: Int
            package var blockedPrefixes: [BlockedPrefix]

            package init(
                spentThisHourMicros: Int64, spentThisDayMicros: Int64, budgetPerHourMicros: Int64?,
                budgetPerDayMicros: Int64?, sentThisDay: Int, verifiedThisDay: Int, blockedPrefixes: [BlockedPrefix]
            ) {
                self.spentThisHourMicros = spentThisHourMicros
                self.spentThisDayMicros = spentThisDayMicros
                self.budgetPerHourMicros = budgetPerHourMicros
                self.budgetPerDayMicros = budgetPerDayMicros
                self.sentThisDay = sentThisDay
                self.verifiedThisDay = verifiedThisDay
                self.blockedPrefixes = blockedPrefixes
            }
        }

        package struct BlockedPrefix: Codable, Equatable, Sendable {
            /// `+` and the first seven digits.
            package var prefix: String
            package var blockedUntil: Moment

            package init(prefix: String, blockedUntil: Moment) {
                self.prefix = prefix
                self.blockedUntil = blockedUntil
            }
        }
    }
}
