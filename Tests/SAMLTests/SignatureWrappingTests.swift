import TestSupport
import Testing

@testable import SAML

/// The eight shapes of XML signature wrapping ("On Breaking SAML: Be Whoever You Want to Be", USENIX Security 2012): the
/// signed element is moved, and a forged one takes its place.
@Suite struct SignatureWrappingTests {
    enum Shape: Int, CaseIterable {
        /// The forged response contains the signature, and that contains the signed response.
        case signedResponseInSignature = 1
        /// The forged response contains the signed one, with the signature beside it.
        case signedResponseInResponse
        /// The forged assertion is before the signed one.
        case forgedAssertionFirst
        /// The forged assertion contains the signed one.
        case signedAssertionInForgedOne
        /// The forged assertion contains the signature, and the signed one is behind it.
        case signatureInForgedAssertion
        /// As before, and the signature contains the signed assertion.
        case signedAssertionInSignature
        /// The forged assertion is in the extensions of the response.
        case forgedAssertionInExtensions
        /// The forged assertion contains the signature, whose object contains the signed assertion.
        case signedAssertionInObject
    }

    @Test(arguments: Shape.allCases, [true, false])
    func wrappedSignatureIsRejected(shape: Shape, keepsID: Bool) throws {
        let provider = try TestIdentityProvider.rsa.get()
        let document = try Self.document(shape, keepsID: keepsID, provider)
        let verifier = try TestIdentityProvider.verifier(provider.samlCertificate())
        let error = samlError {
            try verifier.verify(xml: Array(document.utf8), at: TestIdentityProvider.now)
        }
        let expected: SAMLError =
            if keepsID {
                .duplicateID
            } else {
                switch shape {
                case .signedResponseInSignature, .signedResponseInResponse, .forgedAssertionFirst,
                    .signedAssertionInForgedOne, .signatureInForgedAssertion, .signedAssertionInSignature,
                    .forgedAssertionInExtensions, .signedAssertionInObject:
                    .assertionCount
                }
            }
        #expect(error == expected)
    }

    /// The same shapes without the other checks: no signature is verified for an element around or beside the signed one.
    @Test(arguments: Shape.allCases)
    func signatureOfForgedElementIsNotValid(shape: Shape) throws {
        let provider = try TestIdentityProvider.rsa.get()
        let document = try XMLDocument(Array(try Self.document(shape, keepsID: false, provider).utf8))
        var forged: [XMLElement] = []
        document.root.forEach { element in
            if element.attribute("ID")?.hasPrefix("_forged") == true { forged.append(element) }
        }
        #expect(!forged.isEmpty)
        for element in forged {
            let isValid = try? XMLSignature(of: element)?.isValid(
                in: document, keys: [provider.samlCertificate().publicKey])
            #expect(isValid != true)
        }
    }

    private static func document(
        _ shape: Shape, keepsID: Bool, _ provider: TestIdentityProvider
    ) throws -> String {
        let honest = TestSAMLResponse()
        var forged = TestSAMLResponse()
        forged.nameID = "<saml:NameID>admin</saml:NameID>"
        let (responseID, assertionID) =
            keepsID
            ? (TestSAMLResponse.responseID, TestSAMLResponse.assertionID) : ("_forged-response", "_forged-assertion")
        func forgedAssertion(_ signature: String = "") -> String {
            forged.assertion(id: assertionID, signature: signature)
        }
        let signed = try honest.signedAssertion(provider)
        func assertionSignature(_ rest: String = "") throws -> String {
            var form = TestXMLSignature()
            form.rest = rest
            return try form.signature(over: honest.assertion(), id: TestSAMLResponse.assertionID, provider.key)
        }
        switch shape {
        case .signedResponseInSignature:
            let original = honest.response(honest.assertion())
            var form = TestXMLSignature()
            form.rest = original
            let signature = try form.signature(over: original, id: TestSAMLResponse.responseID, provider.key)
            return forged.response(id: responseID, signature: signature, forgedAssertion())
        case .signedResponseInResponse:
            let original = honest.response(honest.assertion())
            let signature = try TestXMLSignature().signature(
                over: original, id: TestSAMLResponse.responseID, provider.key)
            return forged.response(id: responseID, signature: original + signature, forgedAssertion())
        case .forgedAssertionFirst: return honest.response(forgedAssertion() + signed)
        case .signedAssertionInForgedOne:
            forged.attributes = signed
            return honest.response(forgedAssertion())
        case .signatureInForgedAssertion:
            return honest.response(forgedAssertion(try assertionSignature()) + honest.assertion())
        case .signedAssertionInSignature:
            return honest.response(forgedAssertion(try assertionSignature(honest.assertion())))
        case .forgedAssertionInExtensions:
            return honest.response("<samlp:Extensions>\(forgedAssertion())</samlp:Extensions>" + signed)
        case .signedAssertionInObject:
            return honest.response(
                forgedAssertion(try assertionSignature("<ds:Object>\(honest.assertion())</ds:Object>")))
        }
    }
}
