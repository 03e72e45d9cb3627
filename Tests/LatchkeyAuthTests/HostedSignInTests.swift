import Foundation
import Synchronization
import Testing

@testable import LatchkeyAuth

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sign-in on the pages of the server, by authorization code.
struct HostedSignInTests {
    private static let page = HostedPage(
        clientID: "client-1", redirectURL: url("com.example.shop:/signed-in"), loginHint: "ada@example.org")
    private static let tool = HostedPage(clientID: "client-1", redirectURL: url("http://127.0.0.1/signed-in"))

    private static func url(_ text: String) -> URL {
        guard let url = URL(string: text) else { preconditionFailure("\(text) is no URL") }
        return url
    }

    /// The server and the browser of a user: the code stands for the request.
    private final class Pages: AuthUIDelegate {
        let requests = Mutex<[[String: String]]>([])
        /// Changes the response.
        let change: @Sendable (inout [String: String]) -> Void

        init(_ change: @escaping @Sendable (inout [String: String]) -> Void = { _ in }) { self.change = change }

        /// The URL with which the page returns.
        func visit(_ url: URL) -> URL? {
            let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
            let request = items.reduce(into: [:]) { $0[$1.name] = $1.value }
            requests.withLock { $0.append(request) }
            var response = ["code": "code-1", "iss": "https://issuer.example/shop"]
            response["state"] = request["state"]
            change(&response)
            let query = FormBody.text(response.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
            return URL(string: "\(request["redirect_uri"] ?? "")?\(query)")
        }

        func present(_ url: URL, callbackURLScheme: String) async throws -> URL? { visit(url) }
        var nonce: String { requests.withLock { $0.last?["nonce"] } ?? "" }
    }

    private static func token(nonce: String, issuer: String = "https://issuer.example/shop") -> String {
        let payload = """
            {"sub":"ada","iat":1700000000,"exp":1700003600,"iss":"\(issuer)","nonce":"\(nonce)",\
            "firebase":{"sign_in_provider":"password"}}
            """
        return "e30.\(Data(payload.utf8).base64URLText).c2ln"
    }

    /// A server that redeems a code. `claims` makes the ID token of the nonce.
    private static func server(
        _ pages: Pages, token: @escaping @Sendable (String) -> String = { HostedSignInTests.token(nonce: $0) }
    ) -> ScriptedServer {
        let server = ScriptedServer()
        server.on("token") { _ in
            .json(#"{"id_token":"\#(token(pages.nonce))","refresh_token":"r-1","expires_in":3600,"user_id":"ada"}"#)
        }
        server.on("accounts:lookup", .account("ada"))
        return server
    }

    @Test func codeIsRedeemedWithItsVerifier() async throws {
        let pages = Pages()
        let server = Self.server(pages)
        let auth = server.auth()
        auth.tenantID = "tenant-1"
        auth.languageCode = "fr"
        server.on("accounts:lookup", .account("ada", more: #","tenantId":"tenant-1""#))
        let result = try await auth.signIn(withHostedPage: Self.page, uiDelegate: pages)
        #expect(result.user.uid == "ada" && auth.currentUser === result.user)
        #expect(result.additionalUserInfo?.providerID == "password")
        #expect(result.user.refreshToken == "r-1")
        let request = try #require(pages.requests.withLock { $0.first })
        #expect(request["response_type"] == "code" && request["client_id"] == "client-1")
        #expect(request["redirect_uri"] == "com.example.shop:/signed-in" && request["login_hint"] == "ada@example.org")
        #expect(request["tenantId"] == "tenant-1" && request["hl"] == "fr" && request["prompt"] == nil)
        let call = try #require(server.calls("token").first)
        #expect(call.url.path == "/__/auth/token")
        #expect(call.headers["content-type"] == "application/x-www-form-urlencoded")
        let form = String(decoding: call.bytes, as: UTF8.self)
        let items = URLComponents(string: "?\(form)")?.queryItems ?? []
        let verifier = try #require(items.first { $0.name == "code_verifier" }?.value)
        #expect(request["code_challenge_method"] == "S256")
        #expect(request["code_challenge"] == Data(SHA256.digest(Array(verifier.utf8))).base64URLText)
        #expect(
            form.hasPrefix("grant_type=authorization_code&client_id=client-1&redirect_uri=com.example.shop%3A%2Fsign"))
    }

    @Test func optionsAreParameters() throws {
        var page = Self.page
        page.prompt = .selectAccount
        page.maximumAgeSeconds = 0
        page.acrValues = ["urn:a", "urn:b"]
        let visited = try AuthorizationPage(
            page, server: Self.url("https://auth.example"), port: nil, tenantID: nil, languageCode: nil)
        let items = URLComponents(url: visited.url, resolvingAgainstBaseURL: false)?.queryItems ?? []
        let values = items.reduce(into: [:]) { $0[$1.name] = $1.value }
        #expect(
            values["prompt"] == "select_account" && values["max_age"] == "0" && values["acr_values"] == "urn:a urn:b")
        #expect(visited.url.path == "/__/auth/authorize" && visited.callbackScheme == "com.example.shop")
    }

    /// A response that another page or program made is not used.
    @Test(arguments: ["state", "code"]) func foreignResponseIsRefused(parameter: String) async throws {
        let pages = Pages { $0[parameter] = "" }
        let server = Self.server(pages)
        let auth = server.auth()
        #expect(await code { try await auth.signIn(withHostedPage: Self.page, uiDelegate: pages) } == .webInternalError)
        #expect(server.calls.isEmpty && auth.currentUser == nil)
    }

    @Test func tokensOfAnotherRequestOrIssuerAreNotUsed() async throws {
        for token in [
            { @Sendable _ in Self.token(nonce: "other") },
            { @Sendable nonce in Self.token(nonce: nonce, issuer: "https://other.example") },
        ] as [@Sendable (String) -> String] {
            let pages = Pages()
            let auth = Self.server(pages, token: token).auth()
            #expect(
                await code { try await auth.signIn(withHostedPage: Self.page, uiDelegate: pages) } == .invalidCredential
            )
            #expect(auth.currentUser == nil)
        }
    }

    @Test(arguments: [
        ("access_denied", AuthErrorCode.webSignInUserInteractionFailure, "access_denied"),
        ("temporarily_unavailable", .webNetworkRequestFailed, "temporarily_unavailable"),
        ("server_error", .webInternalError, "server_error"), ("<b>", .webSignInUserInteractionFailure, ""),
    ]) func errorOfThePageIsAnError(text: String, expected: AuthErrorCode, serverCode: String) async throws {
        let pages = Pages { $0["error"] = text }
        let auth = Self.server(pages).auth()
        let error = await #expect(throws: AuthErrorCode.self) {
            try await auth.signIn(withHostedPage: Self.page, uiDelegate: pages)
        }
        #expect(error?.code == expected)
        #expect(error?.userInfo[AuthErrorUserInfoServerCodeKey] as? String ?? "" == serverCode)
    }

    @Test func refusedCodeIsAnInvalidCredential() async throws {
        let pages = Pages()
        let server = Self.server(pages)
        server.on("token", .json(#"{"error":"invalid_grant"}"#, status: 400))
        let auth = server.auth()
        #expect(
            await code { try await auth.signIn(withHostedPage: Self.page, uiDelegate: pages) } == .invalidCredential)
        #expect(server.calls("token").count == 1)
    }

    @Test func systemWithoutADelegateSaysSo() async throws {
        let auth = Self.server(Pages()).auth()
        #expect(await code { try await auth.signIn(withHostedPage: Self.page) } == .webInternalError)
    }

    // MARK: - Loopback

    /// The status of a URL.
    private static func status(_ url: URL) async throws -> Int? {
        let session = URLSession(configuration: .ephemeral)
        defer { session.finishTasksAndInvalidate() }
        return (try await session.data(from: url).1 as? HTTPURLResponse)?.statusCode
    }

    /// Another program of this computer, which knows the port and not the state, changes nothing.
    @Test func toolReceivesTheResponseOnLoopback() async throws {
        let pages = Pages()
        let auth = Self.server(pages).auth()
        let result = try await auth.signIn(withHostedPage: Self.tool) { url in
            let response = try #require(pages.visit(url))
            let origin = "http://127.0.0.1:\(try #require(response.port))"
            #expect(try await Self.status(Self.url(origin + "/favicon.ico")) == 404)
            #expect(try await Self.status(Self.url(origin + "/signed-in?code=evil&state=guess")) == 404)
            #expect(try await Self.status(response) == 200)
        }
        #expect(result.user.uid == "ada")
        let redirect = try #require(pages.requests.withLock { $0.first?["redirect_uri"] })
        #expect(redirect.wholeMatch(of: /http:\/\/127\.0\.0\.1:[0-9]+\/signed-in/) != nil)
    }

    @Test func errorOfTheBrowserEndsTheSignIn() async throws {
        let auth = Self.server(Pages()).auth()
        let failure = await code {
            try await auth.signIn(withHostedPage: Self.tool) { _ in throw AuthErrorCode(.webContextCancelled) }
        }
        #expect(failure == .webContextCancelled)
        // The page is closed: another one can be shown.
        let pages = Pages()
        let next = await code { try await auth.signIn(withHostedPage: Self.page, uiDelegate: pages) }
        #expect(next != .webContextAlreadyPresented)
    }

    @Test func cancelledSignInStopsListening() async throws {
        let auth = Self.server(Pages()).auth()
        let port = Mutex<Int?>(nil)
        let (opened, continuation) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            try await auth.signIn(withHostedPage: Self.tool) { url in
                let redirect = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems?
                    .first { $0.name == "redirect_uri" }?.value
                port.withLock { $0 = redirect.flatMap(URL.init(string:))?.port }
                continuation.finish()
            }
        }
        for await _ in opened {}
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(port.withLock { $0 } != nil)
    }

    @Test(arguments: [
        "http://localhost/signed-in", "http://127.0.0.1:8000/signed-in", "https://127.0.0.1/a", "com.example.shop:/a",
    ]) func toolReturnsToLoopbackOnly(address: String) async throws {
        let auth = Self.server(Pages()).auth()
        let page = HostedPage(clientID: "client-1", redirectURL: Self.url(address))
        #expect(await code { try await auth.signIn(withHostedPage: page) { _ in } } == .internalError)
    }

    @Test(arguments: [
        ("GET /a?b=c HTTP/1.1\r\nHost: x\r\n\r\n", "/a?b=c"), ("POST /a HTTP/1.1\r\n\r\n", nil),
        ("GET a HTTP/1.1\r\n\r\n", nil), ("GET /a\r\n", nil), ("", nil), ("GET /\u{7f} HTTP/1.1\r\n", nil),
        ("GET http://evil/ HTTP/1.1\r\n", nil), ("GET /a HTTP/2\r\n", nil),
    ]) func requestLineIsRead(request: String, path: String?) {
        #expect(LoopbackListener.path(in: Array(request.utf8)) == path)
    }

    @Test func pageOfTheToolLoadsNothing() {
        let response = LoopbackListener.response(isResult: true)
        #expect(response.contains("default-src 'none'") && response.contains("Referrer-Policy: no-referrer"))
    }
}
