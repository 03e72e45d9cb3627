internal import COpenSSL

extension PrivateKey {
    /// A self-signed X.509 certificate (RFC 5280) for this key, with SHA-256: version 3, a random serial number,
    /// subject and issuer with the same common name, not an authority, for digital signatures.
    /// - Parameters:
    ///   - commonName: 1 to 64 characters (RFC 5280 appendix A.1).
    ///   - notBefore: seconds since 1970.
    ///   - notAfter: seconds since 1970.
    /// - Returns: PEM.
    package func selfSignedCertificate(
        commonName: String, notBefore: Int64, notAfter: Int64
    ) throws(CryptoError) -> String {
        let certificate = try OpenSSL.check(X509_new())
        defer { X509_free(certificate) }
        try OpenSSL.check(X509_set_version(certificate, 2))  // Counted from zero.
        try setSerialNumber(of: certificate)
        _ = try OpenSSL.check(ASN1_TIME_set(X509_getm_notBefore(certificate), Int(notBefore)))
        _ = try OpenSSL.check(ASN1_TIME_set(X509_getm_notAfter(certificate), Int(notAfter)))
        // The certificate owns the name.
        let name = X509_get_subject_name(certificate)
        let text = Array(commonName.utf8)
        guard X509_NAME_add_entry_by_txt(name, "CN", copenssl_utf8, text, Int32(text.count), -1, 0) == 1 else {
            ERR_clear_error()
            throw .parameters("a common name has 1 to 64 characters")
        }
        try OpenSSL.check(X509_set_issuer_name(certificate, name))
        try OpenSSL.check(X509_set_pubkey(certificate, handle.pointer))
        try add(NID_basic_constraints, "critical,CA:FALSE", to: certificate)
        try add(NID_key_usage, "critical,digitalSignature", to: certificate)
        // Returns the length of the signature.
        guard X509_sign(certificate, handle.pointer, DigestAlgorithm.sha256.pointer) > 0 else {
            throw OpenSSL.failure()
        }
        return try PEM.encode { PEM_write_bio_X509($0, certificate) }
    }

    /// 127 random bits: positive, and within the 20 octets of RFC 5280 §4.1.2.2.
    private func setSerialNumber(of certificate: OpaquePointer) throws(CryptoError) {
        let number = try OpenSSL.check(BN_new())
        defer { BN_free(number) }
        try OpenSSL.check(BN_rand(number, 127, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY))
        _ = try OpenSSL.check(BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)))
    }

    private func add(_ kind: Int32, _ value: String, to certificate: OpaquePointer) throws(CryptoError) {
        let `extension` = try OpenSSL.check(X509V3_EXT_conf_nid(nil, nil, kind, value))
        defer { X509_EXTENSION_free(`extension`) }
        try OpenSSL.check(X509_add_ext(certificate, `extension`, -1))
    }
}
