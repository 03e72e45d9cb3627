internal import COpenSSL

/// Derives keys from one strong secret (RFC 5869). Not for passwords, because it is fast.
package enum HKDF {
    /// - Parameters:
    ///   - key: the secret, not empty.
    ///   - salt: may be empty.
    ///   - info: the purpose of the derived key; another text gives an unrelated key.
    ///   - count: the length in bytes, 1 to 8160 (RFC 5869 §2.3).
    package static func sha256(key: [UInt8], salt: [UInt8], info: [UInt8], count: Int) -> [UInt8] {
        precondition(!key.isEmpty && (1...255 * 32).contains(count), "outside what HKDF allows")
        do throws(CryptoError) {
            return try derive(key: key, salt: salt, info: info, count: count)
        } catch {
            preconditionFailure("deriving failed: \(error)")  // It fails only without memory.
        }
    }

    private static func derive(
        key: [UInt8], salt: [UInt8], info: [UInt8], count: Int
    ) throws(CryptoError) -> [UInt8] {
        let context = try OpenSSL.check(EVP_PKEY_CTX_new_id(EVP_PKEY_HKDF, nil))
        defer { EVP_PKEY_CTX_free(context) }
        try OpenSSL.check(EVP_PKEY_derive_init(context))
        try OpenSSL.check(EVP_PKEY_CTX_set_hkdf_md(context, DigestAlgorithm.sha256.pointer))
        try OpenSSL.check(EVP_PKEY_CTX_set1_hkdf_key(context, key, Int32(key.count)))
        // Absent and empty mean the same (RFC 5869 §2.2), but OpenSSL accepts only an absent value.
        if !salt.isEmpty { try OpenSSL.check(EVP_PKEY_CTX_set1_hkdf_salt(context, salt, Int32(salt.count))) }
        if !info.isEmpty { try OpenSSL.check(EVP_PKEY_CTX_add1_hkdf_info(context, info, Int32(info.count))) }
        var derived = [UInt8](repeating: 0, count: count)
        var length = count
        try OpenSSL.check(EVP_PKEY_derive(context, &derived, &length))
        return derived
    }
}
