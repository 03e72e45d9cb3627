import Foundation
import Testing

@testable internal import LatchkeyAuth

struct OAuthProviderTests {
    /// A browser that a closure replaces.
    private final class Browser: AuthUIDelegate {
        private let visit: @MainActor @Sendable (URL, String) async throws -> URL?

        init(_ visit: @escaping @MainActor @Sendable (URL, String) async throws -> URL?) { self.visit = visit }

        func present(_ url: URL, callbackURLScheme: String) async throws -> URL? {
            try await visit(url, callbackURLScheme)
        }
    }

    private static let scheme = "com.example.apps.5501-abc"

    private static func parameters(of url: URL) -> [String: String] {
        let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
        return Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }
    }

    /// The result that the server returns for a page.
    private static func result(
        of page: URL, scheme: String = scheme, host: String = "firebaseauth", path: String = "/link",
        authType: String? = nil, eventID: String? = nil, _ name: String = "link",
        _ value: String? = "https://auth.example.org/__/auth/handler?code=1&state=2"
    ) throws -> URL {
        let sent = parameters(of: page)
        let members = [
            ("authType", authType ?? sent["authType"]), ("eventId", eventID ?? sent["eventId"]), (name, value),
        ]
        let link = "https://auth.example.org/__/auth/callback?\(FormBody.text(members))"
        return try #require(URL(string: "\(scheme)://\(host)\(path)?\(FormBody.text([("deep_link_id", link)]))"))
    }

    private static func page(
        _ purpose: BrowserPage.Purpose = .signIn(
            providerID: "oidc.example", scopes: [], customParameters: [:], sessionID: "session")
    ) throws -> BrowserPage {
        try BrowserPage(
            purpose, server: try #require(URL(string: "https://auth.example.org")), apiKey: "key",
            app: try RegisteredApp(.registered, mainBundleID: nil), eventID: "event", tenantID: nil, languageCode: nil)
    }

    private func server(_ responses: [String: [ScriptedServer.Reply]] = [:]) -> ScriptedServer {
        ScriptedServer(
            ["accounts:signInWithIdp": [.tokens("ada")], "accounts:lookup": [.account("ada")]].merging(responses) { $1 }
        )
    }

    private func provider(_ auth: Auth) -> OAuthProvider { OAuthProvider(providerID: "oidc.example", auth: auth) }

    // MARK: - The page

    @Test func pageHasTheParametersOfTheRequest() async throws {
        let auth = server().auth()
        auth.tenantID = "tenant"
        auth.languageCode = "de"
        let provider = provider(auth)
        provider.scopes = ["mail.read", "calendar"]
        provider.customParameters = ["login_hint": "a+b & c@example.org", "prompt": "consent"]
        let opened = Locked<(URL, String)?>(nil)
        _ = try await provider.getCredentialWith(
            Browser { url, scheme in
                opened.withLock { $0 = (url, scheme) }
                return try Self.result(of: url)
            })
        let (url, scheme) = try #require(opened.withLock { $0 })
        #expect(url.absoluteString.hasPrefix("https://auth.example.org/__/auth/handler?"))
        #expect(!url.absoluteString.contains("+"))
        #expect(scheme == Self.scheme)
        var sent = Self.parameters(of: url)
        #expect(sent.removeValue(forKey: "eventId")?.count == 16)
        #expect(sent.removeValue(forKey: "sessionId")?.count == 64)
        #expect(
            sent == [
                "apiKey": "key", "authType": "signInWithRedirect", "v": "Swift/LatchkeyAuth/1",
                "ibi": "org.example.app", "clientId": "5501-abc.apps.example.com", "tid": "tenant", "hl": "de",
                "providerId": "oidc.example", "scopes": "mail.read,calendar",
                "customParameters": #"{"login_hint":"a+b & c@example.org","prompt":"consent"}"#,
            ])
    }

    @Test(
        arguments: [
            ("5501-abc.apps.example.com", "1:2:ios:77aa", "com.example.apps.5501-abc"),
            (nil, "1:2:ios:77aa", "app-1-2-ios-77aa"),
        ] as [(String?, String?, String)])
    func schemeIsThatOfTheRegisteredApp(clientID: String?, appID: String?, scheme: String) throws {
        var options = LatchkeyOptions.registered
        (options.clientID, options.appID) = (clientID, appID)
        #expect(try RegisteredApp(options, mainBundleID: nil).scheme == scheme)
    }

    @Test func appWithoutIdentifiersIsRefused() throws {
        var options = LatchkeyOptions.registered
        (options.clientID, options.appID) = (nil, nil)
        #expect(throws: AuthErrorCode(.missingClientIdentifier)) { try RegisteredApp(options, mainBundleID: nil) }
        options = .registered
        options.bundleID = nil
        #expect(throws: AuthErrorCode(.missingIosBundleID)) { try RegisteredApp(options, mainBundleID: nil) }
        #expect(try RegisteredApp(options, mainBundleID: "org.example.main").bundleID == "org.example.main")
    }

    // MARK: - The result

    @Test func resultOfAnotherPageIsNotAccepted() throws {
        let page = try Self.page()
        let accepted = try Self.result(of: page.url)
        #expect(page.result(in: accepted) != nil)
        let others = [
            try Self.result(of: page.url, scheme: "com.example.other"),
            try Self.result(of: page.url, host: "example.org"), try Self.result(of: page.url, path: "/other"),
            try Self.result(of: page.url, authType: "verifyApp"), try Self.result(of: page.url, eventID: "other"),
            try #require(URL(string: "\(Self.scheme)://firebaseauth/link")),
            try #require(URL(string: "\(Self.scheme)://firebaseauth/link?deep_link_id=%00")),
            try Self.result(of: page.url, "link", String(repeating: "a", count: BrowserPage.maximumResultBytes)),
        ]
        for other in others { #expect(page.result(in: other) == nil, "\(other.absoluteString.prefix(200))") }
    }

    @Test(
        arguments: [
            (
                #"{"code":"auth/invalid-oauth-client-id","message":"secret"}"#, .invalidClientID,
                "auth/invalid-oauth-client-id"
            ),
            (#"{"code":"auth/network-request-failed"}"#, .webNetworkRequestFailed, "auth/network-request-failed"),
            (#"{"code":"auth/internal-error"}"#, .webInternalError, "auth/internal-error"),
            (#"{"code":"auth/user-cancelled"}"#, .webSignInUserInteractionFailure, "auth/user-cancelled"),
            (#"{"code":"<b>not a code</b>"}"#, .webSignInUserInteractionFailure, nil),
            ("not JSON", .webSignInUserInteractionFailure, nil), ("", .webSignInUserInteractionFailure, nil),
        ] as [(String, AuthErrorCode, String?)])
    func errorOfThePageHasItsCode(json: String, code: AuthErrorCode, serverCode: String?) throws {
        let page = try Self.page()
        guard case .failure(let error) = page.result(in: try Self.result(of: page.url, "firebaseError", json)) else {
            Issue.record("The error was not recognized.")
            return
        }
        #expect(error.code == code)
        #expect(error.userInfo[AuthErrorUserInfoServerCodeKey] as? String == serverCode)
        #expect(!"\(error.userInfo)".contains("secret"))
    }

    @Test func resultWithoutAValueIsAFailure() throws {
        for purpose in [try Self.page().purpose, .appVerification] {
            let page = try Self.page(purpose)
            let empty = page.result(in: try Self.result(of: page.url, "link", ""))
            guard case .failure(let error) = empty else {
                Issue.record("The empty result was accepted.")
                return
            }
            #expect(
                error.code
                    == (purpose == .appVerification
                        ? .appVerificationUserInteractionFailure : .webSignInUserInteractionFailure))
        }
    }

    // MARK: - The sign-in

    @Test func serverReceivesTheResponseAndTheSessionIDOfThePage() async throws {
        let server = server()
        let auth = server.auth()
        let hashed = Locked<String?>(nil)
        let result = try await auth.signIn(
            with: provider(auth),
            uiDelegate: Browser { url, _ in
                hashed.withLock { $0 = Self.parameters(of: url)["sessionId"] }
                return try Self.result(of: url)
            })
        #expect(auth.currentUser === result.user)
        let sent = try #require(server.calls("accounts:signInWithIdp").first)
        #expect(sent.text("requestUri") == "https://auth.example.org/__/auth/handler?code=1&state=2")
        #expect(sent.text("sessionId").map { sha256($0) } == hashed.withLock { $0 })
    }

    @Test func linkAndReauthenticationUseTheAccountOfTheUser() async throws {
        let server = server()
        let auth = server.auth()
        let browser = Browser { url, _ in try Self.result(of: url) }
        let user = try await auth.signIn(with: provider(auth), uiDelegate: browser).user
        #expect(try await user.link(with: provider(auth), uiDelegate: browser).user === user)
        #expect(server.calls("accounts:signInWithIdp").last?.text("idToken") == TestToken.id("ada", 1))
        #expect(try await user.reauthenticate(with: provider(auth), uiDelegate: browser).user === user)
        #expect(server.calls("accounts:signInWithIdp").last?.body["autoCreate"] as? Bool == false)
    }

    @Test func applicationPassesTheResultItself() async throws {
        let auth = server().auth()
        let credential = try await provider(auth).getCredentialWith(
            Browser { url, _ in
                let (other, result) = (try Self.result(of: url, eventID: "other"), try Self.result(of: url))
                #expect(!auth.canHandle(other))
                #expect(auth.canHandle(result))
                return nil
            })
        #expect(credential.provider == "oidc.example")
        let late = try Self.result(of: try Self.page().url)
        #expect(!auth.canHandle(late))
    }

    @Test func pageIsClosedWhenTheApplicationPassesTheResult() async throws {
        let auth = server().auth()
        let isClosed = Locked(false)
        let (closings, continuation) = AsyncStream.makeStream(of: Void.self)
        _ = try await provider(auth).getCredentialWith(
            Browser { url, _ in
                let result = try Self.result(of: url)
                #expect(auth.canHandle(result))
                await #expect(throws: CancellationError.self) { try await TestPause.untilCanceled(.zero) }
                isClosed.withLock { $0 = true }
                continuation.finish()
                return nil
            })
        for await _ in closings {}
        #expect(isClosed.withLock { $0 })
    }

    @Test func onePageIsOpenAtATime() async throws {
        let auth = server().auth()
        let provider = provider(auth)
        _ = try await provider.getCredentialWith(
            Browser { url, _ in
                await #expect(throws: AuthErrorCode(.webContextAlreadyPresented)) {
                    try await provider.getCredentialWith(Browser { _, _ in nil })
                }
                return try Self.result(of: url)
            })
        // The next one opens after it.
        _ = try await provider.getCredentialWith(Browser { url, _ in try Self.result(of: url) })
    }

    @Test func errorOfTheDelegateEndsTheSignIn() async throws {
        let auth = server().auth()
        await #expect(throws: AuthErrorCode(.webContextCancelled)) {
            try await provider(auth).getCredentialWith(Browser { _, _ in throw AuthErrorCode(.webContextCancelled) })
        }
    }

    @Test func resultOfAnotherPageFromTheDelegateIsAnError() async throws {
        let auth = server().auth()
        await #expect(throws: AuthErrorCode(.webInternalError)) {
            try await provider(auth).getCredentialWith(Browser { url, _ in try Self.result(of: url, eventID: "x") })
        }
    }

    @Test func pageIsAbandonedAfterTenMinutes() async throws {
        let pauses = Locked<[Duration]>([])
        let auth = server().auth(sleep: { pause in pauses.withLock { $0.append(pause) } })
        await #expect(throws: AuthErrorCode(.webContextCancelled)) {
            try await provider(auth).getCredentialWith(Browser { _, _ in nil })
        }
        #expect(pauses.withLock { $0 } == [.seconds(600)])
    }

    @Test func canceledTaskEndsTheSignIn() async throws {
        let auth = server().auth()
        let (visits, continuation) = AsyncStream.makeStream(of: Void.self)
        let provider = provider(auth)
        let signIn = Task {
            try await provider.getCredentialWith(
                Browser { _, _ in
                    continuation.finish()
                    return nil
                })
        }
        for await _ in visits {}
        signIn.cancel()
        await #expect(throws: CancellationError.self) { try await signIn.value }
    }

    #if !canImport(AuthenticationServices)
        @Test func systemWithoutABrowserNeedsADelegate() async throws {
            let auth = server().auth()
            let error = await #expect(throws: AuthErrorCode(.webInternalError)) {
                try await provider(auth).getCredentialWith(nil)
            }
            #expect(error?.localizedDescription.contains("AuthUIDelegate") == true)
        }
    #endif

    @Test func completionHandlerReceivesTheCredential() async throws {
        let auth = server().auth()
        let provider = provider(auth)
        let credential = await withCheckedContinuation { continuation in
            provider.getCredentialWith(Browser { url, _ in try Self.result(of: url) }) { credential, _ in
                continuation.resume(returning: credential)
            }
        }
        #expect(credential?.provider == "oidc.example")
    }

    // MARK: - Revocation

    @Test func authorizationCodeIsSentWithTheIDToken() async throws {
        let server = server(["accounts:revokeToken": [.json("{}")]])
        let auth = server.auth()
        await #expect(throws: AuthErrorCode(.nullUser)) { try await auth.revokeToken(withAuthorizationCode: "code") }
        _ = try await auth.signIn(with: provider(auth), uiDelegate: Browser { url, _ in try Self.result(of: url) })
        try await auth.revokeToken(withAuthorizationCode: "code")
        let sent = try #require(server.calls("accounts:revokeToken").first)
        #expect(
            ["providerId", "tokenType", "token", "idToken"].map { sent.text($0) } == [
                "apple.com", "CODE", "code", TestToken.id("ada", 1),
            ])
    }
}
