/// Why a certificate is refused.
package enum CertificateError: Error, Equatable, Sendable {
    /// Not exactly one X.509 certificate in DER, or an extension is malformed or repeated.
    case malformed
    /// No valid path leads from the certificate to a trust anchor, with the reason in the words of the library.
    case untrusted(String)
    /// An unexpected error of the library: no memory, or an error of this program.
    case failure(String)
}

extension CertificateError {
    init(_ error: CryptoError) {
        self = .failure(error.description)
    }
}
