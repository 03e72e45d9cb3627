internal import COpenSSL

/// A key that signs: RSA for RS256, P-256 for ES256. OpenSSL overwrites it when the last reference is released.
package struct PrivateKey: Sendable {
    let handle: KeyHandle

    /// Generates an RSA key with public exponent 65537. It takes a large part of a second of processor time: not on a
    /// cooperative thread.
    /// - Parameter bits: 2048 to 8192.
    package static func generateRSA(bits: Int) throws(CryptoError) -> PrivateKey {
        guard let bits = Int32(exactly: bits) else { throw .parameters("\(bits) bits") }
        return try generate(EVP_PKEY_RSA) { EVP_PKEY_CTX_set_rsa_keygen_bits($0, bits) }
    }

    /// Generates a P-256 key.
    package static func generateP256() throws(CryptoError) -> PrivateKey {
        try generate(EVP_PKEY_EC) { EVP_PKEY_CTX_set_ec_paramgen_curve_nid($0, NID_X9_62_prime256v1) }
    }

    private static func generate(
        _ kind: Int32, _ configure: (OpaquePointer) -> Int32
    ) throws(CryptoError) -> PrivateKey {
        let context = try OpenSSL.check(EVP_PKEY_CTX_new_id(kind, nil))
        defer { EVP_PKEY_CTX_free(context) }
        try OpenSSL.check(EVP_PKEY_keygen_init(context))
        try OpenSSL.check(configure(context))
        var key: OpaquePointer?
        try OpenSSL.check(EVP_PKEY_generate(context, &key))
        return PrivateKey(handle: try KeyHandle(owning: try OpenSSL.check(key)))
    }

    private init(handle: KeyHandle) {
        self.handle = handle
    }

    /// Parses an unencrypted PEM text: `PRIVATE KEY` (RFC 5958), `RSA PRIVATE KEY` or `EC PRIVATE KEY`.
    package init(pem: String) throws(CryptoError) {
        // Without a callback OpenSSL would prompt for a passphrase on the terminal.
        let key = try PEM.decode(pem) { PEM_read_bio_PrivateKey($0, nil, { _, _, _, _ in -1 }, nil) }
        guard let key else {
            ERR_clear_error()
            throw .malformedKey
        }
        handle = try KeyHandle(owning: key)
    }

    /// Parses a DER PrivateKeyInfo (PKCS #8, RFC 5958); bytes after the key are an error.
    package init(pkcs8DER der: [UInt8]) throws(CryptoError) {
        let info = DER.decode(der, { d2i_PKCS8_PRIV_KEY_INFO(nil, &$0, $1) }, free: PKCS8_PRIV_KEY_INFO_free)
        defer { PKCS8_PRIV_KEY_INFO_free(info) }
        guard let info, let key = EVP_PKCS82PKEY(info) else {
            ERR_clear_error()
            throw .malformedKey
        }
        handle = try KeyHandle(owning: key)
    }

    /// The key as DER PrivateKeyInfo (PKCS #8), unencrypted: seal it before it is stored.
    package var pkcs8DER: [UInt8] {
        get throws(CryptoError) {
            let info = try OpenSSL.check(EVP_PKEY2PKCS8(handle.pointer))
            defer { PKCS8_PRIV_KEY_INFO_free(info) }
            return try DER.encode { i2d_PKCS8_PRIV_KEY_INFO(info, &$0) }
        }
    }

    package var publicKey: PublicKey { PublicKey(handle: handle) }

    /// The only algorithm that this key supports.
    package var algorithm: SignatureAlgorithm { handle.algorithm }

    /// Signs a message. An RSA signature takes about half a millisecond of processor time.
    /// - Returns: the signature in JOSE's form, see `SignatureAlgorithm`.
    /// - Throws: `CryptoError.algorithmMismatch` if the key is for another algorithm.
    package func sign(_ message: [UInt8], _ algorithm: SignatureAlgorithm) throws(CryptoError) -> [UInt8] {
        guard algorithm == handle.algorithm else { throw .algorithmMismatch }
        let context = try OpenSSL.check(EVP_MD_CTX_new())
        defer { EVP_MD_CTX_free(context) }
        let hash = DigestAlgorithm.sha256.pointer
        try OpenSSL.check(EVP_DigestSignInit(context, nil, hash, nil, handle.pointer))
        var length = Int(EVP_PKEY_get_size(handle.pointer))
        var signature = [UInt8](repeating: 0, count: length)
        try OpenSSL.check(EVP_DigestSign(context, &signature, &length, message, message.count))
        signature.removeLast(signature.count - length)
        switch algorithm {
        case .rs256: return signature
        case .es256: return try ECDSASignature.raw(fromDER: signature)
        }
    }
}
