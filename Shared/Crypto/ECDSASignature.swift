internal import COpenSSL

/// The two forms of an ECDSA signature on P-256: `r ‖ s` in JOSE (RFC 7518 §3.4), and DER in OpenSSL and X.509.
enum ECDSASignature {
    private static let coordinateBytes = 32

    static func raw(fromDER der: [UInt8]) throws(CryptoError) -> [UInt8] {
        let parsed = DER.decode(der, { d2i_ECDSA_SIG(nil, &$0, $1) }, free: ECDSA_SIG_free)
        let signature = try OpenSSL.check(parsed)
        defer { ECDSA_SIG_free(signature) }
        var raw = [UInt8](repeating: 0, count: 2 * coordinateBytes)
        let count = Int32(coordinateBytes)
        let isWritten = raw.withUnsafeMutableBufferPointer { bytes in
            BN_bn2binpad(ECDSA_SIG_get0_r(signature), bytes.baseAddress, count) == count
                && BN_bn2binpad(ECDSA_SIG_get0_s(signature), bytes.baseAddress?.advanced(by: coordinateBytes), count)
                    == count
        }
        guard isWritten else { throw OpenSSL.failure() }
        return raw
    }

    /// - Returns: nil if it is not 64 bytes.
    static func der(fromRaw raw: [UInt8]) throws(CryptoError) -> [UInt8]? {
        guard raw.count == 2 * coordinateBytes else { return nil }
        let signature = try OpenSSL.check(ECDSA_SIG_new())
        defer { ECDSA_SIG_free(signature) }
        let r = BN_bin2bn(raw, Int32(coordinateBytes), nil)
        let s = Array(raw.dropFirst(coordinateBytes)).withUnsafeBufferPointer {
            BN_bin2bn($0.baseAddress, Int32(coordinateBytes), nil)
        }
        // On success the signature owns both numbers.
        guard let r, let s, ECDSA_SIG_set0(signature, r, s) == 1 else {
            BN_free(r)
            BN_free(s)
            throw OpenSSL.failure()
        }
        return try DER.encode { i2d_ECDSA_SIG(signature, &$0) }
    }
}
