internal import COpenSSL

/// An X.509 certificate (RFC 5280) as parsed: its signature and dates are not verified.
package struct Certificate: Sendable {
    /// The limit of the DER form. Certificates in use have one to three KiB.
    package static let maximumBytes = 16 << 10

    /// `@unchecked Sendable`: never changed after `init`, which also makes OpenSSL cache the extensions.
    private final class Handle: @unchecked Sendable {
        let pointer: OpaquePointer
        init(owning pointer: OpaquePointer) { self.pointer = pointer }
        deinit { X509_free(pointer) }
    }

    /// An extension that this type does not interpret.
    package struct Extension: Equatable, Sendable {
        package let isCritical: Bool
        /// The content of `extnValue`, which is DER by convention.
        package let value: [UInt8]
    }

    private let handle: Handle
    /// The whole certificate, as received.
    package let der: [UInt8]
    package let subject: CertificateName
    /// Seconds since 1970. The last second of the validity is included (RFC 5280 §4.1.2.5).
    package let notBefore: Int64
    package let notAfter: Int64
    private let extensions: [OID: Extension]

    /// Parses one certificate; bytes after it are an error.
    package init(der: [UInt8]) throws(CertificateError) {
        guard der.count <= Self.maximumBytes else { throw .malformed }
        guard let pointer = DER.decode(der, { d2i_X509(nil, &$0, $1) }, free: X509_free) else {
            ERR_clear_error()
            throw .malformed
        }
        try self.init(owning: pointer, der: der)
    }

    /// Takes ownership of the certificate, even if it refuses it.
    private init(owning pointer: OpaquePointer, der: [UInt8]) throws(CertificateError) {
        handle = Handle(owning: pointer)
        self.der = der
        // Makes OpenSSL cache the extensions. It also detects malformed ones, which only `TrustAnchors` refuses:
        // attestation certificates have been issued with them.
        _ = X509_check_purpose(pointer, -1, 0)
        ERR_clear_error()
        guard let name = X509_get_subject_name(pointer),
            let notBefore = Self.seconds(X509_get0_notBefore(pointer)),
            let notAfter = Self.seconds(X509_get0_notAfter(pointer))
        else { throw .malformed }
        subject = try CertificateName(name)
        self.notBefore = notBefore
        self.notAfter = notAfter
        extensions = try Self.extensions(of: pointer)
    }

    /// - Parameter time: an `ASN1_TIME`.
    private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
        guard let time, let epoch = ASN1_TIME_set(nil, 0) else { return nil }
        defer { ASN1_TIME_free(epoch) }
        var days: Int32 = 0
        var seconds: Int32 = 0
        guard ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else {
            ERR_clear_error()
            return nil
        }
        return Int64(days) * 86400 + Int64(seconds)
    }

    /// Refuses a repeated extension (RFC 5280 §4.2).
    private static func extensions(of certificate: OpaquePointer) throws(CertificateError) -> [OID: Extension] {
        var extensions: [OID: Extension] = [:]
        for index in 0..<max(X509_get_ext_count(certificate), 0) {
            let `extension` = X509_get_ext(certificate, index)
            let octets = X509_EXTENSION_get_data(`extension`)
            guard let identifier = OID(object: X509_EXTENSION_get_object(`extension`)), extensions[identifier] == nil,
                let octets
            else { throw .malformed }
            let value = UnsafeBufferPointer(
                start: ASN1_STRING_get0_data(octets), count: Int(ASN1_STRING_length(octets)))
            extensions[identifier] = Extension(
                isCritical: X509_EXTENSION_get_critical(`extension`) == 1, value: Array(value))
        }
        return extensions
    }

    // MARK: Fields

    /// 1 to 3; nil for a version that does not exist.
    package var version: Int? {
        let number = X509_get_version(handle.pointer)  // Counted from zero.
        return (0...2).contains(number) ? number + 1 : nil
    }

    /// DER SubjectPublicKeyInfo (RFC 5280 §4.1.2.7). The key can be of any type.
    package var subjectPublicKeyInfo: [UInt8] {
        get throws(CryptoError) {
            let key = try OpenSSL.check(X509_get_X509_PUBKEY(handle.pointer))
            return try DER.encode { i2d_X509_PUBKEY(key, &$0) }
        }
    }

    /// SHA-1 of the public key without its algorithm: method 1 of RFC 5280 §4.2.1.2. It only identifies a key.
    package var publicKeyIdentifier: [UInt8] {
        var digest = [UInt8](repeating: 0, count: 20)
        let code = X509_pubkey_digest(handle.pointer, DigestAlgorithm.sha1.pointer, &digest, nil)
        precondition(code == 1, "hashing failed")  // It fails only without memory.
        return digest
    }

    package func isValid(at seconds: Int64) -> Bool { notBefore <= seconds && seconds <= notAfter }

    // MARK: Extensions

    package subscript(extension identifier: OID) -> Extension? { extensions[identifier] }

    /// The value of `cA` in the basic constraints; nil if that extension is missing or malformed.
    package var isAuthority: Bool? {
        guard let value = X509_get_ext_d2i(handle.pointer, NID_basic_constraints, nil, nil) else {
            ERR_clear_error()
            return nil
        }
        let constraints = value.assumingMemoryBound(to: BASIC_CONSTRAINTS.self)
        defer { BASIC_CONSTRAINTS_free(constraints) }
        return constraints.pointee.ca != 0
    }

    /// The extended key usage; nil without that extension.
    package var extendedKeyUsage: Set<OID>? {
        get throws(CertificateError) {
            guard extensions["2.5.29.37"] != nil else { return nil }
            guard let usage = X509_get_ext_d2i(handle.pointer, NID_ext_key_usage, nil, nil) else {
                ERR_clear_error()
                throw .malformed
            }
            let stack = OpaquePointer(usage)
            defer { EXTENDED_KEY_USAGE_free(stack) }
            var identifiers: Set<OID> = []
            for index in 0..<max(OPENSSL_sk_num(stack), 0) {
                guard let identifier = OID(object: OPENSSL_sk_value(stack, index).map(OpaquePointer.init)) else {
                    throw .malformed
                }
                identifiers.insert(identifier)
            }
            return identifiers
        }
    }

    /// The directory names among the subject alternative names; empty without that extension.
    package var alternativeDirectoryNames: [CertificateName] {
        get throws(CertificateError) {
            guard extensions["2.5.29.17"] != nil else { return [] }
            guard let names = X509_get_ext_d2i(handle.pointer, NID_subject_alt_name, nil, nil) else {
                ERR_clear_error()
                throw .malformed
            }
            let stack = OpaquePointer(names)
            defer { GENERAL_NAMES_free(stack) }
            var directoryNames: [CertificateName] = []
            for index in 0..<max(OPENSSL_sk_num(stack), 0) {
                let name = OPENSSL_sk_value(stack, index)?.assumingMemoryBound(to: GENERAL_NAME.self)
                var kind: Int32 = 0
                let value = GENERAL_NAME_get0_value(name, &kind)
                guard kind == GEN_DIRNAME, let value else { continue }
                directoryNames.append(try CertificateName(OpaquePointer(value)))
            }
            return directoryNames
        }
    }

    /// Where certificates of the issuer can be fetched: the URLs of the authority information access (RFC 5280
    /// §4.2.2.1); empty without that extension, and for a malformed one. They are not verified.
    package var issuerURLs: [String] {
        guard let access = X509_get_ext_d2i(handle.pointer, NID_info_access, nil, nil) else {
            ERR_clear_error()
            return []
        }
        let stack = OpaquePointer(access)
        defer { AUTHORITY_INFO_ACCESS_free(stack) }
        var urls: [String] = []
        for index in 0..<max(OPENSSL_sk_num(stack), 0) {
            let entry = OPENSSL_sk_value(stack, index)?.assumingMemoryBound(to: ACCESS_DESCRIPTION.self)
            guard let entry, OBJ_obj2nid(entry.pointee.method) == NID_ad_ca_issuers else { continue }
            var kind: Int32 = 0
            let value = GENERAL_NAME_get0_value(entry.pointee.location, &kind)
            guard kind == GEN_URI, let text = value?.assumingMemoryBound(to: ASN1_STRING.self) else { continue }
            let bytes = UnsafeBufferPointer(start: ASN1_STRING_get0_data(text), count: Int(ASN1_STRING_length(text)))
            if let url = String(validating: bytes, as: UTF8.self) { urls.append(url) }
        }
        return urls
    }

    /// Calls `body` with the `X509` of this certificate.
    func withPointer<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        body(handle.pointer)
    }
}

extension Certificate: Hashable {
    package static func == (a: Certificate, b: Certificate) -> Bool { a.der == b.der }
    package func hash(into hasher: inout Hasher) { hasher.combine(der) }
}

// MARK: - PEM

extension Certificate {
    /// All certificates of a PEM text, in order; other text between them is ignored.
    /// - Throws: `malformed` if a certificate is malformed or there is none.
    package static func all(inPEM text: String) throws(CertificateError) -> [Certificate] {
        let begin = "-----BEGIN CERTIFICATE-----"
        var certificates: [Certificate] = []
        // OpenSSL reads one certificate from the start of a text, and skips what is before it.
        for part in text.split(separator: begin, omittingEmptySubsequences: false).dropFirst() {
            certificates.append(try Certificate(pem: begin + part))
        }
        guard !certificates.isEmpty else { throw .malformed }
        return certificates
    }

    private init(pem: String) throws(CertificateError) {
        let der: [UInt8]?
        do throws(CryptoError) {
            der = try PEM.decode(pem) { PEM_read_bio_X509($0, nil, nil, nil) }.map { pointer throws(CryptoError) in
                defer { X509_free(pointer) }
                return try DER.encode { i2d_X509(pointer, &$0) }
            }
        } catch {
            throw CertificateError(error)
        }
        guard let der else {
            ERR_clear_error()
            throw .malformed
        }
        try self.init(der: der)
    }
}
