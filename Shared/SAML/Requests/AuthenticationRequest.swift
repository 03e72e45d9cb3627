package import Crypto
import FoundationEssentials
package import Vocabulary

/// A request to sign a user in (SAML Core 3.4.1), as the HTTP-Redirect binding carries it (SAML Bindings 3.4).
package struct AuthenticationRequest: Equatable, Sendable {
    /// An XML name.
    package var id: String
    package var issuedAt: Timestamp
    /// `ssoUrl` of the provider.
    package var destination: WebURL
    /// `spEntityId`.
    package var issuer: String
    /// `callbackUri`: the address that the provider posts its response to.
    package var callbackURL: String

    package init(id: String, issuedAt: Timestamp, destination: WebURL, issuer: String, callbackURL: String) {
        self.id = id
        self.issuedAt = issuedAt
        self.destination = destination
        self.issuer = issuer
        self.callbackURL = callbackURL
    }

    private static let rsaSHA256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"

    /// The address that the browser is sent to.
    /// - Parameters:
    ///   - relayState: at most 80 bytes (SAML Bindings 3.4.3); the provider returns it.
    ///   - signingKey: an RSA key; nil for a request without a signature.
    package func url(relayState: String, signingKey: PrivateKey?) throws(CryptoError) -> String {
        let message = Data(Self.stored(Array(xml.utf8))).base64EncodedString()
        var items: [(name: String, value: String)] = [("SAMLRequest", message), ("RelayState", relayState)]
        if let signingKey {
            items.append(("SigAlg", Self.rsaSHA256))
            // SAML Bindings 3.4.4.1: the encoded parameters in this order.
            let text = PercentEncoding.query(items)
            items.append(("Signature", Data(try signingKey.sign(Array(text.utf8), .rs256)).base64EncodedString()))
        }
        return destination.appending(items)
    }

    var xml: String {
        """
        <samlp:AuthnRequest xmlns:samlp="\(XMLNamespace.protocol)" xmlns:saml="\(XMLNamespace.assertion)" \
        ID="\(id.markupEscaped)" Version="2.0" IssueInstant="\(SAMLTime.format(issuedAt))" \
        Destination="\(destination.text.markupEscaped)" \
        AssertionConsumerServiceURL="\(callbackURL.markupEscaped)" \
        ProtocolBinding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST">\
        <saml:Issuer>\(issuer.markupEscaped)</saml:Issuer><samlp:NameIDPolicy AllowCreate="true"/>\
        </samlp:AuthnRequest>
        """
    }

    /// DEFLATE without compression: stored blocks (RFC 1951 3.2.4). A request is about 700 bytes long.
    static func stored(_ bytes: [UInt8]) -> [UInt8] {
        let maximumBlockBytes = 0xffff
        var result: [UInt8] = []
        var rest = bytes[...]
        repeat {
            let block = rest.prefix(maximumBlockBytes)
            rest = rest.dropFirst(maximumBlockBytes)
            let length = UInt16(truncatingIfNeeded: block.count)
            result.append(rest.isEmpty ? 1 : 0)
            for number in [length, ~length] {
                result += [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
            }
            result += block
        } while !rest.isEmpty
        return result
    }
}
