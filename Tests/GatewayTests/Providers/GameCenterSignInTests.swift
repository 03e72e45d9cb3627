import Contracts
import HTTPServer
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// REST 2.9.
@Suite struct GameCenterSignInTests {
    private static let operation = "v1/accounts:signInWithGameCenter"
    private static let body = #"""
        {"playerId":"G:1","teamPlayerId":"T:_1","gamePlayerId":"A:_1","publicKeyUrl":"u","signature":"-_8","salt":"AQ==",
          "timestamp":1700000000000,"displayName":"Ada","idToken":"i","tenantId":"t1"}
        """#

    @Test func playerSignsIn() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Federation.SignInWithGameCenter.self) { _ in
            .init(session: .init(account: .example(), tokens: .example, isNewAccount: true, isEmailRecycled: false))
        }
        let response = try await harness.client(Self.operation, Self.body)
        #expect(response.status == 200)
        let session = try json(
            #"""
            {"localId":"\#(Account.example().id.rawValue)","playerId":"G:1","teamPlayerId":"T:_1","gamePlayerId":"A:_1",
              "displayName":"Ada","isNewUser":true,"idToken":"\#(TokenSet.example.idToken.reveal())",
              "refreshToken":"\#(TokenSet.example.refreshToken.reveal())",
              "expiresIn":"\#(TokenSet.example.expiresInSeconds)"}
            """#)
        #expect(response.json == session)
        let sent = try #require(harness.mesh.sent(Federation.SignInWithGameCenter.self).first)
        #expect(sent.player == .init(teamPlayerID: "T:_1", gamePlayerID: "A:_1", playerID: "G:1", displayName: "Ada"))
        #expect(
            sent.proof
                == .init(
                    publicKeyURL: "u", signature: OctetString([0xfb, 0xff]), salt: OctetString([1]),
                    signedAt: Moment(milliseconds: 1_700_000_000_000)))
        #expect(sent.realm.tenant == TenantID("t1") && sent.linkIDToken == Secret("i"))
    }

    @Test func formerPathIsServed() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Federation.SignInWithGameCenter.self) { _ in throw ServiceError(.providerNotFound) }
        let response = try await harness.send(
            .post, "/identitytoolkit/v3/relyingparty/signInWithGameCenter", query: "key=k", body: Self.body)
        #expect(response.message == "OPERATION_NOT_ALLOWED : The identity provider configuration is not found.")
    }

    @Test func secondFactorIsRequired() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Federation.SignInWithGameCenter.self) { _ in
            .init(
                pending: .init(
                    account: .example(), secondFactor: .init(pendingCredential: Secret("p"), factors: [])))
        }
        let reply = try await harness.client(Self.operation, Self.body).json
        #expect(reply["mfaPendingCredential"] == .string("p") && reply["mfaInfo"] == .array([]))
        #expect(reply["idToken"] == nil && reply["isNewUser"] == nil)
    }

    @Test func playerOfAnotherAccountIsRefused() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Federation.SignInWithGameCenter.self) { _ in .init(conflict: .identityLinked) }
        let response = try await harness.client(Self.operation, Self.body)
        #expect(response.status == 400 && response.message == "FEDERATED_USER_ID_ALREADY_LINKED")
    }

    @Test(arguments: [
        (#""publicKeyUrl":"u""#, #""publicKeyUrl":"""#, "publicKeyUrl is missing."),
        (#""signature":"-_8""#, #""signature":"-_""#, "signature is missing or malformed."),
        (#""signature":"-_8","#, "", "signature is missing or malformed."),
        (#""salt":"AQ==""#, #""salt":"A""#, "salt is missing or malformed."),
        (#""timestamp":1700000000000,"#, "", "timestamp is missing."),
    ])
    func fieldIsRequired(field: String, replacement: String, message: String) async throws {
        let harness = try GatewayHarness()
        let body = Self.body.replacing(field, with: replacement)
        #expect(body != Self.body)
        let response = try await harness.client(Self.operation, body)
        #expect(response.status == 400 && response.message == "INVALID_IDP_RESPONSE : \(message)")
        #expect(harness.mesh.sent(Federation.SignInWithGameCenter.self).isEmpty)
    }

    @Test func timeCanBeText() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Federation.SignInWithGameCenter.self) { _ in throw ServiceError(.providerNotFound) }
        _ = try await harness.client(
            Self.operation, Self.body.replacing("1700000000000", with: #""1700000000001""#))
        let sent = harness.mesh.sent(Federation.SignInWithGameCenter.self)
        #expect(sent.map(\.proof.signedAt.milliseconds) == [1_700_000_000_001])
    }
}
