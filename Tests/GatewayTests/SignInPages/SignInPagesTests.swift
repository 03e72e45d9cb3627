import Contracts
import FoundationEssentials
import HTTPServer
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// A gateway in production with a fake federation that starts sign-ins.
struct SignInPagesHarness {
    static let state = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
    static let pageURL = "https://provider.example/authorize?state=\(state)"
    static let redirect =
        "apiKey=k&appName=%5BDEFAULT%5D&authType=signInViaRedirect&providerId=google.com"
        + "&redirectUrl=https%3A%2F%2Fapp.example.org%2Fin%3Fa%3Db%23c&v=12&hl=en"
    static let popup = redirect.replacing("signInViaRedirect", with: "signInViaPopup") + "&eventId=77"
    static let native =
        "apiKey=k&authType=signInWithRedirect&providerId=google.com&eventId=Ev7&ibi=org.example.app"
        + "&clientId=5501-abc.apps.example&sessionId=\(String(repeating: "ab", count: 32))"
    static let credential =
        "apiKey=k&providerId=google.com&state=s-1&redirectUrl=https%3A%2F%2Fapp.example.org%3A8443%2Fin"
    static let configuration = """
        {"authorizedDomains":["auth.example.org","app.example.org","localhost"],"mobileApps":[\
        {"bundleId":"org.example.app","clientId":"5501-abc.apps.example","appId":"1:204801:ios:77aa"}]}
        """

    let harness: GatewayHarness

    init(dev: Bool = false, configuration: String = configuration, error: ServiceError? = nil) throws {
        harness = dev ? try GatewayHarness() : try GatewayHarness.production()
        harness.mesh.reply(to: Identity.ResolveAPIKey.self) { request in
            guard request.apiKey == "k" else { throw ServiceError(.unknownAPIKey) }
            return .init(project: ProjectID("shop"))
        }
        harness.mesh.reply(to: Identity.ResolveConfiguration.self) { _ in
            .init(
                configuration: try WireJSON.decode(ProjectConfiguration.self, from: Data(configuration.utf8)),
                projectNumber: "42", isDisabled: false)
        }
        harness.mesh.reply(to: Federation.StartSignIn.self) { request in
            if let error { throw error }
            return .init(
                authorizationURL: Self.pageURL, sessionID: Secret(request.hashedSessionID == nil ? "session-1" : ""),
                state: Secret(Self.state))
        }
        harness.mesh.reply(to: Federation.VerifyResponse.self) { _ in
            if let error { throw error }
            return .init(providerID: "google.com", pendingToken: Secret("pending-1"))
        }
    }

    func open(
        _ query: String, path: String = "/__/auth/handler", host: String = "auth.example.org", cookie: String? = nil
    ) async throws -> TestResponse {
        var headers = ["Host": host]
        headers["Cookie"] = cookie
        return try await harness.send(.get, path, query: query, headers: headers)
    }

    func post(_ body: String, cookie: String?, type: String = "application/x-www-form-urlencoded") async throws
        -> TestResponse
    {
        var headers = ["Host": "auth.example.org", "Content-Type": type, "Sec-Fetch-Site": "cross-site"]
        headers["Cookie"] = cookie
        return try await harness.send(.post, "/__/auth/handler", headers: headers, body: body)
    }

    /// The `Cookie` field after a response.
    static func cookie(_ response: TestResponse) -> String? {
        response.http.headers.first { $0.name == "Set-Cookie" }.map { String($0.value.halves(at: ";").before) }
    }

    /// What the script of a page gets.
    static func delivery(_ response: TestResponse) throws -> JSONValue {
        let page = try #require(ReadPage(response))
        let text = try #require(page.elements.first { $0.attributes["id"] == "result" }?.attributes["data-delivery"])
        return try json(text)
    }
}

/// REST 7.1; security rules FE1, FE10, FE17, FE18.
@Suite struct SignInPagesTests {
    typealias Harness = SignInPagesHarness

    // MARK: The start

    @Test func startRedirectsToProviderAndSetsCookie() async throws {
        for path in ["/__/auth/handler", "/emulator/auth/handler"] {
            let harness = try Harness()
            let response = try await harness.open(
                Harness.redirect
                    + "&scopes=a,b&customParameters=%7B%22prompt%22%3A%22login%22%2C%22n%22%3A1%7D&tid=t-1",
                path: path)
            #expect(response.status == 302 && response.header("Location") == Harness.pageURL)
            #expect(
                harness.harness.mesh.sent(Federation.StartSignIn.self) == [
                    .init(
                        realm: Realm(project: ProjectID("shop"), tenant: TenantID("t-1")), providerID: "google.com",
                        continueURL: "https://auth.example.org/__/auth/handler", scopes: "a,b",
                        parameters: ["prompt": "login"])
                ])
            let field = try #require(response.header("Set-Cookie"))
            #expect(field.hasPrefix("__Host-latchkey-sign-in-\(Harness.state.prefix(12))="))
            #expect(field.hasSuffix("; Path=/; Max-Age=600; HttpOnly; SameSite=None; Secure"))
            #expect(response.header("Cross-Origin-Opener-Policy") == nil)
        }
    }

    @Test func devModeUsesPlainHTTPAndThePracticePage() async throws {
        let harness = try Harness(dev: true, configuration: "{}")
        let response = try await harness.open(
            Harness.redirect.replacing("https%3A%2F%2Fapp.example.org", with: "http%3A%2F%2F127.0.0.1:3000"),
            host: "127.0.0.1:9099")
        let sent = try #require(harness.harness.mesh.sent(Federation.StartSignIn.self).first)
        #expect(sent.continueURL == "http://127.0.0.1:9099/__/auth/handler")
        #expect(sent.practicePageURL == "http://127.0.0.1:9099/__/auth/practice")
        let field = try #require(response.header("Set-Cookie"))
        #expect(field.hasPrefix("latchkey-sign-in-") && field.hasSuffix("; HttpOnly; SameSite=Lax"))
    }

    /// The JavaScript library names the account before the digits when it links or reauthenticates.
    @Test(arguments: [
        "77", "uid-1:::0123456789", "auth0|1:::0123456789", "o'brien@example.com:::0123456789",
        String(repeating: "\u{1F40E}", count: 128) + ":::01234567890123456789",
    ])
    func eventIDOfLinkReachesLibrary(eventID: String) async throws {
        let query = [
            "apiKey": "k", "authType": "linkViaRedirect", "appName": "[DEFAULT]", "providerId": "google.com",
            "redirectUrl": "https://app.example.org/", "eventId": eventID,
        ]
        let request = try #require(SignInPageRequest(handler: { query[$0] }))
        guard case .javaScript(_, let read, _, _) = request.channel else { throw Failure() }
        #expect(read == eventID)
    }

    private struct Failure: Error {}

    @Test(arguments: [
        Harness.redirect.replacing("apiKey=k", with: "apiKey=x"), Harness.redirect.replacing("appName", with: "a"),
        Harness.redirect.replacing("signInViaRedirect", with: "signIn"), "authType=signInViaRedirect",
        Harness.redirect.replacing("app.example.org", with: "evil.example"),
        Harness.redirect.replacing("https%3A", with: "http%3A"),
        Harness.redirect.replacing("https%3A", with: "javascript%3A"),
        Harness.redirect.replacing("app.example.org", with: "app.example.org%40evil.example"),
        Harness.redirect.replacing("signInViaRedirect", with: "signInViaPopup"),
        Harness.redirect + "&eventId=%3C", Harness.redirect + "&customParameters=x",
        Harness.native.replacing("ibi=org.example.app", with: "ibi=org.example.other"),
        Harness.native.replacing("&sessionId", with: "&s"), Harness.native.replacing("eventId", with: "e"),
    ])
    func unknownApplicationGetsNoRedirect(query: String) async throws {
        let harness = try Harness()
        let response = try await harness.open(query)
        #expect(response.status == 400 && response.header("Location") == nil)
        #expect(response.header("Set-Cookie") == nil && !response.text.contains("<script"))
        #expect(harness.harness.mesh.sent(Federation.StartSignIn.self).isEmpty)
    }

    @Test func hostOfPageMustBeAuthorized() async throws {
        for (host, status) in [("app.example.org", 302), ("evil.example", 400), ("AUTH.example.org:8443", 302)] {
            let harness = try Harness()
            #expect(try await harness.open(Harness.redirect, host: host).status == status)
            let url = harness.harness.mesh.sent(Federation.StartSignIn.self).first?.continueURL
            #expect(url == (status == 302 ? "https://\(host.asciiLowercased)/__/auth/handler" : nil))
        }
    }

    @Test(arguments: [
        (WireError.Code.providerNotFound, 400, "auth/operation-not-allowed"),
        (.providerDisabled, 400, "auth/operation-not-allowed"),
        (.providerUnavailable, 503, "auth/network-request-failed"), (.unavailable, 503, "auth/network-request-failed"),
        (.unauthorizedDomain, 400, "auth/unauthorized-domain"), (.tooManyAttempts, 429, "auth/too-many-requests"),
        (.internal, 500, "auth/internal-error"),
    ])
    func failureIsReturnedToApplication(code: WireError.Code, status: Int, expected: String) async throws {
        let harness = try Harness(error: ServiceError(code, "<b>secret</b>"))
        let response = try await harness.open(Harness.popup)
        #expect(response.status == status && !response.text.contains("secret"))
        let delivery = try Harness.delivery(response)
        #expect(delivery["event"]?["error"]?["code"] == .string(expected))
        #expect(delivery["event"]?["eventId"] == .string("77") && delivery["event"]?["urlResponse"] == .null)
        #expect(delivery["channel"] == .string("frame") && delivery["storageKey"] == .string("k:[DEFAULT]"))
        let native = try await harness.open(Harness.native)
        let inner = try AppVerificationHarness.inner(try #require(native.header("Location")))
        #expect(native.status == 303 && inner.scheme == "example.apps.5501-abc")
        #expect(inner.items["authType"] == "signInWithRedirect" && inner.items["eventId"] == "Ev7")
        #expect(try json(try #require(inner.items["firebaseError"]))["code"] == .string(expected))
    }

    @Test func otherClientIDIsReportedToRegisteredScheme() async throws {
        let response = try await Harness().open(Harness.native.replacing("5501-abc", with: "5502-abc"))
        let inner = try AppVerificationHarness.inner(try #require(response.header("Location")))
        #expect(inner.scheme == "example.apps.5501-abc")
        #expect(try json(try #require(inner.items["firebaseError"]))["code"] == .string("auth/invalid-oauth-client-id"))
    }

    // MARK: The return

    @Test func resultPageHasOnlyItsScript() async throws {
        let harness = try Harness()
        let cookie = Harness.cookie(try await harness.open(Harness.popup))
        let response = try await harness.open("code=c-1&state=\(Harness.state)&iss=i", cookie: cookie)
        #expect(response.status == 200 && response.header("Cache-Control") == "no-store")
        let page = try #require(ReadPage(response))
        #expect(page.all("script") == [["src": "/__/auth/handler.js", "defer": "defer"]])
        #expect(
            response.header("Content-Security-Policy")
                == "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
                + " require-trusted-types-for 'script'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'")
        #expect(response.header("Cross-Origin-Opener-Policy") == "unsafe-none")
        #expect(!page.elements.contains { $0.attributes.keys.contains { $0.hasPrefix("on") || $0 == "style" } })
        #expect(
            try Harness.delivery(response)
                == json(
                    """
                    {"channel":"frame","redirectURL":"https://app.example.org/in?a=b#c","storageKey":"k:[DEFAULT]",\
                    "targetOrigin":"https://app.example.org","returnsAtOnce":true,"event":{"type":"signInViaPopup",\
                    "eventId":"77","urlResponse":"https://auth.example.org/__/auth/handler?code=c-1&state=\
                    \(Harness.state)&iss=i","sessionId":"session-1","postBody":null,"tenantId":null,"error":null}}
                    """))
        #expect(response.header("Set-Cookie")?.contains("Max-Age=0") == true)
    }

    @Test func stateBelongsToBrowser() async throws {
        let harness = try Harness()
        let cookie = try #require(Harness.cookie(try await harness.open(Harness.redirect)))
        let other = String(Harness.state.dropLast()) + "A"
        for (state, cookie) in [
            (Harness.state, nil), (other, cookie), ("short", cookie), ("", cookie),
            (Harness.state, cookie.replacing("__Host-", with: "")), (Harness.state, cookie + "AAAA"),
            (Harness.state, "__Host-latchkey-sign-in-AAECAwQFBgcI=x"),
        ] as [(String, String?)] {
            let response = try await harness.open("code=c-1&state=\(state)", cookie: cookie)
            #expect(response.status == 400 && !response.text.contains("data-delivery"), "\(state)")
        }
        #expect(try await harness.open("code=c-1&state=\(Harness.state)", cookie: "a=b; \(cookie)").status == 200)
    }

    @Test func responseAsFormKeepsItsBody() async throws {
        let harness = try Harness()
        let cookie = Harness.cookie(try await harness.open(Harness.redirect))
        let body = "state=\(Harness.state)&code=c-1&user=%7B%22name%22%3A1%7D"
        #expect(try await harness.post(body, cookie: nil).status == 400)
        let delivery = try Harness.delivery(try await harness.post(body, cookie: cookie))
        #expect(delivery["event"]?["postBody"] == .string(body))
        #expect(delivery["event"]?["urlResponse"] == .string("https://auth.example.org/__/auth/handler"))
        #expect(delivery["channel"] == .string("storage"))
        let saml = try Harness.delivery(
            try await harness.post("SAMLResponse=PHg%2B&RelayState=\(Harness.state)", cookie: cookie))
        #expect(saml["event"]?["postBody"] == .string("SAMLResponse=PHg%2B&RelayState=\(Harness.state)"))
        #expect(try await harness.post(body, cookie: cookie, type: "text/plain").status == 400)
        let long = "state=\(Harness.state)&x=\(String(repeating: "x", count: 256 << 10))"
        #expect(try await harness.post(long, cookie: cookie).status == 400)
    }

    @Test func redirectIsCheckedAgainAtTheEnd() async throws {
        let harness = try Harness()
        let cookie = Harness.cookie(try await harness.open(Harness.redirect))
        let changed = try Harness(configuration: #"{"authorizedDomains":["auth.example.org"]}"#)
        let response = try await changed.open("code=c&state=\(Harness.state)", cookie: cookie)
        #expect(response.status == 400 && !response.text.contains("app.example.org"))
        #expect(response.header("Set-Cookie")?.contains("Max-Age=0") == true)
    }

    @Test func nativeApplicationGetsResponse() async throws {
        let harness = try Harness()
        let start = try await harness.open(Harness.native)
        let sent = try #require(harness.harness.mesh.sent(Federation.StartSignIn.self).first)
        #expect(sent.hashedSessionID == String(repeating: "ab", count: 32))
        let cookie = Harness.cookie(start)
        for response in [
            try await harness.open("code=c%2B1&state=\(Harness.state)", cookie: cookie),
            try await harness.post("code=c%2B1&state=\(Harness.state)", cookie: cookie),
        ] {
            let inner = try AppVerificationHarness.inner(try #require(response.header("Location")))
            #expect(response.status == 303 && inner.url.text.hasPrefix("https://auth.example.org/__/auth/callback?"))
            #expect(
                inner.items == [
                    "authType": "signInWithRedirect", "eventId": "Ev7",
                    "link": "https://auth.example.org/__/auth/handler?code=c%2B1&state=\(Harness.state)",
                ])
        }
    }

    @Test(arguments: [("", "fragment"), ("&mode=redirect", "fragment"), ("&mode=popup", "opener")])
    func credentialIsPendingToken(mode: String, channel: String) async throws {
        let harness = try Harness()
        let start = try await harness.open(Harness.credential + mode, path: "/__/auth/signin")
        #expect(start.status == 302)
        let response = try await harness.open(
            "code=c-1&state=\(Harness.state)", path: "/__/auth/callback", cookie: Harness.cookie(start))
        #expect(
            try Harness.delivery(response)
                == json(
                    """
                    {"channel":"\(channel)","redirectURL":"https://app.example.org:8443/in","storageKey":"",\
                    "targetOrigin":"https://app.example.org:8443","returnsAtOnce":true,"message":{"state":"s-1",\
                    "type":"latchkey:credential","credential":{"providerId":"google.com","signInMethod":"google.com",\
                    "pendingToken":"pending-1"}}}
                    """))
        #expect(
            harness.harness.mesh.sent(Federation.VerifyResponse.self) == [
                .init(
                    realm: Realm(project: ProjectID("shop")), requestURL: "https://auth.example.org/__/auth/handler",
                    response: .init(code: Secret("c-1"), state: Secret(Harness.state)), sessionID: Secret("session-1"))
            ])
    }

    @Test(arguments: [
        Harness.credential.replacing("state=s-1", with: "state="), Harness.credential + "&mode=frame",
        Harness.credential + "%23x", Harness.credential.replacing("app.example.org", with: "evil.example"),
        Harness.credential.replacing("providerId=google.com", with: ""),
    ])
    func malformedCredentialRequestIsRefused(query: String) async throws {
        #expect(try await Harness().open(query, path: "/__/auth/signin").status == 400)
    }

    // MARK: Other pages

    @Test func fragmentPageIsForStartedSignInsOnly() async throws {
        let harness = try Harness()
        #expect(try await harness.open("").status == 400)
        let cookie = Harness.cookie(try await harness.open(Harness.redirect))
        let response = try await harness.open("", cookie: cookie)
        let page = try #require(ReadPage(response))
        #expect(
            response.status == 200
                && page.all("form") == [
                    ["id": "response", "method": "post", "action": "/__/auth/handler"]
                ])
        #expect(response.header("Content-Security-Policy")?.contains("form-action 'self'") == true)
    }

    @Test func frameIsForPagesOfAuthorizedDomains() async throws {
        let harness = try Harness()
        for path in ["/__/auth/iframe", "/emulator/auth/iframe"] {
            let response = try await harness.open("apiKey=k&appName=%3Cb%3E", path: path)
            #expect(
                response.header("Content-Security-Policy")
                    == "default-src 'none'; script-src 'self' https://apis.google.com; form-action 'none';"
                    + " base-uri 'none'; frame-ancestors https://auth.example.org:* https://app.example.org:*"
                    + " https://localhost:* http://localhost:*")
            #expect(response.header("X-Frame-Options") == nil && !response.text.contains("<b>"))
        }
        for query in ["", "apiKey=k", "appName=a", "apiKey=other&appName=a"] {
            #expect(try await harness.open(query, path: "/__/auth/iframe").status >= 400)
        }
    }

    @Test func scriptsBuildNoHTMLAndSendToOneOrigin() async throws {
        for path in ["/__/auth/handler.js", "/__/auth/fragment.js", "/__/auth/iframe.js"] {
            let response = try await Harness().open("", path: path)
            #expect(response.header("Content-Type") == "text/javascript; charset=utf-8")
            for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", #""*""#] {
                #expect(!response.text.contains(word), "\(path) \(word)")
            }
        }
    }
}
