import Testing

@testable import ServiceRuntime

struct LifecycleTests {
    private var lifecycle = Lifecycle(parts: 3)

    @Test mutating func componentsStopInReverseOrder() {
        #expect(lifecycle.receive(.stopRequested) == [.startGrace, .beginShutdown(part: 2)])
        #expect(lifecycle.receive(.ended(part: 2)) == [.beginShutdown(part: 1)])
        #expect(lifecycle.receive(.ended(part: 1)) == [.beginShutdown(part: 0)])
        #expect(lifecycle.receive(.ended(part: 0)) == [.finish(.clean)])
    }

    @Test mutating func unexpectedEndStopsOtherComponents() {
        #expect(lifecycle.receive(.ended(part: 1)) == [.startGrace, .beginShutdown(part: 2)])
        #expect(lifecycle.receive(.ended(part: 2)) == [.beginShutdown(part: 0)])
        #expect(lifecycle.receive(.ended(part: 0)) == [.finish(.componentEnded(1))])
    }

    @Test mutating func componentThatEndsDuringShutdownIsNotStopped() {
        _ = lifecycle.receive(.stopRequested)
        #expect(lifecycle.receive(.ended(part: 1)) == [])
        #expect(lifecycle.receive(.ended(part: 2)) == [.beginShutdown(part: 0)])
    }

    @Test mutating func runningComponentsAreNamedAfterGrace() {
        _ = lifecycle.receive(.stopRequested)
        _ = lifecycle.receive(.ended(part: 2))
        #expect(lifecycle.receive(.graceExpired) == [.finish(.timedOut(running: [0, 1]))])
        #expect(lifecycle.receive(.ended(part: 1)) == [])
    }

    @Test mutating func repeatedStopRequestChangesNothing() {
        _ = lifecycle.receive(.stopRequested)
        #expect(lifecycle.receive(.stopRequested) == [])
    }

    /// The broker inside a gateway serves the other processes until they have stopped.
    @Test func closingLeavesWhatServesOthers() {
        var lifecycle = Lifecycle(parts: 3, servingOthers: 1)
        #expect(lifecycle.receive(.closeRequested) == [.beginShutdown(part: 2)])
        #expect(lifecycle.receive(.closeRequested) == [])
        #expect(lifecycle.receive(.ended(part: 2)) == [.beginShutdown(part: 1)])
        #expect(lifecycle.receive(.ended(part: 1)) == [.announceClosed])
        #expect(lifecycle.receive(.stopRequested) == [.startGrace, .beginShutdown(part: 0)])
        #expect(lifecycle.receive(.ended(part: 0)) == [.finish(.clean)])
    }

    @Test func stopRequestEndsClosing() {
        var lifecycle = Lifecycle(parts: 2, servingOthers: 1)
        _ = lifecycle.receive(.closeRequested)
        #expect(lifecycle.receive(.stopRequested) == [.startGrace])
        #expect(lifecycle.receive(.ended(part: 1)) == [.beginShutdown(part: 0)])
        #expect(lifecycle.receive(.ended(part: 0)) == [.finish(.clean)])
    }

    @Test func processThatServesNobodyEndsWhenItCloses() {
        var lifecycle = Lifecycle(parts: 1)
        #expect(lifecycle.receive(.closeRequested) == [.beginShutdown(part: 0)])
        #expect(lifecycle.receive(.ended(part: 0)) == [.finish(.clean)])
    }

    @Test func emptyLifecycleEndsAtOnce() {
        var empty = Lifecycle(parts: 0)
        #expect(empty.receive(.stopRequested) == [.startGrace, .finish(.clean)])
    }
}
