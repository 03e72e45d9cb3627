import Contracts
import Crypto
import MasterKey
import SQL
import TestSupport
import Testing

struct SealingKeysTests {
    /// The bytes 0, 1, 2, ... 31.
    private static let key = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
    private static let plain = Array("what is sealed".utf8)

    private let keys: SealingKeys

    init() throws {
        let ring = try MasterKeyRing(text: "9f8e7d6c:" + String(repeating: "11", count: 32) + " 1a2b3c4d:" + Self.key)
        keys = SealingKeys(try ReloadingMasterKeyRing(.variable(ring)), of: .identity)
    }

    private func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = hexadecimal.utf8.map { UInt8(String(UnicodeScalar($0)), radix: 16) ?? 0 }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    /// Created with Python's `cryptography`: version 1, key 1a2b3c4d, nonce 64 65 66 ... 6f, ciphertext, tag.
    @Test func recordHasDocumentedFormat() throws {
        let record = bytes(
            "011a2b3c4d6465666768696a6b6c6d6e6f4c906d4d33521fd58b8ccc2e169ea9798c1a7c6ce4bac87bd4c3a5392c51")
        #expect(SealingKeys.keyID(of: record) == "1a2b3c4d")
        let binding = ServiceSecrets.column.binding(.text("name"), .text("id"))
        #expect(try keys.open(record, binding: binding) == Self.plain)
    }

    /// Created in the same way. In the second record, the nonce begins like a record that names a key.
    @Test(arguments: [
        "6465666768696a6b6c6d6e6f4c906d4d33521fd58b8ccc2e169ee844d1e7ca7e20f7639c6b2ba3f9760a",
        "0165666768696a6b6c6d6e6f4fd18129ec0d02e0b868fad623372e9ce489593e9500b5633ab7d77d03f1",
    ])
    func firstReleaseRecordOpens(record: String) throws {
        let column = SealedColumn(
            "sealed_private_key", of: "signing_keys", key: ["key_id"], label: "signing_keys/private_key")
        #expect(try keys.open(bytes(record), binding: column.binding(.text("abc"))) == Self.plain)
        let key = try keys.legacyKey(of: bytes(record), binding: column.binding(.text("abc")))
        #expect(key.id == "1a2b3c4d")
        #expect(throws: (any Error).self) { try keys.open(bytes(record), binding: column.binding(.text("abd"))) }
    }

    @Test func recordNamesCurrentKeyAndHasMinimalLength() throws {
        let record = try keys.seal(Self.plain, binding: [1])
        #expect(SealingKeys.keyID(of: record) == "9f8e7d6c")
        #expect(record.count == 1 + 4 + 12 + Self.plain.count + 16)
        #expect(try keys.open(record, binding: [1]) == Self.plain)
        #expect(try keys.seal(Self.plain, binding: [1]) != record)
    }

    /// Every bit of version, key ID, nonce, ciphertext and tag.
    @Test func recordWithFlippedBitIsRefused() throws {
        let record = try keys.seal(Self.plain, binding: [1])
        for bit in 0..<record.count * 8 {
            var changed = record
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: (any Error).self, "bit \(bit)") { try keys.open(changed, binding: [1]) }
        }
    }

    @Test(arguments: 0..<33) func truncatedRecordIsRefused(length: Int) throws {
        let record = try keys.seal([], binding: [1])
        #expect(throws: (any Error).self) { try keys.open(Array(record.prefix(length)), binding: [1]) }
    }

    /// The binding includes the key ID: a record opens under no other key of the ring.
    @Test func recordWithAnotherKeyIDIsRefused() throws {
        var record = try keys.seal(Self.plain, binding: [1])
        record.replaceSubrange(1..<5, with: [0x1a, 0x2b, 0x3c, 0x4d])
        #expect(throws: CryptoError.authenticationFailed) { try keys.open(record, binding: [1]) }
    }

    @Test func recordOfAnotherRowIsRefused() throws {
        let column = SealedColumn("sealed_text", of: "notes", key: ["owner", "number"])
        let record = try keys.seal(Self.plain, binding: column.binding("ada", 1))
        for binding in [
            column.binding("ada", 2), column.binding("adb", 1),
            SealedColumn("sealed_text", of: "note", key: ["owner", "number"]).binding("ada", 1),
            SealedColumn("sealed_texts", of: "notes", key: ["owner", "number"]).binding("ada", 1),
        ] {
            #expect(throws: CryptoError.authenticationFailed) { try keys.open(record, binding: binding) }
        }
    }

    @Test func recordOfAnotherServiceIsRefused() throws {
        let other = SealingKeys(keys.masterKeys, of: .mfaTOTP)
        #expect(throws: CryptoError.authenticationFailed) {
            try other.open(try keys.seal([1], binding: []), binding: [])
        }
    }
}
