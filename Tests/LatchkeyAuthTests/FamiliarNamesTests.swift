import Foundation
import Synchronization
import Testing

@testable import LatchkeyAuth

/// What the names do that applications know from Firebase, beside those that have tests of their own.
struct FamiliarNamesTests {
    let application = TestApplication()

    // MARK: - The application

    @Test func authNamesItsApplication() async throws {
        let options = LatchkeyOptions(apiKey: "key-1", serverURL: URL(string: "https://auth.example"))
        var app: LatchkeyApp? = LatchkeyApp(name: "shop", options: options, persistence: .memory)
        let auth = try #require(app).auth
        #expect(auth.app === app && auth.app?.options.apiKey == "key-1")
        app = nil
        #expect(auth.app == nil)
    }

    @Test func changeOfTheUserIsPosted() async throws {
        let posts = Mutex(0)
        let observer = NotificationCenter.default.addObserver(
            forName: .AuthStateDidChange, object: application.auth, queue: nil
        ) { _ in posts.withLock { $0 += 1 } }
        defer { NotificationCenter.default.removeObserver(observer) }
        try await application.signIn()
        try application.auth.signOut()
        await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
        #expect(posts.withLock { $0 } == 2)
    }

    // MARK: - Groups of applications

    @Test func groupHasASessionOfItsOwn() async throws {
        let (own, shared) = (TestStorage(), TestStorage())
        let server = application.server
        let auth = Auth(
            options: LatchkeyOptions(apiKey: "key-1", serverURL: URL(string: "https://auth.example")),
            storage: own.storage, transport: server.transport, clock: application.time.clock,
            groupStorage: { $0 == "TEAM.shop" ? shared.storage : nil })
        server.on("accounts:signInWithPassword", .tokens("ada"))
        let ada = try await auth.signIn(withEmail: "ada@example.org", password: "correct horse").user
        try auth.useUserAccessGroup("TEAM.shop")
        #expect(auth.currentUser == nil && auth.userAccessGroup == "TEAM.shop")
        try await auth.updateCurrentUser(ada)
        #expect(try auth.getStoredUser(forAccessGroup: "TEAM.shop")?.uid == "ada")
        try auth.signOut()
        #expect(shared.data == nil, "the sign-out is that of the group")
        try auth.useUserAccessGroup(nil)
        #expect(auth.currentUser?.uid == "ada" && auth.userAccessGroup == nil)
        #expect(throws: AuthErrorCode(.keychainError)) { try auth.useUserAccessGroup("TEAM.other") }
        #expect(throws: AuthErrorCode(.keychainError)) { try auth.getStoredUser(forAccessGroup: "TEAM.other") }
        #expect(auth.currentUser?.uid == "ada")
    }

    // MARK: - Pages

    /// Shows a page, and is closed.
    private final class Closed: AuthUIDelegate {
        let urls = Mutex<[URL]>([])

        func present(_ url: URL, callbackURLScheme: String) async throws -> URL? {
            urls.withLock { $0.append(url) }
            throw AuthErrorCode(.webContextCancelled)
        }
    }

    @Test(arguments: ["login.example.org", nil]) func pagesHaveTheCustomDomain(domain: String?) async throws {
        let auth = ScriptedServer().auth()
        auth.customAuthDomain = domain
        let delegate = Closed()
        let provider: any FederatedAuthProvider = OAuthProvider(providerID: "github.com", auth: auth)
        #expect(await code { try await auth.signIn(with: provider, uiDelegate: delegate) } == .webContextCancelled)
        let url = try #require(delegate.urls.withLock { $0.first })
        #expect(url.absoluteString.hasPrefix("https://\(domain ?? "auth.example.org")/__/auth/handler?"))
    }

    @Test(arguments: ["", "a/b", "a.example@evil.example", "a?b"]) func domainIsAHostName(domain: String) async throws {
        let auth = ScriptedServer().auth()
        auth.customAuthDomain = domain
        let provider = OAuthProvider(providerID: "github.com", auth: auth)
        #expect(await code { _ = try await provider.getCredentialWith(Closed()) } == .internalError)
    }

    // MARK: - Credentials

    @Test func typedProviderIDsAreThoseOfTheProviders() {
        #expect(AuthProviderID.apple.rawValue == "apple.com" && AuthProviderID.email.rawValue == "password")
        #expect(AuthProviderID.custom("oidc.example").rawValue == "oidc.example")
        let credential = OAuthProvider.credential(providerID: .google, idToken: "id", accessToken: "access")
        #expect(credential.provider == "google.com" && credential.idToken == "id")
        #expect(OAuthProvider.credential(providerID: .gitHub, accessToken: "access").accessToken == "access")
        #expect(OAuthProvider.credential(providerID: .apple, idToken: "id", rawNonce: "n").provider == "apple.com")
    }

    // MARK: - Errors

    @Test func nsErrorKeepsCodeAndValues() async throws {
        let error = AuthErrorCode(.invalidEmail, userInfo: [AuthErrors.userInfoEmailKey: "ada@example.org"])
        let code = AuthErrorCode(_nsError: error as NSError)
        #expect(code == .invalidEmail && code.userInfo[AuthErrors.userInfoEmailKey] as? String == "ada@example.org")
        #expect(AuthErrorCode(_nsError: NSError(domain: "other", code: 17008)) == .internalError)
        #expect(AuthErrors.domain == AuthErrorDomain)
        #expect(AuthErrors.userInfoMultiFactorResolverKey == AuthErrorUserInfoMultiFactorResolverKey)
    }

    // MARK: - Settings of action codes

    @Test func settingsAreAnObject() {
        let settings = ActionCodeSettings()
        let same = settings
        same.handleCodeInApp = true
        settings.setAndroidPackageName("org.example", installIfNotAvailable: true, minimumVersion: "12")
        #expect(settings.handleCodeInApp && same.androidPackageName == "org.example")
        #expect(same.androidInstallIfNotAvailable && same.androidMinimumVersion == "12")
        #expect(settings.iOSBundleID == Bundle.main.bundleIdentifier)
    }
}

/// What the calls do that are deprecated as in Firebase. A test must not call them by their names.
struct DeprecatedCallTests {
    let application = TestApplication()

    @Test func methodsOfAnAddress() async throws {
        application.server.on("accounts:createAuthUri", .json(#"{"signinMethods":["password","google.com"]}"#))
        let methods = try await application.auth.signInMethods(ofEmail: "ada@example.org")
        #expect(methods == [EmailPasswordAuthSignInMethod, GoogleAuthSignInMethod])
        #expect(application.server.calls.first?.text("identifier") == "ada@example.org")
        application.server.on("accounts:createAuthUri", .json(#"{"registered":false}"#))
        #expect(try await application.auth.signInMethods(ofEmail: "bob@example.org") == [])
    }

    @Test func addressChangesAtOnce() async throws {
        let user = try await application.signIn()
        application.server.on("accounts:update", .tokens("ada", 2))
        try await user.changeEmail(to: "new@example.org")
        #expect(application.server.calls("accounts:update").first?.text("email") == "new@example.org")
        #expect(try await user.idTokenForcingRefresh(false) == TestToken.id("ada", 2))
        #expect(try await user.idTokenResult().signInSecondFactor == "")
    }
}
