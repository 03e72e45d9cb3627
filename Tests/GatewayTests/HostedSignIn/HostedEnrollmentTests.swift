import Contracts
import FoundationEssentials
import HTTPServer
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// Enrollment where a second factor is mandatory, and the offer of a passkey.
@Suite struct HostedEnrollmentTests {
    private typealias Pages = HostedSignInPages

    /// `{"firebase":{"second_factor_required":true}}`
    private static let enrollment = TokenSet(
        idToken: Secret("e30.eyJmaXJlYmFzZSI6eyJzZWNvbmRfZmFjdG9yX3JlcXVpcmVkIjp0cnVlfX0.c2ln"),
        refreshToken: Secret("enrollment"), expiresInSeconds: 900)

    /// A browser whose user must add a factor.
    private func browserBeforeEnrollment(isVerified: Bool) async throws -> HostedBrowser {
        let browser = try HostedBrowser()
        let mesh = browser.harness.mesh
        mesh.reply(to: Identity.SignInWithPassword.self) { _ in
            .init(account: HostedBrowser.account, tokens: Self.enrollment)
        }
        mesh.reply(to: Identity.RefreshSession.self) { request in
            guard request.refreshToken == Secret("enrollment") else { throw ServiceError(.invalidRefreshToken) }
            return .init(accountID: HostedBrowser.account.id, projectNumber: "1", tokens: Self.enrollment)
        }
        mesh.reply(to: Identity.LookUpOwnAccount.self) { _ in
            var account = HostedBrowser.account
            account.emailVerified = isVerified
            return .init(account: account)
        }
        mesh.reply(to: MFATOTP.StartEnrollment.self) { _ in
            .init(
                sharedSecretKey: Secret("ABCDEFGH"), digits: 6, hashingAlgorithm: "SHA1", periodSeconds: 30,
                sessionInfo: Secret("totp"), expiresAt: Moment(milliseconds: 0), keyURI: Secret("otpauth://totp/a"),
                qrCode: Secret("<svg></svg>"))
        }
        mesh.reply(to: MFATOTP.FinishEnrollment.self) { request in
            #expect(request.displayName == "Authenticator app")
            guard request.code == Secret("123456"), request.sessionInfo == Secret("totp") else {
                throw ServiceError(.invalidCode)
            }
            return .init(account: HostedBrowser.account, tokens: HostedBrowser.tokens)
        }
        mesh.reply(to: Identity.GenerateRecoveryCodes.self) { request in
            #expect(request.idToken == HostedBrowser.tokens.idToken)
            return .init(codes: [Secret("fanr-vqqw-ewhm")])
        }
        try await browser.get(Pages.path)
        _ = try await browser.post(Pages.path, ["email": "ada@example.com"])
        return browser
    }

    @Test func mandatoryFactorIsAddedBeforeTheSessionOpens() async throws {
        let browser = try await browserBeforeEnrollment(isVerified: true)
        let page = try await browser.follow(try await browser.post(Pages.passwordPath, ["password": "right"]))
        #expect(!browser.cookies.keys.contains { $0.contains("-session-") })
        #expect(page.text.contains("<svg></svg>") && page.text.contains("ABCDEFGH"))
        // Nothing but the enrollment is open.
        let other = try await browser.get(Pages.path)
        #expect(!other.text.contains("Continue as"))
        let wrong = try await browser.post(Pages.enrollPath, ["session": "totp", "code": "000000"])
        #expect(
            wrong.status == 400 && wrong.text.contains("That is not the code.") && !wrong.text.contains("<svg></svg>"))
        let codes = try await browser.post(Pages.enrollPath, ["session": "totp", "code": "123 456"])
        #expect(codes.status == 200 && codes.text.contains("fanr-vqqw-ewhm") && codes.text.contains("step=done"))
        #expect(browser.cookies.values.contains("refresh"))
        #expect(codes.header("Cache-Control") == "no-store")
    }

    @Test func addressIsVerifiedBeforeAFactorIsAdded() async throws {
        let browser = try await browserBeforeEnrollment(isVerified: false)
        let mesh = browser.harness.mesh
        mesh.reply(to: Identity.SendEmailCode.self) { _ in .init(sessionInfo: Secret("s")) }
        mesh.reply(to: Identity.VerifyEmailWithCode.self) { request in
            guard request.code == Secret("027977"), request.sessionInfo == Secret("s") else {
                throw ServiceError(.invalidCode)
            }
            return .init(account: HostedBrowser.account)
        }
        let first = try await browser.follow(try await browser.post(Pages.passwordPath, ["password": "right"]))
        #expect(first.text.contains("Verify your address first") && mesh.sent(MFATOTP.StartEnrollment.self).isEmpty)
        let asked = try await browser.follow(try await browser.post(Pages.enrollEmailPath, [:]))
        #expect(asked.text.contains("one-time-code"))
        #expect(mesh.sent(Identity.SendEmailCode.self).map(\.purpose) == [.verifyEmail])
        #expect(try await browser.post(Pages.enrollEmailPath, ["code": "000000"]).status == 400)
        #expect(try await browser.post(Pages.enrollEmailPath, ["code": "027977"]).status == 303)
    }

    /// - Parameter providers: that the project names besides text messages.
    private func replies(_ browser: HostedBrowser, _ providers: [ProjectConfiguration.MultiFactor.ProviderConfig]) {
        let mesh = browser.harness.mesh
        mesh.reply(to: Identity.ResolveConfiguration.self) { _ in
            var configuration = ProjectConfiguration()
            configuration.authorizedDomains = ["auth.example.org", "app.example.org"]
            configuration.signIn = .init()
            configuration.signIn?.email = .init()
            configuration.signIn?.email?.enabled = true
            configuration.mfa = .init()
            configuration.mfa?.state = .mandatory
            configuration.mfa?.enabledProviders = [.phoneSMS]
            configuration.mfa?.providerConfigs = providers
            return .init(configuration: configuration, projectNumber: "1", isDisabled: false)
        }
        mesh.reply(to: MFASMS.FinishWebChallenge.self) { _ in .init(token: Secret("proof")) }
        mesh.reply(to: MFASMS.StartEnrollment.self) { request in
            #expect(request.idToken == Self.enrollment.idToken)
            guard request.phoneNumber == "+12025550123" else { throw ServiceError(.invalidPhoneNumber) }
            return .init(sessionInfo: Secret("sms"))
        }
        mesh.reply(to: MFASMS.FinishEnrollment.self) { request in
            guard request.code == Secret("123456"), request.sessionInfo == Secret("sms") else {
                throw ServiceError(.invalidCode)
            }
            return .init(
                account: HostedBrowser.account, tokens: HostedBrowser.tokens,
                phoneNumber: try #require(PhoneNumber("+12025550123")))
        }
    }

    @Test func phoneIsAddedWhereTextMessagesAreTheOnlyFactor() async throws {
        let browser = try await browserBeforeEnrollment(isVerified: true)
        replies(browser, [])
        let start = try await browser.follow(try await browser.post(Pages.passwordPath, ["password": "right"]))
        let page = try await browser.follow(start)
        #expect(page.text.contains("autocomplete=\"tel\"") && !page.text.contains("authenticator app"))
        #expect(browser.harness.mesh.sent(MFATOTP.StartEnrollment.self).isEmpty)
        let proof = ["challenge": "c", "answer": "a"]
        let refused = try await browser.post(Pages.enrollPhonePath, proof.merging(["number": "555"]) { $1 })
        #expect(refused.status == 400 && refused.text.contains("with its country code"))
        let number = ["number": "+12025550123"]
        #expect(try await browser.post(Pages.enrollPhonePath, proof.merging(number) { $1 }).status == 303)
        let asked = try await browser.get(Pages.path, HostedBrowser.query + "&step=enrollPhoneCode")
        #expect(asked.text.contains("We sent it to +12025550123.") && asked.text.contains("one-time-code"))
        #expect(try await browser.post(Pages.enrollPhoneCodePath, ["code": "000000"]).status == 400)
        #expect(!browser.cookies.values.contains("refresh"))
        let codes = try await browser.post(Pages.enrollPhoneCodePath, ["code": "123 456"])
        #expect(codes.text.contains("fanr-vqqw-ewhm") && browser.cookies.values.contains("refresh"))
    }

    @Test func eachKindOfFactorLeadsToTheOther() async throws {
        let browser = try await browserBeforeEnrollment(isVerified: true)
        var app = ProjectConfiguration.MultiFactor.ProviderConfig()
        app.state = .enabled
        app.totpProviderConfig = .init()
        replies(browser, [app])
        let page = try await browser.follow(try await browser.post(Pages.passwordPath, ["password": "right"]))
        #expect(page.text.contains("ABCDEFGH") && page.text.contains("step=enrollPhone"))
        let other = try await browser.get(Pages.path, HostedBrowser.query + "&step=enrollPhone")
        #expect(other.text.contains("Use an authenticator app") && other.text.contains("step=enroll\""))
    }

    /// The token of an enrollment in the cookie of the session opens none.
    @Test func enrollmentIsNoSession() async throws {
        let browser = try await browserBeforeEnrollment(isVerified: true)
        let cookie = HostedCookie(kind: .session, realm: Realm(project: ProjectID("shop")), isSecure: true)
            .field("enrollment", seconds: 1).value.halves(at: ";").before.halves(at: "=")
        browser.cookies[String(cookie.before)] = cookie.behind.map(String.init)
        #expect(try await !browser.get(Pages.path).text.contains("Continue as"))
    }

    // MARK: Passkeys

    private static let options = Passkey.StartEnrollment.Reply(
        relyingPartyID: "example.org", relyingPartyName: "Shop", userHandle: OctetString([1]), userName: "ada",
        userDisplayName: "Ada", challenge: Secret(OctetString([2])), algorithms: [-7], timeoutMilliseconds: 1000,
        excludedCredentials: [], userVerification: .required, attestation: .none)

    /// A browser after a sign-in with a password.
    private func browserAfterPassword(
        deviceHasPasskeys: Bool = true
    ) async throws -> (browser: HostedBrowser, done: TestResponse) {
        let browser = try HostedBrowser()
        browser.harness.mesh.reply(to: Passkey.DescribeRelyingParty.self) { _ in
            .init(
                relyingPartyID: "example.org", relatedOrigins: [], appleApps: [], androidApps: [], enrollURL: nil,
                manageURL: nil)
        }
        browser.harness.mesh.reply(to: Passkey.StartEnrollment.self) { _ in Self.options }
        try await browser.get(Pages.path)
        _ = try await browser.post(
            Pages.path, ["email": "ada@example.com", "passkeys": deviceHasPasskeys ? "1" : ""])
        return (browser, try await browser.post(Pages.passwordPath, ["password": "right"]))
    }

    @Test func passkeyIsOfferedAndCanBeSkipped() async throws {
        let (browser, done) = try await browserAfterPassword()
        let offer = try await browser.follow(done)
        #expect(offer.text.contains("Not now") && offer.text.contains("data-options"))
        // This device, and also without asking.
        #expect(offer.text.contains("client-device") && offer.text.contains("data-unasked"))
        #expect(
            browser.harness.mesh.sent(Passkey.StartEnrollment.self).map(\.isConditional).sorted { !$0 && $1 }
                == [false, true])
        #expect(browser.cookies.values.contains("refresh"))
        #expect(try await browser.leaves(after: browser.post(Pages.addPasskeyPath, ["skip": "1"])))
        let skipped = try #require(browser.cookies.first { $0.key.contains("-passkey-offer-") })
        // Not asked again.
        let (other, _) = try await browserAfterPassword()
        other.cookies = [skipped.key: skipped.value]
        try await other.get(Pages.path, HostedBrowser.query + "&prompt=login")
        _ = try await other.post(Pages.path, ["email": "ada@example.com", "passkeys": "1"])
        #expect(try await other.leaves(after: other.post(Pages.passwordPath, ["password": "right"])))
    }

    @Test func passkeyIsNotOfferedWhereTheDeviceHasNone() async throws {
        let (browser, done) = try await browserAfterPassword(deviceHasPasskeys: false)
        #expect(try await browser.leaves(after: done))
    }

    /// A refusal is said on the page, and the user can still go on.
    @Test func refusedPasskeyIsOfferedAgain() async throws {
        let (browser, done) = try await browserAfterPassword()
        _ = try await browser.follow(done)
        browser.harness.mesh.reply(to: Passkey.FinishEnrollment.self) { _ in
            throw ServiceError(.invalidAuthenticatorResponse)
        }
        let response = """
            {"id":"AQ","type":"public-key","response":{"clientDataJSON":"AQ","attestationObject":"AQ"}}
            """
        let refused = try await browser.post(Pages.addPasskeyPath, ["response": response])
        #expect(
            refused.status == 400 && refused.text.contains("That did not work.") && refused.text.contains("Not now"))
        #expect(!refused.text.contains("data-unasked"))
    }
}
