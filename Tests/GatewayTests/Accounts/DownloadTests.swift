import Contracts
import HTTPServer
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

@Suite struct DownloadTests {
    private static let time = Moment(milliseconds: 1_700_000_000_000)

    @Test func documentHasOnlyMembersWithAValue() async throws {
        let harness = try GatewayHarness()
        let email = try #require(EmailAddress("ada@example.com"))
        harness.mesh.reply(to: Identity.DownloadOwnAccount.self) { _ in
            .init(
                account: .example(),
                sessions: [
                    .init(
                        id: "AAAA", createdAt: Self.time, lastUsedAt: Self.time, endedAt: Self.time,
                        signInProvider: "custom", clientAddress: "192.0.2.7", claims: #"{"role":"editor"}"#,
                        attributes: "no JSON")
                ], hasMoreSessions: true, remainingRecoveryCodes: 9,
                rememberedDevices: [
                    .init(
                        id: "hash", device: "Firefox (Linux)", createdAt: Self.time, lastUsedAt: Self.time,
                        expiresAt: Self.time)
                ],
                actionCodes: [
                    .init(purpose: .verifyEmail, email: email, createdAt: Self.time, expiresAt: Self.time)
                ],
                auditRecords: [
                    .init(at: Self.time, action: "account.created", outcome: "done", actor: .administration)
                ], hasMoreAuditRecords: false)
        }
        let response = try await harness.client("v1/accounts:download", #"{"idToken":"i","tenantId":"x"}"#)
        let text = "2023-11-14T22:13:20.000Z"
        #expect(response.json["account"]?["localId"] == .string("alice"))
        #expect(
            response.json["sessions"]
                == (try json(
                    """
                    [{"sessionId":"AAAA","createdAt":"\(text)","lastUsedAt":"\(text)","endedAt":"\(text)",
                    "signInProvider":"custom","ipAddress":"192.0.2.7","claims":{"role":"editor"},
                    "signInAttributes":"no JSON"}]
                    """)))
        #expect(
            response.json["actionCodes"]
                == (try json(
                    """
                    [{"requestType":"VERIFY_EMAIL","email":"ada@example.com","createdAt":"\(text)",
                    "expiresAt":"\(text)"}]
                    """)))
        #expect(
            response.json["auditRecords"]
                == (try json(
                    #"[{"at":"\#(text)","action":"account.created","outcome":"done","actor":"administration"}]"#)))
        #expect(response.json["hasMoreSessions"] == .bool(true) && response.json["hasMoreAuditRecords"] == nil)
        #expect(response.json["recoveryCodesLeft"] == .integer(9))
        #expect(
            response.json["rememberedDevices"]
                == (try json(
                    """
                    [{"device":"Firefox (Linux)","createdAt":"\(text)","lastUsedAt":"\(text)","expiresAt":"\(text)"}]
                    """)))
        #expect(response.header("Cache-Control") == "no-store")
        let sent = try #require(harness.mesh.sent(Identity.DownloadOwnAccount.self).first)
        #expect(sent.idToken?.reveal() == "i" && sent.realm.tenant == TenantID("x"))
    }
}
