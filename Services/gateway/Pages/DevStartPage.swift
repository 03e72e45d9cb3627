import Contracts
import HTTPServer
import Pages
import ServiceRuntime
import Vocabulary

/// What a developer sees in a browser at the address that `latchkey up --dev` prints: the pages of dev mode and of users.
/// In English, as all pages of dev mode. Test tools get JSON at the same address.
enum DevStartPage {
    static let usersPath = "/dev/users"
    /// Users on their page, the latest first.
    private static let maximumUsers = 50

    static let routes: [Route] = [
        Route(.get, .local(usersPath), .v1, .developer) { call in
            guard let project = call.settings.project else { throw APIError.pathNotFound }
            let reply = try await call.send(
                Identity.QueryAccounts(
                    realm: Realm(project: project), order: .lastSignInAt, isDescending: true, limit: maximumUsers))
            return usersPage(reply.accounts, of: project).response
        }
    ]

    /// - Parameter isReady: false while a required service is away.
    static func response(of project: ProjectID?, isReady: Bool) -> HTTPResponse {
        let state = HTML.badge(isReady ? "ready" : "starting", isReady ? .good : .warn)
        return Page(
            language: .english, title: "Latchkey",
            content: """
                <p>Development mode\(project.map { ", project <span class=\"value\">\($0.rawValue)</span>" }) \(state)</p>
                <p class="muted">E-mails and text messages stay on this machine, any API key is valid, and every provider
                that is not configured is played by a page on which you choose who to be.</p>
                \(HTML.panel("Try the pages of your users", [
                    row(.person, "Create an account", HostedSignInPages.registerPath),
                    row(.key, "Sign in", HostedSignInPages.path),
                    row(.shield, "Account page", AccountPages.path),
                ]))
                \(HTML.panel("See what happened", [
                    row(.envelope, "Inbox", "/dev/inbox", "every e-mail and text message, the latest first"),
                    row(.person, "Users", usersPath, "the accounts that signed in last"),
                ]))
                \(HTML.panel("Read on", [
                    row(nil, "Paths of the REST interface", "/emulator/openapi.json", "an OpenAPI document"),
                    HTML.row(
                        nil, "Documentation",
                        about: "docs/use/tour.md in the sources: accounts, second factors and providers with curl"),
                ]))
                """, layout: .column
        ).response
    }

    private static func row(_ icon: PageIcon?, _ name: String, _ path: String, _ about: String? = nil) -> HTML {
        HTML.row(icon, #"<a href="\#(path)">\#(name)</a>"#, about: about.map { "\($0)" })
    }

    private static func usersPage(_ accounts: [Account], of project: ProjectID) -> Page {
        let rows = accounts.map { account in
            HTML.row(
                .person,
                "<bdi>\(account.email?.rawValue ?? account.phoneNumber?.rawValue ?? account.displayName ?? "anonymous")</bdi>",
                about: """
                    <span class="value">\(account.id.rawValue)</span> \
                    \(account.lastSignInAt.map { "signed in <time datetime=\"\($0.text)\">\($0.text)</time>" })
                    """)
        }
        return Page(
            language: .english, title: "Users",
            content: """
                <p class="muted">The latest sign-ins to <span class="value">\(project.rawValue)</span>, at most \
                \(String(maximumUsers)) accounts. Tenants have accounts of their own.</p>
                \(rows.isEmpty
                    ? "<p>Nobody yet. <a href=\"\(HostedSignInPages.registerPath)\">Create an account</a></p>"
                    : HTML.panel("Accounts", rows))
                """, layout: .column)
    }
}
