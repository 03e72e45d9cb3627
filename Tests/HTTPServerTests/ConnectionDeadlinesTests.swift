import Testing

@testable import HTTPServer

struct ConnectionDeadlinesTests {
    private let deadlines = ConnectionDeadlines(head: .seconds(10), body: .seconds(30), idle: .seconds(60))

    @Test(
        arguments: [
            (.head, 10, .refuse(.headTimeout)), (.body, 30, .refuse(.bodyTimeout)), (.idle, 60, .close),
            (.answering, 60, .close),
        ] as [(ConnectionDeadlines.Phase, Int, ConnectionDeadlines.Verdict)])
    func eachPhaseEndsAtItsDeadline(
        phase: ConnectionDeadlines.Phase, seconds: Int, verdict: ConnectionDeadlines.Verdict
    ) {
        #expect(deadlines.verdict(in: phase, for: .zero) == nil)
        #expect(deadlines.verdict(in: phase, for: .seconds(seconds) - .nanoseconds(1)) == nil)
        #expect(deadlines.verdict(in: phase, for: .seconds(seconds)) == verdict)
        #expect(deadlines.verdict(in: phase, for: .seconds(seconds + 1000)) == verdict)
    }

    @Test func aHandlerHasNoDeadlineHere() {
        #expect(deadlines.verdict(in: .handling, for: .seconds(1_000_000)) == nil)
    }
}
