import Crypto

/// Writes the structures of a TPM (TPM 2.0 Library, Part 2). Every field can be changed.
struct TPMStructures {
    var magic: UInt32 = 0xff54_4347
    var type: UInt16 = 0x8017
    var extraData: [UInt8]
    /// Nil is the name of the public area.
    var attestedName: [UInt8]?
    var trailingBytes: [UInt8] = []

    var keyType: UInt16
    var nameAlgorithm: UInt16 = 0x000b
    /// The fields between the policy and the key.
    var parameters: [UInt8]
    var key: [UInt8]

    /// A P-256 key.
    init(extraData: [UInt8], x: [UInt8], y: [UInt8]) {
        self.extraData = extraData
        keyType = 0x0023
        // No symmetric cipher, no scheme, the curve, no KDF.
        parameters = Self.number(0x0010) + Self.number(0x0010) + Self.number(0x0003) + Self.number(0x0010)
        key = Self.sized(x) + Self.sized(y)
    }

    /// An RSA key with the default exponent.
    init(extraData: [UInt8], modulus: [UInt8]) {
        self.extraData = extraData
        keyType = 0x0001
        // No symmetric cipher, RSASSA with SHA-256, the length, the exponent.
        parameters =
            Self.number(0x0010) + Self.number(0x0014) + Self.number(0x000b) + Self.number(UInt16(modulus.count * 8))
            + [0, 0, 0, 0]
        key = Self.sized(modulus)
    }

    static func number(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xff)] }
    static func sized(_ bytes: [UInt8]) -> [UInt8] { number(UInt16(bytes.count)) + bytes }

    /// TPMT_PUBLIC
    var publicArea: [UInt8] {
        let policy = Self.sized([UInt8](repeating: 1, count: 32))
        return Self.number(keyType) + Self.number(nameAlgorithm) + [0, 6, 4, 0x72] + policy + parameters + key
    }

    var name: [UInt8] { Self.number(nameAlgorithm) + SHA2.sha256(publicArea) }

    /// TPMS_ATTEST
    var certifyInfo: [UInt8] {
        let clock = [UInt8](repeating: 3, count: 17)
        let firmwareVersion = [UInt8](repeating: 4, count: 8)
        return (0..<4).map { UInt8(magic >> (24 - 8 * $0) & 0xff) } + Self.number(type)
            + Self.sized([UInt8](repeating: 2, count: 34)) + Self.sized(extraData) + clock + firmwareVersion
            + Self.sized(attestedName ?? name) + Self.sized([UInt8](repeating: 5, count: 34)) + trailingBytes
    }
}
