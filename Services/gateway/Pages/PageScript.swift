internal import Vocabulary

/// The script of a page, and what its page then may do beyond others (security rule HT8). It is text of ours: what
/// it works with stands in the attributes of elements, where it is escaped.
struct PageScript: Sendable {
    /// Whose scripts run beside it.
    enum ThirdPartyScripts: Sendable { case ownOnly, recaptcha }

    var text: String
    var company: ThirdPartyScripts
    /// Makes this script, on this page, the one that runs: 128 random bits.
    let nonce: String

    init(_ text: String, beside company: ThirdPartyScripts = .ownOnly) {
        self.text = text
        self.company = company
        var random = SystemRandomNumberGenerator()
        nonce = [random.next(), random.next()].map { (bits: UInt64) in bits.hexadecimal }.joined()
    }

    /// Inside of the marks both HTML and XML parsers leave the text as it is.
    var html: HTML {
        HTML(stringLiteral: "<script nonce=\"\(nonce)\">//<![CDATA[\n\(text)\n//]]></script>")
    }

    var policy: String {
        let rest = "form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
        return switch company {
        case .ownOnly: "default-src 'none'; script-src 'nonce-\(nonce)'; style-src 'self'; connect-src 'self'; \(rest)"
        case .recaptcha:
            // As Google asks for it; the frame around its images sets styles in place.
            "default-src 'none'; script-src 'nonce-\(nonce)' https://www.google.com/recaptcha/"
                + " https://www.gstatic.com/recaptcha/; frame-src https://www.google.com/recaptcha/"
                + " https://recaptcha.google.com/recaptcha/; style-src 'self' 'unsafe-inline'; img-src 'self' data:"
                + " https://www.gstatic.com/recaptcha/; connect-src 'self' https://www.google.com/recaptcha/; \(rest)"
        }
    }
}
