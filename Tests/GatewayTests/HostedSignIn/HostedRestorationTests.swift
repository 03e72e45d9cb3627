import Contracts
import FoundationEssentials
import HTTPServer
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// The page to which the sign-in to an account leads that is to be deleted.
@Suite struct HostedRestorationTests {
    private typealias Pages = HostedSignInPages

    private static let claims = #"{"firebase":{"deletion_scheduled":true}}"#
    private static let restoration = TokenSet(
        idToken: Secret("e30.\(Base64URL.encode(Array(claims.utf8))).c2ln"),
        refreshToken: Secret("restoration"), expiresInSeconds: 900)

    /// A browser whose user has typed the address of an account that is to be deleted.
    private func browser() async throws -> HostedBrowser {
        let browser = try HostedBrowser()
        let mesh = browser.harness.mesh
        mesh.reply(to: Identity.SignInWithPassword.self) { request in
            guard request.password == Secret("second") else {
                return .init(account: HostedBrowser.account, tokens: Self.restoration)
            }
            return .init(
                account: HostedBrowser.account,
                secondFactor: .init(pendingCredential: Secret("pending"), factors: HostedBrowser.factors))
        }
        mesh.reply(to: MFATOTP.FinishSignIn.self) { _ in
            .init(account: HostedBrowser.account, tokens: Self.restoration)
        }
        mesh.reply(to: Identity.RefreshSession.self) { request in
            guard request.refreshToken == Secret("restoration") else { throw ServiceError(.invalidRefreshToken) }
            return .init(accountID: HostedBrowser.account.id, projectNumber: "1", tokens: Self.restoration)
        }
        mesh.reply(to: Identity.LookUpOwnAccount.self) { _ in
            var account = HostedBrowser.account
            account.deletionDueAt = Moment(milliseconds: 1_700_000_000_000)
            return .init(account: account)
        }
        mesh.reply(to: Identity.RestoreOwnAccount.self) { request in
            #expect(request.idToken == Self.restoration.idToken)
            return .init(account: HostedBrowser.account, tokens: HostedBrowser.tokens)
        }
        try await browser.get(Pages.path)
        _ = try await browser.post(Pages.path, ["email": "ada@example.com"])
        return browser
    }

    @Test(arguments: [false, true]) func signInLeadsToTheRestoration(hasSecondFactor: Bool) async throws {
        let browser = try await browser()
        var done = try await browser.post(Pages.passwordPath, ["password": hasSecondFactor ? "second" : "right"])
        if hasSecondFactor {
            _ = try await browser.follow(done)
            done = try await browser.post(Pages.codePath, ["code": "123456"])
        }
        let page = try await browser.follow(done)
        #expect(page.text.contains("Restore your account?") && page.text.contains("14 November 2023"))
        #expect(page.text.contains("ada@example.com"))
        #expect(!browser.cookies.keys.contains { $0.contains("-session-") })
        #expect(browser.harness.mesh.sent(Identity.RestoreOwnAccount.self).isEmpty)
        #expect(try await browser.post(Pages.restorePath, [:], site: "cross-site").status == 403)
        let restored = try await browser.post(Pages.restorePath, [:])
        #expect(try await browser.leaves(after: restored))
        #expect(browser.cookies.contains { $0.key.contains("-session-") && $0.value == "refresh" })
        #expect(browser.harness.mesh.sent(Identity.SignInWithPassword.self).last?.client.offersRestoration == true)
        #expect(browser.harness.mesh.sent(Identity.RestoreOwnAccount.self).count == 1)
    }

    /// The token in the cookie of the session opens none.
    @Test func restorationIsNoSession() async throws {
        let browser = try await browser()
        let cookie = HostedCookie(kind: .session, realm: Realm(project: ProjectID("shop")), isSecure: true)
            .field("restoration", seconds: 1).value.halves(at: ";").before.halves(at: "=")
        browser.cookies[String(cookie.before)] = cookie.behind.map(String.init)
        #expect(try await !browser.get(Pages.path).text.contains("Continue as"))
        #expect(try await browser.get(AccountPages.path).status == 303)
    }

    @Test func pageWithoutASignInLeadsToOne() async throws {
        let browser = try HostedBrowser()
        let page = try await browser.get(Pages.path, HostedBrowser.query + "&step=restore")
        #expect(page.header("Location")?.hasPrefix(Pages.path) == true)
        try await browser.get(Pages.path)
        #expect(try await browser.post(Pages.restorePath, [:]).header("Location")?.hasPrefix(Pages.path) == true)
        #expect(browser.harness.mesh.sent(Identity.RestoreOwnAccount.self).isEmpty)
    }

    /// Applications get the error of a disabled account.
    @Test func applicationsOfferNoRestoration() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.SignInWithPassword.self) { request in
            #expect(request.client.offersRestoration == nil)
            throw ServiceError(.accountDisabled)
        }
        let refused = try await harness.send(
            .post, "/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword", query: "key=any",
            headers: ["Content-Type": "application/json"],
            body: #"{"email":"ada@example.com","password":"right","returnSecureToken":true}"#)
        #expect(refused.status == 400 && refused.text.contains("USER_DISABLED"))
    }
}
