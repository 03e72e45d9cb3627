import Contracts
import HTTPServer
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// The box that remembers a device at the second step, and what the pages send to identity.
@Suite struct HostedRememberedDeviceTests {
    private typealias Pages = HostedSignInPages

    /// A browser in a project that remembers devices. Identity knows the device of the secret `device`.
    private static func browser(days: Int = 30) throws -> HostedBrowser {
        let browser = try HostedBrowser()
        browser.harness.mesh.reply(to: Identity.ResolveConfiguration.self) { _ in
            var configuration = ProjectConfiguration()
            configuration.authorizedDomains = ["auth.example.org", "app.example.org"]
            configuration.signIn = .init()
            configuration.signIn?.email = .init()
            configuration.signIn?.email?.enabled = true
            configuration.mfa = .init()
            configuration.mfa?.rememberedDeviceDays = days
            return .init(configuration: configuration, projectNumber: "1", isDisabled: false)
        }
        browser.harness.mesh.reply(to: Identity.RememberDevice.self) { _ in
            .init(secret: Secret("device"), expiresAt: Moment(milliseconds: 1))
        }
        browser.harness.mesh.reply(to: Identity.SignInWithRememberedDevice.self) { request in
            guard request.secrets.contains(Secret("device")) else { throw ServiceError(.secondFactorRequired) }
            return .init(account: HostedBrowser.account, tokens: HostedBrowser.tokens)
        }
        browser.harness.mesh.reply(to: Identity.ListOwnSessions.self) { _ in .init(sessions: [], hasMore: false) }
        return browser
    }

    /// Signs in with the password of an account that has a second factor.
    private static func signIn(_ browser: HostedBrowser, query: String = HostedBrowser.query) async throws
        -> TestResponse
    {
        try await browser.get(Pages.path, query)
        _ = try await browser.post(Pages.path, ["email": "ada@example.com"])
        return try await browser.post(Pages.passwordPath, ["password": "second"])
    }

    private static func devices(_ browser: HostedBrowser) -> String? {
        browser.cookies.first { $0.key.hasPrefix("__Host-latchkey-devices-") }?.value
    }

    @Test func rememberedDeviceIsNotAsked() async throws {
        let browser = try Self.browser()
        let asked = try await browser.follow(try await Self.signIn(browser))
        #expect(asked.text.contains("Remember this device for 30 days"))
        let wrong = try await browser.post(Pages.codePath, ["code": "000000", "remember": "1"])
        #expect(wrong.status == 400 && wrong.text.contains(#"checked="checked""#))
        let done = try await browser.post(Pages.codePath, ["code": "123456", "remember": "1"])
        #expect(try await browser.leaves(after: done))
        #expect(Self.devices(browser) == "device")
        let field = try #require(done.http.headers.first { $0.value.contains("-devices-") }?.value)
        for attribute in ["Path=/", "Max-Age=2592000", "HttpOnly", "SameSite=Lax", "Secure"] {
            #expect(field.contains("; \(attribute)"), "\(attribute)")
        }
        let token = browser.harness.mesh.sent(Identity.RememberDevice.self).map(\.idToken)
        #expect(token == [HostedBrowser.tokens.idToken])
        // The session is gone, and the device is still known.
        browser.cookies = browser.cookies.filter { $0.key.contains("-devices-") }
        #expect(try await browser.leaves(after: try await Self.signIn(browser)))
        #expect(browser.cookies.values.contains("refresh"))
        #expect(browser.harness.mesh.sent(MFATOTP.FinishSignIn.self).count == 2)
    }

    @Test func deviceIsRememberedOnRequestOnly() async throws {
        let browser = try Self.browser()
        _ = try await Self.signIn(browser)
        _ = try await browser.post(Pages.codePath, ["code": "123456"])
        #expect(browser.harness.mesh.sent(Identity.RememberDevice.self).isEmpty && Self.devices(browser) == nil)
    }

    @Test func secretsOfOtherAccountsStay() async throws {
        let browser = try Self.browser()
        let name = HostedCookie(kind: .devices, realm: Realm(project: ProjectID("shop")), isSecure: true)
            .field("x", seconds: 1).value.halves(at: "=").before
        browser.cookies[String(name)] = "bob~eve"
        let asked = try await browser.follow(try await Self.signIn(browser))
        #expect(asked.text.contains("one-time-code"))
        _ = try await browser.post(Pages.codePath, ["code": "123456", "remember": "1"])
        #expect(Self.devices(browser) == "device~bob~eve")
        let former = browser.harness.mesh.sent(Identity.RememberDevice.self).first?.formerSecrets
        #expect(former == [Secret("bob"), Secret("eve")])
    }

    /// An operation that demands a new sign-in gets one with the factor, and none is remembered with it.
    @Test func stepUpIsAskedForTheFactor() async throws {
        let browser = try Self.browser()
        _ = try await Self.signIn(browser)
        _ = try await browser.post(Pages.codePath, ["code": "123456", "remember": "1"])
        let asked = try await browser.follow(
            try await Self.signIn(browser, query: HostedBrowser.query + "&prompt=login"))
        #expect(asked.text.contains("one-time-code") && !asked.text.contains("Remember this device"))
        #expect(browser.harness.mesh.sent(Identity.SignInWithRememberedDevice.self).isEmpty)
        _ = try await browser.post(Pages.codePath, ["code": "123456", "remember": "1"])
        #expect(browser.harness.mesh.sent(Identity.RememberDevice.self).count == 1)
        // The next sign-in is an ordinary one.
        #expect(try await browser.leaves(after: try await Self.signIn(browser)))
    }

    @Test func projectRemembersNoDeviceByDefault() async throws {
        let browser = try Self.browser(days: 0)
        let name = HostedCookie(kind: .devices, realm: Realm(project: ProjectID("shop")), isSecure: true)
            .field("x", seconds: 1).value.halves(at: "=").before
        browser.cookies[String(name)] = "device"
        let asked = try await browser.follow(try await Self.signIn(browser))
        #expect(asked.text.contains("one-time-code") && !asked.text.contains("Remember this device"))
        _ = try await browser.post(Pages.codePath, ["code": "123456", "remember": "1"])
        #expect(browser.harness.mesh.sent(Identity.RememberDevice.self).isEmpty)
        #expect(browser.harness.mesh.sent(Identity.SignInWithRememberedDevice.self).isEmpty)
    }

    /// The user is signed in, or can be: an outage only means that the device is asked again.
    @Test func outageIsNotInTheWay() async throws {
        let browser = try Self.browser()
        browser.harness.mesh.reply(to: Identity.RememberDevice.self) { _ in throw ServiceError(.unavailable) }
        browser.harness.mesh.reply(to: Identity.SignInWithRememberedDevice.self) { _ in
            throw ServiceError(.unavailable)
        }
        _ = try await Self.signIn(browser)
        #expect(try await browser.leaves(after: browser.post(Pages.codePath, ["code": "123456", "remember": "1"])))
        let name = HostedCookie(kind: .devices, realm: Realm(project: ProjectID("shop")), isSecure: true)
            .field("x", seconds: 1).value.halves(at: "=").before
        browser.cookies = [String(name): "device"]
        #expect(try await browser.follow(try await Self.signIn(browser)).text.contains("one-time-code"))
    }

    // MARK: The account page

    @Test func accountPageListsAndForgetsDevices() async throws {
        let browser = try Self.browser()
        let mesh = browser.harness.mesh
        mesh.reply(to: Identity.ListOwnSessions.self) { _ in .init(sessions: [], hasMore: false) }
        mesh.reply(to: Identity.ListRememberedDevices.self) { _ in
            let time = Moment(milliseconds: 1_700_000_000_000)
            return .init(devices: [
                .init(id: "hash", device: "Firefox (<Linux>)", createdAt: time, lastUsedAt: time, expiresAt: time)
            ])
        }
        mesh.reply(to: Identity.ForgetRememberedDevice.self) { _ in .init() }
        _ = try await Self.signIn(browser)
        _ = try await browser.post(Pages.codePath, ["code": "123456"])
        let page = try await browser.get(AccountPages.devicesPath)
        for text in ["Devices without a second step", "Firefox (&lt;Linux&gt;)", #"name="remembered" value="hash""#] {
            #expect(page.text.contains(text), "\(text)")
        }
        let forgotten = try await browser.post(AccountPages.devicesPath, ["remembered": "hash"])
        #expect(forgotten.status == 303 && forgotten.header("Location")?.hasSuffix("done=removed") == true)
        #expect(mesh.sent(Identity.ForgetRememberedDevice.self).map(\.id) == ["hash"])
        #expect(mesh.sent(Identity.EndOwnSessions.self).isEmpty)
    }
}
