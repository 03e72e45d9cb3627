import Foundation
import Testing

@testable import LatchkeyAuth

/// The sessions of a user.
struct UserSessionTests {
    let application = TestApplication()
    var server: ScriptedServer { application.server }

    private func listed() async throws -> (user: User, sessions: [UserSession]) {
        let user = try await application.signIn()
        server.on(
            "accounts:sessions",
            .json(
                """
                {"sessions":[{"sessionId":"AAAA","createdAt":"2026-01-02T03:04:05.678Z",
                "lastUsedAt":"2026-01-03T03:04:05Z","signInProvider":"password","secondFactor":"totp",
                "device":"Firefox (Windows)","network":"192.0.2.0/24","current":true},
                {"sessionId":"BBBB","createdAt":"yesterday","lastUsedAt":"","signInProvider":"passkey"}]}
                """))
        server.on("accounts:revokeSessions", .json("{}"))
        return (user, try await user.sessions())
    }

    @Test func sessionsHaveTheValuesOfTheServer() async throws {
        let (_, sessions) = try await listed()
        let first = try #require(sessions.first)
        #expect(sessions.map(\.id) == ["AAAA", "BBBB"] && sessions.map(\.isCurrent) == [true, false])
        #expect((first.signInProvider, first.secondFactor) == ("password", "totp"))
        #expect((first.device, first.network) == ("Firefox (Windows)", "192.0.2.0/24"))
        let created = try #require(first.createdAt?.timeIntervalSince1970)
        #expect(abs(created - 1_767_323_045.678) < 0.001)
        #expect(first.lastUsedAt?.timeIntervalSince1970 == 1_767_409_445)
        #expect(sessions.last?.createdAt == nil && sessions.last?.device == nil)
        #expect(server.calls("accounts:sessions").last?.text("idToken") == TestToken.id("ada", 1))
    }

    @Test func otherSessionsEndWithoutTheUser() async throws {
        let (user, sessions) = try await listed()
        try await user.endSession(try #require(sessions.last))
        var call = try #require(server.calls("accounts:revokeSessions").last)
        #expect(call.body["sessionIds"] as? [any Sendable] as? [String] == ["BBBB"])
        #expect(call.body["allOthers"] == nil && call.body["all"] == nil)
        try await user.endOtherSessions()
        call = try #require(server.calls("accounts:revokeSessions").last)
        #expect(call.body["allOthers"] as? Bool == true && call.body["sessionIds"] == nil)
        #expect(application.auth.currentUser === user)
    }

    @Test func endOfTheCurrentSessionSignsTheUserOut() async throws {
        let (user, sessions) = try await listed()
        try await user.endSession(try #require(sessions.first))
        #expect(application.auth.currentUser == nil)
    }

    @Test func endOfAllSessionsSignsTheUserOut() async throws {
        let (user, _) = try await listed()
        try await user.endAllSessions()
        #expect(server.calls("accounts:revokeSessions").last?.body["all"] as? Bool == true)
        #expect(application.auth.currentUser == nil)
    }
}
