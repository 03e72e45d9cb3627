package import Crypto
import FoundationEssentials
package import Vocabulary

/// A SAML identity provider that writes its documents in canonical form (Exclusive XML Canonicalization 1.0), so that
/// signing needs no library.
package struct TestIdentityProvider: Sendable {
    static let assertionNamespace = "urn:oasis:names:tc:SAML:2.0:assertion"
    static let protocolNamespace = "urn:oasis:names:tc:SAML:2.0:protocol"
    static let signatureNamespace = "http://www.w3.org/2000/09/xmldsig#"

    package static let now = Timestamp(seconds: 1_700_000_000)
    package static let entityID = "https://idp.example/metadata"
    package static let audience = "https://sp.example"
    package static let callbackURL = "https://auth.example/__/auth/handler"
    package static let requestID = "_request"

    package let key: PrivateKey
    /// PEM.
    package let certificate: String

    package init(key: PrivateKey) throws {
        self.key = key
        certificate = try key.selfSignedCertificate(
            commonName: "idp.example", notBefore: 0, notAfter: 1_000_000_000)
    }

    package static let rsa = Result { try TestIdentityProvider(key: TestKey.rsa()) }
    package static let other = Result { try TestIdentityProvider(key: TestKey.rsa("other")) }
    package static let ecdsa = Result { try TestIdentityProvider(key: .generateP256()) }
}

/// The parts of a response. The defaults are valid.
package struct TestSAMLResponse: Sendable {
    package enum Signed: CaseIterable, Sendable {
        case assertion, response, both, nothing
    }

    package static let assertionID = "_assertion"
    package static let responseID = "_response"
    package static let time = time(in: 0)

    /// - Parameter start: from which `seconds` are counted.
    package static func time(in seconds: Int64, after start: Timestamp = TestIdentityProvider.now) -> String {
        Date(timeIntervalSince1970: Double((start + seconds).seconds)).formatted(.iso8601)
    }

    package var signed = Signed.assertion
    package var responseAttributes = #" Destination="\#(TestIdentityProvider.callbackURL)""#
    /// Sorted by name in canonical form: after `Destination`, before `Version`.
    package var responseRequestID = #" InResponseTo="\#(TestIdentityProvider.requestID)""#
    package var responseVersion = "2.0"
    package var responseIssuer = issuer(TestIdentityProvider.entityID, isQualified: true)
    package var status = #"<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"></samlp:StatusCode>"#
    /// Before the assertion.
    package var extensions = ""

    /// The ID of the assertion.
    package var id = assertionID
    package var assertionVersion = "2.0"
    package var issueInstant = time
    package var assertionIssuer = issuer(TestIdentityProvider.entityID)
    package var nameID =
        #"<saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent">ada-1</saml:NameID>"#
    package var confirmation = confirmation()
    package var conditions = conditions()
    package var statements =
        #"<saml:AuthnStatement AuthnInstant="\#(time)" SessionNotOnOrAfter="\#(time(in: 3600))"></saml:AuthnStatement>"#
    package var attributes = """
        <saml:AttributeStatement><saml:Attribute FriendlyName="mail" Name="urn:oid:0.9.2342.19200300.100.1.3">\
        <saml:AttributeValue>ada@example.com</saml:AttributeValue></saml:Attribute>\
        <saml:Attribute Name="groups"><saml:AttributeValue>a</saml:AttributeValue>\
        <saml:AttributeValue>b</saml:AttributeValue></saml:Attribute></saml:AttributeStatement>
        """
    package var form = TestXMLSignature()

    package init() {}

    package static func issuer(_ text: String, isQualified: Bool = false) -> String {
        let declaration = isQualified ? #" xmlns:saml="\#(TestIdentityProvider.assertionNamespace)""# : ""
        return "<saml:Issuer\(declaration)>\(text)</saml:Issuer>"
    }

    package static func confirmation(
        method: String = "bearer", requestID: String? = TestIdentityProvider.requestID, notBefore: String? = nil,
        end: String? = time(in: 300), recipient: String? = TestIdentityProvider.callbackURL
    ) -> String {
        func attribute(_ name: String, _ value: String?) -> String { value.map { #" \#(name)="\#($0)""# } ?? "" }
        return """
            <saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:\(method)">\
            <saml:SubjectConfirmationData\(attribute("InResponseTo", requestID))\(attribute("NotBefore", notBefore))\
            \(attribute("NotOnOrAfter", end))\(attribute("Recipient", recipient))></saml:SubjectConfirmationData>\
            </saml:SubjectConfirmation>
            """
    }

    package static func conditions(
        from start: String = time(in: -5), until end: String = time(in: 300),
        _ content: String = audience(TestIdentityProvider.audience)
    ) -> String {
        #"<saml:Conditions NotBefore="\#(start)" NotOnOrAfter="\#(end)">\#(content)</saml:Conditions>"#
    }

    package static func audience(_ names: String...) -> String {
        let audiences = names.map { "<saml:Audience>\($0)</saml:Audience>" }.joined()
        return "<saml:AudienceRestriction>\(audiences)</saml:AudienceRestriction>"
    }

    /// - Parameters:
    ///   - id: nil for that of the response.
    ///   - signature: inserted behind the issuer.
    package func assertion(id: String? = nil, signature: String = "") -> String {
        """
        <saml:Assertion xmlns:saml="\(TestIdentityProvider.assertionNamespace)" ID="\(id ?? self.id)" IssueInstant="\(issueInstant)" \
        Version="\(assertionVersion)">\(assertionIssuer)\(signature)<saml:Subject>\(nameID)\(confirmation)\
        </saml:Subject>\(conditions)\(statements)\(attributes)</saml:Assertion>
        """
    }

    /// - Parameters:
    ///   - content: behind the status.
    package func response(id: String = responseID, signature: String = "", _ content: String) -> String {
        """
        <samlp:Response xmlns:samlp="\(TestIdentityProvider.protocolNamespace)"\(responseAttributes) ID="\(id)"\(responseRequestID) \
        IssueInstant="\(Self.time)" Version="\(responseVersion)">\(responseIssuer)\(signature)\
        <samlp:Status>\(status)</samlp:Status>\(extensions)\(content)</samlp:Response>
        """
    }

    package func signedAssertion(_ provider: TestIdentityProvider) throws -> String {
        assertion(signature: try form.signature(over: assertion(), id: id, provider.key))
    }

    package func xml(_ provider: TestIdentityProvider) throws -> String {
        let content =
            switch signed {
            case .assertion, .both: try signedAssertion(provider)
            case .response, .nothing: assertion()
            }
        switch signed {
        case .assertion, .nothing: return response(content)
        case .response, .both:
            return response(
                signature: try form.signature(over: response(content), id: Self.responseID, provider.key), content)
        }
    }
}

/// A `ds:Signature` in canonical form.
package struct TestXMLSignature: Sendable {
    package static let enveloped = "http://www.w3.org/2000/09/xmldsig#enveloped-signature"
    package static let exclusiveC14N = "http://www.w3.org/2001/10/xml-exc-c14n#"
    package static let sha256 = "http://www.w3.org/2001/04/xmlenc#sha256"

    package var canonicalization = exclusiveC14N
    /// Nil: that of the key.
    package var signatureMethod: String?
    package var digestMethod = sha256
    package var transforms = [enveloped, exclusiveC14N]
    /// Nil: the ID of the element.
    package var uri: String?
    /// Behind the first reference.
    package var otherReferences = ""
    /// Behind the signature value.
    package var rest = ""

    package init() {}

    /// - Parameter element: the canonical form of the element without the signature.
    package func signature(over element: String, id: String, _ key: PrivateKey) throws -> String {
        let digest = Data(SHA2.sha256(Array(element.utf8))).base64EncodedString()
        let method =
            switch key.algorithm {
            case .rs256: "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"
            case .es256: "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256"
            }
        let transforms = transforms.map { #"<ds:Transform Algorithm="\#($0)"></ds:Transform>"# }.joined()
        let content = """
            <ds:CanonicalizationMethod Algorithm="\(canonicalization)"></ds:CanonicalizationMethod>\
            <ds:SignatureMethod Algorithm="\(signatureMethod ?? method)"></ds:SignatureMethod>\
            <ds:Reference URI="\(uri ?? "#" + id)"><ds:Transforms>\(transforms)</ds:Transforms>\
            <ds:DigestMethod Algorithm="\(digestMethod)"></ds:DigestMethod>\
            <ds:DigestValue>\(digest)</ds:DigestValue></ds:Reference>\(otherReferences)
            """
        let canonical =
            #"<ds:SignedInfo xmlns:ds="\#(TestIdentityProvider.signatureNamespace)">\#(content)</ds:SignedInfo>"#
        let value = Data(try key.sign(Array(canonical.utf8), key.algorithm)).base64EncodedString()
        return """
            <ds:Signature xmlns:ds="\(TestIdentityProvider.signatureNamespace)"><ds:SignedInfo>\(content)</ds:SignedInfo>\
            <ds:SignatureValue>\(value)</ds:SignatureValue>\(rest)</ds:Signature>
            """
    }
}
