import Contracts
import Vocabulary

/// A code that replaces a second factor, once: `k7mq-2fxp-9d3t`. Twelve symbols of five bits.
struct RecoveryCode: Hashable, Sendable {
    static let length = 12
    /// Crockford's Base32: without `i`, `l`, `o` and `u`, so that the first three can be read as the digits that they
    /// resemble.
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
    /// Longer than any typing error.
    private static let maximumBytes = 100

    /// Characters of the alphabet.
    private let symbols: [UInt8]

    /// Draws a code. 32 symbols divide the values of a byte evenly.
    init(randomBytes: (_ count: Int) -> [UInt8]) {
        symbols = randomBytes(Self.length).map { Self.alphabet[Int($0 % 32)] }
    }

    /// Parses a user's input: case, spaces, dashes and characters of similar shape do not matter.
    /// - Returns: nil for a malformed code.
    init?(_ text: String) {
        guard text.utf8.count <= Self.maximumBytes else { return nil }
        var symbols: [UInt8] = []
        for scalar in text.unicodeScalars where !scalar.properties.isWhitespace && !scalar.properties.isDash {
            guard let symbol = Self.symbol(scalar) else { return nil }
            symbols.append(symbol)
        }
        guard symbols.count == Self.length else { return nil }
        self.symbols = symbols
    }

    private static func symbol(_ scalar: Unicode.Scalar) -> UInt8? {
        guard scalar.isASCII else { return nil }
        let byte = UInt8(ascii: scalar)
        let letter = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
        switch letter {
        case UInt8(ascii: "o"): return UInt8(ascii: "0")
        case UInt8(ascii: "i"), UInt8(ascii: "l"): return UInt8(ascii: "1")
        default: return alphabet.contains(letter) ? letter : nil
        }
    }

    /// In the display format, in groups of four.
    var text: String {
        stride(from: 0, to: Self.length, by: 4).map { start in
            String(decoding: symbols[start..<start + 4], as: UTF8.self)
        }.joined(separator: "-")
    }

    /// The input of its keyed hash. It contains the account, so equal codes of two accounts have different hashes.
    func digestInput(of accountID: AccountID, in realm: Realm) -> [UInt8] {
        let (project, tenant) = (realm.project.rawValue, realm.tenant?.rawValue ?? "")
        let account = accountID.rawValue
        return Array(
            "recovery code/\(project.utf8.count):\(project)/\(tenant.utf8.count):\(tenant)/\(account.utf8.count):\(account)/"
                .utf8) + symbols
    }
}

/// Failed codes of one account, across all its sign-ins (security rule RL2, RL4 and MP8). An attempt is counted before
/// it is evaluated.
struct RecoveryAttempts: Equatable, Sendable {
    /// In a row.
    var failures: Int
    var failuresInWindow: Int
    var windowBeganAt: Moment

    static let perWindow = 5
    static let window = Duration.seconds(5 * 60)
    /// Maximum consecutive failures (NIST SP 800-63B-4 §3.2.2)...
    static let maximumFailures = 100
    /// ...within this time.
    static let memory = Duration.seconds(24 * 60 * 60)

    static func none(at now: Moment) -> Self { .init(failures: 0, failuresInWindow: 0, windowBeganAt: now) }

    /// Counts an attempt, or refuses it uncounted.
    /// - Throws: `quotaExceeded`.
    mutating func reserve(at now: Moment) throws(ServiceError) {
        let isClosed = failures >= Self.maximumFailures
        let length = isClosed ? Self.memory : Self.window
        let end = windowBeganAt + length
        if !windowBeganAt.beginsWindow(of: length, containing: now) {
            self = .init(failures: isClosed ? 0 : failures, failuresInWindow: 0, windowBeganAt: now)
        } else if isClosed || failuresInWindow >= Self.perWindow {
            throw .limited(by: .recoveryCodeAttempts, until: end)
        }
        failures += 1
        failuresInWindow += 1
    }
}
