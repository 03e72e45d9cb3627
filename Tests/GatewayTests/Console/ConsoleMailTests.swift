import Contracts
import JSON
import Pages
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// The texts of e-mails and pages at the console.
@Suite struct ConsoleMailTests {
    private static let path = "/console/projects/shop/settings"
    private static let german = ["area": "mail.resetPassword.de", "revision": "3"]

    @Test func everySubjectHasANameOfItsOwn() {
        for owner in SettingsOwner.allCases {
            let subjects = SettingSubject.all(of: owner)
            #expect(subjects.allSatisfy { SettingSubject($0.name) == $0 })
            #expect(Set(subjects.map(\.name)).count == subjects.count)
            #expect(Set(subjects.map { $0.texts(Language.english.settingTexts).label }).count == subjects.count)
        }
        for name in ["mail", "mail.other", "mail.resetPassword.xx", "pages", "pages.xx", "mail.resetPassword.de.x", ""]
        {
            #expect(SettingSubject(name) == nil, "\(name)")
        }
    }

    @Test func textIsShownInItsLanguageBeforeItIsSaved() async throws {
        let browser = try ConsoleBrowser([.init(role: .administrator)])
        let built = try await browser.get(Self.path, "area=mail.resetPassword.de")
        #expect(built.text.contains("Setzen Sie") || built.text.contains("Passwort"))
        let form = Self.german.merging(["subject": "Neues Passwort", "body": "Hier: %LINK%"]) { $1 }
        let review = try await browser.post("\(Self.path)/review", form)
        #expect(review.text.contains("Neues Passwort") && review.text.contains("Hier: https://example.com/action"))
        let broken = try await browser.post("\(Self.path)/review", Self.german.merging(["body": "Hier"]) { $1 })
        #expect(broken.text.contains("The body must hold %LINK%."))
    }

    @Test func savedTextBelongsToItsLanguage() async throws {
        let browser = try ConsoleBrowser([.init(role: .administrator)])
        browser.harness.mesh.reply(to: Identity.ReplaceConfiguration.self) { request in
            let template = request.configuration.notification?.sendEmail?.resetPasswordTemplate
            #expect(template?.subject == nil && template?.translations?["de"]?.subject == "Neues Passwort")
            return .init(configuration: request.configuration, revision: 4, projectNumber: "1")
        }
        let form = Self.german.merging(["subject": "Neues Passwort", "isHTML": ""]) { $1 }
        #expect(try await browser.post("\(Self.path)/save", form).status == 303)
    }

    /// The text of a project runs nothing and leads nowhere.
    @Test func mailIsShownWithoutScripts() async throws {
        let browser = try ConsoleBrowser([.init(role: .viewer)])
        let page = try await browser.get("\(Self.path)/mail", "area=mail.resetPassword.de")
        #expect(page.status == 200 && page.text.contains("https://example.com/action"))
        #expect(page.header("Content-Security-Policy")?.contains("sandbox") == true)
        #expect(try await browser.get("\(Self.path)/mail", "area=passwords").status == 404)
    }
}
