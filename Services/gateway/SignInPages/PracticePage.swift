import Contracts
import FoundationEssentials
import HTTPServer
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
                \(users.map { earlierUser($0, state) })
                <h2>\(users.isEmpty ? "A user" : "Another user")</h2>
                <form id="user" method="post" action="\(path)">
                <input type="hidden" name="state" value="\(state.reveal())" />
                <label for="subject">ID at the provider</label>
                <input id="subject" name="subject" type="text" autocomplete="off" required="required" \
                maxlength="\(maximumTextLength)" value="\(String(UInt32.random(in: 100_000...999_999)))" />
                <label for="email">E-mail address</label>
                <input id="email" name="email" type="email" autocomplete="off" maxlength="\(maximumTextLength)" />
                <label for="verified"><input id="verified" name="verified" type="checkbox" checked="checked" /> \
                The provider has verified the address</label>
                <label for="name">Name</label>
                <input id="name" name="name" type="text" autocomplete="off" maxlength="\(maximumTextLength)" />
                <label for="userName">User name</label>
                <input id="userName" name="userName" type="text" autocomplete="off" maxlength="\(maximumTextLength)" />
                <p><button id="signIn" type="submit">Sign in</button></p>
                </form>
                <form method="post" action="\(path)">
                <input type="hidden" name="state" value="\(state.reveal())" />
                <p><button id="cancel" class="other" name="cancel" value="1" type="submit">Cancel</button></p>
                </form>
                """)
        page.formsMayLeave = true
        page.usesOpener = true
        return page.response
    }

    private static let maximumTextLength = String(Federation.PracticeUser.maximumTextBytes)

    private static func earlierUser(_ user: ProviderLink, _ state: Secret<String>) -> HTML {
        """
        <form class="earlier" method="post" action="\(path)">
        <input type="hidden" name="state" value="\(state.reveal())" />
        <input type="hidden" name="subject" value="\(user.providerAccountID)" />
        <input type="hidden" name="email" value="\(user.email ?? "")" />
        <input type="hidden" name="verified" value="1" />
        <input type="hidden" name="name" value="\(user.displayName ?? "")" />
        <p><button type="submit">\(user.displayName ?? user.email ?? user.providerAccountID)</button> \
        \(user.email ?? "") \(user.providerAccountID)</p>
        </form>

        """
    }
}
