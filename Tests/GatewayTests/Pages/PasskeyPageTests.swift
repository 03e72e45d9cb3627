import Contracts
import FoundationEssentials
import HTTPServer
import JSON
import Pages
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

@Suite struct PasskeyPageTests {
    private static let path = "/__/auth/passkeys"

    private func open(_ query: String? = nil, in harness: GatewayHarness? = nil) async throws -> TestResponse {
        try await (harness ?? GatewayHarness()).send(.get, Self.path, query: query)
    }

    @Test func pageRunsOnlyTheScriptFile() async throws {
        let response = try await open()
        #expect(response.status == 200 && response.header("Cache-Control") == "no-store")
        let page = try #require(ReadPage(response))
        #expect(page.all("script") == [["src": "/__/auth/passkeys.js", "type": "module"]])
        #expect(!page.elements.contains { $0.attributes.keys.contains { $0.hasPrefix("on") || $0 == "style" } })
        #expect(
            response.header("Content-Security-Policy")
                == "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
                + " require-trusted-types-for 'script'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'")
        #expect(
            response.header("Permissions-Policy")
                == "camera=(), geolocation=(), microphone=(), publickey-credentials-create=(self),"
                + " publickey-credentials-get=(self)")
        #expect(response.header("X-Frame-Options") == "DENY" && response.header("Access-Control-Allow-Origin") == nil)
    }

    @Test func otherPagesHaveNoPasskeys() {
        let page = Page(language: .english, title: "t", content: "")
        let policy = page.response.headers.first { $0.name == "Permissions-Policy" }?.value
        #expect(
            policy
                == "camera=(), geolocation=(), microphone=(), publickey-credentials-create=(),"
                + " publickey-credentials-get=()")
    }

    @Test func scriptFileIsServed() async throws {
        let response = try await GatewayHarness().send(.get, ScriptFile.passkeys.path)
        #expect(response.status == 200 && response.header("Content-Type") == "text/javascript; charset=utf-8")
        #expect(
            response.header("Cross-Origin-Resource-Policy") == "same-origin"
                && response.text == ScriptFile.passkeys.text)
        // The page builds no HTML from text.
        for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("] {
            #expect(!response.text.contains(word))
        }
    }

    /// The script finds every element and every message that it names.
    @Test func scriptAndPageAgree() async throws {
        let page = try #require(ReadPage(try await open()))
        let ids = Set(page.elements.compactMap { $0.attributes["id"] })
        #expect(ids.count == page.elements.count { $0.attributes["id"] != nil })
        let named = ScriptFile.passkeys.text.matches(of: /element\("([A-Za-z]+)"\)/).map { String($0.output.1) }
        #expect(named.count > 10 && Set(named).isSubset(of: ids))
        let messages = try json(
            try #require(page.elements.first { $0.attributes["id"] == "passkeys" }?.attributes["data-messages"]))
        for name in ScriptFile.passkeys.text.matches(of: /messages\.([a-zA-Z]+)/).map({ String($0.output.1) }) {
            #expect(messages[name] != nil, "\(name)")
        }
    }

    @Test(arguments: Language.allCases) func pageUsesLanguageOfQuery(language: Language) async throws {
        let page = try #require(ReadPage(try await open("hl=\(language.rawValue)")))
        #expect(
            page.all("html") == [["lang": language.rawValue, "dir": language == .arabic ? "rtl" : "ltr"]]
                && page.text.contains(language.pageTexts.passkeyPage.title))
    }

    // MARK: Parameters

    private func parameters(_ response: TestResponse) throws -> [String: String] {
        let page = try #require(ReadPage(response))
        return try #require(page.elements.first { $0.attributes["id"] == "passkeys" }).attributes
    }

    @Test func keyAndTenantAreAttributes() async throws {
        let named = try parameters(try await open("apiKey=k%22%3E%3Cscript%3E&tenantId=t-1"))
        #expect(named["data-api-key"] == "k\"><script>" && named["data-tenant-id"] == "t-1")
        let bare = try parameters(try await open())
        #expect(bare["data-api-key"] == "dev" && bare["data-tenant-id"] == "")
    }

    // MARK: Production

    @Test(arguments: [[:], ["LATCHKEY_PASSKEY_PAGE": "off"]])
    func productionServesNoPageByDefault(settings: [String: String]) async throws {
        let harness = try GatewayHarness.production(settings)
        #expect(try await open("apiKey=k", in: harness).status == 404)
        let script = try await harness.send(.get, ScriptFile.passkeys.path)
        #expect(script.status == 404 && !script.text.contains("publicKey"))
    }

    @Test func productionServesPageWithSetting() async throws {
        let harness = try GatewayHarness.production(["LATCHKEY_PASSKEY_PAGE": "on"])
        let response = try await open("apiKey=k", in: harness)
        #expect(response.status == 200 && response.header("Strict-Transport-Security") != nil)
        let page = try #require(ReadPage(response))
        // Users of production sign in to the application.
        #expect(page.all("form").map { $0["id"] } == ["signIn", nil, "removalAnswer"])
        #expect(try await harness.send(.get, ScriptFile.passkeys.path).status == 200)
        #expect(try await open(in: harness).status == 400)
        // For the branding, which an unknown key has not.
        #expect(harness.mesh.sent(Identity.ResolveAPIKey.self).map(\.apiKey) == ["k"] && harness.mesh.count == 1)
    }

    @Test func devPageHasPasswordForm() async throws {
        let page = try #require(ReadPage(try await open()))
        #expect(page.all("form").map { $0["id"] } == ["signIn", "passwordSignIn", nil, "removalAnswer"])
        let fields = page.all("input").map { $0["autocomplete"] }
        #expect(fields == ["username webauthn", "current-password webauthn", "off"])
    }
}
