import Foundation
import Testing

@testable import LatchkeyAuth

/// Which requests are sent again, and when.
struct RetryTests {
    let application = TestApplication()

    /// The pauses without jitter, in milliseconds.
    @Test func pausesGrowToTheirBound() {
        for (jitter, expected) in [(0.0, [200, 400, 800, 1600, 2000]), (1, [400, 800, 1600, 3200, 4000])] {
            var schedule = RetrySchedule(.always)
            let pauses = (0..<RetrySchedule.maximumAttempts).map { _ in
                schedule.pause(after: .noResponse, jitter: jitter)
            }
            #expect(pauses == expected.map { Duration.milliseconds($0) } + [nil])
        }
    }

    @Test(arguments: [(-1.0, 200), (0, 200), (0.5, 300), (1, 400), (7, 400)])
    func jitterIsBounded(jitter: Double, milliseconds: Int) {
        var schedule = RetrySchedule(.always)
        #expect(schedule.pause(after: .notConnected, jitter: jitter) == .milliseconds(milliseconds))
    }

    @Test(arguments: [
        (nil, 200), (0, 200), (1, 1000), (3, 3000), (4, 4000), (5, 4000), (Int.max, 4000), (-1, 200), (Int.min, 200),
    ])
    func pauseOfTheServerIsBounded(seconds: Int?, milliseconds: Int) {
        var schedule = RetrySchedule(.always)
        let pause = schedule.pause(after: .unavailable(retryAfterSeconds: seconds), jitter: 0)
        #expect(pause == .milliseconds(milliseconds))
    }

    @Test(arguments: [
        (Repetition.always, AttemptFailure.notConnected, true), (.always, .noResponse, true),
        (.always, .unavailable(retryAfterSeconds: nil), true), (.ifNotReceived, .notConnected, true),
        (.ifNotReceived, .noResponse, false), (.ifNotReceived, .unavailable(retryAfterSeconds: 1), false),
    ])
    func requestWithAnEffectIsNotRepeated(repetition: Repetition, failure: AttemptFailure, isRepeated: Bool) {
        var schedule = RetrySchedule(repetition)
        #expect((schedule.pause(after: failure, jitter: 0) != nil) == isRepeated)
    }

    @Test func requestSucceedsAfterARestartOfTheServer() async throws {
        application.server.on(
            "accounts:lookup", .refusal("UNAVAILABLE", status: 503, headers: ["Retry-After": "3"]),
            .refusal("UNAVAILABLE", status: 503), .account("ada"))
        try await application.signIn()
        #expect(application.server.calls("accounts:lookup").count == 3)
        let pauses = application.time.pauses
        #expect(pauses.first == .seconds(3) && pauses.count == 2)
    }

    @Test func attemptsAreBounded() async throws {
        application.server.fail("accounts:signInWithPassword", .cannotConnectToHost)
        let error = await #expect(throws: AuthErrorCode.self) { try await application.signInAfterScripting() }
        #expect(error?.code == .networkError)
        #expect(application.server.calls.count == RetrySchedule.maximumAttempts)
        #expect(application.time.pauses.count == RetrySchedule.maximumAttempts - 1)
        #expect(!"\(error as Any)".contains("secret"), "the URL of a failed request contains the API key")
    }

    @Test func unavailableServerIsANetworkError() async throws {
        application.server.on(
            "accounts:signInWithPassword", .refusal("UNAVAILABLE", status: 503, headers: ["Retry-After": "120"]))
        let error = await #expect(throws: AuthErrorCode.self) { try await application.signInAfterScripting() }
        #expect(error?.code == .networkError)
        #expect(error?.userInfo[AuthErrorUserInfoRetryAfterKey] as? Int == 120)
        #expect(application.time.pauses.allSatisfy { $0 <= RetrySchedule.maximumPause })
    }

    @Test(arguments: [400, 401, 403, 404, 409, 429, 500, 501, 502, 504])
    func otherRefusalsAreNotRepeated(status: Int) async throws {
        application.server.on("accounts:signInWithPassword", .refusal("INTERNAL", status: status))
        #expect(await code { try await application.signInAfterScripting() } == .internalError)
        #expect(application.server.calls.count == 1)
    }

    @Test func messageIsNotSentTwice() async throws {
        application.server.fail("accounts:sendOobCode", .timedOut)
        #expect(
            await code { try await application.auth.sendPasswordReset(withEmail: "ada@example.org") } == .networkError)
        #expect(application.server.calls.count == 1)
    }

    @Test func cancelledTaskSendsNothingMore() async throws {
        let (arrived, released) = (Gate(), Gate())
        application.server.on("accounts:signInWithPassword") { _ in
            arrived.open()
            await released.wait()
            throw URLError(.timedOut)
        }
        let signIn = Task { try await application.signInAfterScripting() }
        await arrived.wait()
        signIn.cancel()
        released.open()
        await #expect(throws: CancellationError.self) { try await signIn.value }
        #expect(application.server.calls.count == 1)
    }
}

extension TestApplication {
    /// A sign-in whose responses the test has scripted.
    fileprivate func signInAfterScripting() async throws {
        try await auth.signIn(withEmail: "ada@example.org", password: "correct horse")
    }
}
