import Contracts
import Crypto
import FoundationEssentials
import HTTPServer
import JSON
import Pages
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// A gateway with a fake mesh that verifies one application.
struct AppVerificationHarness {
    static let apps = """
        {"authorizedDomains":["Auth.example.org","localhost"],"mobileApps":[\
        {"bundleId":"org.example.app","clientId":"5501-abc.apps.example","appId":"1:204801:ios:77aa"},\
        {"bundleId":"org.example.bare","appId":"1:204801:ios:88bb"},{"bundleId":"org.example.none"}]}
        """
    static let query =
        "apiKey=k&authType=verifyApp&ibi=org.example.app&eventId=Ev7&clientId=5501-abc.apps.example&hl=en"
    static let challenge = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwd"

    let harness: GatewayHarness

    init(
        _ settings: [String: String] = [:], dev: Bool = false, configuration: String = apps,
        challenge: String = challenge, bits: Int = 12, refusal: ServiceError? = nil
    ) throws {
        harness = dev ? try GatewayHarness() : try GatewayHarness.production(settings)
        harness.mesh.reply(to: Identity.ResolveAPIKey.self) { request in
            guard request.apiKey == "k" else { throw ServiceError(.unknownAPIKey) }
            return .init(project: ProjectID("shop"))
        }
        harness.mesh.reply(to: Identity.ResolveConfiguration.self) { _ in
            .init(
                configuration: try WireJSON.decode(ProjectConfiguration.self, from: Data(configuration.utf8)),
                projectNumber: "42", isDisabled: false)
        }
        harness.mesh.reply(to: MFASMS.StartWebChallenge.self) { _ in
            if let refusal { throw refusal }
            return .init(challenge: Secret(challenge), difficultyBits: bits)
        }
        harness.mesh.reply(to: MFASMS.FinishWebChallenge.self) { _ in
            if let refusal { throw refusal }
            return .init(token: Secret("lkc.tok-55"))
        }
    }

    func open(
        _ query: String = query, host: String = "auth.example.org", path: String = "/__/auth/handler"
    ) async throws -> TestResponse {
        try await harness.send(.get, path, query: query, headers: ["Host": host])
    }

    func post(
        _ body: String, host: String = "auth.example.org", headers: [String: String] = ["Sec-Fetch-Site": "same-origin"]
    ) async throws -> TestResponse {
        try await harness.send(
            .post, "/__/auth/challenge", headers: headers.merging(["Host": host]) { first, _ in first }, body: body)
    }

    static let solved =
        #"{"apiKey":"k","eventId":"Ev7","ibi":"org.example.app","clientId":"5501-abc.apps.example","challenge":"c","answer":"71"}"#

    /// The parts of the callback URL that an application reads.
    static func inner(_ url: String) throws -> (scheme: String, url: WebURL, items: [String: String]) {
        let parts = url.split(separator: "://firebaseauth/link?deep_link_id=", maxSplits: 1)
        try #require(parts.count == 2)
        let text = try #require(PercentEncoding.decoded(parts[1][...]))
        let inner = try #require(WebURL(text))
        let request = HTTPRequest(.get, "/", query: inner.query.map(String.init))
        return (
            String(parts[0]), inner,
            Dictionary(request.queryItems.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        )
    }
}

/// REST 7.1, the column of iOS phone reCAPTCHA.
@Suite struct AppVerificationTests {
    typealias Harness = AppVerificationHarness

    // MARK: The page

    @Test func pageHasOnlyItsOwnScript() async throws {
        let response = try await Harness().open()
        #expect(response.status == 200 && response.header("Cache-Control") == "no-store")
        let page = try #require(ReadPage(response))
        #expect(page.all("html") == [["lang": "en", "dir": "ltr"]])
        #expect(page.all("script") == [["src": "/__/auth/app-verification.js", "defer": "defer"]])
        #expect(
            response.header("Content-Security-Policy")
                == "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
                + " require-trusted-types-for 'script'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'")
        #expect(response.header("Access-Control-Allow-Origin") == nil && response.header("X-Frame-Options") == "DENY")
        let check = try #require(page.elements.first { $0.attributes["id"] == "check" }).attributes
        #expect(check["data-challenge"] == Harness.challenge && check["data-bits"] == "12")
        #expect(page.all("noscript").count == 1 && page.all("progress").count == 1 && page.all("h1").count == 1)
        #expect(!page.elements.contains { $0.attributes.keys.contains { $0.hasPrefix("on") || $0 == "style" } })
    }

    @Test(arguments: Language.allCases) func pageUsesLanguageOfApplication(language: Language) async throws {
        let query = Harness.query.replacing("hl=en", with: "hl=\(language.rawValue)")
        let page = try #require(ReadPage(try await Harness().open(query)))
        #expect(
            page.all("html") == [["lang": language.rawValue, "dir": language == .arabic ? "rtl" : "ltr"]]
                && page.text.contains(language.pageTexts.appVerification.title))
    }

    @Test func configuredKeyShowsRecaptcha() async throws {
        let harness = try Harness(["LATCHKEY_RECAPTCHA_SITE_KEY": "6Le-site"])
        let response = try await harness.open()
        let page = try #require(ReadPage(response))
        #expect(page.all("div").contains { $0["class"] == "g-recaptcha" && $0["data-sitekey"] == "6Le-site" })
        #expect(page.all("script").contains { $0["src"] == "https://www.google.com/recaptcha/api.js?hl=en" })
        let policy = try #require(response.header("Content-Security-Policy"))
        #expect(
            policy.contains("frame-src https://www.google.com/recaptcha/")
                && policy.contains("script-src 'self' https://www.google.com"))
        #expect(harness.harness.mesh.sent(MFASMS.StartWebChallenge.self).isEmpty)
        // Other clients get the same key.
        let parameters = try await harness.harness.send(.get, "/v1/recaptchaParams", query: "key=k")
        #expect(parameters.json["recaptchaSiteKey"] == .string("6Le-site"))
    }

    @Test(arguments: [
        "authType=signInWithRedirect", "authType=signInViaPopup", "", "authType=verifyapp",
    ])
    func unsupportedAuthTypeIsRefused(query: String) async throws {
        #expect(try await Harness().open(query).status == 400)
    }

    @Test func emulatorPathServesSamePage() async throws {
        let response = try await Harness(dev: true, configuration: "{}").open(
            host: "127.0.0.1:9099", path: "/emulator/auth/handler")
        #expect(response.status == 200 && ReadPage(response) != nil)
    }

    // MARK: Access

    @Test(arguments: [
        "apiKey=other&authType=verifyApp&ibi=org.example.app&eventId=Ev7&clientId=5501-abc.apps.example",
        "authType=verifyApp&ibi=org.example.app&eventId=Ev7&clientId=5501-abc.apps.example",
        "apiKey=k&authType=verifyApp&ibi=org.example.stranger&eventId=Ev7&clientId=5501-abc.apps.example",
        "apiKey=k&authType=verifyApp&eventId=Ev7&clientId=5501-abc.apps.example",
        // Registered without a scheme: no redirect is possible.
        "apiKey=k&authType=verifyApp&ibi=org.example.none&eventId=Ev7&clientId=5501-abc.apps.example",
        "apiKey=k&authType=verifyApp&ibi=org.example.app&clientId=5501-abc.apps.example",
        "apiKey=k&authType=verifyApp&ibi=org.example.app&eventId=a%0d%0ab&clientId=5501-abc.apps.example",
        "apiKey=k&authType=verifyApp&ibi=org.example.app&eventId=%3Cscript%3E&clientId=5501-abc.apps.example",
    ])
    func unknownApplicationIsNeverRedirected(query: String) async throws {
        let response = try await Harness().open(query)
        #expect(response.status == 400 && response.header("Location") == nil)
        let page = try #require(ReadPage(response))
        #expect(page.all("script").isEmpty && page.all("a").isEmpty && !response.text.contains("<script"))
    }

    @Test(arguments: [
        ("auth.example.org", 200), ("AUTH.example.org:443", 200), ("localhost:8080", 200), ("evil.example", 400),
        ("auth.example.org.evil.example", 400), ("", 400), ("auth.example.org@evil.example", 400),
        ("127.0.0.1", 400),
    ])
    func pageRequiresAuthorizedDomain(host: String, status: Int) async throws {
        #expect(try await Harness().open(host: host).status == status)
        #expect(try await Harness().post(Harness.solved, host: host).status == status)
    }

    @Test func mismatchedClientGetsErrorRedirect() async throws {
        for (query, scheme) in [
            ("ibi=org.example.app&clientId=evil.apps.example", "example.apps.5501-abc"),
            ("ibi=org.example.app&appId=1:204801:ios:99", "example.apps.5501-abc"),
            ("ibi=org.example.app", "example.apps.5501-abc"),
            ("ibi=org.example.bare&clientId=javascript", "app-1-204801-ios-88bb"),
        ] {
            let response = try await Harness().open("apiKey=k&authType=verifyApp&eventId=Ev7&\(query)")
            #expect(response.status == 303)
            let (found, _, items) = try Harness.inner(try #require(response.header("Location")))
            #expect(found == scheme && items["eventId"] == "Ev7" && items["recaptchaToken"] == nil)
            let error = try json(try #require(items["firebaseError"]))
            #expect(error["code"] == .string("auth/invalid-oauth-client-id") && error["message"] != nil)
        }
    }

    @Test(arguments: [
        (
            "org.example.app", String?("5501-abc.apps.example"), String?.none, "example.apps.5501-abc", true
        ), ("org.example.app", nil, "1:204801:ios:77aa", "app-1-204801-ios-77aa", true),
        ("org.example.bare", nil, "1:204801:ios:88bb", "app-1-204801-ios-88bb", true),
        ("org.example.bare", nil, "1:204801:ios:77aa", "app-1-204801-ios-88bb", false),
    ])
    func schemeIsDerivedFromRegisteredApplication(
        bundleID: String, clientID: String?, appID: String?, scheme: String, isRegisteredClient: Bool
    ) throws {
        let configuration = try WireJSON.decode(ProjectConfiguration.self, from: Data(Harness.apps.utf8))
        let found = try #require(
            AppRedirect.scheme(
                for: .init(bundleID: bundleID, clientID: clientID, appID: appID), in: configuration, isDev: false))
        #expect(found.text == scheme && found.isRegisteredClient == isRegisteredClient)
    }

    /// A developer has registered no application: only well-formed identifiers are accepted.
    @Test func devModeAcceptsWellFormedClientID() {
        func scheme(_ clientID: String?, _ appID: String?, isDev: Bool = true) -> String? {
            AppRedirect.scheme(
                for: .init(bundleID: "x.y", clientID: clientID, appID: appID), in: .init(), isDev: isDev)?.text
        }
        #expect(scheme("5501-abc.apps.example", nil) == "example.apps.5501-abc")
        #expect(scheme(nil, "1:2:ios:ff") == "app-1-2-ios-ff")
        #expect(scheme("5501-abc.apps.example", nil, isDev: false) == nil)
        for form in ["javascript", "1.2", "a..b", "a.b/c", "a.b\n", "é.b", ""] { #expect(scheme(form, nil) == nil) }
        for form in ["1:2:web:ff", "1:2:ios:", "1:2:ios:xy", "x:2:ios:ff"] { #expect(scheme(nil, form) == nil) }
    }

    // MARK: Redirect

    @Test func solvedChallengeReturnsCallbackURLWithToken() async throws {
        let harness = try Harness()
        let response = try await harness.post(Harness.solved)
        #expect(response.status == 200)
        guard case .string(let url)? = response.json["url"] else {
            Issue.record("no address")
            return
        }
        #expect(
            url
                == "example.apps.5501-abc://firebaseauth/link?deep_link_id=https%3A%2F%2Fauth.example.org%2F__%2Fauth"
                + "%2Fcallback%3FauthType%3DverifyApp%26eventId%3DEv7%26recaptchaToken%3Dlkc.tok-55")
        let sent = try #require(harness.harness.mesh.sent(MFASMS.FinishWebChallenge.self).first)
        #expect(sent.project == ProjectID("shop") && sent.bundleID == "org.example.app")
        #expect(sent.challenge == Secret("c") && sent.answer == "71" && sent.recaptchaToken == nil)
        #expect(sent.client.ipAddress == "127.0.0.1")
    }

    @Test(
        arguments: [
            (.captchaCheckFailed, "auth/captcha-check-failed"), (.appNotVerified, "auth/captcha-check-failed"),
            (.unavailable, "auth/network-request-failed"), (.deadlineExceeded, "auth/network-request-failed"),
            (.tooManyAttempts, "auth/too-many-requests"), (.internal, "auth/internal-error"),
            (.notImplemented, "auth/internal-error"),
        ] as [(WireError.Code, String)])
    func refusalReturnsCallbackURLWithError(code: WireError.Code, name: String) async throws {
        let response = try await Harness(refusal: ServiceError(code)).post(Harness.solved)
        guard case .string(let url)? = response.json["url"] else {
            Issue.record("no address")
            return
        }
        let error = try json(try #require(Harness.inner(url).items["firebaseError"]))
        #expect(response.status == 200 && error["code"] == .string(name))
    }

    @Test(arguments: [
        (["Sec-Fetch-Site": "cross-site"], 403), (["Sec-Fetch-Site": "same-site"], 403),
        (["Origin": "https://evil.example"], 403), (["Origin": "https://auth.example.org"], 200), ([:], 200),
        (["Sec-Fetch-Site": "same-origin", "Content-Type": "text/plain"], 415),
    ])
    func crossOriginAnswerIsRefused(headers: [String: String], status: Int) async throws {
        #expect(try await Harness().post(Harness.solved, headers: headers).status == status)
    }

    @Test(arguments: [
        "{}", "[]", #"{"apiKey":1}"#, Harness.solved.replacing("org.example.app", with: "org.example.stranger"),
        Harness.solved.replacing("Ev7", with: "E v"),
    ])
    func answerOfUnknownApplicationIsRefused(body: String) async throws {
        let harness = try Harness()
        let response = try await harness.post(body)
        #expect(response.status == 400 && response.json["url"] == nil)
        #expect(harness.harness.mesh.sent(MFASMS.FinishWebChallenge.self).isEmpty)
    }

    @Test(arguments: [(WireError.Code.unavailable, 503), (.overloaded, 503), (.tooManyAttempts, 429), (.internal, 500)])
    func unavailableChallengeGetsErrorPage(code: WireError.Code, status: Int) async throws {
        let response = try await Harness(refusal: ServiceError(code)).open()
        #expect(response.status == status && ReadPage(response) != nil)
    }
}
