import Contracts
import PhoneNumbers
import Vocabulary

/// A message that somebody wants sent: what is counted and judged before it costs anything.
struct SendAttempt: Equatable, Sendable {
    enum Purpose: String, CaseIterable, Codable, Sendable { case signIn, enrollment, secondFactor }

    var realm: Realm
    var number: ParsedPhoneNumber
    var purpose: Purpose
    /// Whose factor it is or is to become; nil for sign-in by telephone.
    var accountID: AccountID?
    /// Nil: not told, or not counted (loopback in dev mode).
    var ipAddress: String?
}
