import Contracts
import PhoneNumbers
import Vocabulary

/// A requested message, which is counted and evaluated before it costs anything.
struct CountedSend: Equatable, Sendable {
    enum Purpose: String, CaseIterable, Codable, Sendable { case signIn, enrollment, secondFactor }

    var realm: Realm
    var number: ParsedPhoneNumber
    var purpose: Purpose
    /// The account that has or enrolls the factor; nil for phone sign-in.
    var accountID: AccountID?
    /// Nil when it is unknown, or not counted (loopback in dev mode).
    var ipAddress: String?
}
