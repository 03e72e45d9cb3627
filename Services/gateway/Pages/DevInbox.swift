import Contracts
import FoundationEssentials
import HTTPServer
import ServiceRuntime
import Vocabulary

/// The e-mails and SMS messages of dev mode in a browser. Dev mode only.
enum DevInbox {
    static let routes: [Route] = [
        Route(.get, .local("/dev/inbox"), .v1, .developer) { call in
            let wanted = call.request.queryItem("to").nilIfEmpty
            let recipient = wanted.flatMap { EmailAddress($0)?.rawValue ?? PhoneNumber($0)?.rawValue }
            // Text that is neither an address nor a phone number has no messages.
            let messages =
                wanted != nil && recipient == nil
                ? [] : try await call.send(Notifier.ListInboxMessages(recipient: recipient)).messages
            return HTTPResponse(
                status: 200,
                headers: [
                    ("Content-Type", "text/html; charset=utf-8"), ("Content-Security-Policy", contentSecurityPolicy),
                ], body: Data(page(messages, to: wanted).text.utf8))
        }
    ]

    /// No script runs and nothing is fetched, neither by the page nor by the displayed e-mails. Inline styles are allowed
    /// because e-mails use them.
    private static let contentSecurityPolicy =
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

    private static func page(_ messages: [Notifier.InboxMessage], to wanted: String?) -> HTML {
        let title =
            "\(messages.count == 1 ? "1 message" : "\(messages.count) messages")\(wanted.map { " to \($0)" } ?? "")"
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(title) - Latchkey inbox</title>
            <style>
            body { font: 1rem/1.5 system-ui, sans-serif; max-width: 50rem; margin: 0 auto; padding: 1rem }
            article { border: 1px solid; border-radius: .5rem; padding: 0 1rem 1rem; margin: 1.5rem 0 }
            dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem }
            dd { margin: 0; overflow-wrap: anywhere }
            pre { white-space: pre-wrap; overflow-wrap: anywhere; padding: 1rem; border: 1px dashed }
            iframe { width: 100%; height: 34rem; border: 1px dashed; background: Canvas }
            input, button { font: inherit; padding: .25rem .5rem }
            </style>
            </head>
            <body>
            <main>
            <h1>Inbox</h1>
            <form action="/dev/inbox" method="get" role="search">
            <label for="to">Only to</label>
            <input id="to" name="to" type="text" autocomplete="off" value="\(wanted ?? "")">
            <button>Show</button>
            </form>
            <p>\(title), the latest first. Nothing here has left this machine.</p>
            \(messages.map(article))
            </main>
            </body>
            </html>

            """
    }

    private static func article(_ message: Notifier.InboxMessage) -> HTML {
        let realm = message.realm
        let link = message.link.map { link -> HTML in
            """
            <dt>Link</dt><dd><a href="\(link)" target="_blank" rel="noopener noreferrer">\(link)</a></dd>

            """
        }
        let html: HTML? =
            message.html.isEmpty
            ? nil
            : """
            <details><summary>HTML</summary>
            <iframe sandbox title="HTML of \(message.subject)" srcdoc="\(message.html)"></iframe>
            </details>

            """
        return """
            <article aria-labelledby="m\(message.id.rawValue)">
            <h2 id="m\(message.id.rawValue)" dir="auto">\(message.subject)</h2>
            <dl>
            <dt>To</dt><dd>\(message.recipient)</dd>
            <dt>From</dt><dd>\(message.sender)</dd>
            <dt>Time</dt><dd><time datetime="\(message.receivedAt.text)">\(message.receivedAt.text)</time></dd>
            <dt>Purpose</dt><dd>\(message.purpose)</dd>
            <dt>Project</dt><dd>\(realm.project.rawValue + (realm.tenant.map { " / \($0)" } ?? ""))</dd>
            \(link)</dl>
            <details open><summary>Text</summary><pre dir="auto">\(message.text)</pre></details>
            \(html)</article>

            """
    }
}
