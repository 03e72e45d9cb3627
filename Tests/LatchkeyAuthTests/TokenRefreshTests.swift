import Foundation
import Testing

@testable import LatchkeyAuth

/// The tokens of a session and their renewal.
struct TokenRefreshTests {
    let application = TestApplication()

    @Test(arguments: [(3299.0, 0), (3300.0, 1), (4000.0, 1), (-1.0, 1)])
    func tokenIsRenewedBeforeItExpires(age: TimeInterval, refreshes: Int) async throws {
        let user = try await application.signIn()
        application.server.on("token", .refreshed("ada", 2))
        application.time.advance(by: age)
        let token = try await user.getIDToken()
        #expect(application.server.calls("token").count == refreshes)
        #expect(token == TestToken.id("ada", refreshes == 0 ? 1 : 2))
    }

    @Test func forcedRefreshIsSent() async throws {
        let user = try await application.signIn()
        application.server.on("token", .refreshed("ada", 2))
        let result = try await user.getIDTokenResult(forcingRefresh: true)
        #expect(result.token == TestToken.id("ada", 2) && result.claims["number"] as? Int == 2)
        #expect(result.signInProvider == "password" && result.signInSecondFactor == "")
        #expect(user.refreshToken == TestToken.refresh("ada", 2))
        let call = try #require(application.server.calls("token").first)
        #expect(call.text("refreshToken") == TestToken.refresh("ada", 1) && call.text("grantType") == "refresh_token")
        #expect(application.storage.text.contains(TestToken.refresh("ada", 2)))
    }

    @Test func oneRefreshServesAHundredCallers() async throws {
        let user = try await application.signIn()
        application.time.advance(by: 4000)
        application.server.on("token", .refreshed("ada", 2))
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 { group.addTask { try await user.getIDToken() } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(tokens == [TestToken.id("ada", 2)])
        #expect(application.server.calls("token").count == 1)
    }

    @Test func usersRefreshSeparately() async throws {
        let ada = try await application.signIn("ada")
        let bob = try await application.signIn("bob")
        application.server.on("token") { call in
            .refreshed(call.text("refreshToken") == TestToken.refresh("ada", 1) ? "ada" : "bob", 2)
        }
        async let first = ada.getIDToken(forcingRefresh: true)
        async let second = bob.getIDToken(forcingRefresh: true)
        #expect(try await [first, second].map(TestToken.uid) == ["ada", "bob"])
        #expect(application.auth.currentUser === bob)
        #expect(!application.storage.text.contains("refresh-ada"))
    }

    @Test func cancelledCallerDoesNotWaitAndCancelsNoOther() async throws {
        let user = try await application.signIn()
        let (arrived, released) = (Gate(), Gate())
        application.server.on("token") { _ in
            arrived.open()
            await released.wait()
            return .refreshed("ada", 2)
        }
        let other = Task { try await user.getIDToken(forcingRefresh: true) }
        await arrived.wait()
        let cancelled = Task { try await user.getIDToken(forcingRefresh: true) }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        released.open()
        #expect(try await other.value == TestToken.id("ada", 2))
        #expect(application.server.calls("token").count == 1)
    }

    @Test(arguments: ["TOKEN_EXPIRED", "USER_DISABLED", "USER_NOT_FOUND"])
    func endedSessionSignsTheUserOut(message: String) async throws {
        let user = try await application.signIn()
        application.server.on("token", .refusal(message))
        let expected = AuthErrorCode(serverCode: message)
        #expect(await code { _ = try await user.getIDToken(forcingRefresh: true) } == expected)
        #expect(application.auth.currentUser == nil && application.storage.data == nil)
    }

    @Test(arguments: ["INVALID_REFRESH_TOKEN", "TOO_MANY_ATTEMPTS_TRY_LATER", "MISSING_GRANT_TYPE"])
    func otherErrorsKeepTheSession(message: String) async throws {
        let user = try await application.signIn()
        application.server.on("token", .refusal(message))
        #expect(await code { _ = try await user.getIDToken(forcingRefresh: true) } != nil)
        #expect(application.auth.currentUser === user)
        application.server.on("token", .refreshed("ada", 2))
        #expect(try await user.getIDToken(forcingRefresh: true) == TestToken.id("ada", 2))
    }

    /// The session of the former user must not end that of the current one.
    @Test func endOfAFormerSessionKeepsTheCurrentUser() async throws {
        let ada = try await application.signIn("ada")
        let bob = try await application.signIn("bob")
        application.server.on("token", .refusal("TOKEN_EXPIRED"))
        #expect(await code { _ = try await ada.getIDToken(forcingRefresh: true) } == .userTokenExpired)
        #expect(application.auth.currentUser === bob)
    }

    @Test(arguments: [true, false])
    func reauthenticationDuringARefreshKeepsItsTokens(isRefused: Bool) async throws {
        let user = try await application.signIn()
        let (arrived, released) = (Gate(), Gate())
        application.server.on("token") { _ in
            arrived.open()
            await released.wait()
            return isRefused ? .refusal("TOKEN_EXPIRED") : .refreshed("ada", 2)
        }
        let refresh = Task { try await user.getIDToken(forcingRefresh: true) }
        await arrived.wait()
        application.server.on("accounts:signInWithPassword", .tokens("ada", 3))
        try await user.reauthenticate(
            with: EmailAuthProvider.credential(withEmail: "ada@example.org", password: "correct horse"))
        released.open()
        #expect(try await refresh.value == TestToken.id("ada", 3))
        #expect(user.refreshToken == TestToken.refresh("ada", 3))
        #expect(application.auth.currentUser === user)
        #expect(application.storage.text.contains(TestToken.refresh("ada", 3)))
    }

    /// The server ends the former tokens before the response with the new ones arrives.
    @Test func passwordChangeDuringALookupKeepsTheSession() async throws {
        let user = try await application.signIn()
        let (arrived, released) = (Gate(), Gate())
        application.server.on("accounts:update") { _ in
            arrived.open()
            await released.wait()
            return .tokens("ada", 2)
        }
        application.server.on("accounts:lookup") { call in
            call.text("idToken") == TestToken.id("ada", 1) ? .refusal("TOKEN_EXPIRED") : .account("ada")
        }
        let change = Task { try await user.updatePassword(to: "another horse") }
        await arrived.wait()
        #expect(await code { try await user.reload() } == .userTokenExpired)
        #expect(application.auth.currentUser === user)
        released.open()
        try await change.value
        #expect(application.auth.currentUser === user && user.refreshToken == TestToken.refresh("ada", 2))
    }

    @Test func failedPasswordChangeEndsASessionThatWasRejected() async throws {
        let user = try await application.signIn()
        let (arrived, released) = (Gate(), Gate())
        application.server.on("accounts:update") { _ in
            arrived.open()
            await released.wait()
            return .refusal("WEAK_PASSWORD")
        }
        application.server.on("accounts:lookup", .refusal("TOKEN_EXPIRED"))
        let change = Task { try await user.updatePassword(to: "x") }
        await arrived.wait()
        #expect(await code { try await user.reload() } == .userTokenExpired)
        released.open()
        #expect(await code { try await change.value } == .weakPassword)
        #expect(application.auth.currentUser == nil)
    }

    /// A call that was sent with tokens which were replaced meanwhile is repeated with the new ones.
    @Test func callIsRepeatedWithNewerTokens() async throws {
        let user = try await application.signIn()
        let (arrived, released) = (Gate(), Gate())
        application.server.on("accounts:lookup") { call in
            guard call.text("idToken") == TestToken.id("ada", 1) else { return .account("ada") }
            arrived.open()
            await released.wait()
            return .refusal("TOKEN_EXPIRED")
        }
        let reload = Task { try await user.reload() }
        await arrived.wait()
        application.server.on("token", .refreshed("ada", 2))
        _ = try await user.getIDToken(forcingRefresh: true)
        released.open()
        try await reload.value
        #expect(application.server.calls("accounts:lookup").last?.text("idToken") == TestToken.id("ada", 2))
        #expect(application.auth.currentUser === user)
    }

    /// The new tokens count even if the account cannot be read afterwards: the server has ended the former ones.
    @Test func tokensOfAChangeAreKeptWhenTheLookupFails() async throws {
        let user = try await application.signIn()
        application.server.on("accounts:update", .tokens("ada", 2))
        application.server.fail("accounts:lookup", .timedOut)
        #expect(await code { try await user.updatePassword(to: "another horse") } == .networkError)
        #expect(user.refreshToken == TestToken.refresh("ada", 2))
        #expect(application.storage.text.contains(TestToken.refresh("ada", 2)))
    }

    @Test func refreshAfterSignOutIsNotStored() async throws {
        let user = try await application.signIn()
        let (arrived, released) = (Gate(), Gate())
        application.server.on("token") { _ in
            arrived.open()
            await released.wait()
            return .refreshed("ada", 2)
        }
        let refresh = Task { try await user.getIDToken(forcingRefresh: true) }
        await arrived.wait()
        try application.auth.signOut()
        released.open()
        #expect(try await refresh.value == TestToken.id("ada", 2))
        #expect(application.auth.currentUser == nil && application.storage.data == nil)
    }

    @Test(arguments: [
        "{}", #"{"id_token":"a.b.c","refresh_token":"","expires_in":"3600"}"#,
        #"{"id_token":"a.b.c","refresh_token":"r","expires_in":3600}"#,
    ])
    func malformedRefreshIsAnError(body: String) async throws {
        let user = try await application.signIn()
        application.server.on("token", .json(body))
        #expect(await code { _ = try await user.getIDToken(forcingRefresh: true) } == .internalError)
        #expect(user.refreshToken == TestToken.refresh("ada", 1))
    }
}

/// The lifetime of tokens.
struct SessionTokensTests {
    private let now = Date(timeIntervalSince1970: 1_700_000_000)

    /// Seconds, or nil for the lifetime of the token.
    @Test(arguments: [
        ("3600", 3600.0), ("0", 0), ("-5", 0), ("nan", 600), ("inf", 600), ("1e9", 600), ("", 600),
        ("99999999999", 86_400), ("99999999999999999999", 600), (nil, 600),
    ])
    func lifetimeIsBounded(expiresIn: String?, lifetime: TimeInterval) throws {
        let tokens = try #require(
            SessionTokens(
                idToken: TestToken.id("ada", 1, lifetime: 600), refreshToken: "r", expiresIn: expiresIn, at: now))
        #expect(tokens.expiresAt.timeIntervalSince(now) == lifetime)
        #expect(throws: Never.self) { try JSONEncoder().encode(tokens) }
    }

    @Test func unreadableTokenIsRenewedAtOnce() throws {
        let tokens = try #require(SessionTokens(idToken: "x", refreshToken: "r", expiresIn: nil, at: now))
        #expect(!tokens.isFresh(at: now))
    }

    @Test func marginIsFiveMinutes() throws {
        let tokens = try #require(SessionTokens(idToken: "x", refreshToken: "r", expiresIn: "3600", at: now))
        #expect(tokens.isFresh(at: now.addingTimeInterval(3299)))
        #expect(!tokens.isFresh(at: now.addingTimeInterval(3300)))
        #expect(!tokens.isFresh(at: now.addingTimeInterval(-1)), "the clock was set back")
    }
}
