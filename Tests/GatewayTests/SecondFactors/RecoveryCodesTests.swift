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
        harness.mesh.answer(Identity.GenerateRecoveryCodes.self) { _ in
            .init(codes: [Secret("k7mq-2fxp-9d3t"), Secret("0000-0000-0001")])
        }
        let answer = try await harness.client(
            "v2/accounts/recoveryCodes:generate", #"{"idToken":"i","tenantId":"x"}"#)
        #expect(answer.json == (try json(#"{"recoveryCodes":["k7mq-2fxp-9d3t","0000-0000-0001"]}"#)))
        #expect(answer.header("Cache-Control") == "no-store")
        let asked = try #require(harness.mesh.asked(Identity.GenerateRecoveryCodes.self).first)
        #expect(asked.idToken?.reveal() == "i" && asked.realm.tenant == TenantID("x"))
    }

    @Test func remainingCodesAreCounted() async throws {
        let harness = try GatewayHarness()
        harness.mesh.answer(Identity.CountRecoveryCodes.self) { _ in .init(remaining: 7) }
        let answer = try await harness.client("v2/accounts/recoveryCodes:count", #"{"idToken":"i"}"#)
        #expect(answer.json == (try json(#"{"recoveryCodesLeft":7}"#)))
    }

    @Test func recoveryCodeCompletesSignIn() async throws {
        let harness = try GatewayHarness()
        harness.mesh.answer(Identity.SignInWithRecoveryCode.self) { _ in
            .init(account: .example(), tokens: .example, remaining: 6)
        }
        let answer = try await harness.client(
            "v2/accounts/recoveryCodes:signIn",
            #"{"mfaPendingCredential":"c","recoveryCode":"K7MQ 2FXP 9D3T","tenantId":"x"}"#)
        #expect(
            answer.json
                == (try json(
                    #"{"localId":"alice","idToken":"header.payload.signature","refreshToken":"opaque","expiresIn":"3600","recoveryCodesLeft":6}"#
                )))
        #expect(answer.header("Cache-Control") == "no-store")
        let asked = try #require(harness.mesh.asked(Identity.SignInWithRecoveryCode.self).first)
        #expect(asked.pendingCredential?.reveal() == "c" && asked.code?.reveal() == "K7MQ 2FXP 9D3T")
        #expect(asked.project == ProjectID("demo-latchkey") && asked.tenant == TenantID("x"))
    }

    @Test(
        arguments: [
            (WireError(.invalidCode), "INVALID_CODE"), (WireError(.missingCode), "MISSING_CODE"),
            (WireError(.invalidPendingCredential), "INVALID_PENDING_TOKEN"),
            (
                WireError(.pendingCredentialExpired),
                "INVALID_MFA_PENDING_CREDENTIAL : MFA pending credential is expired."
            ), (WireError(.quotaExceeded, retryAfterSeconds: 300), "QUOTA_EXCEEDED"),
        ])
    func refusalUsesV2Envelope(error: WireError, message: String) async throws {
        let harness = try GatewayHarness()
        harness.mesh.answer(Identity.SignInWithRecoveryCode.self) { _ in throw error }
        let answer = try await harness.client("v2/accounts/recoveryCodes:signIn")
        #expect(answer.status == 400 && answer.message == message && answer.error?["status"] != nil)
        #expect(answer.header("Retry-After") == (error.code == .quotaExceeded ? "300" : nil))
    }

    @Test(arguments: [nil, 0, 9]) func pendingSignInStatesRemainingCodesBesideFactors(left: Int?) async throws {
        let harness = try GatewayHarness()
        let pending = PendingSecondFactor(
            pendingCredential: Secret("pending"), factors: [Self.factor], remainingRecoveryCodes: left)
        harness.mesh.answer(Identity.SignInWithPassword.self) { _ in
            .init(account: .example(), secondFactor: pending)
        }
        harness.mesh.answer(Identity.SignInWithEmailLink.self) { _ in
            .init(account: .example(), secondFactor: pending)
        }
        for (path, body) in [
            ("v1/accounts:signInWithPassword", #"{"email":"alice@example.com","password":"secret"}"#),
            ("v1/accounts:signInWithEmailLink", #"{"email":"alice@example.com","oobCode":"c"}"#),
        ] {
            let answer = try await harness.client(path, body)
            #expect(answer.json["recoveryCodesInfo"] == left.map { .object(["left": .integer(Int64($0))]) })
            #expect(
                answer.json["mfaInfo"]
                    == (try json(
                        #"[{"mfaEnrollmentId":"t","enrolledAt":"2023-11-14T22:13:20.123Z","totpInfo":{}}]"#)))
        }
    }
}
