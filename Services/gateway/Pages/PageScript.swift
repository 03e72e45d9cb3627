internal import Vocabulary

/// The script of a page and its additional permissions (security rule HT8). It is a constant text; its values are in
/// the attributes of elements, where they are escaped.
struct PageScript: Sendable {
    /// The third-party scripts that the page also runs.
    enum ThirdPartyScripts: Sendable { case ownOnly, recaptcha }

    var text: String
    var company: ThirdPartyScripts
    /// Permits this script on this page: 128 random bits.
    let nonce: String

    init(_ text: String, beside company: ThirdPartyScripts = .ownOnly) {
        self.text = text
        self.company = company
        var random = SystemRandomNumberGenerator()
        nonce = [random.next(), random.next()].map { (bits: UInt64) in bits.hexadecimal }.joined()
    }

    /// Between the CDATA marks both HTML and XML parsers leave the text unchanged.
    var html: HTML {
        HTML(stringLiteral: "<script nonce=\"\(nonce)\">//<![CDATA[\n\(text)\n//]]></script>")
    }

    var policy: String {
        let rest = "form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
        return switch company {
        case .ownOnly: "default-src 'none'; script-src 'nonce-\(nonce)'; style-src 'self'; connect-src 'self'; \(rest)"
        case .recaptcha:
            // As Google specifies; the frame around its images uses inline styles.
            "default-src 'none'; script-src 'nonce-\(nonce)' https://www.google.com/recaptcha/"
                + " https://www.gstatic.com/recaptcha/; frame-src https://www.google.com/recaptcha/"
                + " https://recaptcha.google.com/recaptcha/; style-src 'self' 'unsafe-inline'; img-src 'self' data:"
                + " https://www.gstatic.com/recaptcha/; connect-src 'self' https://www.google.com/recaptcha/; \(rest)"
        }
    }
}
