import Crypto

/// The `TPMT_PUBLIC` structure of an asymmetric signing key (TPM 2.0 Library, Part 2, section 12.2.4).
struct TPMPublicArea {
    /// TPM_ALG_ID (section 6.3).
    private enum Algorithm {
        static let rsa: UInt16 = 0x0001
        static let sha256: UInt16 = 0x000b
        static let sha384: UInt16 = 0x000c
        static let sha512: UInt16 = 0x000d
        static let null: UInt16 = 0x0010
        static let ecdaa: UInt16 = 0x001a
        static let ecc: UInt16 = 0x0023
    }

    /// The name of the key: the hash algorithm, then the hash of the structure (Part 1, section 16).
    let name: [UInt8]
    let publicKey: VerificationKey

    /// - Returns: nil if the structure is malformed, or its key or hash algorithm is not supported.
    init?(_ bytes: [UInt8]) {
        var reader = TPMReader(bytes)
        guard let type = reader.uint16(), let nameAlgorithm = reader.uint16(),
            let digest = Self.digest(of: bytes, nameAlgorithm),
            reader.uint32() != nil,  // objectAttributes
            reader.sizedBytes() != nil  // authPolicy
        else { return nil }
        let key: VerificationKey? =
            switch type {
            case Algorithm.rsa: Self.rsaKey(&reader)
            case Algorithm.ecc: Self.ellipticCurveKey(&reader)
            default: nil
            }
        guard let key, reader.isAtEnd else { return nil }
        publicKey = key
        name = [UInt8(nameAlgorithm >> 8), UInt8(nameAlgorithm & 0xff)] + digest
    }

    private static func digest(of bytes: [UInt8], _ algorithm: UInt16) -> [UInt8]? {
        switch algorithm {
        case Algorithm.sha256: SHA2.sha256(bytes)
        case Algorithm.sha384: SHA2.sha384(bytes)
        case Algorithm.sha512: SHA2.sha512(bytes)
        default: nil
        }
    }

    /// TPMS_RSA_PARMS and the modulus.
    private static func rsaKey(_ reader: inout TPMReader) -> VerificationKey? {
        guard reader.uint16() == Algorithm.null,  // symmetric: a signing key encrypts nothing.
            skipScheme(&reader), reader.uint16() != nil,  // keyBits
            let exponent = reader.uint32(), let modulus = reader.sizedBytes()
        else { return nil }
        let number: UInt32 = exponent == 0 ? 65537 : exponent  // Zero is the default.
        let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
        // `try?`: an unsupported key is as wrong as a malformed one.
        return try? VerificationKey(rsaModulus: modulus, exponent: bytes)
    }

    /// TPMS_ECC_PARMS and the point.
    private static func ellipticCurveKey(_ reader: inout TPMReader) -> VerificationKey? {
        guard reader.uint16() == Algorithm.null, skipScheme(&reader),
            let curve = reader.uint16().flatMap(curve), skipScheme(&reader),  // The second one is the KDF.
            let x = reader.sizedBytes(), let y = reader.sizedBytes()
        else { return nil }
        // `try?`: an unsupported key is as wrong as a malformed one.
        return try? VerificationKey(curve, x: padded(x, for: curve), y: padded(y, for: curve))
    }

    /// TPM_ECC_CURVE (section 6.4).
    private static func curve(_ identifier: UInt16) -> VerificationKey.Curve? {
        switch identifier {
        case 3: .p256
        case 4: .p384
        case 5: .p521
        default: nil
        }
    }

    /// A TPM may omit leading zeros.
    private static func padded(_ coordinate: [UInt8], for curve: VerificationKey.Curve) -> [UInt8] {
        [UInt8](repeating: 0, count: max(0, curve.coordinateBytes - coordinate.count)) + coordinate
    }

    /// TPMT_RSA_SCHEME, TPMT_ECC_SCHEME or TPMT_KDF_SCHEME: an algorithm, then its hash unless it is null.
    private static func skipScheme(_ reader: inout TPMReader) -> Bool {
        guard let scheme = reader.uint16() else { return false }
        switch scheme {
        case Algorithm.null: return true
        case Algorithm.ecdaa: return false  // Anonymous attestation, which WebAuthn no longer has.
        default: return reader.uint16() != nil
        }
    }
}
