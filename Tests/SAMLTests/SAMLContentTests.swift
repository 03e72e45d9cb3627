import FoundationEssentials
import TestSupport
import Testing
import Vocabulary

@testable import SAML

/// The content of a response whose signature is valid.
@Suite struct SAMLContentTests {
    private static let provider = TestIdentityProvider.rsa

    @Test func validResponseIsAccepted() throws {
        let assertion = try TestSAMLResponse().verified(Self.provider.get())
        #expect(
            assertion
                == SAMLAssertion(
                    id: "_assertion", subject: "ada-1", nameIDFormat: .persistent,
                    attributes: [
                        .init(name: "urn:oid:0.9.2342.19200300.100.1.3", values: ["ada@example.com"]),
                        .init(name: "groups", values: ["a", "b"]),
                    ], acceptableUntil: TestIdentityProvider.now + 360))
    }

    struct Row: Sendable {
        var expected: SAMLError?
        var change: @Sendable (inout TestSAMLResponse) -> Void

        init(_ expected: SAMLError?, _ change: @escaping @Sendable (inout TestSAMLResponse) -> Void) {
            (self.expected, self.change) = (expected, change)
        }
    }

    private static let secondAudience = TestSAMLResponse.audience("https://other.example")

    static let rows: [Row] = [
        // Issuer.
        .init(.wrongIssuer) { $0.assertionIssuer = TestSAMLResponse.issuer("https://other.example") },
        .init(.wrongIssuer) { $0.assertionIssuer = TestSAMLResponse.issuer(TestIdentityProvider.entityID + "/") },
        .init(.wrongIssuer) { $0.assertionIssuer = "" },
        .init(.wrongIssuer) { $0.assertionIssuer += $0.assertionIssuer },
        .init(.wrongIssuer) { $0.responseIssuer = TestSAMLResponse.issuer("https://other.example", isQualified: true) },
        .init(nil) { $0.responseIssuer = "" },
        // Destination and recipient.
        .init(.wrongDestination) { $0.responseAttributes = #" Destination="https://other.example""# },
        .init(nil) { $0.responseAttributes = "" },
        .init(.wrongDestination) { ($0.responseAttributes, $0.signed) = ("", .response) },
        .init(.wrongRecipient) { $0.confirmation = TestSAMLResponse.confirmation(recipient: "https://other.example") },
        .init(.wrongRecipient) { $0.confirmation = TestSAMLResponse.confirmation(recipient: nil) },
        // Audience.
        .init(.wrongAudience) { $0.conditions = TestSAMLResponse.conditions(secondAudience) },
        .init(.wrongAudience) { $0.conditions = TestSAMLResponse.conditions("") },
        .init(.wrongAudience) { $0.conditions = "" },
        .init(.wrongAudience) {
            $0.conditions = TestSAMLResponse.conditions(
                TestSAMLResponse.audience("a", TestIdentityProvider.audience) + secondAudience)
        },
        .init(nil) {
            $0.conditions = TestSAMLResponse.conditions(TestSAMLResponse.audience("a", TestIdentityProvider.audience))
        },
        .init(nil) {
            $0.conditions = TestSAMLResponse.conditions(
                TestSAMLResponse.audience(TestIdentityProvider.audience) + "<saml:OneTimeUse></saml:OneTimeUse>")
        },
        .init(.unsupportedCondition) {
            $0.conditions = TestSAMLResponse.conditions(
                TestSAMLResponse.audience(TestIdentityProvider.audience) + "<saml:Condition></saml:Condition>")
        },
        // Request.
        .init(.wrongRequest) { $0.responseRequestID = #" InResponseTo="_other""# },
        .init(.wrongRequest) { $0.responseRequestID = "" },
        .init(.wrongRequest) { $0.confirmation = TestSAMLResponse.confirmation(requestID: "_other") },
        .init(.wrongRequest) { $0.confirmation = TestSAMLResponse.confirmation(requestID: nil) },
        // Confirmation.
        .init(.unconfirmedSubject) { $0.confirmation = "" },
        .init(.unconfirmedSubject) { $0.confirmation = TestSAMLResponse.confirmation(method: "sender-vouches") },
        .init(.unconfirmedSubject) { $0.confirmation = TestSAMLResponse.confirmation(end: nil) },
        .init(nil) { $0.confirmation = TestSAMLResponse.confirmation(method: "holder-of-key") + $0.confirmation },
        .init(nil) {
            $0.confirmation = TestSAMLResponse.confirmation(recipient: "https://b.example") + $0.confirmation
        },
        // Times, with a tolerance of a minute.
        .init(.expired) { $0.confirmation = TestSAMLResponse.confirmation(end: TestSAMLResponse.time(in: -60)) },
        .init(nil) { $0.confirmation = TestSAMLResponse.confirmation(end: TestSAMLResponse.time(in: -59)) },
        .init(.notYetValid) {
            $0.confirmation = TestSAMLResponse.confirmation(notBefore: TestSAMLResponse.time(in: 61))
        },
        .init(.expired) { $0.conditions = TestSAMLResponse.conditions(until: TestSAMLResponse.time(in: -60)) },
        .init(nil) { $0.conditions = TestSAMLResponse.conditions(until: TestSAMLResponse.time(in: -59)) },
        .init(.notYetValid) { $0.conditions = TestSAMLResponse.conditions(from: TestSAMLResponse.time(in: 61)) },
        .init(nil) { $0.conditions = TestSAMLResponse.conditions(from: TestSAMLResponse.time(in: 60)) },
        .init(.malformed) { $0.conditions = TestSAMLResponse.conditions(until: "tomorrow") },
        .init(.notYetValid) { $0.issueInstant = TestSAMLResponse.time(in: 61) },
        .init(.malformed) { $0.issueInstant = "2023-02-30T00:00:00Z" },
        .init(.expired) {
            $0.statements = #"<saml:AuthnStatement SessionNotOnOrAfter="2020-01-01T00:00:00Z"></saml:AuthnStatement>"#
        },
        .init(.unauthenticated) { $0.statements = "" },
        // Subject.
        .init(.invalidSubject) { $0.nameID = "" },
        .init(.invalidSubject) { $0.nameID = "<saml:NameID></saml:NameID>" },
        .init(.invalidSubject) { $0.nameID = "<saml:NameID> \n</saml:NameID>" },
        .init(.invalidSubject) { $0.nameID = "<saml:NameID><b></b>a</saml:NameID>" },
        .init(.invalidSubject) { $0.nameID += $0.nameID },
        .init(.invalidSubject) { $0.nameID = "<saml:NameID>a\u{85}b</saml:NameID>" },
        .init(.invalidSubject) { $0.nameID = "<saml:NameID>\(String(repeating: "a", count: 256))</saml:NameID>" },
        .init(.transientSubject) {
            $0.nameID = #"<saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:transient">a</saml:NameID>"#
        },
        // Versions and status.
        .init(.malformed) { $0.assertionVersion = "1.1" },
        .init(.malformed) { $0.responseVersion = "1.1" },
        .init(.malformed) { $0.status = "" },
        .init(.failedStatus(.responder)) {
            $0.status = #"<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Responder"></samlp:StatusCode>"#
        },
        .init(.failedStatus(.authenticationFailed)) {
            $0.status = """
                <samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Responder">\
                <samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:AuthnFailed"></samlp:StatusCode>\
                </samlp:StatusCode>
                """
        },
        .init(.failedStatus(.other)) { $0.status = #"<samlp:StatusCode Value="&lt;b>"></samlp:StatusCode>"# },
        .init(.malformed) {
            $0.attributes = "<saml:AttributeStatement><saml:Attribute></saml:Attribute></saml:AttributeStatement>"
        },
        .init(nil) { $0.attributes = "" },
    ]

    @Test(arguments: rows.indices)
    func contentIsChecked(index: Int) throws {
        let row = Self.rows[index]
        for signed in [TestSAMLResponse.Signed.assertion, .both] {
            var response = TestSAMLResponse()
            response.signed = signed
            row.change(&response)
            if response.responseAttributes.isEmpty, response.signed == .both { continue }
            let error = samlError { try response.verified(Self.provider.get()) }
            #expect(error == row.expected, "\(index)")
        }
    }

    @Test(arguments: [
        ("urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress", SAMLAssertion.NameIDFormat.emailAddress),
        ("urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified", .unspecified),
        ("urn:oasis:names:tc:SAML:1.1:nameid-format:X509SubjectName", .other),
    ])
    func nameIDHasFormat(format: String, expected: SAMLAssertion.NameIDFormat) throws {
        var response = TestSAMLResponse()
        response.nameID = #"<saml:NameID Format="\#(format)"> ada@example.com </saml:NameID>"#
        let assertion = try response.verified(Self.provider.get())
        #expect(assertion.nameIDFormat == expected && assertion.subject == "ada@example.com")
    }

    /// Attributes with the same name are one; values with elements do not count.
    @Test func attributesAreCollected() throws {
        var response = TestSAMLResponse()
        response.attributes = """
            <saml:AttributeStatement><saml:Attribute Name="a"><saml:AttributeValue> 1 </saml:AttributeValue>\
            </saml:Attribute><saml:Attribute Name="a"><saml:AttributeValue>2</saml:AttributeValue>\
            <saml:AttributeValue><saml:NameID>x</saml:NameID></saml:AttributeValue></saml:Attribute>\
            <saml:Attribute Name="b"></saml:Attribute></saml:AttributeStatement>
            """
        #expect(
            try response.verified(Self.provider.get()).attributes
                == [.init(name: "a", values: ["1", "2"]), .init(name: "b", values: [])])
    }

    @Test(
        arguments: [
            ("2023-11-14T22:13:20Z", 1_700_000_000), ("2023-11-14T22:13:20.999Z", 1_700_000_000),
            ("2023-11-14T22:13:20.1234567Z", 1_700_000_000), ("1970-01-01T00:00:00Z", 0),
            ("2024-02-29T00:00:00Z", 1_709_164_800),
            ("2023-11-14T22:13:20", nil), ("2023-11-14T22:13:20+01:00", nil), ("2023-11-14 22:13:20Z", nil),
            ("2023-02-29T00:00:00Z", nil), ("2023-13-01T00:00:00Z", nil), ("2023-11-14T22:13:20.Z", nil),
            ("2023-11-14T22:61:20Z", nil), ("", nil), ("Z", nil), ("２023-11-14T22:13:20Z", nil),
            ("2023-11-14T22:13:20.\(String(repeating: "1", count: 40))Z", nil),
        ] as [(String, Int64?)])
    func timeIsParsed(text: String, seconds: Int64?) {
        #expect(SAMLTime.parse(text) == seconds.map(Timestamp.init(seconds:)))
    }
}
