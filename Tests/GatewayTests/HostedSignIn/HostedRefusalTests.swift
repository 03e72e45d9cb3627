import Contracts
import Pages
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// The sentences of the hosted pages for errors of services.
@Suite struct HostedRefusalTests {
    @Test(arguments: Language.allCases) func everyErrorHasASentence(language: Language) {
        for code in WireError.Code.allCases {
            let refusal = HostedRefusal(code)
            let message = refusal.message(in: language.pageTextSet)
            #expect(!message.title.isEmpty && !message.body.isEmpty, "\(code)")
            #expect(refusal.sentence(in: language.pageTextSet)?.isEmpty != true, "\(code)")
            // Nobody reads the name of an error.
            if code.rawValue.contains(where: \.isUppercase) {
                #expect(!message.body.contains(code.rawValue), "\(code)")
            }
        }
    }

    @Test func everyRefusalHasItsErrors() {
        #expect(Set(WireError.Code.allCases.map { HostedRefusal($0) }) == Set(HostedRefusal.allCases))
    }

    /// Security rule EN1.
    @Test func wrongPasswordAndUnknownAddressAreOneRefusal() {
        let codes: [WireError.Code] = [.invalidCredentials, .invalidPassword, .emailNotFound]
        #expect(Set(codes.map { HostedRefusal($0) }) == [.wrongCredentials])
    }

    /// What the server caused is not said to be the fault of the form.
    @Test(arguments: [
        (WireError.Code.tooManyAttempts, 429), (.quotaExceeded, 429), (.unavailable, 503), (.providerUnavailable, 503),
        (.internal, 500), (.configurationConflict, 500), (.accountDisabled, 400), (.invalidRequest, 400),
        (.blockingFunctionError, 400),
    ])
    func statusFollowsTheCause(code: WireError.Code, status: Int) {
        #expect(
            HostedRefusal(code).status == status
                && HostedRefusal(code).sentence(in: Language.english.pageTextSet) == nil)
    }

    /// Errors that the first sets of the pages had forgotten.
    @Test(arguments: [
        (WireError.Code.captchaCheckFailed, 400, Language.english.pageTexts.appVerification.failed),
        (.accountNotFound, 400, Language.english.pageTexts.providerSignIn.expired.body),
        (.tooManyEnrollmentAttempts, 429, Language.english.pageTexts.tooManyAttempts.body),
    ])
    func passwordPageSaysIt(code: WireError.Code, status: Int, sentence: String) async throws {
        let browser = try HostedBrowser()
        browser.harness.mesh.reply(to: Identity.SignInWithPassword.self) { _ in throw ServiceError(code) }
        try await browser.get(HostedSignInPages.path)
        _ = try await browser.post(HostedSignInPages.path, ["email": "ada@example.com"])
        let refused = try await browser.post(HostedSignInPages.passwordPath, ["password": "right"])
        #expect(refused.status == status)
        #expect(try #require(ReadPage(refused)).text.contains(sentence))
    }
}
