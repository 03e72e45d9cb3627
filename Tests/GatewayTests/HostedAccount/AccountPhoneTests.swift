import Contracts
import FoundationEssentials
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// Phone numbers and names of second factors on the account page.
@Suite struct AccountPhoneTests {
    private typealias Pages = AccountPages

    private static let number = "+1 202 555 0101"

    /// At the account page of a project with phone sign-in and text messages.
    private static func browser(_ change: (inout Account) throws -> Void = { _ in }) throws -> HostedBrowser {
        let browser = try HostedAccountTests.browser(change)
        let mesh = browser.harness.mesh
        mesh.reply(to: Identity.ResolveConfiguration.self) { _ in
            var configuration = ProjectConfiguration()
            configuration.authorizedDomains = ["auth.example.org", "app.example.org"]
            configuration.signIn = .init()
            configuration.signIn?.phoneNumber = .init()
            configuration.signIn?.phoneNumber?.enabled = true
            configuration.mfa = .init()
            configuration.mfa?.state = .enabled
            configuration.mfa?.enabledProviders = [.phoneSMS]
            return .init(configuration: configuration, projectNumber: "1", isDisabled: false)
        }
        mesh.reply(to: MFASMS.StartWebChallenge.self) { _ in
            .init(challenge: Secret("puzzle"), difficultyBits: 1)
        }
        mesh.reply(to: MFASMS.FinishWebChallenge.self) { request in
            guard request.challenge == Secret("puzzle"), request.answer == "7" else {
                throw ServiceError(.captchaCheckFailed)
            }
            return .init(token: Secret("proof"))
        }
        mesh.reply(to: MFASMS.StartEnrollment.self) { _ in .init(sessionInfo: Secret("sms")) }
        mesh.reply(to: MFASMS.StartPhoneSignIn.self) { _ in .init(sessionInfo: Secret("sms")) }
        return browser
    }

    private static let proof = ["challenge": "puzzle", "answer": "7", "number": number]

    // MARK: Text messages as a second factor

    @Test func phoneIsEnrolledWithANameAndBringsRecoveryCodes() async throws {
        let browser = try Self.browser()
        let mesh = browser.harness.mesh
        mesh.reply(to: MFASMS.FinishEnrollment.self) { request in
            guard request.code == Secret("123456"), request.sessionInfo == Secret("sms") else {
                throw ServiceError(.invalidCode)
            }
            return .init(
                account: HostedBrowser.account, tokens: HostedAccountTests.tokens,
                phoneNumber: try #require(PhoneNumber("+12025550101")))
        }
        let task = Pages.PhoneTask.secondFactor
        #expect(try await browser.get(Pages.securityPath).text.contains(task.path))
        let page = try await browser.get(task.path)
        #expect(page.text.contains(#"autocomplete="tel""#) && page.text.contains("signed out on all other devices"))
        // The browser has proved nothing yet, so nothing is sent.
        let check = try await browser.post(task.path, ["number": Self.number])
        #expect(check.status == 200 && check.text.contains("puzzle") && check.text.contains(Self.number))
        #expect(mesh.sent(MFASMS.StartEnrollment.self).isEmpty)
        let sent = try await browser.post(task.path, Self.proof)
        let request = try #require(mesh.sent(MFASMS.StartEnrollment.self).first)
        #expect(request.phoneNumber == Self.number && request.appCredential.recaptchaToken == Secret("proof"))
        let code = try await browser.follow(sent)
        #expect(code.text.contains("We sent it to \(Self.number).") && code.text.contains("one-time-code"))
        let wrong = try await browser.post(task.codePath, ["code": "000000", "name": "Old phone"])
        #expect(wrong.status == 400 && wrong.text.contains("That is not the code.") && wrong.text.contains("Old phone"))
        let done = try await browser.post(task.codePath, ["code": "123 456", "name": "Old phone"])
        #expect(try HostedAccountTests.location(done).hasPrefix(Pages.recoveryCodesPath))
        #expect(mesh.sent(MFASMS.FinishEnrollment.self).last?.displayName == "Old phone")
        #expect(browser.cookies.values.contains("next"))
    }

    /// The button for another code sends it to the same number.
    @Test func codeIsSentAgainToTheSameNumber() async throws {
        let browser = try Self.browser()
        let task = Pages.PhoneTask.secondFactor
        try await browser.get(task.path)
        _ = try await browser.post(task.path, Self.proof)
        let check = try await browser.post(task.path, [:])
        #expect(check.text.contains(Self.number))
        _ = try await browser.post(task.path, ["challenge": "puzzle", "answer": "7"])
        let numbers = browser.harness.mesh.sent(MFASMS.StartEnrollment.self).map(\.phoneNumber)
        #expect(numbers == [Self.number, Self.number])
    }

    @Test(arguments: [
        (WireError.Code.invalidPhoneNumber, "Enter a number with its country code"),
        (.operationNotAllowed, "No text message can be sent"), (.unsupportedFirstFactor, "cannot be both"),
        (.factorExists, "one of your second steps already"), (.tooManyFactors, "as many second steps as"),
        (.firstFactorNotEligible, "has no second step"),
    ])
    func refusedNumberSaysWhy(code: WireError.Code, sentence: String) async throws {
        let browser = try Self.browser()
        browser.harness.mesh.reply(to: MFASMS.StartEnrollment.self) { _ in throw ServiceError(code) }
        let task = Pages.PhoneTask.secondFactor
        try await browser.get(task.path)
        let refused = try await browser.post(task.path, Self.proof)
        #expect(refused.status == 400 && refused.text.contains(sentence) && refused.text.contains(Self.number))
    }

    @Test func unverifiedAddressIsConfirmedFirst() async throws {
        let browser = try Self.browser()
        browser.harness.mesh.reply(to: MFASMS.StartEnrollment.self) { _ in throw ServiceError(.unverifiedEmail) }
        let task = Pages.PhoneTask.secondFactor
        try await browser.get(task.path)
        let refused = try await browser.post(task.path, Self.proof)
        #expect(refused.text.contains("Confirm your e-mail address first"))
    }

    @Test(arguments: Pages.PhoneTask.allCases) func oldSignInIsRepeated(task: AccountPages.PhoneTask) async throws {
        let browser = try Self.browser()
        browser.harness.mesh.reply(to: MFASMS.StartEnrollment.self) { _ in throw ServiceError(.recentSignInRequired) }
        browser.harness.mesh.reply(to: MFASMS.StartPhoneSignIn.self) { _ in throw ServiceError(.secondFactorRequired) }
        try await browser.get(task.path)
        let location = try HostedAccountTests.location(try await browser.post(task.path, Self.proof))
        #expect(location.contains("prompt=login") && location.contains(PercentEncoding.encoded(task.path)))
    }

    @Test func factorIsRenamed() async throws {
        let browser = try Self.browser { $0.secondFactors = HostedBrowser.factors }
        browser.harness.mesh.reply(to: Identity.CountRecoveryCodes.self) { _ in .init(remaining: 2) }
        #expect(try await browser.get(Pages.securityPath).text.contains(Pages.factorNamePath))
        let page = try await browser.get(Pages.factorNamePath, HostedBrowser.query + "&id=f1")
        #expect(page.text.contains("Name of the second step"))
        let done = try await browser.post(Pages.factorNamePath, ["id": "f1", "name": "Work"])
        #expect(try HostedAccountTests.location(done).hasSuffix("&done=saved"))
        let change = browser.harness.mesh.sent(Identity.UpdateOwnAccount.self).first?.changes.renamedFactor
        #expect(change == .init(id: FactorID("f1"), name: "Work"))
        let other = try Self.browser { $0.secondFactors = HostedBrowser.factors }
        other.harness.mesh.reply(to: Identity.UpdateOwnAccount.self) { _ in throw ServiceError(.invalidDisplayName) }
        try await other.get(Pages.factorNamePath, HostedBrowser.query + "&id=f1")
        let refused = try await other.post(Pages.factorNamePath, ["id": "f1", "name": " "])
        #expect(refused.status == 400 && refused.text.contains("at most 128 characters"))
    }

    // MARK: The number for sign-in

    @Test(arguments: [nil, "+12025550199"]) func numberIsAddedOrChanged(former: String?) async throws {
        let browser = try Self.browser { $0.phoneNumber = former.flatMap(PhoneNumber.init) }
        let mesh = browser.harness.mesh
        mesh.reply(to: MFASMS.FinishPhoneSignIn.self) { _ in
            .init(
                session: .init(
                    account: HostedBrowser.account, tokens: HostedAccountTests.tokens, isNewAccount: false))
        }
        let task = Pages.PhoneTask.signIn
        #expect(try await browser.get(Pages.path).text.contains(task.path))
        let page = try await browser.get(task.path)
        #expect(page.text.contains(former == nil ? "Add a phone number" : "Change the phone number"))
        let sent = try await browser.post(task.path, Self.proof)
        // Identity checks the session before the message costs something.
        #expect(mesh.sent(MFASMS.StartPhoneSignIn.self).map(\.idToken) == [HostedBrowser.tokens.idToken])
        #expect(try await browser.follow(sent).status == 200)
        let done = try await browser.post(task.codePath, ["code": "123456"])
        #expect(try HostedAccountTests.location(done).hasSuffix("&done=saved"))
        let request = try #require(mesh.sent(MFASMS.FinishPhoneSignIn.self).last)
        #expect(request.intent == (former == nil ? .link : .update) && request.idToken == HostedBrowser.tokens.idToken)
    }

    @Test func numberOfAnotherAccountIsRefusedInWords() async throws {
        let browser = try Self.browser()
        browser.harness.mesh.reply(to: MFASMS.FinishPhoneSignIn.self) { _ in
            .init(
                conflict: .init(
                    phoneNumber: try #require(PhoneNumber("+12025550101")), temporaryProof: Secret("proof"),
                    expiresInSeconds: 1))
        }
        let task = Pages.PhoneTask.signIn
        try await browser.get(task.path)
        _ = try await browser.post(task.path, Self.proof)
        let refused = try await browser.post(task.codePath, ["code": "123456"])
        #expect(refused.status == 400 && refused.text.contains("belongs to another account"))
    }

    @Test func codeNeedsANumber() async throws {
        let browser = try Self.browser()
        try await browser.get(Pages.path)
        for task in Pages.PhoneTask.allCases {
            let location = try HostedAccountTests.location(try await browser.get(task.codePath))
            #expect(location.hasPrefix(task.path + "?"))
            let posted = try HostedAccountTests.location(try await browser.post(task.codePath, ["code": "1"]))
            #expect(posted.hasPrefix(task.path + "?"))
        }
    }

    @Test func onlyWayInIsKept() async throws {
        let number = PhoneNumber("+12025550101")
        let browser = try Self.browser {
            $0.phoneNumber = number
            $0.hasPassword = false
        }
        let query = HostedBrowser.query + "&kind=phone"
        #expect(try await browser.get(Pages.removalPath, query).text.contains("This is the only way to sign in"))
        let other = try Self.browser { $0.phoneNumber = number }
        #expect(try await other.get(Pages.removalPath, query).text.contains("Remove the phone number"))
        let done = try await other.post(Pages.removalPath, ["kind": "phone"])
        #expect(try HostedAccountTests.location(done).hasSuffix("&done=removed"))
        let removals = other.harness.mesh.sent(Identity.UpdateOwnAccount.self).flatMap(\.changes.removals)
        #expect(removals == [.phoneNumber])
    }

    /// Tenants have no phone sign-in.
    @Test func numberIsNotOfferedWhereNobodySignsInWithOne() async throws {
        let browser = try HostedAccountTests.browser()
        #expect(try await !browser.get(Pages.path).text.contains("Phone number"))
    }
}
