import Contracts
import FoundationEssentials
import JSON
import Pages
import Testing

@testable import IdentityService

/// The texts that a project gives its pages.
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
                "hostedSignInTitle": "Welcome", "hostedSignInToContinue": "Go on to %APP_NAME%",
                "continueLabel": "Next", "hostedSignInWrongCode": "Not the code we sent.",
                "accountDelete": "Close the account", "phoneAddNumber": "Add a mobile",
                "lastUseDaysAgo": "%COUNT% days ago",
            ], "ar": ["hostedSignInTitle": "أهلًا"],
        ]
        let kept = try #require(try Self.checked(texts)?.pageTexts)
        #expect(kept == texts)
        // Nothing remains of empty ones.
        #expect(try Self.checked(["de": ["hostedSignInTitle": ""], "fr": [:]]) == nil)
    }

    @Test(
        arguments: [
            ("pt", "hostedSignInTitle", "Bem-vindo", "branding.pageTexts.pt is none of en, "),
            ("en", "signInTitel", "Welcome", "en.signInTitel is no text of a page"),
            ("en", "hostedSignInTitle", "Welcome to %APP_NAME%", "en.hostedSignInTitle takes no placeholder"),
            ("en", "hostedSignInTitle", "100 % safe", "en.hostedSignInTitle takes no placeholder"),
            ("en", "hostedSignInToContinue", "Go on", "lacks the placeholder %APP_NAME%"),
            ("en", "hostedSignInToContinue", "%APP_NAME% and %APP_NAME%", "takes one placeholder"),
            ("en", "hostedSignInToContinue", "%APP_NAME% and %EMAIL%", "takes one placeholder"),
            ("en", "accountCodesLeft", "%APP_NAME% left", "takes one placeholder, %COUNT%"),
            ("en", "accountDeleteBody", "<b>Bye</b>", "en.accountDeleteBody has markup"),
            ("en", "accountDeleteBody", "a\nb", "has characters that control"),
            ("en", "accountDeleteBody", "a\u{202e}b", "has characters that control"),
            ("en", "hostedSignInEnterPassword", " Password", "has a blank"),
            ("en", "hostedSignInEnterPassword", String(repeating: "é", count: 81), "has more than 160 bytes"),
            ("en", "hostedSignInOfferPasskeyBody", String(repeating: "é", count: 301), "has more than 600 bytes"),
        ])
    func invalidTextIsRefusedByName(language: String, name: String, text: String, reason: String) throws {
        let error = try #require(throws: ServiceError.self) { try Self.checked([language: [name: text]]) }
        #expect(error.message?.contains(reason) == true, "\(error)")
    }

    @Test func tenantReplacesALanguage() throws {
        var project = ProjectConfiguration()
        project.branding = try Self.checked([
            "en": ["hostedSignInTitle": "P", "continueLabel": "P"], "de": ["hostedSignInTitle": "P"],
        ])
        var tenant = TenantConfiguration()
        tenant.branding = try Self.checked(["en": ["hostedSignInTitle": "T"]])
        let texts = project.applying(tenant).branding?.pageTexts
        #expect(texts == ["en": ["hostedSignInTitle": "T"], "de": ["hostedSignInTitle": "P"]])
    }

    /// Every page reads the configuration.
    @Test func textsHaveALimitTogether() throws {
        let keys = PageTextEntry.all.values.filter { $0.maximumBytes == 600 && $0.placeholder == nil }.map(\.key)
        let texts = Dictionary(uniqueKeysWithValues: keys.map { ($0, String(repeating: "a", count: 500)) })
        let error = try #require(throws: ServiceError.self) { try Self.checked(["en": texts, "de": texts]) }
        #expect(error.message?.contains("branding.pageTexts has more than 32768 bytes") == true, "\(error)")
    }

    /// A version without a text drops its stored replacement. A change of something else is not refused for it.
    @Test func storedTextOfAnEarlierVersionIsDropped() throws {
        typealias Branding = ProjectConfiguration.Branding
        let stored = ["en": ["formerTitle": "Old", "continueLabel": "Next"]]
        #expect(try Branding.checkedPageTexts(stored, after: stored) == ["en": ["continueLabel": "Next"]])
        #expect(throws: ServiceError.self) { try Branding.checkedPageTexts(stored, after: nil) }
    }
}
