import Contracts
import Pages
import Testing
import Vocabulary

@testable import GatewayService

@Suite struct ActionViewTests {
    @Test(arguments: Language.allCases) func everyPageStatesLanguageAndDirection(language: Language) throws {
        let email = try #require(EmailAddress("ada@example.com"))
        for purpose in Identity.ActionPurpose.allCases {
            let view = ActionView(
                link: ActionLinkQuery { ["lang": language.rawValue][$0] }, allTexts: language.pageTextSet)
            let action = Identity.InspectActionCode.Reply(
                purpose: purpose, email: email,
                signInMethods: .init(
                    hasPassword: true, hasEmailLink: true, providers: ["google.com"],
                    passkeys: ActionPageTests.passkeys),
                passkeys: ActionPageTests.passkeys)
            for page in [
                view.confirmationPage(for: action), view.completionPage(for: action),
                view.passwordForm(action, refusal: .init(unmetRequirements: [.hardToGuess])),
                view.rejected(email), view.recoveredWithoutPasskeys(action),
            ] {
                let read = try #require(ReadPage(TestResponse(page.response)))
                #expect(read.all("html") == [["lang": language.rawValue, "dir": language == .arabic ? "rtl" : "ltr"]])
            }
        }
    }
}
