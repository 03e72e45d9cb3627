import Contracts
import HTTPServer
import Pages
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// The texts of a project on its pages.
@Suite struct HostedPageTextsTests {
    private static let texts = [
        "hostedSignInTitle": "Welcome & hello", "hostedSignInToContinue": "Go on to %APP_NAME%",
        "hostedSignInSignUpTitle": "Join us", "hostedSignInEnterPassword": "Your password",
        "continueLabel": "Next", "hostedSignInEmail": "Member address",
        "passkeyPageMessagesInvalidCredentials": "We do not know you.",
        "hostedSignInInvalidEmail": "That is no address.", "accountDelete": "Close my account",
        "accountDetails": "About me", "invalidLinkTitle": "Dead link",
        "providerSignInUnknownAppTitle": "Who are you?", "footHelp": "Ask us",
    ]

    private static func browser() throws -> HostedBrowser {
        let browser = try HostedBrowser()
        browser.harness.mesh.reply(to: Identity.ResolveConfiguration.self) { _ in
            var configuration = ProjectConfiguration()
            configuration.authorizedDomains = ["auth.example.org", "app.example.org"]
            configuration.signIn = .init()
            configuration.signIn?.email = .init()
            configuration.signIn?.email?.enabled = true
            configuration.branding = .init()
            configuration.branding?.applicationName = "<Shop>"
            configuration.branding?.supportContact = "help@example.com"
            configuration.branding?.pageTexts = ["en": texts]
            return .init(configuration: configuration, projectNumber: "1", isDisabled: false)
        }
        return browser
    }

    @Test func pagesHaveTheTextsOfTheProject() async throws {
        let browser = try Self.browser()
        let first = try await browser.get(HostedSignInPages.path)
        #expect(first.text.contains("<h1>Welcome &amp; hello</h1>") && first.text.contains("Go on to &lt;Shop&gt;"))
        // Labels, buttons, and what every page has.
        #expect(first.text.contains(">Next</button>") && first.text.contains("Member address"))
        #expect(first.text.contains("Ask us") && !first.text.contains("Continue</button>"))
        #expect(try await browser.get(HostedSignInPages.registerPath).text.contains("<h1>Join us</h1>"))
        _ = try await browser.post(HostedSignInPages.path, ["email": "ada@example.com"])
        let asked = try await browser.get(HostedSignInPages.path, HostedBrowser.query + "&step=password")
        #expect(asked.text.contains("<h1>Your password</h1>") && asked.text.contains(">Sign in</button>"))
        // What is refused.
        #expect(try await browser.post(HostedSignInPages.path, ["email": "-"]).text.contains("That is no address."))
        _ = try await browser.post(HostedSignInPages.path, ["email": "ada@example.com"])
        let refused = try await browser.post(HostedSignInPages.passwordPath, ["password": "wrong"])
        #expect(refused.text.contains("We do not know you."))
    }

    @Test func accountPageAndLinksHaveThem() async throws {
        let browser = try Self.browser()
        let cookie = HostedCookie(kind: .session, realm: HostedBrowser.account.realm, isSecure: true)
            .field("refresh", seconds: 1).value.halves(at: ";").before.halves(at: "=")
        browser.cookies[String(cookie.before)] = cookie.behind.map(String.init)
        #expect(try await browser.get(AccountPages.path).text.contains("About me"))
        #expect(try await browser.get(AccountPages.deletionPath).text.contains("Close my account"))
        browser.harness.mesh.reply(to: Identity.InspectActionCode.self) { _ in throw ServiceError(.invalidActionCode) }
        let link = "apiKey=k&mode=verifyEmail&oobCode=code&lang=en"
        #expect(try await browser.get(ActionPage.path, link).text.contains("Dead link"))
    }

    @Test func otherLanguagesKeepTheirs() async throws {
        let page = try await Self.browser().get(HostedSignInPages.path, "apiKey=k&hl=de")
        #expect(!page.text.contains("Welcome") && page.text.contains("<h1>Anmelden</h1>"))
    }
}
