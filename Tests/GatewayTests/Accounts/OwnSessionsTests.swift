import Contracts
import HTTPServer
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

@Suite struct OwnSessionsTests {
    private static let session = Identity.OwnSession(
        id: "AAAA", createdAt: Moment(milliseconds: 1_700_000_000_000),
        lastUsedAt: Moment(milliseconds: 1_700_000_000_123),
        signInProvider: "password", secondFactor: "totp", device: "Firefox (Windows)", network: "192.0.2.0/24",
        isCurrent: true)

    @Test func sessionsHaveOnlyMembersWithAValue() async throws {
        let harness = try GatewayHarness()
        let bare = Identity.OwnSession(
            id: "BBBB", createdAt: Self.session.createdAt, lastUsedAt: Self.session.createdAt,
            signInProvider: "anonymous", isCurrent: false)
        harness.mesh.reply(to: Identity.ListOwnSessions.self) { _ in
            .init(sessions: [Self.session, bare], hasMore: false)
        }
        let response = try await harness.client("v1/accounts:sessions", #"{"idToken":"i","tenantId":"x"}"#)
        #expect(
            response.json
                == (try json(
                    """
                    {"sessions":[{"sessionId":"AAAA","createdAt":"2023-11-14T22:13:20.000Z",
                    "lastUsedAt":"2023-11-14T22:13:20.123Z","signInProvider":"password","secondFactor":"totp",
                    "device":"Firefox (Windows)","network":"192.0.2.0/24","current":true},
                    {"sessionId":"BBBB","createdAt":"2023-11-14T22:13:20.000Z",
                    "lastUsedAt":"2023-11-14T22:13:20.000Z","signInProvider":"anonymous"}]}
                    """)))
        #expect(response.header("Cache-Control") == "no-store")
        let sent = try #require(harness.mesh.sent(Identity.ListOwnSessions.self).first)
        #expect(sent.idToken?.reveal() == "i" && sent.realm.tenant == TenantID("x"))
    }

    @Test func incompleteListSaysSo() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.ListOwnSessions.self) { _ in .init(sessions: [], hasMore: true) }
        let response = try await harness.client("v1/accounts:sessions", #"{"idToken":"i"}"#)
        #expect(response.json == (try json(#"{"sessions":[],"hasMore":true}"#)))
    }

    @Test(
        arguments: [
            (#""sessionIds":["a","b"]"#, .listed(["a", "b"])), (#""session_ids":["a"],"all":false"#, .listed(["a"])),
            (#""allOthers":true"#, .others), (#""all":true,"sessionIds":[]"#, .all),
        ] as [(String, Identity.EndOwnSessions.Selection)])
    func selectionIsSent(members: String, selection: Identity.EndOwnSessions.Selection) async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.EndOwnSessions.self) { _ in EmptyReply() }
        let response = try await harness.client("v1/accounts:revokeSessions", #"{"idToken":"i",\#(members)}"#)
        #expect(response.status == 200)
        #expect(response.json == (try json("{}")))
        let sent = try #require(harness.mesh.sent(Identity.EndOwnSessions.self).first)
        #expect(sent.idToken?.reveal() == "i" && sent.selection == selection)
    }

    @Test(
        arguments: [
            "", #","all":false"#, #","sessionIds":[]"#, #","all":true,"allOthers":true"#,
            #","sessionIds":["a"],"all":true"#, #","sessionIds":"a""#,
        ])
    func otherSelectionsAreRefused(members: String) async throws {
        let harness = try GatewayHarness()
        let response = try await harness.client("v1/accounts:revokeSessions", #"{"idToken":"i"\#(members)}"#)
        #expect(response.status == 400)
        #expect(harness.mesh.sent(Identity.EndOwnSessions.self).isEmpty)
    }
}
