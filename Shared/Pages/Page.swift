package import Vocabulary

/// A page for users: no external resources, no script unless it declares one, accessible to screen readers.
package struct Page: Sendable {
    /// How the content stands on the screen.
    package enum Layout: Sendable {
        /// One card for one question.
        case card
        /// A column of panels.
        case column
        /// A column beside a list of pages.
        case rail(PageRail)
    }

    package var language: Language
    package var title: String
    package var content: HTML
    package var layout: Layout
    package var branding: PageBranding
    package var status: Int
    package var script: PageScript?
    /// The script creates and uses passkeys of this origin.
    package var usesPasskeys: Bool
    /// This page, or the next one, sends a message to the window that opened this one.
    package var usesOpener: Bool
    /// A form leads to an application by its URL scheme, which browsers would refuse.
    package var formsMayLeave: Bool
    /// The page shows documents that bring styles of their own, in frames.
    package var framesHaveStyles: Bool
    /// The pictures of these documents: a source of the content security policy.
    package var framePictures: String?
    /// Further header fields of the response.
    package var headers: [(name: String, value: String)] = []

    package init(
        language: Language, title: String, content: HTML, layout: Layout = .card, branding: PageBranding = .init(),
        status: Int = 200, script: PageScript? = nil, usesPasskeys: Bool = false, usesOpener: Bool = false,
        formsMayLeave: Bool = false, framesHaveStyles: Bool = false, framePictures: String? = nil
    ) {
        self.language = language
        self.title = title
        self.content = content
        self.layout = layout
        self.branding = branding
        self.status = status
        self.script = script
        self.usesPasskeys = usesPasskeys
        self.usesOpener = usesOpener
        self.formsMayLeave = formsMayLeave
        self.framesHaveStyles = framesHaveStyles
        self.framePictures = framePictures
    }

    /// A title and a sentence.
    package static func message(
        _ message: PageTexts.Message, in language: Language, status: Int = 200, rest: HTML = ""
    ) -> Page {
        Page(language: language, title: message.title, content: "<p>\(message.body)</p>\(rest)", status: status)
    }

    package var html: HTML {
        """
        <!DOCTYPE html>
        <html lang="\(language.rawValue)" dir="\(language.direction)">
        <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>\(title)\(branding.name.map { " · \($0)" } ?? "")</title>
        <link rel="stylesheet" href="\(PageStylesheet(branding).url)" />
        \(script?.html)
        </head>
        \(body)
        </html>
        """
    }

    private var body: HTML {
        switch layout {
        case .card:
            """
            <body class="door">
            <div class="card">
            \(branding.head)
            <main>
            <h1>\(title)</h1>
            \(content)
            </main>
            \(branding.foot(in: language))
            </div>
            </body>
            """
        case .column:
            """
            <body>
            <main class="column">
            <h1>\(title)</h1>
            \(content)
            </main>
            </body>
            """
        case .rail(let rail):
            """
            <body class="frame">
            \(rail.html(under: branding.head))
            <div class="column">
            <main>
            <h1>\(title)</h1>
            \(content)
            </main>
            \(branding.foot(in: language))
            </div>
            </body>
            """
        }
    }

    // MARK: What the browser may do

    /// Only resources of this origin, only forms to it, no embedding in frames (security rule HT8).
    private var policy: String {
        let style = framesHaveStyles ? "'self' 'unsafe-inline'" : "'self'"
        let sources = [branding.logoPath.map { _ in "'self'" }, framePictures].compactMap(\.self)
        let images = sources.isEmpty ? nil : " img-src \(sources.joined(separator: " "));"
        let resources =
            script?.policy(style: style, images: images)
            ?? "default-src 'none'; style-src \(style);\(images ?? "")"
        let forms = formsMayLeave ? "" : " form-action \(script?.submitsForm == false ? "'none'" : "'self'");"
        return "\(resources)\(forms) frame-ancestors 'none'; base-uri 'none'"
    }

    private var permissionsPolicy: String {
        let passkeys = usesPasskeys ? "(self)" : "()"
        return "camera=(), geolocation=(), microphone=(), publickey-credentials-create=\(passkeys),"
            + " publickey-credentials-get=\(passkeys)"
    }

    /// The header fields of the response.
    package var allHeaders: [(name: String, value: String)] {
        [
            (name: "Content-Type", value: "text/html; charset=utf-8"), ("Content-Language", language.rawValue),
            ("Content-Security-Policy", policy), ("X-Frame-Options", "DENY"),
            ("Cross-Origin-Opener-Policy", usesOpener ? "unsafe-none" : "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Permissions-Policy", permissionsPolicy),
        ] + headers
    }
}
