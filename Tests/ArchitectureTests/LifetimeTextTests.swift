import Contracts
import Foundation
import Testing

/// A lifetime that a page states in words is the one that the code uses.
struct LifetimeTextTests {
    private static let spelled: [Duration: String] = [
        .seconds(5 * 60): "five minutes", .seconds(10 * 60): "ten minutes", .seconds(60 * 60): "one hour",
        .seconds(24 * 60 * 60): "24 hours", .seconds(3 * 24 * 60 * 60): "three days",
        .seconds(7 * 24 * 60 * 60): "seven days",
    ]

    /// `#` stands for the lifetime.
    @Test(arguments: [
        (MFASMS.codeLifetime, "docs/use/second-factors.md", "six digits and is valid for #"),
        (Identity.emailCodeLifetime, "docs/use/email-codes.md", "six digits and is valid for #"),
        (Identity.emailCodeLifetime, "Shared/LatchkeyAuth/Auth/Auth+EmailCodes.swift", "A code is valid for #"),
        (Passkey.ceremonyLifetime, "docs/use/passkeys.md", "valid for one response within #"),
        (Federation.browserSignInLifetime, "docs/use/browser-sign-in.md", "| more than #, another browser"),
        (Federation.browserSignInLifetime, "docs/use/providers-saml.md", "that started it, within #"),
        (Federation.browserSignInLifetime, "docs/use/rest-reference.md", "and within #"),
        (
            Federation.browserSignInLifetime, "Services/gateway/SignInPages/PracticePage.swift",
            "A sign-in is valid for #."
        ),
        (
            Identity.ActionPurpose.passwordReset.lifetime, "docs/use/rest-reference.md",
            "# for `PASSWORD_RESET` and `EMAIL_SIGNIN`"
        ),
        (Identity.ActionPurpose.verifyEmail.lifetime, "docs/use/rest-reference.md", ", # for verifications"),
        (Identity.ActionPurpose.recoverEmail.lifetime, "docs/use/rest-reference.md", ", # for undo links"),
        (
            Identity.InspectActionCode.LinkedProvider.recentPeriod,
            "Shared/Pages/Texts/PageTexts+English.swift", "In the last # these accounts"
        ),
    ])
    func documentsStateLifetimes(of lifetime: Duration, file: String, sentence: String) throws {
        let words = try #require(Self.spelled[lifetime], "\(lifetime) has no words here")
        let text = try String(contentsOf: SourceTree.root.appending(path: file), encoding: .utf8)
        #expect(text.contains(sentence.replacing("#", with: words)), "\(file): \(sentence)")
    }

    @Test func pagesOfEveryLanguageStateHowLongASignInLasts() throws {
        let minutes = Federation.browserSignInLifetime / .seconds(60)
        let ten: [String: String] = [
            "English": "ten minutes", "Spanish": "diez minutos", "Korean": "10분", "Thai": "สิบนาที",
            "German": "zehn Minuten", "French": "dix minutes", "Japanese": "10分", "Arabic": "عشر دقائق",
        ]
        #expect(minutes == 10, "the words below are those of ten minutes")
        for (language, words) in ten {
            let file = "Shared/Pages/Texts/PageTexts+\(language).swift"
            let text = try String(contentsOf: SourceTree.root.appending(path: file), encoding: .utf8)
            #expect(text.contains(words), "\(file)")
        }
    }
}
