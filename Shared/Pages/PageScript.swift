/// The script of a page and its additional permissions (security rule HT8). It is a file of the same origin; its values
/// are in the attributes of elements, where they are escaped.
package struct PageScript: Sendable {
    /// The third-party scripts that the page also runs.
    package enum ThirdPartyScripts: Sendable { case none, recaptcha }

    /// Where the browser finds the file.
    package let path: String
    /// A module of JavaScript, which may import others.
    package let isModule: Bool
    package let thirdParty: ThirdPartyScripts
    /// The script submits a form of the page, or a form works beside it.
    package var submitsForm = false

    package init(path: String, isModule: Bool, thirdParty: ThirdPartyScripts = .none) {
        self.path = path
        self.isModule = isModule
        self.thirdParty = thirdParty
    }

    /// The browser defers modules by itself.
    package var html: HTML {
        isModule
            ? #"<script src="\#(path)" type="module"></script>"# : #"<script src="\#(path)" defer="defer"></script>"#
    }

    /// The sources that the page may load, and what its script may do. No script turns text into HTML or into code,
    /// except Google's.
    func policy(style: String, images: String?) -> String {
        switch thirdParty {
        case .none:
            "default-src 'none'; script-src 'self'; style-src \(style);\(images ?? "") connect-src 'self';"
                + " require-trusted-types-for 'script';"
        case .recaptcha:
            // As Google specifies; the frame around its images uses inline styles.
            "default-src 'none'; script-src 'self' https://www.google.com/recaptcha/"
                + " https://www.gstatic.com/recaptcha/; frame-src https://www.google.com/recaptcha/"
                + " https://recaptcha.google.com/recaptcha/; style-src \(style) 'unsafe-inline'; img-src 'self' data:"
                + " https://www.gstatic.com/recaptcha/; connect-src 'self' https://www.google.com/recaptcha/;"
        }
    }
}
