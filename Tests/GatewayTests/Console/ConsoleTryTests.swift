import Contracts
import Testing
import Vocabulary

@testable import GatewayService

/// What applications begin with.
@Suite struct ConsoleTryTests {
    private static func snippets(isDev: Bool) -> ClientSnippets {
        ClientSnippets(
            project: ProjectID("shop"), apiKey: "KEY", publicURL: "https://auth.example.com:8443",
            adminURL: "http://127.0.0.1:9098", isDev: isDev)
    }

    @Test(arguments: ClientSnippets.Client.allCases) func snippetHasTheValuesOfTheInstallation(
        client: ClientSnippets.Client
    ) {
        let text = Self.snippets(isDev: true).text(for: client)
        #expect(text.contains("auth.example.com:8443") || text.contains("8443)"))
        #expect(text.contains("shop") || text.contains("key=KEY"))
    }

    /// With the variable of the emulator a library accepts every signature.
    @Test(arguments: ClientSnippets.Client.allCases) func noSnippetOfProductionSetsTheVariableOfTheEmulator(
        client: ClientSnippets.Client
    ) {
        #expect(!Self.snippets(isDev: false).text(for: client).contains("EMULATOR_HOST"))
    }

    @Test func pageIsForEveryRoleAndLeadsToAWindowOfItsOwn() async throws {
        let browser = try ConsoleBrowser([.init(role: .viewer)])
        let page = try await browser.get("/console/projects/shop/try")
        #expect(page.text.contains("https://auth.example.com/__/auth/login"))
        #expect(page.text.contains("rel=\"noopener noreferrer\""))
        #expect(page.header("Content-Security-Policy")?.contains("frame-src") == false)
    }
}
