import Contracts
import FoundationEssentials
import HTTPServer
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// Sign-in with identity providers on the hosted pages.
@Suite struct HostedProviderTests {
    private typealias Pages = HostedSignInPages

    private static let state = "0123456789abcdef0123456789abcdef"

    /// A browser that was sent to Google.
    private func browserAtProvider() async throws -> HostedBrowser {
        let browser = try HostedBrowser()
        browser.harness.mesh.reply(to: Federation.StartSignIn.self) { request in
            #expect(request.providerID == "google.com")
            #expect(request.continueURL == "https://auth.example.org/__/auth/handler")
            return .init(
                authorizationURL: "https://accounts.google.com/?a=b", sessionID: Secret("session"),
                state: Secret(Self.state))
        }
        let first = try await browser.get(Pages.path)
        #expect(first.text.contains("Continue with Google") && first.text.contains("Continue with &lt;Bolt&gt;"))
        let leaving = try await browser.post(Pages.providerPath, ["provider": "google.com"])
        #expect(leaving.status == 200 && leaving.header("Refresh") == "0; url=https://accounts.google.com/?a=b")
        return browser
    }

    private func comeBack(
        _ browser: HostedBrowser, _ query: String = "code=c&state=\(state)", with reply: Identity.ProviderSignInReply
    ) async throws -> TestResponse {
        browser.harness.mesh.reply(to: Federation.SignIn.self) { request in
            #expect(request.sessionID == Secret("session") && request.response.code == Secret("c"))
            return .init(
                signIn: reply,
                profile: .init(identity: .init(providerID: "google.com", subject: "1"), rawUserInfo: "{}"),
                credential: .init())
        }
        return try await browser.get(SignInPages.handlerPath, query)
    }

    private static let session = Identity.ProviderSignInReply(
        session: .init(
            account: HostedBrowser.account, tokens: HostedBrowser.tokens, isNewAccount: true, isEmailRecycled: false))

    @Test func providerOpensASession() async throws {
        let browser = try await browserAtProvider()
        let done = try await comeBack(browser, with: Self.session)
        #expect(try await browser.leaves(after: done))
        #expect(browser.cookies.values.contains("refresh"))
    }

    /// Security rule FE1: the response of a provider signs in only the browser that asked for it.
    @Test func responseOfAnotherBrowserIsRefused() async throws {
        _ = try await browserAtProvider()
        let victim = try HostedBrowser()
        try await victim.get(Pages.path)
        let refused = try await comeBack(victim, with: Self.session)
        #expect(refused.status == 400 && !victim.cookies.values.contains("refresh"))
        #expect(victim.harness.mesh.sent(Federation.SignIn.self).isEmpty)
    }

    @Test func canceledProviderLeadsToTheFirstPage() async throws {
        let browser = try await browserAtProvider()
        let canceled = try await comeBack(browser, "error=access_denied&state=\(Self.state)", with: Self.session)
        #expect(canceled.status == 303 && canceled.header("Location")?.hasPrefix("\(Pages.path)?apiKey=k&") == true)
        #expect(browser.harness.mesh.sent(Federation.SignIn.self).isEmpty)
    }

    @Test func providerOfUserWithSecondFactorIsNotEnough() async throws {
        let browser = try await browserAtProvider()
        let pending = try await comeBack(
            browser,
            with: .init(
                pending: .init(
                    account: HostedBrowser.account,
                    secondFactor: .init(
                        pendingCredential: Secret("pending"), factors: HostedBrowser.factors, remainingRecoveryCodes: 0)
                )))
        let page = try await browser.follow(pending)
        #expect(page.text.contains("one-time-code") && !browser.cookies.values.contains("refresh"))
        #expect(try await browser.leaves(after: browser.post(Pages.codePath, ["code": "123456"])))
    }

    @Test func addressOfAnotherAccountLeadsToItsOwnWays() async throws {
        let browser = try await browserAtProvider()
        let page = try await comeBack(
            browser,
            with: .init(
                confirmation: .init(
                    accountID: HostedBrowser.account.id, email: try #require(HostedBrowser.account.email),
                    verifiedProviders: ["password", "oidc.bolt"])))
        #expect(page.text.contains("This address has an account already. Sign in as you did before."))
        #expect(page.text.contains("&lt;Bolt&gt;") && !page.text.contains("Continue with Google"))
        #expect(try await browser.leaves(after: browser.post(Pages.passwordPath, ["password": "right"])))
    }
}
