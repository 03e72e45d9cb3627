package import Contracts
internal import Crypto
internal import Synchronization
internal import Vocabulary

/// Seals what one service keeps, under the current master key, and opens what was sealed under any key of the ring.
///
/// A record is version (1 byte) ‖ id of the master key (4) ‖ nonce (12) ‖ ciphertext ‖ tag (16): AES-256-GCM with a key
/// derived for the service (HKDF-SHA256). What authenticates along with it is version ‖ key id ‖ binding, so a record
/// can be moved neither to another row nor to another key (security rule SE1).
///
/// Both functions may look at the key file. Call them where that is allowed: in the body of a transaction.
package struct SealingKeys: Sendable {
    package let masterKeys: ReloadingMasterKeyRing
    private let purpose: String
    private let derived = DerivedKeys()

    static let version: UInt8 = 1
    private static let headerBytes = 1 + MasterKey.idCount

    package init(_ masterKeys: ReloadingMasterKeyRing, of service: ServiceName) {
        self.masterKeys = masterKeys
        purpose = "\(service.rawValue) sealing"
    }

    /// - Parameter binding: where the value belongs, as `SealedColumn.binding` says it. `open` must name the same.
    package func seal(_ plain: [UInt8], binding: [UInt8]) throws -> [UInt8] {
        let key = masterKeys.currentKey()
        let header = [Self.version] + key.idBytes
        return header + (try sealingKey(of: key).seal(plain, binding: header + binding))
    }

    /// - Throws: `MasterKeyError.unknownKey` when the record names a key that is not in the ring, not even after
    ///   another look at the file; `CryptoError.authenticationFailed` when it was changed, or belongs elsewhere.
    package func open(_ record: [UInt8], binding: [UInt8]) throws -> [UInt8] {
        guard let id = Self.keyID(of: record) else { return try openLegacy(record, binding: binding) }
        if let key = masterKeys.key(id) {
            let header = Array(record.prefix(Self.headerBytes))
            return try sealingKey(of: key).open(Array(record.dropFirst(header.count)), binding: header + binding)
        }
        do {
            // One of 256 records without a header begins as if it had one.
            return try openLegacy(record, binding: binding)
        } catch CryptoError.authenticationFailed {
            throw MasterKeyError.unknownKey(id: id, place: masterKeys.source.name)
        }
    }

    /// The id of the master key that a record names; nil for one of the form before there were ids, a bare nonce ‖
    /// ciphertext ‖ tag.
    package static func keyID(of record: [UInt8]) -> String? {
        guard record.first == version, record.count >= headerBytes + SealingKey.overheadBytes else { return nil }
        return record[1..<headerBytes].hexadecimal
    }

    /// The master key of a record of the form before there were ids, for secrets that were derived from it then.
    /// - Throws: `CryptoError.authenticationFailed` when it is none of the ring's.
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

/// Derived once, used for each record.
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
