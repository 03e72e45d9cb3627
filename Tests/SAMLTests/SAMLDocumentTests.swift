import FoundationEssentials
import TestSupport
import Testing

@testable import SAML

@Suite struct SAMLDocumentTests {
    private static func error(_ change: (String) -> String) throws -> SAMLError? {
        let provider = try TestIdentityProvider.rsa.get()
        let xml = change(try TestSAMLResponse().xml(provider))
        let verifier = try TestIdentityProvider.verifier(provider.samlCertificate())
        return samlError { try verifier.verify(xml: Array(xml.utf8), at: TestIdentityProvider.now) }
    }

    @Test func responseIsBase64() throws {
        let provider = try TestIdentityProvider.rsa.get()
        let verifier = try TestIdentityProvider.verifier(provider.samlCertificate())
        let text = Data(try TestSAMLResponse().xml(provider).utf8).base64EncodedString()
        let lines = text.enumerated().map { $0.offset % 76 == 75 ? "\($0.element)\r\n" : "\($0.element)" }.joined()
        for text in [text, lines, " \(text)\n"] {
            #expect(try verifier.verify(text, at: TestIdentityProvider.now).subject == "ada-1")
        }
        for text in ["", "\(text)!", "%", "PA==PA==", "<samlp:Response>"] {
            #expect(samlError { try verifier.verify(text, at: TestIdentityProvider.now) } == .malformed)
        }
        let long = String(repeating: "A", count: SAMLResponseVerifier.maximumTextBytes + 1)
        #expect(samlError { try verifier.verify(long, at: TestIdentityProvider.now) } == .tooLarge)
    }

    /// The text of a name identifier ends at a comment for some readers, which the canonical form omits.
    @Test func commentIsRefusedEverywhere() throws {
        for change: (String) -> String in [
            { $0.replacing("ada-1", with: "admin<!---->ada-1") }, { $0.replacing("ada-1", with: "ada-1<?x?>") },
            { $0.replacing("ada-1", with: "<![CDATA[ada-1]]>") }, { "<!-- a -->" + $0 }, { $0 + "<!-- a -->" },
            { $0 + "<?x y?>" }, { $0.replacing("<ds:DigestValue>", with: "<ds:DigestValue><!-- a -->") },
        ] {
            #expect(try Self.error(change) == .forbiddenContent)
        }
    }

    @Test(arguments: [
        "<!DOCTYPE a>", "<!DOCTYPE a SYSTEM 'file:///etc/passwd'>", "<!DOCTYPE a SYSTEM 'http://127.0.0.1:1/a.dtd'>",
        "<!DOCTYPE a [<!ENTITY b 'c'>]>", "<!DOCTYPE a [<!ENTITY % b SYSTEM 'http://127.0.0.1:1/'> %b;]>",
        "<!DOCTYPE a [<!ENTITY b0 'b'><!ENTITY b1 '&b0;&b0;'><!ENTITY b2 '&b1;&b1;'>]>",
        "<!DOCTYPE a [<!ATTLIST a b CDATA 'c'>]>", "<?xml version='1.0'?><!DOCTYPE a>",
    ])
    func documentTypeIsRefused(prefix: String) throws {
        #expect(try Self.error { prefix + $0 } == .documentType)
    }

    @Test func entityIsNotDefined() throws {
        #expect(try Self.error { $0.replacing("ada-1", with: "&a;") } == .malformed)
        // Character references and the five entities of XML are text.
        #expect(try Self.error { $0.replacing("ada-1", with: "&#97;da-1") } == nil)
    }

    @Test func malformedDocumentIsRefused() throws {
        for text in [
            "", " ", "a", "<a>", "<a/><b/>", "<a b='1' b='2'/>", "<b:a/>", "\u{0}", "<a>\u{1}</a>", "<a>&#0;</a>",
            "<samlp:Response/>", "<Response/>", "<Response xmlns='urn:oasis:names:tc:SAML:2.0:protocol'/>",
            "<Response xmlns='urn:oasis:names:tc:SAML:1.0:protocol' ID='a' Version='2.0'/>",
        ] {
            #expect(try Self.error { _ in text } == .malformed, "\(text)")
        }
        #expect(try Self.error { "\u{feff}" + $0 } == nil)
        #expect(try Self.error { #"<?xml version="1.0" encoding="UTF-8"?>"# + $0 } == nil)
        let verifier = TestIdentityProvider.verifier()
        let xml = try TestSAMLResponse().xml(TestIdentityProvider.rsa.get())
        for bytes in [xml.utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }, [0xff, 0xfe] + Array(xml.utf8)] {
            #expect(samlError { try verifier.verify(xml: bytes, at: TestIdentityProvider.now) } == .malformed)
        }
    }

    @Test func limitsHold() throws {
        func nested(_ count: Int) -> [UInt8] {
            Array((String(repeating: "<a>", count: count) + String(repeating: "</a>", count: count)).utf8)
        }
        _ = try XMLDocument(nested(XMLDocument.maximumDepth))
        #expect(throws: SAMLError.tooLarge) { try XMLDocument(nested(XMLDocument.maximumDepth + 1)) }
        // The parser has a limit of its own.
        #expect(throws: SAMLError.malformed) { try XMLDocument(nested(20_000)) }
        func siblings(_ count: Int) -> [UInt8] { Array("<a>\(String(repeating: "<b/>", count: count - 1))</a>".utf8) }
        _ = try XMLDocument(siblings(XMLDocument.maximumElements))
        #expect(throws: SAMLError.tooLarge) { try XMLDocument(siblings(XMLDocument.maximumElements + 1)) }
        func long(_ count: Int) -> [UInt8] { Array("<a>\(String(repeating: "b", count: count - 7))</a>".utf8) }
        _ = try XMLDocument(long(XMLDocument.maximumBytes))
        #expect(throws: SAMLError.tooLarge) { try XMLDocument(long(XMLDocument.maximumBytes + 1)) }
        func wide(_ count: Int) -> [UInt8] {
            Array("<a \((0..<count).map { "a\($0)=''" }.joined(separator: " "))/>".utf8)
        }
        _ = try XMLDocument(wide(256))
        #expect(throws: SAMLError.malformed) { try XMLDocument(wide(257)) }
    }

    @Test func duplicateIDIsRefused() throws {
        for change: (String) -> String in [
            { $0.replacing("<samlp:Status>", with: "<samlp:Status ID='_assertion'>") },
            { $0.replacing("<samlp:Status>", with: "<samlp:Status Id='_assertion'>") },
            { $0.replacing("<samlp:Status>", with: "<samlp:Status xml:id='_assertion'>") },
            { $0.replacing("ID=\"_response\"", with: "ID=\"_assertion\"") },
        ] {
            #expect(try Self.error(change) == .duplicateID)
        }
    }

    @Test func otherCountOfAssertionsIsRefused() throws {
        let provider = try TestIdentityProvider.rsa.get()
        let response = TestSAMLResponse()
        let signed = try response.signedAssertion(provider)
        let other = response.assertion(id: "_other")
        let verifier = try TestIdentityProvider.verifier(provider.samlCertificate())
        for content in [
            "", signed + other, other + signed, "<samlp:Extensions>\(signed)</samlp:Extensions>",
        ] {
            let xml = response.response(content)
            #expect(
                samlError { try verifier.verify(xml: Array(xml.utf8), at: TestIdentityProvider.now) }
                    == .assertionCount)
        }
    }

    @Test(arguments: ["EncryptedAssertion", "EncryptedID", "EncryptedAttribute"])
    func encryptionIsRefusedByName(name: String) throws {
        let element = #"<\#(name) xmlns="\#(XMLNamespace.assertion)"/>"#
        #expect(try Self.error { $0.replacing("</samlp:Status>", with: "</samlp:Status>\(element)") } == .encrypted)
    }
}
