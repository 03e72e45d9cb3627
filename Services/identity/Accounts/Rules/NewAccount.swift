import Contracts
import Vocabulary

extension StoredAccount {
    /// An account without credentials and profile, created at `now`.
    init(id: AccountID, in realm: Realm, at now: Moment) {
        self.init(
            account: Account(id: id, realm: realm, validSince: now.timestamp, createdAt: now), passwordRecord: nil)
    }
}

extension AccountID {
    /// A new ID: 28 letters and digits, 166 bits.
    init(randomBytes: (_ count: Int) -> [UInt8]) {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
        var characters: [UInt8] = []
        while characters.count < 28 {
            // 248 is the largest multiple of 62 in a byte: larger values would make the first letters more frequent.
            characters += randomBytes(32).filter { $0 < 248 }.map { alphabet[Int($0) % alphabet.count] }
        }
        self.init(String(decoding: characters.prefix(28), as: UTF8.self))
    }
}

extension FactorID {
    /// A new ID: a random UUID (RFC 9562 §5.4).
    init(randomBytes: (_ count: Int) -> [UInt8]) {
        self.init(RandomUUID.text(of: randomBytes(16)))
    }
}
