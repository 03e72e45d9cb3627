/// The six digits of an SMS or an e-mail.
package struct OneTimeCode: Equatable, Sendable {
    package static let digits = 6
    /// The number of codes.
    private static let count: UInt32 = 1_000_000

    package let text: Secret<String>

    /// A random code. Each of the million is equally likely, also with leading zeros (security rule SM1).
    package init(randomBytes: (_ count: Int) -> [UInt8]) {
        // The largest multiple of a million in 32 bits. Numbers above it would make small codes more likely.
        let bound = UInt32.max - UInt32.max % Self.count
        var number: UInt32
        repeat {
            number = randomBytes(4).reduce(0) { $0 << 8 | UInt32($1) }
        } while number >= bound
        let digits = String(number % Self.count)
        text = Secret(String(repeating: "0", count: Self.digits - digits.count) + digits)
    }

    /// The fixed code of a test number.
    package init(fixed: String) {
        text = Secret(fixed)
    }
}
