import FoundationEssentials
package import Vocabulary

/// An authentication request without a signature, as a SAML identity provider receives it with the HTTP-Redirect binding.
package struct TestSAMLRequest: Sendable {
    package let id: String
    package let relayState: String

    /// What precedes the only stored block of DEFLATE (RFC 1951 3.2.4).
    private static let blockHeaderBytes = 5

    /// - Parameter url: the address that the browser is sent to.
    /// - Returns: nil if it has no request or no RelayState.
    package init?(url: String) {
        guard let query = WebURL(url)?.query else { return nil }
        let pairs = query.pieces(at: "&").map { item in
            let (name, value) = item.halves(at: "=")
            return (String(name), PercentEncoding.decoded(value ?? "") ?? "")
        }
        let items = Dictionary(pairs) { first, _ in first }
        guard let relayState = items["RelayState"],
            let message = items["SAMLRequest"].flatMap({ Data(base64Encoded: $0) })
        else { return nil }
        let xml = String(decoding: message.dropFirst(Self.blockHeaderBytes), as: UTF8.self)
        guard case let (id, _?)? = xml.split(separator: " ID=\"").last?.halves(at: "\"") else { return nil }
        (self.id, self.relayState) = (String(id), relayState)
    }

    /// A valid response.
    package func response(callbackURL: String, at now: Timestamp) -> TestSAMLResponse {
        func time(_ seconds: Int64) -> String { TestSAMLResponse.time(in: seconds, after: now) }
        var response = TestSAMLResponse()
        response.responseAttributes = #" Destination="\#(callbackURL)""#
        response.responseRequestID = #" InResponseTo="\#(id)""#
        response.issueInstant = time(0)
        response.confirmation = TestSAMLResponse.confirmation(requestID: id, end: time(300), recipient: callbackURL)
        response.conditions = TestSAMLResponse.conditions(from: time(-5), until: time(300))
        response.statements = "<saml:AuthnStatement></saml:AuthnStatement>"
        return response
    }
}
