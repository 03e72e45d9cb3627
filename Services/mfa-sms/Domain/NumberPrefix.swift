import PhoneNumbers
import Vocabulary

/// Numbers that begin alike, which is how pumped ones are found: they are rented in blocks.
struct NumberPrefix: Hashable, Sendable {
    /// The first seven digits after the `+`, and never so many that fewer than three are left: what is kept in the clear
    /// must not be somebody's number, and short numbers exist.
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
