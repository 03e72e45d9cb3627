import Contracts
import FoundationEssentials
import Vocabulary

@testable import FederationService
@testable import SAML

extension FuzzTarget {
    /// The input as the XML of a response, the content of an assertion, a certificate and a time.
    ///
    /// The certificate is that of the corpus, whose private key is not kept. So only the responses of the corpus can be
    /// valid, and every valid response says what they say.
    static func readSAMLResponse(_ input: [UInt8]) throws {
        guard let certificate = try? SAMLCertificate(samlCertificate) else {
            throw BrokenPromise(description: "the certificate is valid")
        }
        let verifier = SAMLResponseVerifier(
            issuer: "https://idp.example/metadata", certificates: [certificate], audience: "https://sp.example",
            callbackURL: "https://auth.example/__/auth/handler", requestID: "_request")
        let now = Timestamp(seconds: 1_700_000_000)
        if let assertion = try? verifier.verify(xml: input, at: now) {
            try demand(assertion.subject == "ada@example.com", "the subject is the signed one")
            try demand(
                assertion.attributes == [.init(name: "name", values: ["Ada & Łukasz"])],
                "the attributes are the signed ones")
        }
        let text = String(decoding: input, as: UTF8.self)
        try demand((try? verifier.verify(text, at: now)) == nil, "a response is Base64")
        _ = try? SAMLCertificate(text)
        if let time = SAMLTime.parse(text) {
            try demand(SAMLTime.parse(SAMLTime.format(time)) == time, "a time is written as it is read")
        }
        // The checks behind the signature, for a document whose signature is not valid.
        guard let document = try? XMLDocument(input) else { return }
        try document.root.forEach { element throws(BrokenPromise) in
            guard element.isNamed("Assertion", in: XMLNamespace.assertion) else { return }
            _ = try? XMLSignature(of: element)?.isValid(in: document, keys: [certificate.publicKey])
            guard let assertion = try? verifier.check(assertion: element, at: now) else { return }
            let profile = Federation.ProviderProfile(
                assertion, of: "saml.a",
                .init(
                    entityID: "a", signOnURL: "b", certificates: [], serviceProviderEntityID: "c", callbackURL: "d",
                    authoritativeDomains: ["example.com"]))
            let identity = profile.identity
            guard !identity.isEmailAuthoritative || identity.isEmailVerified else {
                throw BrokenPromise(description: "an authority has verified")
            }
        }
    }

    private static let samlCertificate = """
        -----BEGIN CERTIFICATE-----
        MIIC/zCCAeegAwIBAgIUa6bBPaVyJ13Pcl34xv7MUNEgO30wDQYJKoZIhvcNAQEL
        BQAwDjEMMAoGA1UEAwwDcnNhMCAXDTI2MTEyMjE3NTMzMloYDzIxMjYxMDI5MTc1
        MzMyWjAOMQwwCgYDVQQDDANyc2EwggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAwggEK
        AoIBAQDcZI7p+xtiAs/vO1J0u7i+0FuqyayAbsxcVONC0yRT3rnzqX0z8/NLl+Mp
        KQECTLeMgR39SYxw65H86NHnZ0u673kwkO63V0uS2Y0FXVAVlxHi9cBg6B/b8zYv
        aOl4RS4ikTpbg3yGDxz46y9+2LBcWqKu+5WB5VQRHqR/XQLvurGwMkTUat/LCSRU
        stNgVC2H7qo7oVILFPNrAabefs3gt85unGfoLaMAFGkvTebyxuyH17mNo1c+MMD7
        UXxG2gsDCBBpQNTTBc9YNZAeNp4Rx+9ke2UdJ9Xu2e3QVp9IXAIJTb7BgHNLvUXM
        cmpBvEp5bhPNS9zvd1Fqgt7EnxuZAgMBAAGjUzBRMB0GA1UdDgQWBBRCDCyVcgvj
        LFhxY7+p9Svhc8oP7zAfBgNVHSMEGDAWgBRCDCyVcgvjLFhxY7+p9Svhc8oP7zAP
        BgNVHRMBAf8EBTADAQH/MA0GCSqGSIb3DQEBCwUAA4IBAQCMzV5Bs7JI0sJylqhb
        isQrXJ62x4UXQxCUDNbilU/Hon+BkXuK0sfeig803LKgdFY7E76XN7zlat7R9h36
        uau6rqpagv7RYzy4bQLoVwctQo4KceOFrRQGFVch0pBSh11XQ82Wa1AI9Nf3DS4I
        PoH6h8fF9Y0ifC7UIOSJKzZ+v4hpgiovC2aon3bMjnU4b7JRInrZbUEw4GGH9xt/
        ixAL868EDmKruZ+ZAmf9JDOW5EcrQ1z6es4kX8WN2+S+6wDDpY4MMiAVzunlEMly
        Tfr9VogoXDeCNc02kwHtOZCHh436oLl/wY4nOMfz8RNVhe5u+uLvi9L97Jj05uq5
        ahZE
        -----END CERTIFICATE-----
        """
}
