import FoundationEssentials
package import Vocabulary

/// Verifies the responses of an identity provider to one authentication request (SAML Profiles 4.1.4.3, with the
/// HTTP-POST binding).
package struct SAMLResponseVerifier: Sendable {
    /// The maximum difference between the clocks.
    package static let clockToleranceSeconds: Int64 = 60
    /// The limit of the Base64 text, with line ends.
    package static let maximumTextBytes = 384 << 10

    /// `idpEntityId`: the issuer of response and assertion.
    package var issuer: String
    package var certificates: [SAMLCertificate]
    /// `spEntityId`: the audience of the assertion.
    package var audience: String
    /// `callbackUri`: the destination of the response and the recipient of the assertion.
    package var callbackURL: String
    /// The ID of the authentication request.
    package var requestID: String

    package init(
        issuer: String, certificates: [SAMLCertificate], audience: String, callbackURL: String, requestID: String
    ) {
        self.issuer = issuer
        self.certificates = certificates
        self.audience = audience
        self.callbackURL = callbackURL
        self.requestID = requestID
    }

    /// Takes milliseconds of processor time: not on a cooperative thread.
    /// - Parameter text: the form field `SAMLResponse`.
    package func verify(_ text: String, at now: Timestamp) throws(SAMLError) -> SAMLAssertion {
        guard text.utf8.count <= Self.maximumTextBytes else { throw .tooLarge }
        let digits = text.utf8.filter { ![0x20, 0x09, 0x0a, 0x0d].contains($0) }
        guard let bytes = Data(base64Encoded: String(decoding: digits, as: UTF8.self)) else { throw .malformed }
        return try verify(xml: Array(bytes), at: now)
    }

    /// - Parameter bytes: the decoded response.
    package func verify(xml bytes: [UInt8], at now: Timestamp) throws(SAMLError) -> SAMLAssertion {
        let document = try XMLDocument(bytes)
        let response = document.root
        guard response.isNamed("Response", in: XMLNamespace.protocol), response.attribute("Version") == "2.0",
            response.attribute("ID") != nil
        else { throw .malformed }
        try checkStatus(of: response)
        let assertion = try soleAssertion(of: response)
        try checkSignatures(of: response, assertion, in: document)
        try check(response: response)
        return try check(assertion: assertion, at: now)
    }

    // MARK: The document

    /// The only assertion, wherever one could be. IDs are unique, and nothing is encrypted.
    private func soleAssertion(of response: XMLElement) throws(SAMLError) -> XMLElement {
        var ids: Set<String> = []
        var assertionCount = 0
        try response.forEach { element throws(SAMLError) in
            // Whatever an implementation could take for an ID: `ID` of SAML, `Id` of XML Signature, `xml:id`.
            for attribute in element.attributes where attribute.name.asciiLowercased == "id" {
                guard ids.insert(attribute.value).inserted else { throw .duplicateID }
            }
            guard element.namespace == XMLNamespace.assertion else { return }
            switch element.name {
            case "Assertion": assertionCount += 1
            case "EncryptedAssertion", "EncryptedID", "EncryptedAttribute": throw .encrypted
            default: break
            }
        }
        guard assertionCount == 1,
            let assertion = response.children("Assertion", in: XMLNamespace.assertion).first
        else { throw .assertionCount }
        return assertion
    }

    /// Every signature is valid, and one of them covers the assertion: its own, or that of the response around it.
    private func checkSignatures(
        of response: XMLElement, _ assertion: XMLElement, in document: XMLDocument
    ) throws(SAMLError) {
        var signatureCount = 0
        response.forEach { if XMLSignature.isSignature($0) { signatureCount += 1 } }
        guard signatureCount > 0 else { throw .unsigned }
        let signatures = [try XMLSignature(of: response), try XMLSignature(of: assertion)].compactMap(\.self)
        // No signature is anywhere else.
        guard signatures.count == signatureCount else { throw .unsupportedSignature }
        let keys = certificates.map(\.publicKey)
        for signature in signatures where try !signature.isValid(in: document, keys: keys) { throw .invalidSignature }
    }

    // MARK: The response

    private func checkStatus(of response: XMLElement) throws(SAMLError) {
        guard let status = response.soleChild("Status", in: XMLNamespace.protocol),
            let code = status.soleChild("StatusCode", in: XMLNamespace.protocol)
        else { throw .malformed }
        guard code.attribute("Value") != Self.statusPrefix + "Success" else { return }
        // The second code says more than the first.
        let detail = code.soleChild("StatusCode", in: XMLNamespace.protocol) ?? code
        throw .failedStatus(SAMLStatus(code: detail.attribute("Value")) ?? .other)
    }

    fileprivate static let statusPrefix = "urn:oasis:names:tc:SAML:2.0:status:"

    private func check(response: XMLElement) throws(SAMLError) {
        guard response.attribute("InResponseTo") == requestID else { throw .wrongRequest }
        let issuers = response.children("Issuer", in: XMLNamespace.assertion)
        guard issuers.allSatisfy({ $0.value == issuer }) else { throw .wrongIssuer }
        // A signed response must have one (SAML Bindings 3.5.5.2).
        let isSigned = response.elements.contains(where: XMLSignature.isSignature)
        guard let destination = response.attribute("Destination") else {
            if isSigned { throw .wrongDestination }
            return
        }
        guard destination == callbackURL else { throw .wrongDestination }
    }
}

extension SAMLStatus {
    /// - Parameter code: the URI of a status code.
    init?(code: String?) {
        guard let code, code.hasPrefix(SAMLResponseVerifier.statusPrefix) else { return nil }
        self.init(rawValue: String(code.dropFirst(SAMLResponseVerifier.statusPrefix.count)))
    }
}

extension XMLElement {
    /// The only child element with this name; nil if there is none or more than one.
    func soleChild(_ name: String, in namespace: String) -> XMLElement? {
        let found = children(name, in: namespace)
        return found.count == 1 ? found.first : nil
    }
}
