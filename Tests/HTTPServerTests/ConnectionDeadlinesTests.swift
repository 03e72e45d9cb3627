import Testing

@testable import HTTPServer

struct ConnectionDeadlinesTests {
    private let deadlines = ConnectionDeadlines(
        head: .seconds(10), body: .seconds(30), idle: .seconds(60), rateInterval: .seconds(5),
        minimumBytesPerSecond: 240)

    @Test(
        arguments: [
            (.head, 10, .refuse(.headTimeout)), (.body, 30, .refuse(.bodyTimeout)), (.idle, 60, .close),
            (.sendingResponse, 60, .close),
        ] as [(ConnectionDeadlines.Phase, Int, ConnectionDeadlines.Decision)])
    func eachPhaseEndsAtItsDeadline(
        phase: ConnectionDeadlines.Phase, seconds: Int, decision: ConnectionDeadlines.Decision
    ) {
        #expect(deadlines.decision(in: phase, for: .zero) == nil)
        #expect(deadlines.decision(in: phase, for: .seconds(seconds) - .nanoseconds(1)) == nil)
        #expect(deadlines.decision(in: phase, for: .seconds(seconds)) == decision)
        #expect(deadlines.decision(in: phase, for: .seconds(seconds + 1000)) == decision)
    }

    @Test(
        arguments: [
            (.body, 1200, nil), (.body, 1199, .refuse(.bodyTimeout)), (.sendingResponse, 1200, nil),
            (.sendingResponse, 1199, .close), (.sendingResponse, 0, .close), (.head, 0, nil), (.handling, 0, nil),
            (.idle, 0, nil),
        ] as [(ConnectionDeadlines.Phase, UInt64, ConnectionDeadlines.Decision?)])
    func transferBelowMinimumRateEnds(
        phase: ConnectionDeadlines.Phase, bytes: UInt64, decision: ConnectionDeadlines.Decision?
    ) {
        #expect(deadlines.decision(in: phase, after: bytes, in: .seconds(5)) == decision)
    }

    @Test func handlerHasNoDeadline() {
        #expect(deadlines.decision(in: .handling, for: .seconds(1_000_000)) == nil)
    }
}
