import Contracts
import FoundationEssentials
import HTTPServer
import Vocabulary

/// A page for users: no external resources, no script unless it declares one, accessible to screen readers.
struct Page: Sendable {
    var language: Language
    var title: String
    var content: HTML
    var status = 200
    /// Becomes `Retry-After`.
    var retryAfterSeconds: Int?
    /// Becomes `X-Latchkey-Limit`.
    var limit: LimitName?
    var script: PageScript?
    /// The script creates and uses passkeys of this origin.
    var usesPasskeys = false
    /// This page, or the next one, sends a message to the window that opened this one.
    var usesOpener = false
    /// A form leads to an application by its URL scheme, which browsers would refuse.
    var formsMayLeave = false

    /// A title and a sentence.
    static func message(
        _ message: PageTexts.Message, in language: Language, status: Int = 200, rest: HTML = ""
    ) -> Page {
        Page(language: language, title: message.title, content: "<p>\(message.body)</p>\(rest)", status: status)
    }

    var html: HTML {
        """
        <!DOCTYPE html>
        <html lang="\(language.rawValue)" dir="\(language.direction)">
        <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>\(title)</title>
        <link rel="stylesheet" href="\(Self.stylesheetPath)" />
        </head>
        <body>
        <main>
        <h1>\(title)</h1>
        \(content)
        </main>
        \(script?.html)
        </body>
        </html>
        """
    }

    static let stylesheetPath = "/__/auth/pages.css"

    /// Only the gateway's stylesheet, only forms to the gateway, no embedding in frames (security rule HT8).
    private var policy: String {
        let forms = formsMayLeave ? "" : " form-action 'self';"
        return "default-src 'none'; style-src 'self';\(forms) frame-ancestors 'none'; base-uri 'none'"
    }

    private var permissionsPolicy: String {
        let passkeys = usesPasskeys ? "(self)" : "()"
        return "camera=(), geolocation=(), microphone=(), publickey-credentials-create=\(passkeys),"
            + " publickey-credentials-get=\(passkeys)"
    }

    var response: HTTPResponse {
        var headers = [
            (name: "Content-Type", value: "text/html; charset=utf-8"), ("Content-Language", language.rawValue),
            ("Content-Security-Policy", script?.policy ?? policy), ("X-Frame-Options", "DENY"),
            ("Cross-Origin-Opener-Policy", usesOpener ? "unsafe-none" : "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Permissions-Policy", permissionsPolicy),
        ]
        if let retryAfterSeconds { headers.append(("Retry-After", String(max(1, retryAfterSeconds)))) }
        if let limit { headers.append((LimitName.header, limit.rawValue)) }
        return HTTPResponse(status: status, headers: headers, body: Data(html.text.utf8))
    }
}

extension Page {
    /// An error without its own page, in English.
    init(_ refusal: APIError) {
        let texts = PageTexts.english
        let message =
            switch refusal.status {
            case 429: texts.tooManyAttempts
            case 400..<500: texts.invalidLink
            default: texts.unavailable
            }
        self = .message(message, in: .english, status: refusal.status)
        retryAfterSeconds = refusal.retryAfterSeconds
        limit = refusal.limit
    }
}

extension Page {
    /// For light and dark color schemes and both script directions: margins are logical, never left or right. Every
    /// button has an edge, which is all that forced colors leave of it.
    static let stylesheet = """
        :root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --paper: #ffffff; --edge: #6e7781;
          --act: #0b57d0; --act-ink: #ffffff; --alarm: #b3261e; }
        @media (prefers-color-scheme: dark) {
          :root { --ink: #e6edf3; --soft: #9da7b1; --paper: #0d1117; --edge: #7d8590; --act: #8ab4f8;
            --act-ink: #0d1117; --alarm: #ffb4ab; }
        }
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--paper); color: var(--ink);
          font: 1rem/1.5 system-ui, "Noto Sans", "Noto Sans Arabic", "Noto Sans Thai", "Noto Sans CJK KR", sans-serif; }
        main { max-width: 28rem; margin-inline: auto; padding: 3rem 1.25rem; }
        h1 { font-size: 1.5rem; line-height: 1.3; margin-block: 0 1rem; }
        p, ul { margin-block: 0 1rem; }
        ul { padding-inline-start: 1.25rem; color: var(--soft); }
        .value { font-weight: 600; overflow-wrap: anywhere; }
        .alarm { color: var(--alarm); }
        label { display: block; font-weight: 600; margin-block-end: .25rem; }
        input:not([type=checkbox]) { width: 100%; padding: .625rem .75rem; font: inherit; color: inherit; background: transparent;
          border: 1px solid var(--edge); border-radius: .375rem; margin-block-end: 1rem; }
        button, a.button { display: inline-block; padding: .625rem 1.25rem; font: inherit; font-weight: 600;
          color: var(--act-ink); background: var(--act); border: 1px solid transparent; border-radius: .375rem; text-decoration: none;
          cursor: pointer; }
        button.other { color: var(--alarm); background: transparent; border-color: currentColor; }
        button.plain { color: var(--ink); background: transparent; border-color: var(--edge); }
        .alarm ul { color: inherit; }
        dialog { max-width: 26rem; padding: 1.5rem; color: var(--ink); background: var(--paper);
          border: 1px solid var(--edge); border-radius: .5rem; }
        dialog::backdrop { background: rgb(0 0 0 / 50%); }
        progress { width: 100%; accent-color: var(--act); }
        [hidden] { display: none; }
        :focus-visible { outline: 3px solid var(--act); outline-offset: 2px; }
        """
}
