import Crypto
import Vocabulary

/// A six digit time-based code (RFC 6238 §4) with HMAC-SHA1 and 30 second steps.
struct TOTPCode: Equatable, Sendable {
    static let digits = 6
    static let periodSeconds = 30

    /// Exactly six ASCII digits.
    let characters: [UInt8]

    /// The input of a user.
    /// - Returns: nil for anything but six ASCII digits: digits of other scripts, blanks and signs included.
    init?(_ text: String) {
        let characters = Array(text.utf8)
        guard characters.count == Self.digits,
            characters.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        self.characters = characters
    }

    /// The code of a step.
    /// - Parameters:
    ///   - secret: raw key, 20 bytes (RFC 4226 §4 R6 recommends 160 bits).
    ///   - step: whole 30 second steps since 1970.
    init(secret: [UInt8], step: Int64) {
        let counter = UInt64(bitPattern: step)
        let message = stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: counter >> UInt64($0)) }
        var number = Self.truncated(HMAC.sha1(key: secret, message: message))
        var characters: [UInt8] = []
        for _ in 0..<Self.digits {
            characters.append(UInt8(ascii: "0") + UInt8(number % 10))
            number /= 10
        }
        self.characters = characters.reversed()
    }

    /// Dynamic truncation, RFC 4226 §5.3: the low nibble of the last byte selects four bytes; their first bit is
    /// masked.
    static func truncated(_ mac: [UInt8]) -> UInt32 {
        let start = Int((mac.last ?? 0) & 0x0f)
        return mac.dropFirst(start).prefix(4).reduce(0) { $0 << 8 | UInt32($1) } & 0x7fff_ffff
    }

    /// The step that contains a moment.
    static func step(at now: Moment) -> Int64 {
        let period = Int64(periodSeconds) * 1000
        // Rounded down, also before 1970.
        let (step, rest) = now.milliseconds.quotientAndRemainder(dividingBy: period)
        // Rounded down before 1970, too.
        return rest < 0 ? step.subtractingSaturated(1) : step
    }

    /// The first step behind `last` whose code this is. Every step of the window is compared, so that the time does not
    /// depend on the right one.
    /// - Parameters:
    ///   - window: steps that a code may be early or late.
    ///   - last: the step that was accepted last; nil: none was.
    func step(secret: [UInt8], around step: Int64, window: Int, after last: Int64?) -> Int64? {
        var found: Int64?
        for candidate in (step - Int64(window))...(step + Int64(window)) {
            let isRight = constantTimeEquals(Self(secret: secret, step: candidate).characters, characters)
            let isNew = last.map { candidate > $0 } ?? true
            if isRight && isNew && found == nil { found = candidate }
        }
        return found
    }
}

extension TOTPCode: CustomStringConvertible, CustomReflectable {
    var description: String { "[code]" }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
