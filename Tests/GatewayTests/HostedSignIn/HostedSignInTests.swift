import Contracts
import FoundationEssentials
import HTTPServer
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

@Suite struct HostedSignInTests {
    private typealias Pages = HostedSignInPages

    @Test func passwordOpensASessionAndLeadsToTheApplication() async throws {
        let browser = try HostedBrowser()
        let first = try await browser.get(Pages.path)
        let page = try #require(ReadPage(first))
        #expect(first.status == 200 && page.fields["token"] == browser.token)
        #expect(first.header("Content-Security-Policy")?.contains("form-action 'self'; frame-ancestors 'none'") == true)
        let second = try await browser.post(Pages.path, ["email": "ada@example.com"])
        #expect(second.status == 303)
        let asked = try await browser.follow(second)
        #expect(asked.text.contains("ada@example.com") && asked.text.contains("current-password"))
        let done = try await browser.post(Pages.passwordPath, ["password": "right"])
        #expect(try await browser.leaves(after: done))
        let cookie = try #require(done.http.headers.last { $0.name == "Set-Cookie" }?.value)
        #expect(cookie.hasPrefix("__Host-latchkey-session-") && cookie.contains("=refresh; Path=/; "))
        for attribute in ["HttpOnly", "Secure", "SameSite=Lax"] { #expect(cookie.contains("; \(attribute)")) }
        let again = try await browser.get(Pages.path)
        #expect(again.text.contains("Continue as ada@example.com"))
        #expect(try await browser.post(Pages.continuePath, [:], site: "cross-site").status == 403)
        #expect(try await browser.leaves(after: try await browser.post(Pages.continuePath, [:])))
    }

    /// Security rule EN1: the page says the same for an address without an account.
    @Test func wrongPasswordAndUnknownAddressLookAlike() async throws {
        var texts: [String] = []
        for email in ["ada@example.com", "eve@example.com"] {
            let browser = try HostedBrowser()
            try await browser.get(Pages.path)
            _ = try await browser.post(Pages.path, ["email": email])
            let refused = try await browser.post(Pages.passwordPath, ["password": "wrong"])
            #expect(refused.status == 400 && refused.text.contains("autofocus"))
            let token = try #require(browser.token)
            texts.append(refused.text.replacing(email, with: "").replacing(token, with: ""))
        }
        #expect(texts.first == texts.last)
    }

    /// What a script of a stranger sends as the response of an authenticator is refused like an unknown passkey, or as a
    /// malformed form.
    @Test(arguments: ["", "{}", "[]", "null", #"{"id":"x"}"#, #"{"id":"","response":{}}"#, #"{"id":1e999}"#, "\u{0}"])
    func malformedAuthenticatorResponseIsRefused(response: String) async throws {
        let browser = try HostedBrowser()
        try await browser.get(Pages.path)
        let refused = try await browser.post(Pages.passkeyPath, ["response": response])
        #expect(refused.status == 400)
        #expect(!browser.cookies.keys.contains { $0.contains("session") })
    }

    /// A passkey stands in for both factors.
    @Test(arguments: [true, false]) func secondStepOffersThePasskeysOfTheAccount(hasPasskeys: Bool) async throws {
        let browser = try HostedBrowser()
        let mesh = browser.harness.mesh
        mesh.reply(to: Passkey.DescribeRelyingParty.self) { _ in
            .init(
                relyingPartyID: "example.org", relatedOrigins: [], appleApps: [], androidApps: [], enrollURL: nil,
                manageURL: nil)
        }
        mesh.reply(to: Identity.ResolvePendingSignIn.self) { _ in
            .init(
                accountID: HostedBrowser.account.id, realm: HostedBrowser.account.realm,
                factors: HostedBrowser.factors, hasPasskeys: hasPasskeys ? true : nil,
                startedAt: Moment(milliseconds: 0), verification: .totp(windowSteps: 1))
        }
        try await browser.get(Pages.path)
        _ = try await browser.post(Pages.path, ["email": "ada@example.com"])
        let page = try await browser.follow(try await browser.post(Pages.passwordPath, ["password": "second"]))
        #expect(page.text.contains("data-start=\"byButton\"") == hasPasskeys)
        #expect(page.text.contains("hosted-passkey.js") == hasPasskeys)
        let refused = try await browser.post(Pages.codePath, ["code": "000000"])
        #expect(refused.status == 400 && refused.text.contains("byButton") == hasPasskeys)
    }

    @Test func secondFactorIsAskedFor() async throws {
        let browser = try HostedBrowser()
        try await browser.get(Pages.path)
        _ = try await browser.post(Pages.path, ["email": "ada@example.com"])
        let pending = try await browser.post(Pages.passwordPath, ["password": "second"])
        #expect(!browser.cookies.keys.contains { $0.contains("session") })
        let page = try await browser.follow(pending)
        #expect(page.text.contains("one-time-code") && page.text.contains("Use a recovery code"))
        #expect(!page.text.contains("pending"))
        let wrong = try await browser.post(Pages.codePath, ["code": "000000"])
        #expect(wrong.status == 400 && wrong.text.contains("That is not the code."))
        let done = try await browser.post(Pages.codePath, ["code": "123 456"])
        #expect(try await browser.leaves(after: done))
        #expect(browser.cookies.values.contains("refresh"))
    }

    /// The code of the app that was used last is asked for at once.
    @Test func lastFactorIsRemembered() async throws {
        let browser = try HostedBrowser()
        browser.harness.mesh.reply(to: Identity.ResolvePendingSignIn.self) { _ in
            let tablet = SecondFactor(
                id: FactorID("f0"), kind: .totp, displayName: nil, enrolledAt: Moment(milliseconds: 0))
            return .init(
                accountID: HostedBrowser.account.id, realm: HostedBrowser.account.realm,
                factors: [tablet] + HostedBrowser.factors, startedAt: Moment(milliseconds: 0),
                verification: .totp(windowSteps: 1))
        }
        try await browser.get(Pages.path)
        _ = try await browser.post(Pages.path, ["email": "ada@example.com"])
        let pending = try await browser.post(Pages.passwordPath, ["password": "second"])
        #expect(try await browser.follow(pending).text.contains("Confirm that it is you"))
        _ = try await browser.post(Pages.factorPath, ["factor": "f1"])
        #expect(try await browser.leaves(after: browser.post(Pages.codePath, ["code": "123456"])))
        // The session is gone, and the factor is still known.
        browser.cookies = browser.cookies.filter { $0.key.contains("-factor-") }
        try await browser.get(Pages.path)
        _ = try await browser.post(Pages.path, ["email": "ada@example.com"])
        let again = try await browser.post(Pages.passwordPath, ["password": "second"])
        #expect(try await browser.follow(again).text.contains("one-time-code"))
        _ = try await browser.post(Pages.codePath, ["code": "123456"])
        #expect(
            browser.harness.mesh.sent(MFATOTP.FinishSignIn.self).map(\.factorID) == [FactorID("f1"), FactorID("f1")])
    }

    @Test func signUpCreatesAnAccountAndVerifiesItsAddress() async throws {
        let browser = try HostedBrowser()
        browser.harness.mesh.reply(to: Identity.SignUp.self) { request in
            if request.email == "taken@example.com" { throw ServiceError(.emailExists) }
            if request.password == Secret("weak") {
                throw ServiceError(.weakPassword, unmetPasswordRequirements: [.atLeast(characters: 12)])
            }
            return .init(account: HostedBrowser.account, tokens: HostedBrowser.tokens)
        }
        browser.harness.mesh.reply(to: Identity.SendActionCode.self) { _ in throw ServiceError(.quotaExceeded) }
        try await browser.get(Pages.registerPath)
        let weak = try await browser.post(
            Pages.registerPath, ["email": "ada@example.com", "name": "<b>", "password": "weak"])
        #expect(weak.status == 400 && weak.text.contains("at least 12 characters") && weak.text.contains("&lt;b&gt;"))
        #expect(!weak.text.contains("\"weak\""))
        let taken = try await browser.post(Pages.registerPath, ["email": "taken@example.com", "password": "right"])
        #expect(taken.status == 400 && taken.text.contains("This address has an account already."))
        let done = try await browser.post(
            Pages.registerPath, ["email": "ada@example.com", "name": "", "password": "right"])
        // The account exists, although the e-mail could not be sent.
        #expect(done.status == 303 && browser.cookies.values.contains("refresh"))
        #expect(browser.harness.mesh.sent(Identity.SendActionCode.self).map(\.purpose) == [.verifyEmail])
    }

    @Test(arguments: [true, false]) func signOutEndsTheSession(everywhere: Bool) async throws {
        let browser = try HostedBrowser()
        browser.harness.mesh.reply(to: Identity.ListOwnSessions.self) { _ in
            .init(
                sessions: [true, false].map {
                    .init(
                        id: "\($0)", createdAt: Moment(milliseconds: 0), lastUsedAt: Moment(milliseconds: 0),
                        signInProvider: "password", isCurrent: $0)
                }, hasMore: false)
        }
        browser.harness.mesh.reply(to: Identity.EndOwnSessions.self) { _ in .init() }
        try await browser.get(Pages.path)
        _ = try await browser.post(Pages.path, ["email": "ada@example.com"])
        _ = try await browser.post(Pages.passwordPath, ["password": "right"])
        try await browser.get(Pages.path)
        let out = try await browser.post(Pages.logoutPath, everywhere ? ["everywhere": "1"] : [:])
        #expect(out.status == 200 && !browser.cookies.values.contains("refresh"))
        let ended = browser.harness.mesh.sent(Identity.EndOwnSessions.self).map(\.selection)
        #expect(ended == [everywhere ? .all : .listed(["true"])])
    }

    /// The answer is the same for an address without an account.
    @Test(arguments: ["link", "reset"]) func emailIsSent(purpose: String) async throws {
        let browser = try HostedBrowser()
        browser.harness.mesh.reply(to: Identity.SendActionCode.self) { _ in throw ServiceError(.emailNotFound) }
        try await browser.get(Pages.path)
        _ = try await browser.post(Pages.path, ["email": "ada@example.com"])
        let sent = try await browser.follow(try await browser.post(Pages.emailPath, ["purpose": purpose]))
        #expect(sent.status == 200 && sent.text.contains("Look into your mailbox"))
        let request = try #require(browser.harness.mesh.sent(Identity.SendActionCode.self).first)
        #expect(request.purpose == (purpose == "link" ? .emailSignIn : .passwordReset))
        #expect(request.settings.continueURL?.hasPrefix("https://auth.example.org/__/auth/login?apiKey=k&") == true)
    }

    @Test func linkOpensASessionInTheBrowserThatAskedForIt() async throws {
        let browser = try HostedBrowser()
        browser.harness.mesh.reply(to: Identity.SignInWithEmailLink.self) { request in
            guard request.email == "ada@example.com" else { throw ServiceError(.emailMismatch) }
            return .init(account: HostedBrowser.account, isNewAccount: false, tokens: HostedBrowser.tokens)
        }
        let link = HostedBrowser.query + "&mode=signIn&oobCode=c"
        let other = try await browser.get(Pages.path, link)
        #expect(other.text.contains("The address that the link was sent to."))
        let wrong = try await browser.post(Pages.linkPath, ["code": "c", "email": "eve@example.com"])
        #expect(wrong.status == 400 && browser.harness.mesh.sent(Identity.SignInWithEmailLink.self).count == 1)
        let done = try await browser.post(Pages.linkPath, ["code": "c", "email": "ada@example.com"])
        #expect(done.status == 303 && browser.cookies.values.contains("refresh"))
    }

    @Test func codeByEmailOpensASession() async throws {
        let browser = try HostedBrowser()
        browser.harness.mesh.reply(to: Identity.SendEmailCode.self) { _ in .init(sessionInfo: Secret("s")) }
        browser.harness.mesh.reply(to: Identity.SignInWithEmailCode.self) { request in
            guard request.sessionInfo == Secret("s"), request.code == Secret("027977") else {
                throw ServiceError(.invalidCode)
            }
            return .init(account: HostedBrowser.account, isNewAccount: false, tokens: HostedBrowser.tokens)
        }
        try await browser.get(Pages.path)
        _ = try await browser.post(Pages.path, ["email": "ada@example.com"])
        let asked = try await browser.follow(try await browser.post(Pages.emailPath, ["purpose": "code"]))
        #expect(asked.text.contains("We sent it to ada@example.com.") && asked.text.contains("one-time-code"))
        let wrong = try await browser.post(Pages.emailCodePath, ["code": "000000"])
        #expect(wrong.status == 400 && wrong.text.contains("That is not the code."))
        #expect(try await browser.leaves(after: browser.post(Pages.emailCodePath, ["code": "027 977"])))
        #expect(browser.cookies.values.contains("refresh"))
    }

    @Test func wayBackToAFormLeadsToTheSession() async throws {
        let browser = try HostedBrowser()
        try await browser.get(Pages.path)
        let old = browser.token
        _ = try await browser.post(Pages.path, ["email": "ada@example.com"])
        _ = try await browser.post(Pages.passwordPath, ["password": "right"])
        let again = try await browser.post(Pages.passwordPath, ["password": "wrong"], token: old)
        #expect(again.status == 303 && browser.harness.mesh.sent(Identity.SignInWithPassword.self).count == 1)
        #expect(try await browser.follow(again).text.contains("Continue as ada@example.com"))
    }

    // MARK: Attacks

    /// Security rules HT6 and HT7: neither another site nor a form of another browser signs somebody in here.
    @Test(arguments: ["cross-site", "same-site", "none"]) func formsOfOtherSitesAreRefused(site: String) async throws {
        let browser = try HostedBrowser()
        try await browser.get(Pages.path)
        #expect(try await browser.post(Pages.path, ["email": "ada@example.com"], site: site).status == 403)
        #expect(try await browser.post(Pages.logoutPath, [:], site: site).status == 403)
    }

    @Test func formsNeedTheTokenOfTheirVisit() async throws {
        let browser = try HostedBrowser()
        #expect(try await browser.post(Pages.passwordPath, ["password": "right"], token: "").status == 403)
        try await browser.get(Pages.path)
        for path in [Pages.path, Pages.passwordPath, Pages.registerPath, Pages.logoutPath, Pages.codePath] {
            #expect(try await browser.post(path, ["email": "a@b.c"], token: "other").status == 403, "\(path)")
        }
        #expect(browser.harness.mesh.sent(Identity.SignInWithPassword.self).isEmpty)
    }

    /// Security rule FE10.
    @Test(arguments: [
        "https%3A%2F%2Fevil.example%2F", "http%3A%2F%2Fapp.example.org%2F", "javascript%3Aalert(1)",
        "%2F%2Fevil.example",
        "https%3A%2F%2Fapp.example.org%40evil.example%2F",
    ])
    func otherAddressesAreRefused(address: String) async throws {
        let browser = try HostedBrowser()
        for path in [Pages.path, Pages.registerPath] {
            let response = try await browser.get(path, "apiKey=k&continueUrl=\(address)")
            #expect(response.status == 400 && !response.text.contains("evil") && browser.cookies.isEmpty)
        }
    }

    @Test func otherHostsAndKeysAreRefused() async throws {
        let browser = try HostedBrowser()
        #expect(try await browser.get(Pages.path, host: "evil.example").status == 400)
        #expect(try await browser.get(Pages.path, "apiKey=other").status == 400)
        #expect(try await browser.get(Pages.path, "").status == 400)
    }

    /// A session of one tenant opens none in another, even if its cookie was moved.
    @Test func sessionOfOtherRealmIsNone() async throws {
        let browser = try HostedBrowser()
        browser.harness.mesh.reply(to: Identity.LookUpOwnAccount.self) { _ in
            var account = HostedBrowser.account
            account.realm.tenant = TenantID("t2")
            return .init(account: account)
        }
        let cookie = HostedCookie(kind: .session, realm: Realm(project: ProjectID("shop")), isSecure: true)
            .field("refresh", seconds: 1).value.halves(at: ";").before.halves(at: "=")
        browser.cookies[String(cookie.before)] = cookie.behind.map(String.init)
        let response = try await browser.get(Pages.path)
        #expect(response.status == 200 && !response.text.contains("ada@example.com"))
    }

    /// A new visit gets another token after a sign-in (security rule TK10).
    @Test func tokenChangesWithTheSession() async throws {
        let browser = try HostedBrowser()
        try await browser.get(Pages.path)
        let before = browser.token
        _ = try await browser.post(Pages.path, ["email": "ada@example.com"])
        #expect(browser.token == before)
        _ = try await browser.post(Pages.passwordPath, ["password": "right"])
        try await browser.get(Pages.path)
        #expect(browser.token != nil && browser.token != before)
    }
}
