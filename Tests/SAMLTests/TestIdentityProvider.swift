import TestSupport
import Vocabulary

@testable import SAML

extension TestIdentityProvider {
    func samlCertificate() throws -> SAMLCertificate { try SAMLCertificate(certificate) }

    static func verifier(_ certificates: SAMLCertificate...) -> SAMLResponseVerifier {
        .init(
            issuer: entityID, certificates: certificates, audience: audience, callbackURL: callbackURL,
            requestID: requestID)
    }
}

extension TestSAMLResponse {
    func verified(
        _ provider: TestIdentityProvider, at now: Timestamp = TestIdentityProvider.now
    ) throws -> SAMLAssertion {
        try TestIdentityProvider.verifier(provider.samlCertificate()).verify(
            xml: Array(try xml(provider).utf8), at: now)
    }
}

/// The error that `body` throws; nil if it throws none.
func samlError(_ body: () throws -> SAMLAssertion) -> SAMLError? {
    do {
        _ = try body()
        return nil
    } catch {
        return error as? SAMLError
    }
}
