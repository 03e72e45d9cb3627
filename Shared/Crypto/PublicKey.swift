internal import COpenSSL

/// A key that verifies signatures: RSA with 2048 to 8192 bits for RS256, P-256 for ES256. The initializers reject
/// others.
package struct PublicKey: Sendable {
    private let handle: KeyHandle

    /// The public key of a private key.
    init(handle: KeyHandle) {
        self.handle = handle
    }

    /// Parses a DER SubjectPublicKeyInfo (RFC 5280 §4.1.2.7); bytes after the key are an error.
    package init(subjectPublicKeyInfo der: [UInt8]) throws(CryptoError) {
        try self.init(owning: DER.decode(der, { d2i_PUBKEY(nil, &$0, $1) }, free: EVP_PKEY_free))
    }

    /// Parses a PEM text: `PUBLIC KEY`, or the key of a `CERTIFICATE`, whose signature and dates are not verified.
    package init(pem: String) throws(CryptoError) {
        if let key = try PEM.decode(pem, { PEM_read_bio_PUBKEY($0, nil, nil, nil) }) {
            try self.init(owning: key)
        } else {
            let certificate = try PEM.decode(pem) { PEM_read_bio_X509($0, nil, nil, nil) }
            defer { X509_free(certificate) }
            try self.init(owning: X509_get_pubkey(certificate))
        }
    }

    /// - Parameters:
    ///   - modulus: big-endian.
    ///   - exponent: big-endian, odd, at least 3.
    package init(rsaModulus modulus: [UInt8], exponent: [UInt8]) throws(CryptoError) {
        guard modulus.count <= 1024, exponent.count <= 8 else { throw .unsupportedKey }
        let isUsable = exponent.last.map { $0 & 1 == 1 } ?? false
        guard isUsable, exponent.drop(while: { $0 == 0 }) != [1] else { throw .malformedKey }
        try self.init(owning: RawPublicKey.rsa(modulus: modulus, exponent: exponent))
    }

    /// - Parameters:
    ///   - x: 32 bytes, big-endian.
    ///   - y: 32 bytes, big-endian. A point that is not on the curve is rejected.
    package init(p256X x: [UInt8], y: [UInt8]) throws(CryptoError) {
        guard x.count == 32, y.count == 32 else { throw .malformedKey }
        let point = [0x04] + x + y  // Uncompressed, SEC 1 §2.3.3.
        try self.init(owning: RawPublicKey.ellipticCurve(copenssl_p256, point: point))
    }

    /// The final check of every key from any source.
    private init(owning key: OpaquePointer?) throws(CryptoError) {
        guard let key else {
            ERR_clear_error()
            throw .malformedKey
        }
        handle = try KeyHandle(owning: key)
    }

    /// The only algorithm that this key supports.
    package var algorithm: SignatureAlgorithm { handle.algorithm }

    /// The length of the modulus, or of a coordinate.
    package var bits: Int { Int(EVP_PKEY_get_bits(handle.pointer)) }

    /// Both without leading zeros, big-endian; nil for a key that is not RSA.
    package var rsaComponents: (modulus: [UInt8], exponent: [UInt8])? {
        guard handle.algorithm == .rs256 else { return nil }
        do throws(CryptoError) {
            return (try handle.number(OSSL_PKEY_PARAM_RSA_N), try handle.number(OSSL_PKEY_PARAM_RSA_E))
        } catch {
            preconditionFailure("an RSA key without its numbers: \(error)")
        }
    }

    /// 32 bytes each, big-endian; nil for a key that is not on P-256.
    package var p256Coordinates: (x: [UInt8], y: [UInt8])? {
        guard handle.algorithm == .es256 else { return nil }
        do throws(CryptoError) {
            return (
                try handle.number(OSSL_PKEY_PARAM_EC_PUB_X, count: 32),
                try handle.number(OSSL_PKEY_PARAM_EC_PUB_Y, count: 32)
            )
        } catch {
            preconditionFailure("a P-256 key without its point: \(error)")
        }
    }

    /// DER SubjectPublicKeyInfo (RFC 5280 §4.1.2.7).
    package var subjectPublicKeyInfo: [UInt8] {
        get throws(CryptoError) {
            try DER.encode { i2d_PUBKEY(handle.pointer, &$0) }
        }
    }

    /// Whether `signature`, in JOSE's form, is a signature of this message by the private key of this key. Also false
    /// for a signature of another form or length, and for another algorithm.
    package func isValid(signature: [UInt8], for message: [UInt8], _ algorithm: SignatureAlgorithm) -> Bool {
        guard algorithm == handle.algorithm else { return false }
        defer { ERR_clear_error() }
        do throws(CryptoError) {
            switch algorithm {
            case .rs256:
                return try verify(signature, message)
            case .es256:
                guard let der = try ECDSASignature.der(fromRaw: signature) else { return false }
                return try verify(der, message)
            }
        } catch {
            return false  // Out of memory: the signature is not verified.
        }
    }

    private func verify(_ signature: [UInt8], _ message: [UInt8]) throws(CryptoError) -> Bool {
        let context = try OpenSSL.check(EVP_MD_CTX_new())
        defer { EVP_MD_CTX_free(context) }
        let hash = DigestAlgorithm.sha256.pointer
        try OpenSSL.check(EVP_DigestVerifyInit(context, nil, hash, nil, handle.pointer))
        return EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }
}
