import Contracts
import HTTPServer
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

@Suite struct RecoveryCodesTests {
    private static let factor = SecondFactor(
        id: FactorID("t"), kind: .totp, displayName: nil, enrolledAt: Moment(milliseconds: 1_700_000_000_123))

    @Test func newCodesAreReturnedOnce() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.GenerateRecoveryCodes.self) { _ in
            .init(codes: [Secret("k7mq-2fxp-9d3t"), Secret("0000-0000-0001")])
        }
        let response = try await harness.client(
            "v2/accounts/recoveryCodes:generate", #"{"idToken":"i","tenantId":"x"}"#)
        #expect(response.json == (try json(#"{"recoveryCodes":["k7mq-2fxp-9d3t","0000-0000-0001"]}"#)))
        #expect(response.header("Cache-Control") == "no-store")
        let sent = try #require(harness.mesh.sent(Identity.GenerateRecoveryCodes.self).first)
        #expect(sent.idToken?.reveal() == "i" && sent.realm.tenant == TenantID("x"))
    }

    @Test func remainingCodesAreCounted() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.CountRecoveryCodes.self) { _ in .init(remaining: 7) }
        let response = try await harness.client("v2/accounts/recoveryCodes:count", #"{"idToken":"i"}"#)
        #expect(response.json == (try json(#"{"recoveryCodesLeft":7}"#)))
    }

    @Test func recoveryCodeCompletesSignIn() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.SignInWithRecoveryCode.self) { _ in
            .init(account: .example(), tokens: .example, remaining: 6)
        }
        let response = try await harness.client(
            "v2/accounts/recoveryCodes:signIn",
            #"{"mfaPendingCredential":"c","recoveryCode":"K7MQ 2FXP 9D3T","tenantId":"x"}"#)
        #expect(
            response.json
                == (try json(
                    #"{"localId":"alice","idToken":"header.payload.signature","refreshToken":"opaque","expiresIn":"3600","recoveryCodesLeft":6}"#
                )))
        #expect(response.header("Cache-Control") == "no-store")
        let sent = try #require(harness.mesh.sent(Identity.SignInWithRecoveryCode.self).first)
        #expect(sent.pendingCredential?.reveal() == "c" && sent.code?.reveal() == "K7MQ 2FXP 9D3T")
        #expect(sent.project == ProjectID("demo-latchkey") && sent.tenant == TenantID("x"))
    }

    @Test(
        arguments: [
            (ServiceError(.invalidCode), "INVALID_CODE"), (ServiceError(.missingCode), "MISSING_CODE"),
            (ServiceError(.invalidPendingCredential), "INVALID_PENDING_TOKEN"),
            (
                ServiceError(.pendingCredentialExpired),
                "INVALID_MFA_PENDING_CREDENTIAL : MFA pending credential is expired."
            ), (ServiceError(.quotaExceeded, retry: .afterSeconds(300)), "QUOTA_EXCEEDED"),
        ])
    func refusalUsesV2Envelope(error: ServiceError, message: String) async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.SignInWithRecoveryCode.self) { _ in throw error }
        let response = try await harness.client("v2/accounts/recoveryCodes:signIn")
        #expect(response.status == 400 && response.message == message && response.error?["status"] != nil)
        #expect(response.header("Retry-After") == (error.code == .quotaExceeded ? "300" : nil))
    }

    @Test(arguments: [nil, 0, 9]) func pendingSignInStatesRemainingCodesBesideFactors(left: Int?) async throws {
        let harness = try GatewayHarness()
        let pending = PendingSecondFactor(
            pendingCredential: Secret("pending"), factors: [Self.factor], remainingRecoveryCodes: left)
        harness.mesh.reply(to: Identity.SignInWithPassword.self) { _ in
            .init(account: .example(), secondFactor: pending)
        }
        harness.mesh.reply(to: Identity.SignInWithEmailLink.self) { _ in
            .init(account: .example(), secondFactor: pending)
        }
        for (path, body) in [
            ("v1/accounts:signInWithPassword", #"{"email":"alice@example.com","password":"secret"}"#),
            ("v1/accounts:signInWithEmailLink", #"{"email":"alice@example.com","oobCode":"c"}"#),
        ] {
            let response = try await harness.client(path, body)
            #expect(response.json["recoveryCodesInfo"] == left.map { .object(["left": .integer(Int64($0))]) })
            #expect(
                response.json["mfaInfo"]
                    == (try json(
                        #"[{"mfaEnrollmentId":"t","enrolledAt":"2023-11-14T22:13:20.123Z","totpInfo":{}}]"#)))
        }
    }
}
