import Contracts
import Crypto
import SAML
import Vocabulary

extension Federation.Provider {
    /// SAML Core 8.3.6.
    private static let maximumEntityIDLength = 1024
    /// Two during a replacement; some providers publish more.
    private static let maximumCertificates = 10

    /// Checks the configuration of a SAML provider before it is stored. The dates of its certificates do not count.
    func validate(_ saml: SAML, isDev: Bool) throws(ServiceError) {
        guard Self.isID(id, prefix: "saml.") else {
            throw .invalid("the ID must be saml. and 1 to 59 letters, digits, dots and hyphens")
        }
        guard clientID.isEmpty, clientSecret == nil else { throw .invalid("a SAML provider has no client ID") }
        try Self.check(authoritativeDomains: saml.authoritativeDomains)
        for (name, text) in [("idpEntityId", saml.entityID), ("spEntityId", saml.serviceProviderEntityID)] {
            guard (1...Self.maximumEntityIDLength).contains(text.utf8.count),
                text.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
            else { throw .invalid("\(name) must be a URI of 1 to \(Self.maximumEntityIDLength) bytes") }
        }
        guard let url = WebURL(saml.signOnURL), url.fragment == nil, url.isSecure || isDev else {
            throw .invalid("ssoUrl must be an https URL without a fragment")
        }
        guard let url = WebURL(saml.callbackURL), url.query == nil, url.fragment == nil,
            url.isSecure || url.isLoopback || isDev
        else { throw .invalid("callbackUri must be an https URL without query and fragment") }
        guard (1...Self.maximumCertificates).contains(saml.certificates.count) else {
            throw .invalid("idpCertificates must have 1 to \(Self.maximumCertificates) certificates")
        }
        for text in saml.certificates {
            do throws(CertificateError) {
                _ = try SAMLCertificate(text)
            } catch .untrusted {
                throw .invalid("a key of idpCertificates is neither RSA of 2048 to 8192 bits nor P-256, P-384 or P-521")
            } catch {
                throw .invalid("idpCertificates must be X.509 certificates, each PEM or Base64")
            }
        }
    }
}
