import PhoneNumbers
import Vocabulary

/// The first digits of phone numbers. SMS pumping is detected by prefix, because its numbers are rented in blocks.
struct NumberPrefix: Hashable, Sendable {
    /// The first seven digits after the `+`. At least three digits are left out, because a prefix is stored in the
    /// clear and short numbers exist.
    let prefix: String

    static let length = 7
    static let minimumHiddenDigits = 3

    init(_ number: PhoneNumber) {
        let digits = number.rawValue.utf8.count - 1
        prefix = String(number.rawValue.prefix(1 + min(Self.length, max(1, digits - Self.minimumHiddenDigits))))
    }

    init(prefix: String) {
        self.prefix = prefix
    }
}
