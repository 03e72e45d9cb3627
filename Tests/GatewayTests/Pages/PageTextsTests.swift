import Contracts
import Testing
import Vocabulary

@testable import GatewayService

@Suite struct PageTextsTests {
    @Test(arguments: [
        ("en", PageLanguage.english), ("de-CH", .german), ("DE", .german), ("ar-EG", .arabic), ("pt-BR", .english),
        ("", .english),
        ("zz", .english), ("th_TH", .thai), ("kok", .english),
    ])
    func aTagFallsBackAlongItsChain(tag: String, language: PageLanguage) {
        #expect(PageLanguage.best(tag, acceptLanguage: nil) == language)
    }

    @Test(arguments: [
        (String?.none, "pt-BR, ja;q=0.8, en", PageLanguage.japanese), ("xx", "ko", .korean), ("fr", "ko", .french),
        (nil, "", .english),
        (nil, ";;,, ,q=1", .english),
    ])
    func withoutATagTheBrowserIsAsked(tag: String?, header: String, language: PageLanguage) {
        #expect(PageLanguage.best(tag, acceptLanguage: header) == language)
    }

    /// Every sentence by its path in `PageTexts`.
    private static func sentences(of value: Any, _ path: String = "") -> [(path: String, text: String)] {
        if let text = value as? String { return [(path, text)] }
        return Mirror(reflecting: value).children.flatMap { sentences(of: $0.value, "\(path).\($0.label ?? "")") }
    }

    /// The compiler finds a sentence that is missing; this finds one that nobody translated.
    @Test(arguments: PageLanguage.allCases) func everySentenceIsTranslated(language: PageLanguage) {
        let english = Self.sentences(of: PageTexts.english)
        let own = Self.sentences(of: language.texts)
        #expect(own.map(\.path) == english.map(\.path) && own.count > 40)
        for (own, english) in zip(own, english) {
            #expect(
                !own.text.isEmpty && own.text == own.text.split(separator: " ").joined(separator: " "), "\(own.path)")
            if language != .english { #expect(own.text != english.text, "\(own.path)") }
        }
        #expect(language.texts.atLeast(12).contains("12") && language.texts.atMost(64).contains("64"))
    }

    @Test(arguments: PageLanguage.allCases) func everyPageReadsInItsDirection(language: PageLanguage) throws {
        let email = try #require(EmailAddress("ada@example.com"))
        for purpose in Identity.ActionPurpose.allCases {
            let view = ActionView(link: ActionLinkQuery { ["lang": language.rawValue][$0] }, language: language)
            let action = Identity.InspectActionCode.Reply(
                purpose: purpose, email: email,
                signInMethods: .init(hasPassword: true, hasEmailLink: true, providers: ["google.com"]))
            for page in [
                view.confirmationPage(for: action), view.completionPage(for: action),
                view.passwordForm(action, isRefused: true),
                view.rejected(email),
            ] {
                let read = try #require(ReadPage(Answer(page.response)))
                #expect(read.all("html") == [["lang": language.rawValue, "dir": language == .arabic ? "rtl" : "ltr"]])
            }
        }
    }
}
