import Crypto
import Vocabulary

/// Digests of values that must not be readable in the database: codes, session names, numbers (security rule SM4).
/// Keyed, because a million codes are quickly enumerated.
struct CodeDigests: Sendable {
    private let key: [UInt8]

    init(key: [UInt8]) {
        self.key = key
    }

    /// The digest of `sessionInfo`.
    func session(_ sessionInfo: String) -> [UInt8] { digest("session", Array(sessionInfo.utf8)) }

    /// The digest of a code, bound to its session: the same code in another session has another digest.
    func code(_ code: String, of sessionID: [UInt8]) -> [UInt8] { digest("code", sessionID + Array(code.utf8)) }

    func number(_ number: PhoneNumber) -> [UInt8] { digest("number", Array(number.rawValue.utf8)) }

    /// The digest of a request with a code: distinguishes a repetition from another request.
    func request(_ body: [UInt8]) -> [UInt8] { digest("request", body) }

    /// The digest of a scope for failed code attempts.
    func scope(_ words: [String]) -> [UInt8] {
        // With length prefixes, so that different lists have different encodings.
        digest("scope", Array(words.map { "\($0.utf8.count):\($0)" }.joined().utf8))
    }

    /// The idempotency key for identity of a verified session: 32 hexadecimal digits.
    func operationKey(_ sessionID: [UInt8], _ details: [UInt8]) -> String {
        digest("operation", sessionID + details).prefix(16).hexadecimal
    }

    private func digest(_ use: String, _ bytes: [UInt8]) -> [UInt8] {
        HMAC.sha256(key: key, message: Array("\(use)/".utf8) + bytes)
    }
}
