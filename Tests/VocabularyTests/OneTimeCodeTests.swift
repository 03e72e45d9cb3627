import TestSupport
import Testing
import Vocabulary

struct OneTimeCodeTests {
    private func code(_ draws: UInt32...) -> String {
        var draws = draws
        return OneTimeCode { count in
            #expect(count == 4)
            let number = draws.removeFirst()
            return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
        }.text.reveal()
    }

    @Test func leadingZerosAreKept() {
        #expect(code(0) == "000000")
        #expect(code(42) == "000042")
        #expect(code(1_000_007) == "000007")
        #expect(code(999_999) == "999999")
    }

    /// The generator rejects draws above the largest multiple of one million.
    @Test func codesAreEquallyLikely() {
        #expect(code(4_293_999_999) == "999999")
        #expect(code(4_294_000_000, .max, 5) == "000005")
    }

    /// Security rule SM1: chi-square test over a million codes, in a thousand classes by the first three digits, a
    /// thousand by the last three, and digit by digit.
    @Test func codesAreUniformlyDistributed() {
        var random = SeededRandom(seed: 6)
        var first = [Double](repeating: 0, count: 1000)
        var last = first
        var digits = [[Double]](repeating: [Double](repeating: 0, count: 10), count: 6)
        for _ in 0..<1_000_000 {
            var next = random.next()
            let code = OneTimeCode { count in
                defer { next = random.next() }
                return (0..<count).map { UInt8(truncatingIfNeeded: next >> ($0 * 8)) }
            }
            let values = code.text.reveal().utf8.map { Int($0) - 0x30 }
            first[values[0] * 100 + values[1] * 10 + values[2]] += 1
            last[values[3] * 100 + values[4] * 10 + values[5]] += 1
            for (place, value) in values.enumerated() { digits[place][value] += 1 }
        }
        func chiSquare(_ counts: [Double]) -> Double {
            let expected = 1_000_000 / Double(counts.count)
            return counts.reduce(0) { $0 + ($1 - expected) * ($1 - expected) / expected }
        }
        // The 99.9 % points for 999 and for 9 degrees of freedom.
        #expect(chiSquare(first) < 1142.8)
        #expect(chiSquare(last) < 1142.8)
        for digit in digits { #expect(chiSquare(digit) < 27.9) }
    }
}
