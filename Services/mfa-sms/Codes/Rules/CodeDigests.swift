import Crypto
import Vocabulary

/// The digests that the database contains in place of codes, `sessionInfo` and numbers (security rule SM4). They have a
/// key, because a million codes are quickly tried.
struct CodeDigests: Sendable {
    let key: [UInt8]

    /// The digest of `sessionInfo`.
    func session(_ sessionInfo: String) -> [UInt8] { digest("session", Array(sessionInfo.utf8)) }

    /// The digest of a code. The same code has another one in another session.
    func code(_ code: String, of sessionID: [UInt8]) -> [UInt8] { digest("code", sessionID + Array(code.utf8)) }

    func number(_ number: PhoneNumber) -> [UInt8] { digest("number", Array(number.rawValue.utf8)) }

    /// The digest of a request with a code. It distinguishes the repetition of a request from another request.
    func request(_ body: [UInt8]) -> [UInt8] { digest("request", body) }

    /// The digest of a scope in which wrong codes are counted.
    func scope(_ words: [String]) -> [UInt8] {
        // With their lengths, so that no two lists have the same text.
        digest("scope", Array(words.map { "\($0.utf8.count):\($0)" }.joined().utf8))
    }

    /// The idempotency key of the request to identity after a verification: 32 hexadecimal digits.
    func operationKey(_ sessionID: [UInt8], _ details: [UInt8]) -> String {
        digest("operation", sessionID + details).prefix(16).hexadecimal
    }

    private func digest(_ use: String, _ bytes: [UInt8]) -> [UInt8] {
        HMAC.sha256(key: key, message: Array("\(use)/".utf8) + bytes)
    }
}
