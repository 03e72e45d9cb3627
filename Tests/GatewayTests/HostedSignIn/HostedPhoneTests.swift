import Contracts
import FoundationEssentials
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// Phone numbers on the hosted sign-in.
@Suite struct HostedPhoneTests {
    private typealias Pages = HostedSignInPages

    private static let number = "+1 202 555 0101"
    private static let proof = ["challenge": "puzzle", "answer": "7", "number": number]

    private static func browser(
        _ change: @Sendable @escaping (inout ProjectConfiguration) -> Void = { _ in }
    ) throws -> HostedBrowser {
        let browser = try HostedBrowser()
        let mesh = browser.harness.mesh
        mesh.reply(to: Identity.ResolveConfiguration.self) { _ in
            var configuration = ProjectConfiguration()
            configuration.authorizedDomains = ["auth.example.org", "app.example.org"]
            configuration.signIn = .init()
            configuration.signIn?.email = .init()
            configuration.signIn?.email?.enabled = true
            configuration.signIn?.phoneNumber = .init()
            configuration.signIn?.phoneNumber?.enabled = true
            change(&configuration)
            return .init(configuration: configuration, projectNumber: "1", isDisabled: false)
        }
        mesh.reply(to: MFASMS.StartWebChallenge.self) { _ in
            .init(challenge: Secret("puzzle"), difficultyBits: 1)
        }
        mesh.reply(to: MFASMS.FinishWebChallenge.self) { _ in .init(token: Secret("proof")) }
        mesh.reply(to: MFASMS.StartPhoneSignIn.self) { request in
            guard request.phoneNumber == number else { throw ServiceError(.invalidPhoneNumber) }
            return .init(sessionInfo: Secret("sms"))
        }
        mesh.reply(to: MFASMS.FinishPhoneSignIn.self) { request in
            guard request.code == Secret("123456"), request.sessionInfo == Secret("sms") else {
                throw ServiceError(.invalidCode)
            }
            return .init(
                session: .init(account: HostedBrowser.account, tokens: HostedBrowser.tokens, isNewAccount: true))
        }
        return browser
    }

    @Test func codeOpensASession() async throws {
        let browser = try Self.browser()
        let first = try await browser.get(Pages.path)
        #expect(first.text.contains("E-mail address or phone number") && first.text.contains(#"type="text""#))
        // The browser has proved nothing yet, so nothing is sent.
        let check = try await browser.post(Pages.path, ["email": Self.number])
        #expect(check.status == 200 && check.text.contains("puzzle") && check.text.contains(Pages.phonePath))
        let mesh = browser.harness.mesh
        #expect(mesh.sent(MFASMS.StartPhoneSignIn.self).isEmpty)
        let sent = try await browser.post(Pages.phonePath, Self.proof)
        let request = try #require(mesh.sent(MFASMS.StartPhoneSignIn.self).first)
        #expect(request.appCredential.recaptchaToken == Secret("proof") && request.idToken == nil)
        let asked = try await browser.follow(sent)
        #expect(asked.text.contains("We sent it to \(Self.number).") && asked.text.contains("one-time-code"))
        let wrong = try await browser.post(Pages.phoneCodePath, ["code": "000000"])
        #expect(wrong.status == 400 && wrong.text.contains("That is not the code."))
        #expect(try await browser.leaves(after: browser.post(Pages.phoneCodePath, ["code": "123 456"])))
        #expect(mesh.sent(MFASMS.FinishPhoneSignIn.self).last?.intent == .signUpOrIn)
        #expect(browser.cookies.values.contains("refresh"))
    }

    @Test func secondStepFollows() async throws {
        let browser = try Self.browser()
        browser.harness.mesh.reply(to: MFASMS.FinishPhoneSignIn.self) { _ in
            .init(
                pending: .init(
                    account: HostedBrowser.account,
                    secondFactor: .init(
                        pendingCredential: Secret("pending"), factors: HostedBrowser.factors,
                        remainingRecoveryCodes: 0)))
        }
        try await browser.get(Pages.path)
        _ = try await browser.post(Pages.phonePath, Self.proof)
        let page = try await browser.follow(try await browser.post(Pages.phoneCodePath, ["code": "123456"]))
        #expect(page.text.contains("authenticator app") && !browser.cookies.values.contains("refresh"))
    }

    /// The service decides what is a number. The page decides which texts are meant as one.
    @Test(arguments: [
        ("+1 (202) 555-0101", true), ("0049.30/1234", true), ("+", false), ("", false), ("ada", false),
        ("ada@example.com", false), ("+1 202 555 0101 x", false), ("٠١٢٣", false),
    ])
    func numbersAreTold(text: String, isNumber: Bool) {
        #expect(Pages.isNumber(text) == isNumber)
    }

    @Test func otherTextsAreRefusedOnTheFirstPage() async throws {
        let browser = try Self.browser()
        try await browser.get(Pages.path)
        let refused = try await browser.post(Pages.path, ["email": "ada"])
        #expect(refused.status == 400 && refused.text.contains("or a number with its country code"))
        #expect(try await browser.post(Pages.path, ["email": "ada@example.com"]).status == 303)
    }

    @Test func refusedNumberSaysWhy() async throws {
        let browser = try Self.browser()
        try await browser.get(Pages.path)
        var fields = Self.proof
        fields["number"] = "202 555"
        let refused = try await browser.post(Pages.phonePath, fields)
        #expect(refused.status == 400 && refused.text.contains("with its country code"))
        #expect(refused.text.contains("202 555"))
    }

    /// Nobody learns what second factors the account of a number has, nor whether the project serves its region.
    @Test func numberThatCannotSignInGetsOneSentence() async throws {
        var texts: Set<String> = []
        for code in [WireError.Code.unsupportedFirstFactor, .operationNotAllowed] {
            let browser = try Self.browser()
            browser.harness.mesh.reply(to: MFASMS.StartPhoneSignIn.self) { _ in throw ServiceError(code) }
            try await browser.get(Pages.path)
            let refused = try await browser.post(Pages.phonePath, Self.proof)
            #expect(refused.status == 400 && refused.text.contains("No text message can be sent to this number."))
            texts.insert(refused.text.replacing(try #require(browser.token), with: ""))
        }
        #expect(texts.count == 1)
    }

    /// A number whose account may not sign in with it gets a code, as an unknown one does (security rule EN2). Who has read
    /// the code learns why.
    @Test func numberOfASecondFactorIsRefusedAfterItsCode() async throws {
        let browser = try Self.browser()
        let mesh = browser.harness.mesh
        mesh.reply(to: MFASMS.FinishPhoneSignIn.self) { _ in throw ServiceError(.unsupportedFirstFactor) }
        try await browser.get(Pages.path)
        let asked = try await browser.follow(try await browser.post(Pages.phonePath, Self.proof))
        #expect(asked.text.contains("one-time-code"))
        #expect(mesh.sent(MFASMS.StartPhoneSignIn.self).map(\.concealsAccount) == [true])
        let refused = try await browser.post(Pages.phoneCodePath, ["code": "123456"])
        #expect(refused.status == 400 && refused.text.contains("cannot be both the way to sign in and the second step"))
        #expect(!refused.text.contains("one-time-code") && !browser.cookies.values.contains("refresh"))
    }

    @Test func signUpLeadsToANumber() async throws {
        let browser = try Self.browser()
        let page = try await browser.get(Pages.registerPath)
        #expect(page.text.contains("Use a phone number") && page.text.contains("step=phone"))
        let number = try await browser.get(Pages.path, HostedBrowser.query + "&step=phone")
        #expect(number.text.contains(#"autocomplete="tel""#))
    }

    @Test func projectWithNumbersAloneTakesNoAddress() async throws {
        let browser = try Self.browser { $0.signIn?.email?.enabled = false }
        let page = try await browser.get(Pages.path)
        #expect(page.text.contains(#"type="tel""#) && !page.text.contains("E-mail address"))
        let refused = try await browser.post(Pages.path, ["email": "ada@example.com"])
        #expect(refused.status == 400 && refused.text.contains("Enter a number with its country code"))
    }

    /// A phone is a first factor only for the project's own users.
    @Test func tenantsAndOtherProjectsTakeNoNumber() async throws {
        let tenant = try Self.browser()
        let page = try await tenant.get(Pages.path, HostedBrowser.query + "&tenantId=t1")
        #expect(page.text.contains("E-mail address") && !page.text.contains("phone number"))
        let other = try HostedBrowser()
        try await other.get(Pages.path)
        #expect(try await other.post(Pages.path, ["email": Self.number]).status == 400)
    }
}
