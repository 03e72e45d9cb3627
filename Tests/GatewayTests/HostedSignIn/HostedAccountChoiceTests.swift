import Contracts
import HTTPServer
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// A browser that is signed in to several accounts.
@Suite struct HostedAccountChoiceTests {
    private typealias Pages = HostedSignInPages

    /// The tokens of a user contain the name.
    private static func tokens(_ name: String) -> TokenSet {
        TokenSet(idToken: Secret("id-\(name)"), refreshToken: Secret("refresh-\(name)"), expiresInSeconds: 3600)
    }

    private static func account(_ name: some StringProtocol) -> Account {
        var account = HostedBrowser.account
        account.id = AccountID(String(name))
        account.email = EmailAddress("\(name)@example.com")
        return account
    }

    /// A user's password is the name.
    private func browser(signedInTo names: [String]) async throws -> HostedBrowser {
        let browser = try HostedBrowser()
        let mesh = browser.harness.mesh
        mesh.reply(to: Identity.SignInWithPassword.self) { request in
            let name = request.password?.reveal() ?? ""
            return .init(account: Self.account(name), tokens: Self.tokens(name))
        }
        mesh.reply(to: Identity.RefreshSession.self) { request in
            guard let name = request.refreshToken?.reveal().halves(at: "-").behind, name != "ended" else {
                throw ServiceError(.invalidRefreshToken)
            }
            return .init(
                accountID: AccountID(String(name)), projectNumber: "1", tokens: Self.tokens(String(name)))
        }
        mesh.reply(to: Identity.LookUpOwnAccount.self) { request in
            .init(account: Self.account(request.idToken?.reveal().halves(at: "-").behind ?? ""))
        }
        mesh.reply(to: Identity.ListOwnSessions.self) { request in
            .init(
                sessions: [
                    .init(
                        id: request.idToken?.reveal() ?? "", createdAt: Moment(milliseconds: 0),
                        lastUsedAt: Moment(milliseconds: 0), signInProvider: "password", isCurrent: true)
                ], hasMore: false)
        }
        mesh.reply(to: Identity.EndOwnSessions.self) { _ in .init() }
        for name in names { try await signIn(browser, name) }
        return browser
    }

    private func signIn(_ browser: HostedBrowser, _ name: String) async throws {
        try await browser.get(Pages.path, HostedBrowser.query + "&prompt=login")
        _ = try await browser.post(Pages.path, ["email": "\(name)@example.com"])
        #expect(try await browser.leaves(after: browser.post(Pages.passwordPath, ["password": name])))
    }

    @Test func accountIsChosen() async throws {
        let browser = try await browser(signedInTo: ["ada", "bob"])
        let page = try await browser.get(Pages.path)
        #expect(page.text.contains("Continue as bob@example.com") && page.text.contains("Continue as ada@example.com"))
        #expect(try await browser.leaves(after: browser.post(Pages.switchPath, ["account": "ada"])))
        #expect(browser.cookies.values.contains("refresh-ada") && browser.cookies.values.contains("refresh-bob"))
        #expect(browser.cookies.first { $0.value == "refresh-ada" }?.key.contains("-session-") == true)
        #expect(browser.harness.mesh.sent(Identity.EndOwnSessions.self).isEmpty)
        // An account without a session here is none to choose.
        let other = try await browser.post(Pages.switchPath, ["account": "eve"])
        #expect(other.status == 303 && browser.cookies.first { $0.value == "refresh-ada" } != nil)
    }

    @Test func secondSignInToAnAccountEndsItsFirstSession() async throws {
        let browser = try await browser(signedInTo: ["ada", "bob", "ada"])
        let ended = browser.harness.mesh.sent(Identity.EndOwnSessions.self)
        #expect(ended.map(\.selection) == [.listed(["id-ada"])])
        #expect(browser.cookies.values.contains("refresh-ada") && browser.cookies.values.contains("refresh-bob"))
    }

    @Test func signOutLeavesTheOtherAccount() async throws {
        let browser = try await browser(signedInTo: ["ada", "bob"])
        try await browser.get(Pages.path)
        #expect(try await browser.post(Pages.logoutPath, [:]).status == 200)
        #expect(browser.harness.mesh.sent(Identity.EndOwnSessions.self).map(\.selection) == [.listed(["id-bob"])])
        let page = try await browser.get(Pages.path)
        #expect(page.text.contains("Continue as ada@example.com") && !page.text.contains("bob@example.com"))
        #expect(browser.cookies.first { $0.value == "refresh-ada" }?.key.contains("-session-") == true)
    }

    @Test func onlyTheLatestAccountsAreKept() async throws {
        let browser = try await browser(signedInTo: ["a", "b", "c", "d", "e"])
        let page = try await browser.get(Pages.path)
        for name in ["b", "c", "d", "e"] { #expect(page.text.contains("Continue as \(name)@example.com")) }
        #expect(!page.text.contains("a@example.com"))
        // No session stays open that no browser has.
        #expect(browser.harness.mesh.sent(Identity.EndOwnSessions.self).map(\.selection) == [.listed(["id-a"])])
    }

    /// The sign-in succeeds, and the other accounts stay.
    @Test func sessionThatCannotBeEndedIsReported() async throws {
        let browser = try await browser(signedInTo: ["a", "b", "c", "d"])
        browser.harness.mesh.reply(to: Identity.EndOwnSessions.self) { _ in throw ServiceError(.unavailable) }
        try await signIn(browser, "e")
        let page = try await browser.get(Pages.path)
        for name in ["b", "c", "d", "e"] { #expect(page.text.contains("Continue as \(name)@example.com")) }
        #expect(browser.harness.reported.all.withLock { $0.count } == 1)
    }

    @Test func endedSessionIsNotOffered() async throws {
        let browser = try await browser(signedInTo: ["ended", "bob"])
        let page = try await browser.get(Pages.path)
        #expect(page.text.contains("Continue as bob@example.com") && !page.text.contains("ended@example.com"))
    }
}
