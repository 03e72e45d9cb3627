import Crypto
import Vocabulary

/// A proof-of-work challenge for a browser: find a number so that SHA-256 over the challenge, `:` and the decimal
/// number begins with the required number of zero bits.
///
/// The challenge contains its difficulty and expiry and is authenticated with a tag: nothing is stored before a
/// response arrives. It has forty characters, so that challenge and response fit into one block of the hash. A browser
/// computes in JavaScript; twice the blocks would increase the advantage of a faster program.
struct ProofOfWorkChallenge: Equatable, Sendable {
    static let lifetime = Duration.seconds(5 * 60)
    /// The rest of one SHA-256 block: 55 bytes, less 40 and a colon.
    static let maximumAnswerDigits = 14

    private static let nonceBytes = 9
    private static let tagBytes = 16
    /// One byte of bits, four of seconds since 1970, the nonce, the tag.
    private static let bytes = 1 + 4 + nonceBytes + tagBytes

    let bits: Int
    let expiresAt: Timestamp
    let text: String

    /// Creates a challenge.
    /// - Parameters:
    ///   - bits: 0 to 255.
    ///   - random: returns the requested number of bytes.
    init(
        bits: Int, for project: ProjectID, at now: Moment, key: [UInt8], random: (_ count: Int) -> [UInt8]
    ) {
        expiresAt = (now + Self.lifetime).timestamp
        self.bits = bits
        let seconds = UInt32(truncatingIfNeeded: expiresAt.seconds)
        let head =
            [UInt8(truncatingIfNeeded: bits)] + (0..<4).map { UInt8(truncatingIfNeeded: seconds >> (24 - 8 * $0)) }
            + random(Self.nonceBytes)
        text = Base64URL.encode(head + Self.tag(head, project, key))
    }

    /// Parses a challenge from a response.
    /// - Returns: nil for a challenge that was not issued for this project.
    init?(_ text: String, for project: ProjectID, key: [UInt8]) {
        guard text.utf8.count == Self.bytes / 3 * 4, let bytes = Base64URL.decode(text), bytes.count == Self.bytes,
            // Only the canonical encoding is accepted: a redeemed challenge is stored by its text.
            Base64URL.encode(bytes) == text
        else { return nil }
        let head = Array(bytes.dropLast(Self.tagBytes))
        guard constantTimeEquals(Array(bytes.suffix(Self.tagBytes)), Self.tag(head, project, key)) else { return nil }
        bits = Int(head.first ?? 0)
        expiresAt = Timestamp(seconds: head.dropFirst().prefix(4).reduce(0) { $0 << 8 | Int64($1) })
        self.text = text
    }

    /// It is valid in the second of its expiry, too.
    func isExpired(at now: Moment) -> Bool {
        !Moment(expiresAt + 1).endsWindow(ofAtMost: Self.lifetime, at: now)
    }

    func isSolved(by answer: String) -> Bool {
        (1...Self.maximumAnswerDigits).contains(answer.utf8.count)
            && answer.utf8.allSatisfy { (0x30...0x39).contains($0) }
            && Self.leadingZeroBits(SHA2.sha256(Array("\(text):\(answer)".utf8))) >= bits
    }

    static func leadingZeroBits(_ digest: [UInt8]) -> Int {
        let zeroBytes = digest.prefix { $0 == 0 }.count
        return zeroBytes * 8 + (zeroBytes < digest.count ? digest[zeroBytes].leadingZeroBitCount : 0)
    }

    private static func tag(_ head: [UInt8], _ project: ProjectID, _ key: [UInt8]) -> [UInt8] {
        let message = Array("web challenge\0\(project.rawValue)\0".utf8) + head
        return Array(HMAC.sha256(key: key, message: message).prefix(tagBytes))
    }

    /// The difficulty for a network: twice the work for each doubling of its challenges in this hour, beyond the number
    /// of a household or a small office.
    /// - Parameters:
    ///   - base: the difficulty for every network.
    ///   - finished: challenges of this hour that the network has finished.
    static func bits(base: Int, afterFinishing finished: Int) -> Int {
        let doublings = finished < 8 ? 0 : finished.bitWidth - (finished / 8).leadingZeroBitCount
        return min(maximumBits, base + min(maximumExtraBits, doublings))
    }

    private static let maximumExtraBits = 8
    /// More bits would take hours.
    private static let maximumBits = 32
}
