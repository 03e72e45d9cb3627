internal import Vocabulary

/// The script of a page and its additional permissions (security rule HT8). It is a constant text; its values are in
/// the attributes of elements, where they are escaped.
struct PageScript: Sendable {
    /// Where the browser finds the script.
    enum Source: Sendable {
        case inPage(String)
        /// A file of the gateway.
        case file(path: String)
    }

    /// The third-party scripts that the page also runs.
    enum ThirdPartyScripts: Sendable { case ownOnly, recaptcha }

    var source: Source
    var company: ThirdPartyScripts
    /// The script submits a form of the page to the gateway.
    var submitsForm = false
    /// Permits a script in this page: 128 random bits.
    let nonce: String

    init(_ text: String, beside company: ThirdPartyScripts = .ownOnly) {
        self.init(.inPage(text), beside: company)
    }

    init(_ source: Source, beside company: ThirdPartyScripts = .ownOnly) {
        self.source = source
        self.company = company
        var random = SystemRandomNumberGenerator()
        nonce = [random.next(), random.next()].map { (bits: UInt64) in bits.hexadecimal }.joined()
    }

    var html: HTML {
        switch source {
        // Between the CDATA marks both HTML and XML parsers leave the text unchanged.
        case .inPage(let text):
            HTML(stringLiteral: "<script nonce=\"\(nonce)\">//<![CDATA[\n\(text)\n//]]></script>")
        case .file(let path): "<script src=\"\(path)\" nonce=\"\(nonce)\" defer=\"defer\"></script>"
        }
    }

    var policy: String {
        let rest = "form-action \(submitsForm ? "'self'" : "'none'"); frame-ancestors 'none'; base-uri 'none'"
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
