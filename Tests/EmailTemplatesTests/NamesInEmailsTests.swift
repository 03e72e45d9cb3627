import Contracts
import Testing
import Vocabulary

@testable import EmailTemplates

/// E-mail clients link what resembles an address, also in plain text.
@Suite struct NamesInEmailsTests {
    @Test(arguments: [
        ("evil.example", "evil[.]example"), ("https://evil.example/x", "https[:]//evil[.]example/x"),
        ("Update at www.evil.co.uk now", "Update at www[.]evil[.]co[.]uk now"),
        ("http://localhost", "http[:]//localhost"),
        ("ada@evil.example", "ada@evil[.]example"), ("mailto:ada@x", "mailto[:]ada@x"), ("tel:+4915", "tel[:]+4915"),
        ("evil\u{3002}example", "evil[\u{3002}]example"), ("evil\u{FF0E}example", "evil[\u{FF0E}]example"),
        ("evil.xn--p1ai", "evil[.]xn--p1ai"), ("evil.\u{440}\u{444}", "evil[.]\u{440}\u{444}"),
        ("192.0.2.1/x", "192[.]0[.]2[.]1/x"),
    ]) func addressBecomesPlainText(name: String, shown: String) {
        #expect(name.withoutLinks == shown)
    }

    @Test(arguments: [
        "", "Ada", "St. Gallen", "J.R. Smith", "iPhone 15.2", "12:30", "Key: blue", "Dr. No.", "YubiKey 5.4.3", "...",
    ]) func otherNameIsUnchanged(name: String) {
        #expect(name.withoutLinks == name)
    }

    @Test(arguments: [Notifier.EmailPurpose.passkeyAdded, .passkeyRemoved], Language.allCases)
    func emailShowsNameWithoutLink(purpose: Notifier.EmailPurpose, language: Language) throws {
        var request = try sampleRequest(purpose, locale: language.rawValue)
        request.passkey = "Confirm at https://evil.example/login"
        request.displayName = "evil.example"
        let email = try EmailRenderer.render(request)
        for text in [email.subject, email.text, email.html] {
            #expect(!text.contains("evil.example") && !text.contains("https://evil"))
        }
        #expect(email.text.contains("https[:]//evil[.]example/login"))
        #expect(email.html.contains("https[:]//evil[.]example/login"))
    }
}
