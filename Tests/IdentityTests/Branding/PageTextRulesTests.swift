import Contracts
import FoundationEssentials
import JSON
import Testing

@testable import IdentityService

/// The texts that a project gives the sign-in pages.
@Suite struct PageTextRulesTests {
    private static func checked(_ texts: [String: [String: String]]) throws -> ProjectConfiguration.Branding? {
        let document = try WireJSON.encode(["branding": ["pageTexts": texts]])
        return try WireJSON.decode(ProjectConfiguration.self, from: document).checked(
            after: .init(), at: "2026-01-31T12:00:00.000Z", isDev: false
        ).branding
    }

    @Test func validTextsAreKept() throws {
        let texts = [
            "en": [
                "signInTitle": "Welcome", "signInPurpose": "Go on to %APP_NAME%", "signUpTitle": "Join us",
                "passwordTitle": "Your password", "secondFactorTitle": "One more step",
                "passkeyOfferTitle": "Faster next time",
                "passkeyOfferText": "Your phone can sign you in.", "signedOutTitle": "Goodbye",
                "signedOutText": "See you.",
            ], "ar": ["signInTitle": "أهلًا"],
        ]
        let kept = try #require(try Self.checked(texts)?.pageTexts)
        #expect(kept["en"]?.signInPurpose == "Go on to %APP_NAME%" && kept["ar"]?.signInTitle == "أهلًا")
        let json = try WireJSON.decode([String: [String: String]].self, from: WireJSON.encode(kept))
        #expect(json == texts)
        // Nothing remains of empty ones.
        #expect(try Self.checked(["de": ["signInTitle": ""], "fr": [:]]) == nil)
    }

    @Test(
        arguments: [
            ("pt", "signInTitle", "Bem-vindo", "branding.pageTexts.pt is none of en, "),
            ("en", "signInTitle", "Welcome to %APP_NAME%", "en.signInTitle takes no placeholder"),
            ("en", "signInTitle", "100 % safe", "en.signInTitle takes no placeholder"),
            ("en", "signInPurpose", "Go on", "en.signInPurpose lacks the placeholder %APP_NAME%"),
            ("en", "signInPurpose", "%APP_NAME% and %APP_NAME%", "takes one placeholder"),
            ("en", "signInPurpose", "%APP_NAME% and %EMAIL%", "takes one placeholder"),
            ("en", "signInPurpose", "%OTHER% page", "takes one placeholder"),
            ("en", "signedOutText", "<b>Bye</b>", "en.signedOutText has markup"),
            ("en", "signedOutText", "a\nb", "has characters that control"),
            ("en", "signedOutText", "a\u{202e}b", "has characters that control"),
            ("en", "passwordTitle", " Password", "has a blank"),
            ("en", "passwordTitle", String(repeating: "é", count: 81), "has more than 160 bytes"),
            ("en", "passkeyOfferText", String(repeating: "é", count: 301), "has more than 600 bytes"),
        ])
    func invalidTextIsRefusedByName(language: String, name: String, text: String, reason: String) throws {
        let error = try #require(throws: ServiceError.self) { try Self.checked([language: [name: text]]) }
        #expect(error.message?.contains(reason) == true, "\(error)")
    }

    @Test func tenantReplacesALanguage() throws {
        var project = ProjectConfiguration()
        project.branding = try Self.checked([
            "en": ["signInTitle": "P", "signUpTitle": "P"], "de": ["signInTitle": "P"],
        ])
        var tenant = TenantConfiguration()
        tenant.branding = try Self.checked(["en": ["signInTitle": "T"]])
        let texts = project.applying(tenant).branding?.pageTexts
        #expect(texts?["en"]?.signInTitle == "T" && texts?["en"]?.signUpTitle == nil)
        #expect(texts?["de"]?.signInTitle == "P")
    }
}
