import Vocabulary

/// The script of a page and its additional permissions (security rule HT8). It is a constant text; its values are in
/// the attributes of elements, where they are escaped.
struct PageScript: Sendable {
    /// Where the browser finds the script.
    enum Place: Sendable {
        case inPage
        /// In a file of its own, with its own request.
        case file
    }

    /// The third-party scripts that the page also runs.
    enum ThirdPartyScripts: Sendable { case none, recaptcha }

    let script: ScriptFile
    let place: Place
    let thirdParty: ThirdPartyScripts
    /// The script submits a form of the page to the gateway.
    var submitsForm = false
    /// Permits a script in this page: 128 random bits.
    let nonce: String

    init(_ script: ScriptFile, in place: Place = .file, thirdParty: ThirdPartyScripts = .none) {
        self.script = script
        self.place = place
        self.thirdParty = thirdParty
        var random = SystemRandomNumberGenerator()
        nonce = [random.next(), random.next()].map { (bits: UInt64) in bits.hexadecimal }.joined()
    }

    var html: HTML {
        switch place {
        // Between the CDATA marks both HTML and XML parsers leave the text unchanged.
        case .inPage: HTML(stringLiteral: "<script nonce=\"\(nonce)\">//<![CDATA[\n\(script.text)\n//]]></script>")
        // The browser defers modules by itself; the nonce also permits what they import.
        case .file where script.isModule: "<script src=\"\(script.path)\" nonce=\"\(nonce)\" type=\"module\"></script>"
        case .file: "<script src=\"\(script.path)\" nonce=\"\(nonce)\" defer=\"defer\"></script>"
        }
    }

    var policy: String {
        let rest = "form-action \(submitsForm ? "'self'" : "'none'"); frame-ancestors 'none'; base-uri 'none'"
        return switch thirdParty {
        case .none: "default-src 'none'; script-src 'nonce-\(nonce)'; style-src 'self'; connect-src 'self'; \(rest)"
        case .recaptcha:
            // As Google specifies; the frame around its images uses inline styles.
            "default-src 'none'; script-src 'nonce-\(nonce)' https://www.google.com/recaptcha/"
                + " https://www.gstatic.com/recaptcha/; frame-src https://www.google.com/recaptcha/"
                + " https://recaptcha.google.com/recaptcha/; style-src 'self' 'unsafe-inline'; img-src 'self' data:"
                + " https://www.gstatic.com/recaptcha/; connect-src 'self' https://www.google.com/recaptcha/; \(rest)"
        }
    }
}
