import Contracts
import HTTPServer
import Pages
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// The texts of a project on the sign-in pages.
@Suite struct HostedPageTextsTests {
    private static func browser() throws -> HostedBrowser {
        let browser = try HostedBrowser()
        browser.harness.mesh.reply(to: Identity.ResolveConfiguration.self) { _ in
            var texts = ProjectConfiguration.Branding.PageTexts()
            texts.signInTitle = "Welcome & hello"
            texts.signInPurpose = "Go on to %APP_NAME%"
            texts.signUpTitle = "Join us"
            texts.passwordTitle = "Your password"
            texts.secondFactorTitle = "One more step"
            texts.signedOutTitle = "Goodbye"
            texts.signedOutText = "See you."
            var configuration = ProjectConfiguration()
            configuration.authorizedDomains = ["auth.example.org", "app.example.org"]
            configuration.signIn = .init()
            configuration.signIn?.email = .init()
            configuration.signIn?.email?.enabled = true
            configuration.branding = .init()
            configuration.branding?.applicationName = "<Shop>"
            configuration.branding?.pageTexts = ["en": texts]
            return .init(configuration: configuration, projectNumber: "1", isDisabled: false)
        }
        return browser
    }

    @Test func pagesHaveTheTextsOfTheProject() async throws {
        let browser = try Self.browser()
        let first = try await browser.get(HostedSignInPages.path)
        #expect(first.text.contains("<h1>Welcome &amp; hello</h1>") && first.text.contains("Go on to &lt;Shop&gt;"))
        // A button says what happens.
        #expect(first.text.contains(">Continue</button>"))
        #expect(try await browser.get(HostedSignInPages.registerPath).text.contains("<h1>Join us</h1>"))
        _ = try await browser.post(HostedSignInPages.path, ["email": "ada@example.com"])
        let asked = try await browser.get(HostedSignInPages.path, HostedBrowser.query + "&step=password")
        #expect(asked.text.contains("<h1>Your password</h1>") && asked.text.contains(">Sign in</button>"))
    }

    @Test func otherLanguagesKeepTheirs() async throws {
        let page = try await Self.browser().get(HostedSignInPages.path, "apiKey=k&hl=de")
        #expect(!page.text.contains("Welcome") && page.text.contains("<h1>Anmelden</h1>"))
    }

    @Test func everyTextReplacesOne() {
        var own = ProjectConfiguration.Branding.PageTexts()
        own.passkeyOfferTitle = "Faster"
        own.passkeyOfferText = "Your phone can sign you in."
        own.secondFactorTitle = "One more step"
        let texts = Language.english.pageTexts.replaced(by: own).hostedSignIn
        #expect(texts.offerPasskey.title == "Faster" && texts.offerPasskey.body == "Your phone can sign you in.")
        #expect(texts.chooseFactor == "One more step")
        #expect(texts.enterPassword == Language.english.pageTexts.hostedSignIn.enterPassword)
    }
}
