import Crypto
import Vocabulary

/// An opaque refresh token: the session, the generation in its family, and a secret of 256 bits (tokens 3).
struct RefreshToken: Equatable, Sendable {
    static let secretBytes = 32

    var sessionID: SessionID
    /// 0 for the token of the sign-in, one more for each successor.
    var generation: UInt32
    var secret: [UInt8]

    private static let version: UInt8 = 1
    private static let byteCount = 1 + SessionID.byteCount + 4 + secretBytes

    init(sessionID: SessionID, generation: UInt32, secret: [UInt8]) {
        self.sessionID = sessionID
        self.generation = generation
        self.secret = secret
    }

    /// Version byte, session id, generation (big-endian), secret; base64url.
    var text: String {
        let generationBytes = withUnsafeBytes(of: generation.bigEndian, Array.init)
        return Base64URL.encode([Self.version] + sessionID.bytes + generationBytes + secret)
    }

    /// - Returns: nil for malformed text.
    init?(_ text: String) {
        guard text.utf8.count <= 128, let bytes = Base64URL.decode(text), bytes.count == Self.byteCount,
            bytes.first == Self.version
        else { return nil }
        sessionID = SessionID(bytes: Array(bytes.dropFirst().prefix(SessionID.byteCount)))
        secret = Array(bytes.suffix(Self.secretBytes))
        generation = bytes.dropLast(Self.secretBytes).suffix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The generation of its successor. A generation above the maximum is never issued, so no session has it.
    var nextGeneration: UInt32 { generation.addingSaturated(1) }

    /// The stored hash.
    var hash: [UInt8] { SHA2.sha256(secret) }

    /// The next token of the family. It is derived from this token and the session's salt, so the same successor can be
    /// issued again to the holder of its predecessor, though only hashes are stored.
    func successor(salt: [UInt8]) -> RefreshToken {
        .init(
            sessionID: sessionID, generation: nextGeneration,
            secret: HMAC.sha256(key: secret, message: Array("latchkey refresh successor".utf8) + salt))
    }
}

/// 16 bytes: six of the time and ten random ones. Sessions that are opened at one time are neighbors in the index of their
/// IDs, which has fewer pages to write then. An ID is no secret; the refresh token has one.
struct SessionID: Hashable, Codable, Sendable {
    static let byteCount = 16
    private static let timeByteCount = 6
    let bytes: [UInt8]

    /// A new one.
    init(at now: Moment, randomBytes: (_ count: Int) -> [UInt8]) {
        let time = withUnsafeBytes(of: UInt64(clamping: now.milliseconds).bigEndian, Array.init)
        self.init(bytes: time.suffix(Self.timeByteCount) + randomBytes(Self.byteCount - Self.timeByteCount))
    }

    init(bytes: [UInt8]) {
        precondition(bytes.count == Self.byteCount)
        self.bytes = bytes
    }
    /// base64url, as an operator names it.
    var text: String { Base64URL.encode(bytes) }

    /// - Returns: nil for malformed text.
    init?(text: String) {
        guard text.utf8.count <= 2 * Self.byteCount, let bytes = Base64URL.decode(text), bytes.count == Self.byteCount
        else { return nil }
        self.bytes = bytes
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = Self(text: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no ID of a session")
        }
        self = id
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
