import Crypto
import FoundationEssentials
import TestSupport
import Testing
import Vocabulary

@testable import SAML

@Suite struct SAMLSignatureTests {
    private static let provider = TestIdentityProvider.rsa

    private static func error(_ xml: String, _ certificates: SAMLCertificate...) throws -> SAMLError? {
        var verifier = TestIdentityProvider.verifier()
        verifier.certificates = certificates.isEmpty ? [try provider.get().samlCertificate()] : certificates
        return samlError { try verifier.verify(xml: Array(xml.utf8), at: TestIdentityProvider.now) }
    }

    @Test(arguments: TestSAMLResponse.Signed.allCases)
    func responseOrAssertionMustBeSigned(signed: TestSAMLResponse.Signed) throws {
        var response = TestSAMLResponse()
        response.signed = signed
        let xml = try response.xml(Self.provider.get())
        #expect(try Self.error(xml) == (signed == .nothing ? .unsigned : nil))
    }

    @Test(arguments: [true, false])
    func keyOfConfiguredCertificateIsAccepted(isRSA: Bool) throws {
        let provider = try (isRSA ? Self.provider : TestIdentityProvider.ecdsa).get()
        let other = try TestIdentityProvider.other.get().samlCertificate()
        let xml = try TestSAMLResponse().xml(provider)
        #expect(try Self.error(xml, provider.samlCertificate()) == nil)
        // While the provider replaces its certificate.
        #expect(try Self.error(xml, other, provider.samlCertificate()) == nil)
        #expect(try Self.error(xml, other) == .invalidSignature)
        #expect(
            try Self.error(
                xml, isRSA ? TestIdentityProvider.ecdsa.get().samlCertificate() : Self.provider.get().samlCertificate())
                == .invalidSignature)
    }

    /// A document of any key is valid for the key in it.
    @Test func keyInDocumentIsIgnored() throws {
        let attacker = try TestIdentityProvider.other.get()
        var response = TestSAMLResponse()
        response.form.rest = """
            <ds:KeyInfo><ds:X509Data><ds:X509Certificate>\(try attacker.samlCertificate().text)</ds:X509Certificate>\
            </ds:X509Data></ds:KeyInfo>
            """
        #expect(try Self.error(try response.xml(attacker)) == .invalidSignature)
        #expect(try Self.error(try response.xml(attacker), attacker.samlCertificate()) == nil)
    }

    /// One bit in every byte of the signed element and of the signature.
    @Test(arguments: [TestSAMLResponse.Signed.assertion, .response])
    func flippedBitIsRejected(signed: TestSAMLResponse.Signed) throws {
        let provider = try Self.provider.get()
        var response = TestSAMLResponse()
        response.signed = signed
        let bytes = Array(try response.xml(provider).utf8)
        let verifier = try TestIdentityProvider.verifier(provider.samlCertificate())
        let text = String(decoding: bytes, as: UTF8.self)
        let covered = text.split(separator: "<saml:Assertion").last?.utf8.count ?? 0
        let start = signed == .response ? 0 : text.utf8.count - covered
        var changed = bytes
        for index in start..<(bytes.count - "</samlp:Response>".utf8.count) {
            for bit: UInt8 in [0x01, 0x04] {
                changed[index] ^= bit
                if let assertion = try? verifier.verify(xml: changed, at: TestIdentityProvider.now) {
                    // Some bits have no meaning: the padding of Base64, the kind of quote, white space in a tag.
                    #expect(try assertion == response.verified(provider), "byte \(index)")
                    #expect(isInsignificant(bytes, index), "byte \(index)")
                }
                changed[index] ^= bit
            }
        }
    }

    /// In the Base64 of the signature value, where the bits behind the last byte do not count.
    private func isInsignificant(_ bytes: [UInt8], _ index: Int) -> Bool {
        let rest = String(decoding: bytes[index...].prefix(4), as: UTF8.self)
        return rest.dropFirst().hasPrefix("=") || rest.hasPrefix("=")
    }

    @Test(arguments: [
        "http://www.w3.org/2000/09/xmldsig#rsa-sha1", "http://www.w3.org/2000/09/xmldsig#dsa-sha1",
        "http://www.w3.org/2000/09/xmldsig#hmac-sha1", "http://www.w3.org/2001/04/xmldsig-more#hmac-sha256",
        "http://www.w3.org/2001/04/xmldsig-more#rsa-md5", "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha1",
        "http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1", "none", "",
    ])
    func otherSignatureMethodIsRefused(method: String) throws {
        var response = TestSAMLResponse()
        response.form.signatureMethod = method
        #expect(try Self.error(try response.xml(Self.provider.get())) == .unsupportedAlgorithm)
    }

    @Test(arguments: [
        "http://www.w3.org/2000/09/xmldsig#sha1", "http://www.w3.org/2001/04/xmldsig-more#md5",
        "http://www.w3.org/2001/04/xmldsig-more#sha224", "",
    ])
    func otherDigestIsRefused(method: String) throws {
        var response = TestSAMLResponse()
        response.form.digestMethod = method
        #expect(try Self.error(try response.xml(Self.provider.get())) == .unsupportedAlgorithm)
    }

    @Test(arguments: [
        [], [TestXMLSignature.enveloped], [XMLNamespace.exclusiveC14N],
        [XMLNamespace.exclusiveC14N, TestXMLSignature.enveloped],
        [TestXMLSignature.enveloped, "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"],
        [TestXMLSignature.enveloped, "http://www.w3.org/2001/10/xml-exc-c14n#WithComments"],
        [TestXMLSignature.enveloped, "http://www.w3.org/TR/1999/REC-xpath-19991116", XMLNamespace.exclusiveC14N],
        [TestXMLSignature.enveloped, "http://www.w3.org/TR/1999/REC-xslt-19991116"],
        [TestXMLSignature.enveloped, "http://www.w3.org/2000/09/xmldsig#base64"],
        [TestXMLSignature.enveloped, XMLNamespace.exclusiveC14N, XMLNamespace.exclusiveC14N],
    ])
    func otherTransformsAreRefused(transforms: [String]) throws {
        var response = TestSAMLResponse()
        response.form.transforms = transforms
        #expect(try Self.error(try response.xml(Self.provider.get())) == .unsupportedAlgorithm)
    }

    @Test func otherCanonicalizationIsRefused() throws {
        var response = TestSAMLResponse()
        response.form.canonicalization = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"
        #expect(try Self.error(try response.xml(Self.provider.get())) == .unsupportedAlgorithm)
    }

    @Test(arguments: [
        "", "#", "#_response", "#_other", "#xpointer(/)", "#xpointer(id('_assertion'))", "_assertion",
        "https://idp.example/assertion.xml", "file:///etc/passwd",
    ])
    func otherReferenceIsRefused(uri: String) throws {
        var response = TestSAMLResponse()
        response.form.uri = uri
        #expect(try Self.error(try response.xml(Self.provider.get())) == .unsupportedSignature)
    }

    @Test func secondReferenceIsRefused() throws {
        var response = TestSAMLResponse()
        response.form.otherReferences = """
            <ds:Reference URI="#_response"><ds:Transforms></ds:Transforms>\
            <ds:DigestMethod Algorithm="\(TestXMLSignature.sha256)"></ds:DigestMethod>\
            <ds:DigestValue></ds:DigestValue></ds:Reference>
            """
        #expect(try Self.error(try response.xml(Self.provider.get())) == .unsupportedSignature)
    }

    @Test(arguments: ["<ds:Object></ds:Object>", "<ds:KeyInfo></ds:KeyInfo><ds:KeyInfo></ds:KeyInfo>", "text"])
    func otherContentOfSignatureIsRefused(rest: String) throws {
        var response = TestSAMLResponse()
        response.form.rest = rest
        #expect(try Self.error(try response.xml(Self.provider.get())) == .unsupportedSignature)
    }

    /// A second signature of the assertion, a valid one in another place, and one of the response that is not valid.
    @Test func everySignatureMustBeValid() throws {
        let provider = try Self.provider.get()
        var response = TestSAMLResponse()
        let signature = try response.form.signature(
            over: response.assertion(), id: TestSAMLResponse.assertionID, provider.key)
        #expect(
            try Self.error(response.response(response.assertion(signature: signature + signature)))
                == .unsupportedSignature)
        response.extensions = "<samlp:Extensions>\(signature)</samlp:Extensions>"
        #expect(
            try Self.error(response.response(response.assertion(signature: signature))) == .unsupportedSignature)
        response = TestSAMLResponse()
        response.signed = .both
        var changed = try response.xml(provider)
        changed.replace(TestIdentityProvider.callbackURL + "\" ID", with: "https://other.example\" ID")
        #expect(try Self.error(changed) == .invalidSignature)
    }

    /// The library makes an XPointer expression of the ID.
    @Test(arguments: ["a')or id('b", "a b", "1a", "", "ä", String(repeating: "a", count: 257)])
    func unusualIDIsRefused(id: String) throws {
        let provider = try Self.provider.get()
        let response = TestSAMLResponse()
        let signature = try response.form.signature(over: response.assertion(id: id), id: id, provider.key)
        #expect(
            try Self.error(response.response(response.assertion(id: id, signature: signature)))
                == .unsupportedSignature)
    }
}
