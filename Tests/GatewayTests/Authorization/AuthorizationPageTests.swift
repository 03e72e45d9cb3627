import Contracts
import HTTPServer
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// The authorization endpoint, with an application and a browser that is signed in on the pages.
@Suite struct AuthorizationPageTests {
    private static let url = "https://app.example.com/signed-in"

    private func harness(kind: Identity.ApplicationRegistration.Kind = .web) throws -> GatewayHarness {
        let harness = try GatewayHarness()
        var application = AuthorizationTokensTests.application
        application.registration.kind = kind
        if kind == .tool { application.registration.redirectURLs = ["http://127.0.0.1/signed-in"] }
        harness.mesh.reply(to: Identity.ResolveApplication.self) { [application] request in
            guard request.id == application.id else { throw ServiceError(.applicationNotFound) }
            return application
        }
        harness.mesh.reply(to: Identity.ResolveAPIKey.self) { _ in .init(project: ProjectID("demo-latchkey")) }
        harness.mesh.reply(to: Identity.ResolveConfiguration.self) { _ in
            .init(configuration: .init(), projectNumber: "12", isDisabled: false)
        }
        harness.mesh.reply(to: Identity.RefreshSession.self) { request in
            guard request.refreshToken?.reveal() == "cookie" else { throw ServiceError(.invalidRefreshToken) }
            return .init(accountID: AccountID("alice"), projectNumber: "12", tokens: .example)
        }
        harness.mesh.reply(to: Identity.LookUpOwnAccount.self) { _ in .init(account: .example()) }
        harness.mesh.reply(to: Identity.IssueAuthorizationCode.self) { request in
            #expect(request.idToken == TokenSet.example.idToken)
            return .init(code: Secret("the-code"))
        }
        return harness
    }

    private func open(
        _ harness: GatewayHarness, _ changes: [(name: String, value: String)] = [], without name: String? = nil,
        isSignedIn: Bool = true, after confirmation: HostedConfirmation? = nil
    ) async throws -> TestResponse {
        let names = Set(changes.map(\.name))
        let items =
            AuthorizationRequestTests.items.filter { !names.contains($0.name) && $0.name != name }
            .map { ($0.name, $0.name == "redirect_uri" ? Self.url : $0.value) } + changes.map { ($0.name, $0.value) }
        let realm = Realm(project: ProjectID("demo-latchkey"))
        var flow = HostedFlow()
        flow.confirmation = confirmation
        var cookies = [flow.field(of: realm, isSecure: false).value]
        if isSignedIn {
            cookies.append(
                HostedCookie(kind: .session, realm: realm, isSecure: false).field("cookie", seconds: 1).value)
        }
        let headers = [
            // It says nothing: a page of ours that leads to any address would send it, too.
            "Host": "127.0.0.1:9099", "Sec-Fetch-Site": "same-origin",
            "Cookie": cookies.map { String($0.halves(at: ";").before) }.joined(separator: "; "),
        ]
        return try await harness.send(
            .get, AuthorizationPage.path,
            query: items.map { "\($0.0)=\(PercentEncoding.encoded($0.1))" }.joined(separator: "&"), headers: headers)
    }

    private static let issuer = PercentEncoding.encoded("https://securetoken.google.com/demo-latchkey")

    @Test func signedInUserReturnsWithACode() async throws {
        let response = try await open(try harness())
        #expect(response.status == 303)
        #expect(response.header("location") == "\(Self.url)?code=the-code&state=s&iss=\(Self.issuer)")
        #expect(response.header("cache-control") == "no-store" && response.header("referrer-policy") == "no-referrer")
    }

    /// A request is refused, or the cookie of a sign-in with a provider has room for it. Each byte of the state becomes five.
    @Test(arguments: [(0, true), (300, true), (512, false)])
    func requestThatWaitsForAProviderFits(count: Int, isAccepted: Bool) async throws {
        let state = String(repeating: "%", count: count)
        let location = try #require(
            try await open(try harness(), [("state", state)], isSignedIn: false).header("location"))
        guard isAccepted else {
            #expect(location.hasPrefix("\(Self.url)?error=invalid_request"))
            return
        }
        let query = try #require(location.halves(at: "?").behind)
        let started = StartedSignIn(
            state: String(repeating: "s", count: 64), sessionID: String(repeating: "i", count: 64), apiKey: "the-key",
            tenantID: String(repeating: "t", count: 36), language: "en", channel: nil, hostedQuery: String(query))
        #expect(SignInCookies(isSecure: true).fields(storing: started, beside: HTTPHeaders()) != nil)
    }

    /// What a request from outside can cause is no failure of this process.
    @Test(
        arguments: [
            (.tenantNotFound, "invalid_request", 0), (.unavailable, "temporarily_unavailable", 0),
            (.internal, "server_error", 1),
        ] as [(WireError.Code, String, Int)])
    func onlyFailuresAreReported(code: WireError.Code, error: String, reports: Int) async throws {
        let harness = try harness()
        harness.mesh.reply(to: Identity.ResolveConfiguration.self) { _ in throw ServiceError(code) }
        let response = try await open(harness, [("tenantId", "shop")])
        #expect(response.header("location")?.hasPrefix("\(Self.url)?error=\(error)&") == true)
        #expect(harness.reported.all.withLock { $0.count } == reports)
    }

    @Test func signedOutUserSignsInFirst() async throws {
        let response = try await open(try harness(), isSignedIn: false)
        #expect(response.status == 303)
        let location = try #require(response.header("location"))
        #expect(location.hasPrefix("/__/auth/login?") && location.contains("apiKey=the-key"))
        #expect(location.contains("continueUrl=\(PercentEncoding.encoded("http://127.0.0.1:9099/__/auth/authorize?"))"))
    }

    /// Open redirects: nothing goes to an address that is not registered, neither a code nor an error.
    @Test(arguments: [
        [(name: "client_id", value: "d")], [(name: "redirect_uri", value: "https://evil.example/")],
        [(name: "redirect_uri", value: "https://app.example.com/signed-in?x")],
        [(name: "redirect_uri", value: "https://app.example.com/signed-in/")],
        [(name: "redirect_uri", value: "https://app.example.com/signed-in#x")], [(name: "redirect_uri", value: "")],
        [
            (name: "redirect_uri", value: "https://app.example.com/signed-in"),
            (name: "redirect_uri", value: "https://evil.example/"),
        ],
        [(name: "client_id", value: "")],
    ])
    func unregisteredApplicationGetsAPage(changes: [(name: String, value: String)]) async throws {
        let harness = try harness()
        let response = try await open(harness, changes)
        #expect(response.status == 400 && response.header("location") == nil)
        #expect(response.header("content-type")?.hasPrefix("text/html") == true)
        #expect(harness.mesh.sent(Identity.IssueAuthorizationCode.self).isEmpty)
    }

    @Test func refusalReturnsToTheApplication() async throws {
        let harness = try harness()
        let plain = try await open(harness, [("code_challenge_method", "plain")])
        #expect(plain.header("location") == "\(Self.url)?error=invalid_request&state=s&iss=\(Self.issuer)")
        let silent = try await open(harness, [("prompt", "none")], isSignedIn: false)
        #expect(silent.header("location") == "\(Self.url)?error=login_required&state=s&iss=\(Self.issuer)")
    }

    @Test func newerSignInIsAskedFor() async throws {
        let harness = try harness()
        harness.mesh.reply(to: Identity.IssueAuthorizationCode.self) { request in
            #expect(request.maximumSignInAgeSeconds == 60)
            throw ServiceError(.recentSignInRequired)
        }
        let location = try #require(try await open(harness, [("max_age", "60")]).header("location"))
        #expect(location.hasPrefix("/__/auth/login?") && location.hasSuffix("prompt=login"))
    }

    /// RFC 8252 §8.6: the user has seen a page of ours, for this very request, before a tool gets a code.
    @Test(
        arguments: [
            (nil, false), (confirmation(.accountChosen), true), (confirmation(.signedIn), true),
            (confirmation(.signedIn, application: "d"), false), (confirmation(.signedIn, challenge: "other"), false),
        ] as [(HostedConfirmation?, Bool)])
    func toolGetsItsCodeFromAPage(confirmation: HostedConfirmation?, isIssued: Bool) async throws {
        let response = try await open(
            try harness(kind: .tool), [("redirect_uri", "http://127.0.0.1:51004/signed-in")], after: confirmation)
        let location = try #require(response.header("location"))
        #expect(location.hasPrefix("http://127.0.0.1:51004/signed-in?code=") == isIssued)
        #expect(location.hasPrefix("/__/auth/login?") == !isIssued)
    }

    /// From a tool to its code: the pages name the application, and lead on when the user has done something for it.
    @Test func pagesLeadToTheApplication() async throws {
        let browser = try HostedBrowser()
        var application = AuthorizationTokensTests.application
        application.project = ProjectID("shop")
        application.apiKey = "k"
        application.registration = .init(
            displayName: "The Shop Tool", kind: .tool, redirectURLs: ["http://127.0.0.1/signed-in"])
        browser.harness.mesh.reply(to: Identity.ResolveApplication.self) { [application] _ in application }
        browser.harness.mesh.reply(to: Identity.IssueAuthorizationCode.self) { _ in .init(code: Secret("the-code")) }
        let url = "http://127.0.0.1:51004/signed-in"
        func request(_ more: (name: String, value: String)...) -> String {
            PercentEncoding.query(
                AuthorizationRequestTests.items.map { ($0.name, $0.name == "redirect_uri" ? url : $0.value) } + more)
        }
        /// Opens the address to which the page leads by itself.
        func leave(_ done: TestResponse) async throws -> String {
            let page = try await browser.follow(done)
            let address = try #require(page.header("refresh")?.dropFirst("0; url=".count))
            let response = try await browser.get(AuthorizationPage.path, String(address.halves(at: "?").behind ?? ""))
            return try #require(response.header("location"))
        }
        let start = try await browser.get(AuthorizationPage.path, request())
        let query = try #require(start.header("location")?[...].halves(at: "?").behind.map(String.init))
        #expect(try await browser.follow(start).text.contains("to continue to The Shop Tool"))
        _ = try await browser.post(HostedSignInPages.path, ["email": "ada@example.com"], query: query)
        let done = try await browser.post(HostedSignInPages.passwordPath, ["password": "right"], query: query)
        #expect(try await leave(done).hasPrefix("\(url)?code=the-code&state=s&iss="))
        // The next request finds the session, and is confirmed by a form of the page only.
        let again = try await browser.get(AuthorizationPage.path, request())
        #expect(try await browser.follow(again).text.contains("Continue as ada@example.com"))
        let lured = try await browser.get(HostedSignInPages.path, query + "&step=done")
        #expect(lured.header("refresh") != nil)
        let unseen = try await browser.get(AuthorizationPage.path, request())
        #expect(unseen.header("location")?.hasPrefix("/__/auth/login?") == true)
        let confirmed = try await browser.post(HostedSignInPages.continuePath, [:], query: query)
        #expect(try await leave(confirmed).hasPrefix("\(url)?code=the-code"))
        let demanding = try await browser.get(AuthorizationPage.path, request(("prompt", "login")))
        #expect(try await browser.follow(demanding).text.contains("E-mail address"))
    }

    @Test func confirmationCountsOnce() async throws {
        let response = try await open(try harness(), after: Self.confirmation(.signedIn))
        let field = try #require(
            response.http.headers.first { $0.name == "Set-Cookie" && $0.value.contains("-flow-") }?.value)
        var headers = HTTPHeaders()
        headers.append("Cookie", String(field.halves(at: ";").before))
        #expect(
            HostedFlow(in: headers, of: Realm(project: ProjectID("demo-latchkey")), isSecure: false) == HostedFlow())
    }

    /// The sign-in of a former request, or of another session, is not the one that the application asks for.
    @Test(
        arguments: [
            (nil, false), (confirmation(.accountChosen), false), (confirmation(.signedIn, challenge: "other"), false),
            (confirmation(.signedIn), true),
        ] as [(HostedConfirmation?, Bool)])
    func signInIsDemandedForTheRequest(confirmation: HostedConfirmation?, isIssued: Bool) async throws {
        let harness = try harness()
        let location = try #require(
            try await open(harness, [("prompt", "login"), ("max_age", "0")], after: confirmation).header("location"))
        #expect(location.hasPrefix("\(Self.url)?code=") == isIssued)
        #expect(location.hasSuffix("&prompt=login") == !isIssued)
        #expect(
            harness.mesh.sent(Identity.IssueAuthorizationCode.self).map(\.maximumSignInAgeSeconds)
                == (isIssued ? [AuthorizationRequest.recentSeconds] : []))
    }

    /// Of the parameters of a hosted page, a request has its own: its address is where the user returns to.
    @Test func requestNamesNoOtherAddress() async throws {
        let response = try await open(
            try harness(), [("continueUrl", "http://localhost/evil"), ("login_hint", "ada@example.com")],
            isSignedIn: false)
        let location = try #require(response.header("location"))
        #expect(!location.contains("evil") && location.contains("login_hint%3Dada%2540example.com"))
    }

    private static func confirmation(
        _ act: HostedConfirmation.Act, application: String = "c",
        challenge: String = AuthorizationRequestTests.challenge
    ) -> HostedConfirmation {
        .init(act: act, application: ApplicationID(application), challenge: .init(accepted: challenge))
    }
}
