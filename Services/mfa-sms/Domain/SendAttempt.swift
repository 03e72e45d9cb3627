import Contracts
import PhoneNumbers
import Vocabulary

/// A message to be sent, as the input of counts and limits before it causes cost.
struct SendAttempt: Equatable, Sendable {
    enum Purpose: String, CaseIterable, Codable, Sendable { case signIn, enrollment, secondFactor }

    var realm: Realm
    var number: ParsedPhoneNumber
    var purpose: Purpose
    /// The account of the existing or new factor; nil for phone sign-in.
    var accountID: AccountID?
    /// Nil: unknown, or not counted (loopback in dev mode).
    var ipAddress: String?
}
