internal import COpenSSL

/// Certificates that are trusted by configuration. A certification path (RFC 5280 §6) ends in one of them.
///
/// Revocation is not checked: it would need network access.
package struct TrustAnchors: Sendable {
    /// Certificates between the verified certificate and the trust anchor. Real paths have one to three.
    private static let maximumIntermediates = 8

    /// OpenSSL's level 2, 112 bits: it refuses RSA keys below 2048 bits and SHA-1 signatures in a path.
    private static let securityLevel: Int32 = 2

    private let certificates: [Certificate]

    /// - Parameter certificates: of certification authorities, or trusted certificates themselves. They need not be
    ///   self-signed.
    package init(_ certificates: [Certificate]) {
        self.certificates = certificates
    }

    /// Verifies a path from `certificate` to an anchor: signatures, dates, basic constraints, path lengths, key usage,
    /// name constraints, critical extensions, and the strength of keys and signatures. The certificate itself may be
    /// an anchor.
    /// - Parameters:
    ///   - intermediates: certificates that may be part of the path. They are not trusted by themselves.
    ///   - seconds: the time for which the path must be valid, in seconds since 1970.
    /// - Throws: `CertificateError.untrusted`.
    package func verify(
        _ certificate: Certificate, intermediates: [Certificate], at seconds: Int64
    ) throws(CertificateError) {
        guard intermediates.count <= Self.maximumIntermediates else { throw .untrusted("too many certificates") }
        var reason = "no trust anchor"
        // One after the other: among anchors with the same name OpenSSL would try only one.
        for anchor in certificates {
            do throws(CertificateError) {
                return try Self.verify(certificate, intermediates: intermediates, anchor: anchor, at: seconds)
            } catch .untrusted(let text) {
                reason = text
            }
        }
        throw .untrusted(reason)
    }

    private static func verify(
        _ certificate: Certificate, intermediates: [Certificate], anchor: Certificate, at seconds: Int64
    ) throws(CertificateError) {
        let context = try check(X509_STORE_CTX_new())
        defer { X509_STORE_CTX_free(context) }
        let trusted = try stack(of: [anchor])
        defer { OPENSSL_sk_free(trusted) }
        let untrusted = try stack(of: intermediates)
        defer { OPENSSL_sk_free(untrusted) }
        // The stacks keep addresses only.
        defer { withExtendedLifetime((certificate, intermediates, anchor)) {} }
        defer { ERR_clear_error() }
        let code = certificate.withPointer { X509_STORE_CTX_init(context, nil, $0, untrusted) }
        guard code == 1, let parameters = X509_STORE_CTX_get0_param(context) else {
            throw CertificateError(OpenSSL.failure())
        }
        X509_STORE_CTX_set0_trusted_stack(context, trusted)
        X509_VERIFY_PARAM_set_time(parameters, time_t(seconds))
        X509_VERIFY_PARAM_set_depth(parameters, Int32(maximumIntermediates))
        X509_VERIFY_PARAM_set_auth_level(parameters, securityLevel)
        // An anchor need not be self-signed.
        X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_PARTIAL_CHAIN))
        guard X509_verify_cert(context) == 1 else {
            let reason = X509_verify_cert_error_string(Int(X509_STORE_CTX_get_error(context)))
            throw .untrusted(reason.map { String(cString: $0) } ?? "unknown")
        }
        try checkExtensions(in: X509_STORE_CTX_get0_chain(context))
    }

    /// OpenSSL ignores some malformed extensions, and accepts an issuer without basic constraints if its key usage
    /// allows signing certificates. RFC 5280 §6.1.4 (k) requires them of every issuer except the anchor.
    /// - Parameter chain: a stack of `X509`: the certificate first, the anchor last.
    private static func checkExtensions(in chain: OpaquePointer?) throws(CertificateError) {
        for index in 0..<max(OPENSSL_sk_num(chain) - 1, 0) {
            let certificate = OPENSSL_sk_value(chain, index).map { OpaquePointer($0) }
            guard X509_get_extension_flags(certificate) & UInt32(EXFLAG_INVALID) == 0 else {
                throw .untrusted("malformed extension")
            }
            guard index == 0 || X509_check_ca(certificate) == 1 else {
                throw .untrusted("an issuer has no basic constraints")
            }
        }
    }

    /// - Returns: a stack of `X509`, which does not own them.
    private static func stack(of certificates: [Certificate]) throws(CertificateError) -> OpaquePointer {
        let stack = try check(OPENSSL_sk_new_null())
        for certificate in certificates {
            let count = certificate.withPointer { OPENSSL_sk_push(stack, UnsafeRawPointer($0)) }
            guard count > 0 else {
                OPENSSL_sk_free(stack)
                throw CertificateError(OpenSSL.failure())
            }
        }
        return stack
    }

    private static func check(_ pointer: OpaquePointer?) throws(CertificateError) -> OpaquePointer {
        guard let pointer else { throw CertificateError(OpenSSL.failure()) }
        return pointer
    }
}
