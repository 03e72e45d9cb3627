import Contracts
import Crypto
import Vocabulary

/// Shows that its holder has signed in to an account before (OWASP "device cookies"). It grants no access: it only
/// gives its holder a budget of wrong passwords that unknown clients cannot exhaust.
///
/// Every process of the service can verify it without a lookup, with a shared key. Each refresh-token family has one
/// device, so the token of a later refresh gives no new budget.
struct DeviceToken: Equatable, Sendable {
    /// As long as the maximum lifetime of browser cookies, and of sessions.
    static let lifetimeSeconds: Int64 = 400 * 24 * 60 * 60

    /// Names the account without revealing it; clients keep the newest token of each account under this name.
    private static let accountBytes = TokenSet.deviceTokenAccountCharacters / 4 * 3
    private static let deviceBytes = 16
    private static let issuedAtBytes = 8
    private static let tagBytes = 32
    private static let byteCount = accountBytes + deviceBytes + issuedAtBytes + tagBytes

    /// Identifies the refresh-token family.
    let device: [UInt8]
    let issuedAt: Timestamp
    let text: String

    /// Issues a token to the holder of a session.
    init(of account: AccountID, in realm: Realm, session: SessionID, at now: Timestamp, key: [UInt8]) {
        device = Array(Self.digest("device", [session.bytes], key).prefix(Self.deviceBytes))
        issuedAt = now
        let head =
            Self.name(of: account, in: realm, key) + device
            + withUnsafeBytes(of: now.seconds.bigEndian, Array.init)
        text = Base64URL.encode(head + Self.tag(head, account, realm, key))
    }

    /// Verifies a token that a client presents.
    /// - Returns: nil for a malformed token, an expired one, or one of another account.
    init?(_ text: String, of account: AccountID, in realm: Realm, at now: Timestamp, key: [UInt8]) {
        guard text.utf8.count <= 128, let bytes = Base64URL.decode(text), bytes.count == Self.byteCount else {
            return nil
        }
        let head = Array(bytes.dropLast(Self.tagBytes))
        guard constantTimeEquals(Array(bytes.suffix(Self.tagBytes)), Self.tag(head, account, realm, key)) else {
            return nil
        }
        device = Array(head.dropFirst(Self.accountBytes).prefix(Self.deviceBytes))
        issuedAt = Timestamp(
            seconds: Int64(bitPattern: head.suffix(Self.issuedAtBytes).reduce(0) { $0 << 8 | UInt64($1) }))
        self.text = text
        guard Moment(issuedAt).beginsWindow(of: .seconds(Self.lifetimeSeconds), containing: Moment(now)) else {
            return nil
        }
    }

    private static func name(of account: AccountID, in realm: Realm, _ key: [UInt8]) -> [UInt8] {
        Array(digest("account", fields(account, realm), key).prefix(accountBytes))
    }

    private static func tag(_ head: [UInt8], _ account: AccountID, _ realm: Realm, _ key: [UInt8]) -> [UInt8] {
        digest("token", [head] + fields(account, realm), key)
    }

    private static func fields(_ account: AccountID, _ realm: Realm) -> [[UInt8]] {
        [realm.project.rawValue, realm.tenant?.rawValue ?? "", account.rawValue].map { Array($0.utf8) }
    }

    /// Each field with its length, so that different inputs have different encodings.
    private static func digest(_ purpose: String, _ fields: [[UInt8]], _ key: [UInt8]) -> [UInt8] {
        HMAC.sha256(
            key: key,
            message: Array("latchkey device token 1 \(purpose)\n".utf8)
                + fields.flatMap { Array("\($0.count):".utf8) + $0 })
    }
}
