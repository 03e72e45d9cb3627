internal import COpenSSL

/// A public key of a WebAuthn credential or of a certificate: RSA with 2048 to 8192 bits, P-256, P-384, P-521, Ed25519
/// or Ed448. `PublicKey` is the key of a token, which has one algorithm.
package struct VerificationKey: Sendable {
    package enum Curve: Hashable, CaseIterable, Sendable {
        case p256, p384, p521

        /// The length of a coordinate.
        package var coordinateBytes: Int {
            switch self {
            case .p256: 32
            case .p384: 48
            case .p521: 66
            }
        }

        fileprivate var name: UnsafePointer<CChar>? {
            switch self {
            case .p256: copenssl_p256
            case .p384: copenssl_p384
            case .p521: copenssl_p521
            }
        }
    }

    package enum EdwardsCurve: Hashable, CaseIterable, Sendable {
        case ed25519, ed448

        fileprivate var kind: Int32 {
            switch self {
            case .ed25519: EVP_PKEY_ED25519
            case .ed448: EVP_PKEY_ED448
            }
        }
    }

    package enum KeyType: Hashable, Sendable {
        case rsa
        case ellipticCurve(Curve)
        case edwards(EdwardsCurve)
    }

    /// `@unchecked Sendable`: never changed after `init`, and OpenSSL allows concurrent use of an unchanged key.
    private final class Handle: @unchecked Sendable {
        let pointer: OpaquePointer

        init(owning pointer: OpaquePointer) { self.pointer = pointer }

        deinit { EVP_PKEY_free(pointer) }
    }

    private let handle: Handle
    package let type: KeyType

    /// Shorter keys can be factored. With longer ones a verification takes milliseconds.
    private static let rsaBits = 2048...8192

    /// Parses a DER SubjectPublicKeyInfo (RFC 5280 §4.1.2.7); bytes after the key are an error.
    package init(subjectPublicKeyInfo der: [UInt8]) throws(CryptoError) {
        try self.init(owning: DER.decode(der, { d2i_PUBKEY(nil, &$0, $1) }, free: EVP_PKEY_free))
    }

    /// - Parameters:
    ///   - modulus: big-endian.
    ///   - exponent: big-endian, odd, at least 3, at most 8 bytes.
    package init(rsaModulus modulus: [UInt8], exponent: [UInt8]) throws(CryptoError) {
        guard modulus.count <= Self.rsaBits.upperBound / 8, exponent.count <= 8 else { throw .unsupportedKey }
        let isOdd = exponent.last.map { $0 & 1 == 1 } ?? false
        guard isOdd, exponent.drop(while: { $0 == 0 }) != [1] else { throw .malformedKey }
        try self.init(owning: RawPublicKey.rsa(modulus: modulus, exponent: exponent))
    }

    /// - Parameters:
    ///   - x: big-endian, exactly as long as a coordinate of the curve.
    ///   - y: big-endian, as long. A point that is not on the curve is rejected.
    package init(_ curve: Curve, x: [UInt8], y: [UInt8]) throws(CryptoError) {
        guard x.count == curve.coordinateBytes, y.count == curve.coordinateBytes else { throw .malformedKey }
        let point = [0x04] + x + y  // Uncompressed, SEC 1 §2.3.3.
        try self.init(owning: RawPublicKey.ellipticCurve(curve.name, point: point))
    }

    /// - Parameter publicKey: as in RFC 8032: 32 bytes for Ed25519, 57 for Ed448.
    package init(_ curve: EdwardsCurve, publicKey: [UInt8]) throws(CryptoError) {
        try self.init(owning: EVP_PKEY_new_raw_public_key(curve.kind, nil, publicKey, publicKey.count))
    }

    /// The final check of every key from any source. Takes ownership of the key.
    private init(owning key: OpaquePointer?) throws(CryptoError) {
        guard let key else {
            ERR_clear_error()
            throw .malformedKey
        }
        handle = Handle(owning: key)
        guard let type = Self.type(of: key) else { throw .unsupportedKey }
        self.type = type
    }

    private static func type(of key: OpaquePointer) -> KeyType? {
        switch EVP_PKEY_get_base_id(key) {
        case EVP_PKEY_RSA:
            return rsaBits.contains(Int(EVP_PKEY_get_bits(key))) ? .rsa : nil
        case EVP_PKEY_EC:
            var name = [CChar](repeating: 0, count: 64)
            var length = 0
            guard EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1 else { return nil }
            return Curve.allCases.first { $0.name.map { strcmp($0, name) == 0 } ?? false }.map(KeyType.ellipticCurve)
        case EVP_PKEY_ED25519:
            return .edwards(.ed25519)
        case EVP_PKEY_ED448:
            return .edwards(.ed448)
        default:
            return nil
        }
    }

    /// Whether `signature` is a signature of this message by the private key of this key. Also false for a scheme that
    /// this type of key does not support, and for a signature in another form.
    package func isValid(signature: [UInt8], for message: [UInt8], _ scheme: SignatureScheme) -> Bool {
        defer { ERR_clear_error() }
        do throws(CryptoError) {
            switch (scheme, type) {
            case (.ecdsa(let hash), .ellipticCurve), (.rsaPKCS1(let hash), .rsa):
                return try verify(signature, message, hash.algorithm, isPSS: false)
            case (.rsaPSS(let hash), .rsa):
                return try verify(signature, message, hash.algorithm, isPSS: true)
            case (.edDSA, .edwards):
                return try verify(signature, message, nil, isPSS: false)
            case (.ecdsa, _), (.rsaPKCS1, _), (.rsaPSS, _), (.edDSA, _):
                return false
            }
        } catch {
            return false  // Out of memory: the signature is not verified.
        }
    }

    private func verify(
        _ signature: [UInt8], _ message: [UInt8], _ digest: DigestAlgorithm?, isPSS: Bool
    ) throws(CryptoError) -> Bool {
        let context = try OpenSSL.check(EVP_MD_CTX_new())
        defer { EVP_MD_CTX_free(context) }
        var keyContext: OpaquePointer?  // Owned by `context`.
        try OpenSSL.check(EVP_DigestVerifyInit(context, &keyContext, digest?.pointer, nil, handle.pointer))
        if isPSS {
            try OpenSSL.check(EVP_PKEY_CTX_set_rsa_padding(keyContext, RSA_PKCS1_PSS_PADDING))
            try OpenSSL.check(EVP_PKEY_CTX_set_rsa_pss_saltlen(keyContext, RSA_PSS_SALTLEN_DIGEST))
        }
        return EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }
}

extension VerificationKey: Equatable {
    /// Whether both have the same type and the same numbers.
    package static func == (a: VerificationKey, b: VerificationKey) -> Bool {
        defer { ERR_clear_error() }
        return EVP_PKEY_eq(a.handle.pointer, b.handle.pointer) == 1
    }
}
