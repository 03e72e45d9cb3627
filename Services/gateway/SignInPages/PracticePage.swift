import Contracts
import FoundationEssentials
import HTTPServer
import Pages
import Vocabulary

/// The page of the practice provider: a developer chooses who to be. It replaces every provider without configuration.
/// Dev mode only. The form needs no other protection than the state, which only the browser of the sign-in knows.
enum PracticePage {
    static let path = "/__/auth/practice"
    /// The accounts that are searched for earlier users.
    private static let maximumAccounts = 100

    static let routes: [Route] = [
        Route(.get, .local(path), .page, .developer) { call in
            guard let state = call.request.queryItem("state").nilIfEmpty.map(Secret.init) else { return ended }
            do {
                let signIn = try await call.send(Federation.ReadPracticeSignIn(state: state))
                return page(signIn, state, try await earlierUsers(signIn, call))
            } catch let error as ServiceError where error.code == .invalidProviderResponse {
                return ended
            }
        },
        Route(.post, .local(path), .page, .developer) { call in
            let form = try RequestBody.form(from: call.request)
            do {
                let reply = try await call.send(
                    Federation.FinishPracticeSignIn(state: Secret(form["state"] ?? ""), user: user(form)))
                return HTTPResponse(status: 303, headers: [("Location", reply.responseURL.reveal())])
            } catch let error as ServiceError where error.code == .invalidProviderResponse {
                return ended
            } catch let error as ServiceError where [.invalidRequest, .invalidEmail].contains(error.code) {
                return message(
                    "This user is not possible", "Enter an ID, and an e-mail address or none.", status: 400)
            }
        },
    ]

    /// Nil: canceled.
    private static func user(_ form: [String: String]) -> Federation.PracticeUser? {
        guard form["cancel"] == nil else { return nil }
        return .init(
            subject: form["subject"] ?? "", email: form["email"].nilIfEmpty, isEmailVerified: form["verified"] != nil,
            displayName: form["name"].nilIfEmpty, userName: form["userName"].nilIfEmpty)
    }

    /// The users of the provider that have an account, the latest first.
    private static func earlierUsers(
        _ signIn: Federation.ReadPracticeSignIn.Reply, _ call: Call
    ) async throws -> [ProviderLink] {
        let reply = try await call.send(
            Identity.QueryAccounts(
                realm: signIn.realm, order: .lastSignInAt, isDescending: true, limit: maximumAccounts))
        return reply.accounts.flatMap { account in account.providers.filter { $0.providerID == signIn.providerID } }
    }

    // MARK: HTML, in English: developers read it

    private static let ended = message(
        "This sign-in has ended", "Start it again in the application. A sign-in is valid for ten minutes.",
        status: 400)

    private static func message(_ title: String, _ body: String, status: Int) -> HTTPResponse {
        Page(language: .english, title: title, content: "<p>\(body)</p>", status: status).response
    }

    private static func page(
        _ signIn: Federation.ReadPracticeSignIn.Reply, _ state: Secret<String>, _ users: [ProviderLink]
    ) -> HTTPResponse {
        let realm = signIn.realm.project.rawValue + (signIn.realm.tenant.map { " / \($0.rawValue)" } ?? "")
        var page = Page(
            language: .english, title: "Practice provider",
            content: """
                <p>\(signIn.providerID) is not configured in <span class="value">\(realm)</span>. Choose who to be.</p>
                \(users.isEmpty ? nil : HTML.panel("Earlier users", users.map { earlierUser($0, state) }))
                <h2>\(users.isEmpty ? "A user" : "Another user")</h2>
                <form id="user" method="post" action="\(path)">
                \(HTML.hidden([("state", state.reveal())]))
                \(fields.map(\.html))
                <label class="check"><input id="verified" name="verified" type="checkbox" checked="checked" />\
                <span>The provider has verified the address</span></label>
                <p>\(HTML.button("Sign in", id: "signIn"))</p>
                </form>
                <form method="post" action="\(path)">
                \(HTML.hidden([("state", state.reveal())]))
                <p>\(HTML.button("Cancel", .plain, id: "cancel", item: ("cancel", "1")))</p>
                </form>
                """)
        page.formsMayLeave = true
        page.usesOpener = true
        return page.response
    }

    private static var fields: [PageField] {
        [("subject", "ID at the provider"), ("email", "E-mail address"), ("name", "Name"), ("userName", "User name")]
            .map { id, label in
                PageField(id: id, label: label) { field in
                    field.maximumLength = Federation.PracticeUser.maximumTextBytes
                    field.kind = id == "email" ? .email : .text
                    field.isRequired = id == "subject"
                    field.value = id == "subject" ? String(UInt32.random(in: 100_000...999_999)) : nil
                }
            }
    }

    private static func earlierUser(_ user: ProviderLink, _ state: Secret<String>) -> HTML {
        """
        <form class="earlier row" method="post" action="\(path)">
        \(HTML.hidden([
            ("state", state.reveal()), ("subject", user.providerAccountID), ("email", user.email ?? ""),
            ("verified", "1"), ("name", user.displayName ?? ""),
        ]))
        <div class="what"><strong>\(user.displayName ?? user.email ?? user.providerAccountID)</strong>\
        <span>\(user.email ?? "") \(user.providerAccountID)</span></div>
        \(HTML.button("Sign in", .plain))
        </form>

        """
    }
}
