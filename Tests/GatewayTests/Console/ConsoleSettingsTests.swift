import Contracts
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

@Suite struct ConsoleSettingsTests {
    private static func applying(
        _ form: [String: String], to configuration: ProjectConfiguration = .init()
    ) throws -> ProjectConfiguration {
        var changed = configuration
        try ConsoleSettings(form, otherwise: ConsoleSettings(configuration)).apply(to: &changed)
        return changed
    }

    @Test func formWithoutFieldsChangesNothing() throws {
        #expect(try Self.applying([:]) == ProjectConfiguration())
        #expect(try Self.applying(["client.apiKey": "x", "apiKey": "x"]) == ProjectConfiguration())
    }

    @Test(arguments: ConsoleSettings.Field.allCases) func everyFieldIsReadAsItWasSet(field: ConsoleSettings.Field)
        throws
    {
        let texts: [String] =
            switch field.kind {
            case .toggle: ["on", "off"]
            case .factor: ["optional", "mandatory", "off"]
            case .number: ["12", ""]
            case .lines: field == .domains ? ["a.example\nb.example", ""] : ["+15555550100 123456", ""]
            }
        var configuration = ProjectConfiguration()
        configuration.signIn = .init()
        configuration.signIn?.email = .init()
        configuration.signIn?.email?.enabled = true
        for text in texts {
            configuration = try Self.applying([field.rawValue: text], to: configuration)
            #expect(ConsoleSettings(configuration)[field] == text, "\(field) \(text)")
        }
    }

    @Test func otherSettingsStay() throws {
        var configuration = ProjectConfiguration()
        configuration.mfa = .init()
        configuration.mfa?.state = .enabled
        configuration.mfa?.enabledProviders = [.phoneSMS]
        configuration.branding = .init()
        configuration.branding?.applicationName = "Shop"
        let changed = try Self.applying(["appFactor": "mandatory"], to: configuration)
        #expect(changed.mfa?.enabledProviders == [.phoneSMS] && changed.mfa?.state == .enabled)
        #expect(changed.requiresSecondFactor && changed.branding == configuration.branding)
    }

    @Test(arguments: [
        ("passwordSignIn", "perhaps"), ("appFactor", "on"), ("minimumLength", "many"), ("testNumbers", "+15555550100"),
        ("testNumbers", "+15555550100 1 2"),
    ]) func unknownTextIsRefusedWithItsField(field: String, text: String) {
        #expect(throws: ConsoleSettings.InvalidText.self) { try Self.applying([field: text]) }
    }

    @Test func changesAreShownBeforeTheyAreSaved() async throws {
        let browser = try ConsoleBrowser([.init(role: .administrator)])
        let path = "/console/projects/shop/settings"
        let review = try await browser.post("\(path)/review", ["codeSignIn": "on", "revision": "3"])
        #expect(review.text.contains("Sign-in with a code by e-mail"))
        #expect(review.text.contains(#"name="codeSignIn" value="on""#))
        #expect(!review.text.contains(#"name="phoneSignIn""#))
        #expect(try await browser.post("\(path)/save", ["codeSignIn": "on", "revision": "3"]).status == 303)
    }

    @Test func changeOfOldSettingsIsNotSaved() async throws {
        let browser = try ConsoleBrowser([.init(role: .administrator)])
        let response = try await browser.post(
            "/console/projects/shop/settings/save", ["codeSignIn": "on", "revision": "2"])
        #expect(response.status == 400)
        #expect(response.text.contains("Others have changed the settings meanwhile."))
    }
}
