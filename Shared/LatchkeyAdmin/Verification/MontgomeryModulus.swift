/// Arithmetic modulo an odd number of a fixed width (Montgomery 1985, "Modular multiplication without trial division").
///
/// Numbers are arrays of 64-bit words, the least significant word first, as long as the modulus. The time of a call
/// depends on the values: they are public.
struct MontgomeryModulus: Sendable {
    /// The words of the modulus.
    let words: [UInt64]
    /// -1 / modulus, modulo 2^64.
    private let negatedInverse: UInt64
    /// R^2 modulo the modulus, where R is 2^64 to the power of the number of words.
    private let radixSquared: [UInt64]

    /// - Parameter words: an odd number of at least two words whose most significant word is not zero.
    init(_ words: [UInt64]) {
        self.words = words
        // Newton's method: each step doubles the number of correct bits, beginning with three (n * n = 1 modulo 8).
        let lowest = words.first ?? 1
        var inverse = lowest
        for _ in 0..<5 { inverse = inverse &* (2 &- lowest &* inverse) }
        negatedInverse = 0 &- inverse
        var power = [UInt64](repeating: 0, count: words.count)
        power[0] = 1
        for _ in 0..<(128 * words.count) { Self.double(&power, modulo: words) }
        radixSquared = power
    }

    /// base^65537 modulo the modulus.
    /// - Parameter base: less than the modulus.
    func powerOf65537(_ base: [UInt64]) -> [UInt64] {
        let converted = product(base, radixSquared)
        var power = converted
        for _ in 0..<16 { power = product(power, power) }
        power = product(power, converted)
        var one = [UInt64](repeating: 0, count: words.count)
        one[0] = 1
        return product(power, one)
    }

    /// left * right / R modulo the modulus, with a reduction after each word of `right`.
    private func product(_ left: [UInt64], _ right: [UInt64]) -> [UInt64] {
        let count = words.count
        var sum = [UInt64](repeating: 0, count: count)
        /// The word above those of the sum: 0 or 1.
        var top: UInt64 = 0
        for factor in right {
            var carry: UInt64 = 0
            for place in 0..<count {
                (carry, sum[place]) = Self.multiplyAdd(left[place], factor, sum[place], carry)
            }
            let (upper, carriesProduct) = top.addingReportingOverflow(carry)
            // This multiple of the modulus makes the lowest word zero, which is then dropped.
            let multiple = sum[0] &* negatedInverse
            (carry, _) = Self.multiplyAdd(words[0], multiple, sum[0], 0)
            for place in 1..<count {
                (carry, sum[place - 1]) = Self.multiplyAdd(words[place], multiple, sum[place], carry)
            }
            let (highest, carriesMultiple) = upper.addingReportingOverflow(carry)
            sum[count - 1] = highest
            top = (carriesProduct ? 1 : 0) + (carriesMultiple ? 1 : 0)
        }
        // The sum is less than twice the modulus.
        if top != 0 || !Self.isLess(sum, words) { Self.subtract(words, from: &sum) }
        return sum
    }

    // MARK: - Words

    /// left * right + first + second, which fits into two words.
    private static func multiplyAdd(
        _ left: UInt64, _ right: UInt64, _ first: UInt64, _ second: UInt64
    ) -> (high: UInt64, low: UInt64) {
        let product = left.multipliedFullWidth(by: right)
        let (partial, carriesFirst) = product.low.addingReportingOverflow(first)
        let (low, carriesSecond) = partial.addingReportingOverflow(second)
        return (product.high &+ (carriesFirst ? 1 : 0) &+ (carriesSecond ? 1 : 0), low)
    }

    private static func double(_ number: inout [UInt64], modulo modulus: [UInt64]) {
        var carry: UInt64 = 0
        for place in number.indices {
            let word = number[place]
            number[place] = word << 1 | carry
            carry = word >> 63
        }
        if carry != 0 || !isLess(number, modulus) { subtract(modulus, from: &number) }
    }

    /// Drops the borrow of the most significant word.
    private static func subtract(_ subtrahend: [UInt64], from number: inout [UInt64]) {
        var borrow: UInt64 = 0
        for place in number.indices {
            let (partial, borrowsFirst) = number[place].subtractingReportingOverflow(subtrahend[place])
            let (value, borrowsSecond) = partial.subtractingReportingOverflow(borrow)
            number[place] = value
            borrow = borrowsFirst || borrowsSecond ? 1 : 0
        }
    }

    /// Both have the same length.
    static func isLess(_ left: [UInt64], _ right: [UInt64]) -> Bool {
        for (leftWord, rightWord) in zip(left, right).reversed() where leftWord != rightWord {
            return leftWord < rightWord
        }
        return false
    }
}
