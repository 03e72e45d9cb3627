internal import Crypto

extension MasterKey {
    /// A key of 32 bytes for one purpose (HKDF-SHA256, RFC 5869): what one service derives opens nothing of another's.
    package func derivedKey(for purpose: String) -> [UInt8] {
        HKDF.sha256(key: key.reveal(), salt: [], info: Array("latchkey \(purpose)".utf8), count: 32)
    }
}
