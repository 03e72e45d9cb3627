import Crypto
import FoundationEssentials
import Testing
import Vocabulary

@testable import SAML

/// An identity provider that writes its documents in canonical form (Exclusive XML Canonicalization 1.0), so that
/// signing needs no library.
struct TestIdentityProvider {
    static let now = Timestamp(seconds: 1_700_000_000)
    static let entityID = "https://idp.example/metadata"
    static let audience = "https://sp.example"
    static let callbackURL = "https://auth.example/__/auth/handler"
    static let requestID = "_request"

    let key: PrivateKey
    let certificate: SAMLCertificate

    init(key: PrivateKey) throws {
        self.key = key
        certificate = try SAMLCertificate(
            key.selfSignedCertificate(commonName: "idp.example", notBefore: 0, notAfter: 1_000_000_000))
    }

    static let rsa = Result { try TestIdentityProvider(key: .generateRSA(bits: 2048)) }
    static let other = Result { try TestIdentityProvider(key: .generateRSA(bits: 2048)) }
    static let ecdsa = Result { try TestIdentityProvider(key: .generateP256()) }

    static func verifier(_ certificates: SAMLCertificate...) -> SAMLResponseVerifier {
        .init(
            issuer: entityID, certificates: certificates, audience: audience, callbackURL: callbackURL,
            requestID: requestID)
    }
}

/// The parts of a response. The defaults are valid.
struct TestResponse {
    enum Signed: CaseIterable {
        case assertion, response, both, nothing
    }

    static let assertionID = "_assertion"
    static let responseID = "_response"
    static let time = SAMLTime.format(TestIdentityProvider.now)

    static func time(in seconds: Int64) -> String { SAMLTime.format(TestIdentityProvider.now + seconds) }

    var signed = Signed.assertion
    var responseAttributes = #" Destination="\#(TestIdentityProvider.callbackURL)""#
    /// Sorted by name in canonical form: after `Destination`, before `Version`.
    var responseRequestID = #" InResponseTo="\#(TestIdentityProvider.requestID)""#
    var responseVersion = "2.0"
    var responseIssuer = issuer(TestIdentityProvider.entityID, isQualified: true)
    var status = #"<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"></samlp:StatusCode>"#
    /// Before the assertion.
    var extensions = ""

    var assertionVersion = "2.0"
    var issueInstant = time
    var assertionIssuer = issuer(TestIdentityProvider.entityID)
    var nameID =
        #"<saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent">ada-1</saml:NameID>"#
    var confirmation = confirmation()
    var conditions = conditions()
    var statements =
        #"<saml:AuthnStatement AuthnInstant="\#(time)" SessionNotOnOrAfter="\#(time(in: 3600))"></saml:AuthnStatement>"#
    var attributes = """
        <saml:AttributeStatement><saml:Attribute FriendlyName="mail" Name="urn:oid:0.9.2342.19200300.100.1.3">\
        <saml:AttributeValue>ada@example.com</saml:AttributeValue></saml:Attribute>\
        <saml:Attribute Name="groups"><saml:AttributeValue>a</saml:AttributeValue>\
        <saml:AttributeValue>b</saml:AttributeValue></saml:Attribute></saml:AttributeStatement>
        """
    var form = SignatureForm()

    static func issuer(_ text: String, isQualified: Bool = false) -> String {
        let declaration = isQualified ? #" xmlns:saml="\#(XMLNamespace.assertion)""# : ""
        return "<saml:Issuer\(declaration)>\(text)</saml:Issuer>"
    }

    static func confirmation(
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

    static func conditions(
        from start: String = time(in: -5), until end: String = time(in: 300),
        _ content: String = audience(TestIdentityProvider.audience)
    ) -> String {
        #"<saml:Conditions NotBefore="\#(start)" NotOnOrAfter="\#(end)">\#(content)</saml:Conditions>"#
    }

    static func audience(_ names: String...) -> String {
        let audiences = names.map { "<saml:Audience>\($0)</saml:Audience>" }.joined()
        return "<saml:AudienceRestriction>\(audiences)</saml:AudienceRestriction>"
    }

    /// - Parameter signature: inserted behind the issuer.
    func assertion(id: String = assertionID, signature: String = "") -> String {
        """
        <saml:Assertion xmlns:saml="\(XMLNamespace.assertion)" ID="\(id)" IssueInstant="\(issueInstant)" \
        Version="\(assertionVersion)">\(assertionIssuer)\(signature)<saml:Subject>\(nameID)\(confirmation)\
        </saml:Subject>\(conditions)\(statements)\(attributes)</saml:Assertion>
        """
    }

    /// - Parameters:
    ///   - content: behind the status.
    func response(id: String = responseID, signature: String = "", _ content: String) -> String {
        """
        <samlp:Response xmlns:samlp="\(XMLNamespace.protocol)"\(responseAttributes) ID="\(id)"\(responseRequestID) \
        IssueInstant="\(Self.time)" Version="\(responseVersion)">\(responseIssuer)\(signature)\
        <samlp:Status>\(status)</samlp:Status>\(extensions)\(content)</samlp:Response>
        """
    }

    func signedAssertion(_ provider: TestIdentityProvider) throws -> String {
        assertion(signature: try form.signature(over: assertion(), id: Self.assertionID, provider.key))
    }

    func xml(_ provider: TestIdentityProvider) throws -> String {
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

    func verified(
        _ provider: TestIdentityProvider, at now: Timestamp = TestIdentityProvider.now
    ) throws -> SAMLAssertion {
        try TestIdentityProvider.verifier(provider.certificate).verify(xml: Array(try xml(provider).utf8), at: now)
    }
}

/// A `ds:Signature` in canonical form.
struct SignatureForm {
    static let enveloped = "http://www.w3.org/2000/09/xmldsig#enveloped-signature"
    static let sha256 = "http://www.w3.org/2001/04/xmlenc#sha256"

    var canonicalization = XMLNamespace.exclusiveC14N
    /// Nil: that of the key.
    var signatureMethod: String?
    var digestMethod = sha256
    var transforms = [enveloped, XMLNamespace.exclusiveC14N]
    /// Nil: the ID of the element.
    var uri: String?
    /// Behind the first reference.
    var otherReferences = ""
    /// Behind the signature value.
    var rest = ""

    /// - Parameter element: the canonical form of the element without the signature.
    func signature(over element: String, id: String, _ key: PrivateKey) throws -> String {
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
        let canonical = #"<ds:SignedInfo xmlns:ds="\#(XMLNamespace.signature)">\#(content)</ds:SignedInfo>"#
        let value = Data(try key.sign(Array(canonical.utf8), key.algorithm)).base64EncodedString()
        return """
            <ds:Signature xmlns:ds="\(XMLNamespace.signature)"><ds:SignedInfo>\(content)</ds:SignedInfo>\
            <ds:SignatureValue>\(value)</ds:SignatureValue>\(rest)</ds:Signature>
            """
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
