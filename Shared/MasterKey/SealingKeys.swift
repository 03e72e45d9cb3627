package import Contracts
import Crypto
import FoundationEssentials
import JSON
import Synchronization
import Vocabulary

/// Seals the records of one service under the current master key, and opens those sealed under any key of the ring.
///
/// A record is version (1 byte) ‖ id of the master key (4) ‖ nonce (12) ‖ ciphertext ‖ tag (16): AES-256-GCM with a key
/// derived for the service (HKDF-SHA256). The authenticated data is version ‖ key id ‖ binding. So a record can be
/// moved neither to another row nor to another key (security rule SE1).
///
/// Both functions may read the key file. Call them where blocking is allowed: in the body of a transaction.
package struct SealingKeys: Sendable {
    package let masterKeys: ReloadingMasterKeyRing
    private let purpose: String
    private let derived = DerivedKeys()

    static let version: UInt8 = 1
    /// Version and id, at the beginning of a record.
    package static let headerBytes = 1 + MasterKey.idCount

    package init(_ masterKeys: ReloadingMasterKeyRing, of service: ServiceName) {
        self.masterKeys = masterKeys
        purpose = "\(service.rawValue) sealing"
    }

    /// - Parameter binding: the location of the value, from `SealedColumn.binding`. `open` requires the same binding.
    package func seal(_ plain: [UInt8], binding: [UInt8]) throws -> [UInt8] {
        let key = masterKeys.currentKey()
        let header = [Self.version] + key.idBytes
        return header + (try sealingKey(of: key).seal(plain, binding: header + binding))
    }

    /// - Throws: `MasterKeyError.unknownKey` if the record names a key that is not in the ring, even after a new check
    ///   of the file; `CryptoError.authenticationFailed` if the record was changed or belongs to another location.
    package func open(_ record: [UInt8], binding: [UInt8]) throws -> [UInt8] {
        guard let id = Self.keyID(of: record) else { return try openLegacy(record, binding: binding) }
        if let key = masterKeys.key(id) {
            let header = Array(record.prefix(Self.headerBytes))
            return try sealingKey(of: key).open(Array(record.dropFirst(header.count)), binding: header + binding)
        }
        do {
            // One of 256 records without a header looks as if it had one.
            return try openLegacy(record, binding: binding)
        } catch CryptoError.authenticationFailed {
            masterKeys.noteMissed(id)
            throw MasterKeyError.unknownKey(id: id, place: masterKeys.source.name)
        }
    }

    /// Seals a value as JSON.
    package func seal(json value: some Encodable, binding: [UInt8]) throws -> [UInt8] {
        try seal(Array(WireJSON.encode(value)), binding: binding)
    }

    /// - Throws: as `open`, and `DecodingError`.
    package func open<Value: Decodable>(json record: [UInt8], binding: [UInt8]) throws -> Value {
        try WireJSON.decodeUnchecked(Value.self, from: Data(open(record, binding: binding)))
    }

    /// The bytes of the shortest record with an id.
    package static let minimumBytes = headerBytes + SealingKey.overheadBytes

    /// The id of the master key in a record; nil for the old form without ids, a bare nonce ‖ ciphertext ‖ tag.
    package static func keyID(of record: [UInt8]) -> String? {
        guard record.first == version, record.count >= minimumBytes else { return nil }
        return record[1..<headerBytes].hexadecimal
    }

    /// The master key of a record of the old form without ids, for secrets that were derived from that key.
    /// - Throws: `CryptoError.authenticationFailed` if no key of the ring opens it.
    package func legacyKey(of record: [UInt8], binding: [UInt8]) throws -> MasterKey {
        try findLegacy(record, binding: binding).key
    }

    private func openLegacy(_ record: [UInt8], binding: [UInt8]) throws -> [UInt8] {
        try findLegacy(record, binding: binding).plain
    }

    private func findLegacy(_ record: [UInt8], binding: [UInt8]) throws -> (key: MasterKey, plain: [UInt8]) {
        for key in masterKeys.ring.all {
            do {
                return (key, try sealingKey(of: key).open(record, binding: binding))
            } catch CryptoError.authenticationFailed {
                continue
            }
        }
        throw CryptoError.authenticationFailed
    }

    private func sealingKey(of master: MasterKey) -> SealingKey {
        derived.key(of: master.id) {
            guard let key = SealingKey(master.key(for: purpose)) else {
                preconditionFailure("a derived key has 32 bytes")
            }
            return key
        }
    }
}

/// Derives each key once.
private final class DerivedKeys: Sendable {
    private let keys = Mutex<[String: SealingKey]>([:])

    func key(of id: String, _ derive: () -> SealingKey) -> SealingKey {
        keys.withLock { keys in
            if let known = keys[id] { return known }
            let key = derive()
            keys[id] = key
            return key
        }
    }
}
