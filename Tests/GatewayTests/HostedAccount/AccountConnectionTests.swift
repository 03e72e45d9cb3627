import Contracts
import FoundationEssentials
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// Accounts of identity providers on the account page.
@Suite struct AccountConnectionTests {
    private typealias Pages = AccountPages

    private static let state = "0123456789abcdef0123456789abcdef"
    private static let response = "code=c&state=\(state)"

    /// A user who was sent to Google from the account page.
    private func browserAtProvider() async throws -> HostedBrowser {
        let browser = try HostedAccountTests.browser()
        let mesh = browser.harness.mesh
        mesh.reply(to: Identity.VerifyIDToken.self) { request in
            #expect(request.demandsRecentSignIn)
            return .init(
                principal: .init(
                    accountID: HostedBrowser.account.id, realm: HostedBrowser.account.realm,
                    issuedAt: Timestamp(seconds: 0), authenticatedAt: Timestamp(seconds: 0),
                    signInProvider: "password"))
        }
        mesh.reply(to: Federation.StartSignIn.self) { _ in
            .init(
                authorizationURL: "https://accounts.google.com/?a=b", sessionID: Secret("session"),
                state: Secret(Self.state))
        }
        let page = try await browser.get(Pages.connectionsPath)
        #expect(page.text.contains("Connect another account") && page.text.contains("&lt;Bolt&gt;"))
        let leaving = try await browser.post(Pages.connectPath, ["provider": "google.com"])
        #expect(leaving.status == 200 && leaving.header("Refresh") == "0; url=https://accounts.google.com/?a=b")
        return browser
    }

    private func reply(_ reply: Identity.ProviderSignInReply, in browser: HostedBrowser) {
        browser.harness.mesh.reply(to: Federation.SignIn.self) { _ in
            .init(
                signIn: reply,
                profile: .init(identity: .init(providerID: "google.com", subject: "1"), rawUserInfo: "{}"),
                credential: .init())
        }
    }

    private static let linked = Identity.ProviderSignInReply(
        session: .init(
            account: HostedBrowser.account, tokens: HostedAccountTests.tokens, isNewAccount: false,
            isEmailRecycled: false))

    @Test func providerIsLinked() async throws {
        let browser = try await browserAtProvider()
        reply(Self.linked, in: browser)
        let done = try await browser.get(SignInPages.handlerPath, Self.response)
        let location = try HostedAccountTests.location(done)
        #expect(location.hasPrefix("\(Pages.connectionsPath)?apiKey=k&") && location.hasSuffix("&done=added"))
        let request = try #require(browser.harness.mesh.sent(Federation.SignIn.self).first)
        #expect(request.linkIDToken == HostedBrowser.tokens.idToken && request.response.code == Secret("c"))
        #expect(browser.cookies.values.contains("next"))
        // The response of a provider is taken once.
        #expect(try await browser.get(SignInPages.handlerPath, Self.response).status == 400)
    }

    @Test(arguments: [
        (Identity.ProviderSignInReply.Conflict.identityLinked, "is connected to another user here"),
        (.emailExists, "has the e-mail address of this account"),
    ])
    func identityOfAnotherAccountIsRefusedInWords(
        conflict: Identity.ProviderSignInReply.Conflict, sentence: String
    ) async throws {
        let browser = try await browserAtProvider()
        reply(.init(conflict: conflict), in: browser)
        let refused = try await browser.get(SignInPages.handlerPath, Self.response)
        #expect(refused.status == 400 && refused.text.contains(sentence))
    }

    /// Whoever signs in while the user is away does not get the identity.
    @Test func otherUserOfTheBrowserIsNotLinked() async throws {
        let browser = try await browserAtProvider()
        browser.harness.mesh.reply(to: Identity.LookUpOwnAccount.self) { _ in
            var account = HostedBrowser.account
            account.id = AccountID("eve")
            return .init(account: account)
        }
        let refused = try await browser.get(SignInPages.handlerPath, Self.response)
        #expect(refused.status == 400 && refused.text.contains("Nothing was connected."))
        #expect(browser.harness.mesh.sent(Federation.SignIn.self).isEmpty)
    }

    @Test func canceledProviderLeadsBack() async throws {
        let browser = try await browserAtProvider()
        let canceled = try await browser.get(SignInPages.handlerPath, "error=access_denied&state=\(Self.state)")
        #expect(try HostedAccountTests.location(canceled).hasPrefix(Pages.connectionsPath))
        #expect(browser.harness.mesh.sent(Federation.SignIn.self).isEmpty)
    }

    /// Apple and SAML send a form from their own site, without the session of this one.
    @Test func formOfAnotherSiteIsSentAgain() async throws {
        let browser = try await browserAtProvider()
        reply(Self.linked, in: browser)
        let first = try await browser.post(
            SignInPages.handlerPath, ["code": "<c>", "state": Self.state], site: "cross-site", query: "")
        #expect(first.status == 200 && first.text.contains(#"value="&lt;c&gt;""#))
        #expect(browser.harness.mesh.sent(Federation.SignIn.self).isEmpty)
        let page = try #require(ReadPage(first))
        // An old browser does not say where a form comes from.
        let second = try await browser.post(SignInPages.handlerPath, page.fields, site: "", query: "")
        #expect(try HostedAccountTests.location(second).hasSuffix("&done=added"))
        #expect(browser.harness.mesh.sent(Federation.SignIn.self).map(\.response.code) == [Secret("<c>")])
    }

    @Test func oldSignInIsRepeatedBeforeTheProvider() async throws {
        let browser = try HostedAccountTests.browser()
        browser.harness.mesh.reply(to: Identity.VerifyIDToken.self) { _ in throw ServiceError(.recentSignInRequired) }
        try await browser.get(Pages.connectionsPath)
        let asked = try HostedAccountTests.location(
            try await browser.post(Pages.connectPath, ["provider": "google.com"]))
        #expect(asked.contains("prompt=login") && asked.contains(PercentEncoding.encoded(Pages.connectPath)))
        #expect(try HostedAccountTests.location(try await browser.get(Pages.connectPath)).contains("/connections?"))
    }

    /// The session may have become old at the provider.
    @Test func signInThatBecameOldLeadsBackToThePage() async throws {
        let browser = try await browserAtProvider()
        browser.harness.mesh.reply(to: Federation.SignIn.self) { _ in throw ServiceError(.recentSignInRequired) }
        let asked = try HostedAccountTests.location(
            try await browser.get(SignInPages.handlerPath, Self.response))
        #expect(asked.contains(PercentEncoding.encoded(Pages.connectionsPath)))
        #expect(!asked.contains("handler"))
    }
}
