import Crypto
import Vocabulary

/// What stands in the database for what must not be read there: a code, the name of a session, a number (security
/// rule SM4). Keyed, since a million codes are soon tried.
struct CodeDigests: Sendable {
    private let key: [UInt8]

    init(key: [UInt8]) {
        self.key = key
    }

    /// Of what the client calls a session.
    func session(_ sessionInfo: String) -> [UInt8] { digest("session", Array(sessionInfo.utf8)) }

    /// Of a code of one session: the same code elsewhere has another.
    func code(_ code: String, of sessionID: [UInt8]) -> [UInt8] { digest("code", sessionID + Array(code.utf8)) }

    func number(_ number: PhoneNumber) -> [UInt8] { digest("number", Array(number.rawValue.utf8)) }

    /// Of everything that a client asks with a code: tells its second try from another request.
    func request(_ body: [UInt8]) -> [UInt8] { digest("request", body) }

    /// Of whose wrong guesses are counted together.
    func scope(_ words: [String]) -> [UInt8] {
        // With their lengths, so that no two lists read the same.
        digest("scope", Array(words.map { "\($0.utf8.count):\($0)" }.joined().utf8))
    }

    /// Under which identity does once what a proved session is for: 32 hexadecimal digits.
    func operationKey(_ sessionID: [UInt8], _ details: [UInt8]) -> String {
        digest("operation", sessionID + details).prefix(16).hexadecimal
    }

    private func digest(_ use: String, _ bytes: [UInt8]) -> [UInt8] {
        HMAC.sha256(key: key, message: Array("\(use)/".utf8) + bytes)
    }
}
