import Contracts
import Vocabulary

/// The user name of a sign-in: an e-mail address or a phone number.
struct SignInIdentifier: Equatable, Sendable {
    /// In the form that is stored; a malformed text as it is.
    let text: String
    /// Nil for a malformed text, which no account can have.
    let criterion: Identity.FindAccounts.Criterion?

    init(_ input: String) {
        if let email = EmailAddress(input) {
            text = email.rawValue
            criterion = .email(text)
        } else if let number = PhoneNumber(input) {
            text = number.rawValue
            criterion = .phoneNumber(text)
        } else {
            text = input
            criterion = nil
        }
    }
}
