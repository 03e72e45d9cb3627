import Bus
import Contracts
import JSON
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import MFASMSService

enum TestCalls {
    /// A call with a short deadline.
    static func short<Request: BusRequest>(_ request: Request, at now: Moment) throws -> BusCall {
        try BusCall(request, deadline: now + .milliseconds(700))
    }
}

/// Operations that end with a code.
@Suite struct CodeTests {
    @Test func codeCompletesPhoneSignIn() async throws {
        let fixture = try await SMSFixture()
        let sent = try await fixture.startPhoneSignIn()
        let reply = try await fixture.signIn(sent.sessionInfo, sent.code, .link)
        #expect(reply.session?.isNewAccount == true)
        let received = try #require(fixture.mesh.state.withLock(\.signedIn).first)
        #expect(received.phoneNumber.rawValue == SMSFixture.number && received.intent == .link)
        await #expect(throws: ServiceError(.invalidVerificationSession)) {
            try await fixture.signIn(sent.sessionInfo, sent.code)
        }
    }

    @Test func codeCompletesPhoneEnrollment() async throws {
        let fixture = try await SMSFixture()
        let sent = try await fixture.startEnrollment()
        let reply = try await fixture.finishEnrollment(sent.sessionInfo, sent.code)
        #expect(reply.phoneNumber.rawValue == SMSFixture.number)
        let received = try #require(fixture.mesh.state.withLock(\.enrolled).first)
        #expect(try received.kind == .phone(#require(PhoneNumber(SMSFixture.number))))
        #expect(received.displayName == "my phone")
        let id = received.factorID.rawValue
        #expect(id.utf8.count == 36 && id.split(separator: "-").map(\.count) == [8, 4, 4, 4, 12])
        #expect(id.dropFirst(14).first == "4")
        await #expect(throws: ServiceError(.invalidVerificationSession)) {
            try await fixture.finishEnrollment(sent.sessionInfo, sent.code)
        }
    }

    @Test func codeCompletesSignInWithSecondFactor() async throws {
        let fixture = try await SMSFixture()
        try fixture.giveFactors(["+12025550144", SMSFixture.number])
        let sent = try await fixture.startSignIn(factor: "f2")
        let reply = try await fixture.finishSignIn(sent.sessionInfo, sent.code)
        #expect(reply.phoneNumber.rawValue == SMSFixture.number)
        #expect(fixture.mesh.state.withLock(\.completed).map(\.factorID) == [FactorID("f2")])
    }

    @Test func missingFieldIsNamed() async throws {
        let fixture = try await SMSFixture()
        try fixture.giveFactors([SMSFixture.number])
        for nothing in [nil, ""] {
            await #expect(throws: ServiceError(.missingVerificationSession)) {
                try await fixture.signIn(nothing, "123456")
            }
            await #expect(throws: ServiceError(.missingCode)) { try await fixture.signIn("x", nothing) }
            await #expect(throws: ServiceError(.missingVerificationSession)) {
                try await fixture.finishEnrollment(nothing, "123456")
            }
            await #expect(throws: ServiceError(.missingCode)) { try await fixture.finishEnrollment("x", nothing) }
            await #expect(throws: ServiceError(.missingVerificationSession)) {
                try await fixture.finishSignIn(nothing, "123456")
            }
            await #expect(throws: ServiceError(.missingCode)) { try await fixture.finishSignIn("x", nothing) }
        }
        await #expect(throws: ServiceError(.invalidVerificationSession)) {
            try await fixture.signIn("made-up", "123456")
        }
        await #expect(throws: ServiceError(.invalidVerificationSession)) {
            try await fixture.finishEnrollment("made-up", "123456")
        }
        await #expect(throws: ServiceError(.invalidVerificationSession)) {
            try await fixture.finishSignIn("made-up", "123456")
        }
    }

    /// Errors of the first step are reported before errors of the second.
    @Test func pendingCredentialIsCheckedBeforeCode() async throws {
        let fixture = try await SMSFixture()
        let refusal = ServiceError(.pendingCredentialExpired)
        fixture.mesh.state.withLock { $0.refusals[.resolvePendingSignIn] = [refusal, refusal] }
        await #expect(throws: refusal) { try await fixture.finishSignIn(nil, nil) }
        await #expect(throws: refusal) { try await fixture.finishSignIn("made-up", "123456") }
    }

    /// Security rule SM3.
    @Test func codeIsBoundToSessionPurposeProjectAndAccount() async throws {
        let fixture = try await SMSFixture()
        try fixture.giveFactors([SMSFixture.number])
        let signIn = try await fixture.startPhoneSignIn()
        let enrollment = try await fixture.startEnrollment()
        let second = try await fixture.startSignIn()
        for other in [enrollment, second] {
            await #expect(throws: ServiceError(.invalidVerificationSession)) {
                try await fixture.signIn(other.sessionInfo, other.code)
            }
        }
        for other in [signIn, second] {
            await #expect(throws: ServiceError(.invalidVerificationSession)) {
                try await fixture.finishEnrollment(other.sessionInfo, other.code)
            }
        }
        for other in [signIn, enrollment] {
            await #expect(throws: ServiceError(.invalidVerificationSession)) {
                try await fixture.finishSignIn(other.sessionInfo, other.code)
            }
        }
        for realm in [
            Realm(project: ProjectID("q")), Realm(project: ProjectID("p"), tenant: TenantID("t")),
        ] {
            await #expect(throws: ServiceError(.invalidVerificationSession)) {
                try await fixture.signIn(signIn.sessionInfo, signIn.code, in: realm)
            }
        }
        await #expect(throws: ServiceError(.invalidVerificationSession)) {
            try await fixture.finishEnrollment(
                enrollment.sessionInfo, enrollment.code, in: Realm(project: ProjectID("q")))
        }
        for otherToken in ["eve", "ada@t"] {
            await #expect(throws: ServiceError(.invalidVerificationSession)) {
                try await fixture.finishEnrollment(enrollment.sessionInfo, enrollment.code, otherToken)
            }
            await #expect(throws: ServiceError(.invalidVerificationSession)) {
                try await fixture.finishSignIn(second.sessionInfo, second.code, otherToken)
            }
        }
        // None of these attempts counts as a failure. The code of another session is a wrong code.
        if enrollment.code != signIn.code {
            await #expect(throws: ServiceError(.invalidCode)) {
                try await fixture.signIn(signIn.sessionInfo, enrollment.code)
            }
        }
        _ = try await fixture.signIn(signIn.sessionInfo, signIn.code)
        _ = try await fixture.finishEnrollment(enrollment.sessionInfo, enrollment.code)
        _ = try await fixture.finishSignIn(second.sessionInfo, second.code)
    }

    @Test func replacedFactorCompletesNoSignIn() async throws {
        let fixture = try await SMSFixture()
        try fixture.giveFactors([SMSFixture.number])
        let sent = try await fixture.startSignIn()
        // The factor has another number by now.
        try fixture.giveFactors(["+12025550144"])
        await #expect(throws: ServiceError(.factorNotFound)) {
            try await fixture.finishSignIn(sent.sessionInfo, sent.code)
        }
        try fixture.giveFactors([])
        await #expect(throws: ServiceError(.factorNotFound)) {
            try await fixture.finishSignIn(sent.sessionInfo, sent.code)
        }
        try fixture.giveFactors([SMSFixture.number])
        _ = try await fixture.finishSignIn(sent.sessionInfo, sent.code)
    }

    @Test func correctCodeIsAcceptedAfterFourWrongCodes() async throws {
        let fixture = try await SMSFixture()
        let sent = try await fixture.startPhoneSignIn()
        for guess in [sent.invalidCode, String(sent.code.prefix(5)), sent.code + "0", "一二三四五六"] {
            await #expect(throws: ServiceError(.invalidCode)) { try await fixture.signIn(sent.sessionInfo, guess) }
        }
        _ = try await fixture.signIn(sent.sessionInfo, sent.code)
    }

    @Test func fiveWrongCodesExpireSession() async throws {
        let fixture = try await SMSFixture()
        let sent = try await fixture.startPhoneSignIn()
        for step in 1...5 {
            await #expect(throws: ServiceError(.invalidCode)) {
                try await fixture.signIn(sent.sessionInfo, SentMessage.wrong(sent.code, by: step))
            }
        }
        await #expect(throws: ServiceError(.verificationSessionExpired)) {
            try await fixture.signIn(sent.sessionInfo, sent.code)
        }
        #expect(try await fixture.send(MFASMS.ListCodes(realm: SMSFixture.realm)).codes.isEmpty)
    }

    /// Security rule AU1. Without identity the code is refused all the same.
    @Test func refusedSignInIsInAuditLog() async throws {
        let fixture = try await SMSFixture()
        try fixture.giveFactors([SMSFixture.number])
        fixture.mesh.state.withLock { $0.refusals[.recordRefusedSignIn] = [ServiceError(.unavailable)] }
        let first = try await fixture.startPhoneSignIn()
        for _ in 0..<2 {
            await #expect(throws: ServiceError(.invalidCode)) {
                try await fixture.signIn(first.sessionInfo, first.invalidCode)
            }
        }
        let second = try await fixture.startSignIn()
        await #expect(throws: ServiceError(.invalidCode)) {
            try await fixture.finishSignIn(second.sessionInfo, second.invalidCode)
        }
        // No sign-ins: an enrollment, and a code of no session.
        let enrollment = try await fixture.startEnrollment("ada", "+12025550144")
        await #expect(throws: ServiceError(.invalidCode)) {
            try await fixture.finishEnrollment(enrollment.sessionInfo, enrollment.invalidCode)
        }
        await #expect(throws: ServiceError(.invalidVerificationSession)) {
            try await fixture.signIn("unknown", "123456")
        }
        // Of the first two, one was lost.
        let recorded = fixture.mesh.state.withLock(\.refusedSignIns)
        #expect(recorded.map(\.accountID) == [nil, AccountID("ada")])
        #expect(recorded.allSatisfy { $0.reason == .invalid && $0.realm == SMSFixture.realm })
    }

    @Test func codeExpiresAfterFiveMinutes() async throws {
        let fixture = try await SMSFixture()
        let sent = try await fixture.startPhoneSignIn()
        let late = try await fixture.startPhoneSignIn(to: "+12025550144")
        fixture.clock.advance(by: .milliseconds(299_999))
        _ = try await fixture.signIn(sent.sessionInfo, sent.code)
        fixture.clock.advance(by: .milliseconds(1))
        await #expect(throws: ServiceError(.verificationSessionExpired)) {
            try await fixture.signIn(late.sessionInfo, late.code)
        }
    }

    @Test func newCodeVoidsPreviousCode() async throws {
        let fixture = try await SMSFixture()
        let first = try await fixture.startPhoneSignIn()
        let second = try await fixture.startPhoneSignIn()
        await #expect(throws: ServiceError(.invalidVerificationSession)) {
            try await fixture.signIn(first.sessionInfo, first.code)
        }
        _ = try await fixture.signIn(second.sessionInfo, second.code)
    }

    /// Security rules, section 14, through the whole service.
    @Test func correctCodeSignsInOnceUnderConcurrency() async throws {
        let fixture = try await SMSFixture(.file)
        let sent = try await fixture.startPhoneSignIn()
        let service = fixture.service()
        let result = await outcomes(of: 50) { _ in
            _ = try await fixture.signIn(sent.sessionInfo, sent.code, of: service)
        }
        #expect(result.successes == 1)
        #expect(result.refusals == [ServiceError(.invalidVerificationSession): 49])
        #expect(fixture.mesh.state.withLock(\.signedIn).count == 1)
    }

    // MARK: Identity is unavailable

    @Test(arguments: [WireError.Code.unavailable, .deadlineExceeded, .overloaded, .internal])
    func sameRequestIsRetryableWhenIdentityIsUnavailable(code: WireError.Code) async throws {
        let fixture = try await SMSFixture()
        fixture.mesh.state.withLock { $0.refusals[.signInWithPhone] = [ServiceError(code)] }
        let sent = try await fixture.startPhoneSignIn()
        await #expect(throws: ServiceError(code)) { try await fixture.signIn(sent.sessionInfo, sent.code) }
        // Another request is refused, even with the correct code.
        await #expect(throws: ServiceError(.invalidVerificationSession)) {
            try await fixture.signIn(sent.sessionInfo, sent.code, .link)
        }
        await #expect(throws: ServiceError(.invalidVerificationSession)) {
            try await fixture.signIn(sent.sessionInfo, sent.invalidCode)
        }
        _ = try await fixture.signIn(sent.sessionInfo, sent.code)
        await #expect(throws: ServiceError(.invalidVerificationSession)) {
            try await fixture.signIn(sent.sessionInfo, sent.code)
        }
    }

    @Test func refusalByIdentityClosesSession() async throws {
        let fixture = try await SMSFixture()
        fixture.mesh.state.withLock { $0.refusals[.signInWithPhone] = [ServiceError(.accountDisabled)] }
        let sent = try await fixture.startPhoneSignIn()
        await #expect(throws: ServiceError(.accountDisabled)) { try await fixture.signIn(sent.sessionInfo, sent.code) }
        await #expect(throws: ServiceError(.invalidVerificationSession)) {
            try await fixture.signIn(sent.sessionInfo, sent.code)
        }
    }

    /// Identity's reply was lost: the retry carries the same idempotency key and gets the recorded reply. The retry
    /// skips the ID token check because the enrollment may have revoked the token.
    @Test func enrollmentResumesAfterLostReply() async throws {
        let fixture = try await SMSFixture()
        let sent = try await fixture.startEnrollment()
        let lost = Mutex(true)
        let peers = fixture.mesh.peers
        peers.reply(to: Identity.EnrollFactor.self) { request, options in
            let reply = try fixture.mesh.enroll(request, options)
            if lost.withLock({ lost in
                defer { lost = false }
                return lost
            }) {
                throw ServiceError(.deadlineExceeded)
            }
            return reply
        }
        let service = fixture.service { $0.peers = peers }
        await #expect(throws: ServiceError(.deadlineExceeded)) {
            try await fixture.finishEnrollment(sent.sessionInfo, sent.code, of: service)
        }
        fixture.mesh.state.withLock { $0.refusals[.checkEnrollment] = [ServiceError(.sessionExpired)] }
        _ = try await fixture.finishEnrollment(sent.sessionInfo, sent.code, of: service)
        let state = fixture.mesh.state.withLock(\.self)
        #expect(Set(state.enrolled.map(\.factorID)).count == 1)
        #expect(state.effects.count == 1 && state.effects.keys.first != "none")
    }

    @Test func signInResumesAfterLostReply() async throws {
        let fixture = try await SMSFixture()
        try fixture.giveFactors([SMSFixture.number])
        let sent = try await fixture.startSignIn()
        fixture.mesh.state.withLock { $0.refusals[.completeSignIn] = [ServiceError(.unavailable)] }
        await #expect(throws: ServiceError(.unavailable)) {
            try await fixture.finishSignIn(sent.sessionInfo, sent.code)
        }
        // The credential may be redeemed by now.
        fixture.mesh.state.withLock { $0.refusals[.resolvePendingSignIn] = [ServiceError(.invalidPendingCredential)] }
        await #expect(throws: ServiceError(.invalidPendingCredential)) {
            try await fixture.finishSignIn(sent.sessionInfo, sent.code, "another")
        }
        _ = try await fixture.finishSignIn(sent.sessionInfo, sent.code)
    }

    /// Identity runs its checks before the code is redeemed.
    @Test func refusalByIdentityDoesNotRedeemCode() async throws {
        let fixture = try await SMSFixture()
        try fixture.giveFactors([SMSFixture.number])
        let enrollment = try await fixture.startEnrollment()
        let second = try await fixture.startSignIn()
        fixture.mesh.state.withLock { state in
            state.refusals[.checkEnrollment] = [ServiceError(.tooManyFactors)]
            state.refusals[.resolvePendingSignIn] = [ServiceError(.accountDisabled)]
        }
        await #expect(throws: ServiceError(.tooManyFactors)) {
            try await fixture.finishEnrollment(enrollment.sessionInfo, enrollment.code)
        }
        await #expect(throws: ServiceError(.accountDisabled)) {
            try await fixture.finishSignIn(second.sessionInfo, second.code)
        }
        _ = try await fixture.finishEnrollment(enrollment.sessionInfo, enrollment.code)
        _ = try await fixture.finishSignIn(second.sessionInfo, second.code)
    }

    /// The process exits between the verified code and the call to identity. Its successor resumes the same request
    /// after the lease.
    @Test func restartKeepsVerifiedSession() async throws {
        var fixture = try await SMSFixture(.file)
        let sent = try await fixture.startPhoneSignIn()
        let request = MFASMS.FinishPhoneSignIn(
            realm: SMSFixture.realm, sessionInfo: Secret(sent.sessionInfo), code: Secret(sent.code),
            intent: .signUpOrIn)
        let digests = fixture.store.digests
        let id = digests.session(sent.sessionInfo)
        _ = try await fixture.store.verify(
            .init(
                sessionID: id, codeDigest: digests.code(sent.code, of: id),
                request: digests.request(Array(try WireJSON.encodeSorted(request)))),
            .init(realm: SMSFixture.realm, purpose: .signIn), at: fixture.clock.now)
        try await fixture.restart()
        await #expect(throws: ServiceError(.invalidVerificationSession)) {
            try await fixture.signIn(sent.sessionInfo, sent.code)
        }
        fixture.clock.advance(by: VerificationSession.lease)
        _ = try await fixture.signIn(sent.sessionInfo, sent.code)
    }
}
