import Bus
import Contracts
import Synchronization
import TestSupport
import Testing

@testable import ServiceRuntime

/// What a service has refused to a process without the authority reaches the audit log, once a minute.
@Suite struct RefusedCallersTests {
    private static func refusal(_ operation: String, of caller: String?) -> BusDiagnostic {
        .callerRefused(operation: operation, caller: caller.flatMap { BusName($0) }, trace: .random())
    }

    /// What the recorder sends of these refusals, which come at these seconds.
    private static func records(
        of refusals: [(seconds: Int, diagnostic: BusDiagnostic)], failing: Bool = false
    ) async throws -> [Identity.RecordRefusedCaller] {
        let start = ContinuousClock.now
        let now = Mutex(start)
        let callers = RefusedCallers(by: .notifier, now: { now.withLock { $0 } })
        for refusal in refusals {
            now.withLock { $0 = start + .seconds(refusal.seconds) }
            callers.note(refusal.diagnostic)
        }
        callers.finish()
        let mesh = ScriptedMesh(as: .notifier)
        mesh.reply(to: Identity.RecordRefusedCaller.self) { _ in
            if failing { throw ServiceError(.unavailable) }
            return EmptyReply()
        }
        await RefusedCallerRecorder(callers, peers: mesh).recordAll()
        return mesh.sent(Identity.RecordRefusedCaller.self)
    }

    @Test func refusalIsRecordedOnceAMinuteForEachCallerAndOperation() async throws {
        let records = try await Self.records(of: [
            (0, Self.refusal("sendSMS", of: "edge")), (1, Self.refusal("sendSMS", of: "edge")),
            (2, Self.refusal("sendEmail", of: "edge")), (3, Self.refusal("sendSMS", of: nil)),
            (59, Self.refusal("sendSMS", of: "edge")), (60, Self.refusal("sendSMS", of: "edge")),
        ])
        #expect(
            records == [
                .init(caller: "edge", service: .notifier, refused: "sendSMS"),
                .init(caller: "edge", service: .notifier, refused: "sendEmail"),
                .init(caller: nil, service: .notifier, refused: "sendSMS"),
                .init(caller: "edge", service: .notifier, refused: "sendSMS"),
            ])
    }

    /// Identity may refuse the record itself, if the table gives its sender no authority.
    @Test func refusedRecordIsNotRecorded() async throws {
        let records = try await Self.records(of: [(0, Self.refusal("recordRefusedCaller", of: "notifier-a"))])
        #expect(records.isEmpty)
    }

    @Test func lostRecordDoesNotHoldUpTheNext() async throws {
        let refusals = ["a", "b"].map { (0, Self.refusal("sendSMS", of: $0)) }
        #expect(try await Self.records(of: refusals, failing: true).map(\.caller) == ["a", "b"])
    }

    @Test func waitingRefusalsAreBounded() async throws {
        let refusals = (0..<(RefusedCallers.maximumWaiting + 1)).map { (0, Self.refusal("sendSMS", of: "p\($0)")) }
        #expect(try await Self.records(of: refusals).count == RefusedCallers.maximumWaiting)
    }
}
