internal import COpenSSL

/// Builds OpenSSL keys from their numbers. The caller owns them.
enum RawPublicKey {
    /// - Parameters:
    ///   - modulus: big-endian.
    ///   - exponent: big-endian.
    /// - Returns: nil if OpenSSL detects that they are invalid.
    static func rsa(modulus: [UInt8], exponent: [UInt8]) throws(CryptoError) -> OpaquePointer? {
        let n = BN_bin2bn(modulus, Int32(modulus.count), nil)
        defer { BN_free(n) }
        let e = BN_bin2bn(exponent, Int32(exponent.count), nil)
        defer { BN_free(e) }
        return try build(EVP_PKEY_RSA) { builder in
            guard OSSL_PARAM_BLD_push_BN(builder, copenssl_rsa_modulus, n) == 1,
                OSSL_PARAM_BLD_push_BN(builder, copenssl_rsa_exponent, e) == 1
            else { return nil }
            return OSSL_PARAM_BLD_to_param(builder)
        }
    }

    /// - Parameters:
    ///   - curve: OpenSSL's name. Its address must be permanent.
    ///   - point: encoded as in SEC 1 §2.3.3.
    /// - Returns: nil if the point is not on the curve.
    static func ellipticCurve(
        _ curve: UnsafePointer<CChar>?, point: [UInt8]
    ) throws(CryptoError) -> OpaquePointer? {
        try build(EVP_PKEY_EC) { builder in
            point.withUnsafeBytes { point in
                guard OSSL_PARAM_BLD_push_utf8_string(builder, copenssl_group_name, curve, 0) == 1,
                    OSSL_PARAM_BLD_push_octet_string(builder, copenssl_public_point, point.baseAddress, point.count)
                        == 1
                else { return nil }
                return OSSL_PARAM_BLD_to_param(builder)
            }
        }
    }

    /// - Parameter parameters: adds them to the builder, which stores only addresses, and makes it copy them.
    private static func build(
        _ kind: Int32, _ parameters: (OpaquePointer) -> UnsafeMutablePointer<OSSL_PARAM>?
    ) throws(CryptoError) -> OpaquePointer? {
        let builder = try OpenSSL.check(OSSL_PARAM_BLD_new())
        defer { OSSL_PARAM_BLD_free(builder) }
        let parameters = try OpenSSL.check(parameters(builder))
        defer { OSSL_PARAM_free(parameters) }
        let context = try OpenSSL.check(EVP_PKEY_CTX_new_id(kind, nil))
        defer { EVP_PKEY_CTX_free(context) }
        try OpenSSL.check(EVP_PKEY_fromdata_init(context))
        var key: OpaquePointer?
        guard EVP_PKEY_fromdata(context, &key, copenssl_public_key, parameters) == 1 else { return nil }
        return key
    }
}
