import Contracts
import FoundationEssentials
import HTTPServer
import Pages
import ServiceRuntime
import Vocabulary

/// The e-mails and SMS messages of dev mode in a browser. Dev mode only.
enum DevInbox {
    static let routes: [Route] = [
        Route(.get, .local("/dev/inbox"), .v1, .developer) { call in
            let wanted = call.request.queryItem("to").nilIfEmpty
            return page(try await messages(to: wanted, call), to: wanted, at: call.settings.publicURL).response
        }
    ]

    /// - Parameter wanted: an address or a phone number; nil for every message. Any other text has none.
    static func messages(to wanted: String?, _ call: Call) async throws -> [Notifier.InboxMessage] {
        let recipient = wanted.flatMap { EmailAddress($0)?.rawValue ?? PhoneNumber($0)?.rawValue }
        guard wanted == nil || recipient != nil else { return [] }
        return try await call.send(Notifier.ListInboxMessages(recipient: recipient)).messages
    }

    /// No script runs, and nothing is fetched but the logos of projects, neither by the page nor by the displayed e-mails,
    /// which bring their styles.
    private static func page(
        _ messages: [Notifier.InboxMessage], to wanted: String?, at publicURL: String
    ) -> Page {
        let title =
            "\(messages.count == 1 ? "1 message" : "\(messages.count) messages")\(wanted.map { " to \($0)" } ?? "")"
        let field = PageField(id: "to", label: "Only to") { field in
            field.kind = .search
            field.value = wanted ?? ""
            field.isVerbatim = true
        }
        return Page(
            language: .english, title: "Inbox",
            content: """
                <form action="/dev/inbox" method="get" role="search">
                \(field.html)
                <p>\(HTML.button("Show", .plain))</p>
                </form>
                <p class="muted">\(title), the latest first. Nothing here has left this machine.</p>
                \(messages.map(article))
                """, layout: .column, framesHaveStyles: true,
            framePictures: publicURL + LogoRoute.folder)
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
            <iframe sandbox="" title="HTML of \(message.subject)" srcdoc="\(message.html)"></iframe>
            </details>

            """
        return """
            <article class="panel" aria-labelledby="m\(message.id.rawValue)">
            <header>
            <h2 id="m\(message.id.rawValue)" dir="auto">\(message.subject)</h2>
            \(HTML.badge(message.purpose))
            </header>
            <div class="row"><div class="what">
            <dl>
            <dt>To</dt><dd>\(message.recipient)</dd>
            <dt>From</dt><dd>\(message.sender)</dd>
            <dt>Time</dt><dd><time datetime="\(message.receivedAt.text)">\(message.receivedAt.text)</time></dd>
            <dt>Project</dt><dd>\(realm.project.rawValue + (realm.tenant.map { " / \($0)" } ?? ""))</dd>
            \(link)</dl>
            <details open="open"><summary>Text</summary><pre dir="auto">\(message.text)</pre></details>
            \(html)</div></div></article>

            """
    }
}
