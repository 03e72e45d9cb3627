import SQL
import ServiceRuntime
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import Storage

/// A process with its clocks, as `ClockTrust` sees them.
private struct Observer {
    var trust = ClockTrust()
    let clock: ManualClock

    /// - Parameter aheadBy: how far the clock is ahead of the correct time.
    mutating func look(
        stored: Moment? = nil, server: Moment? = nil, aheadBy: Duration = .zero
    ) -> ClockTrust.Decision {
        let decision = trust.evaluate(
            .init(wall: clock.now + aheadBy, instant: clock.instant, stored: stored, server: server))
        return decision
    }
}

@Suite struct ClockTrustTests {
    private static let days = Duration.seconds(61 * 86_400)
    private static let minute = Duration.seconds(60)

    private static func deviation(_ reason: ClockTrust.Deviation.Reason, _ aheadBy: Duration) -> ClockTrust.Decision {
        .untrusted(.init(reason: reason, aheadBy: aheadBy))
    }

    @Test func clockConsistentWithStoredTimeIsTrusted() {
        let clock = ManualClock()
        var here = Observer(clock: clock)
        #expect(here.look(stored: clock.now + .seconds(-300)) == .trusted)
        clock.advance(by: .seconds(86_400))
        #expect(here.look(stored: clock.now) == .trusted)
    }

    /// A jump of 61 days for 75 seconds: the wrong time is not trusted, and the correct time is trusted at once
    /// afterwards.
    @Test(arguments: [days, .zero - days, .seconds(301), .seconds(-301)])
    func clockJumpIsDoubted(jump: Duration) {
        let clock = ManualClock()
        var here = Observer(clock: clock)
        let stored = clock.now
        #expect(here.look(stored: stored) == .trusted)
        for _ in 0..<2 {
            clock.advance(by: .seconds(30))
            #expect(here.look(stored: stored, aheadBy: jump) == Self.deviation(.jump, jump))
        }
        clock.advance(by: .seconds(15))
        #expect(here.look(stored: stored) == .trusted)
    }

    @Test func correctionOfMinutesIsTrusted() {
        let clock = ManualClock()
        var here = Observer(clock: clock)
        #expect(here.look(stored: clock.now) == .trusted)
        #expect(here.look(stored: clock.now, aheadBy: .seconds(300)) == .trusted)
    }

    /// A machine that was off for months works again after an hour, if its clock advances steadily until then.
    @Test(arguments: [days, .zero - days, nil])
    func differentTimeIsTrustedAfterOneHour(aheadBy: Duration?) {
        let clock = ManualClock()
        var here = Observer(clock: clock)
        let stored = aheadBy.map { clock.now + (.zero - $0) }
        let deviation =
            aheadBy.map { Self.deviation(.sinceEarlierProcess, $0) } ?? Self.deviation(.firstStart, .zero)
        for _ in 0..<60 {
            #expect(here.look(stored: stored) == deviation)
            clock.advance(by: Self.minute)
        }
        #expect(here.look(stored: stored) == .trusted)
        clock.advance(by: Self.minute)
        #expect(here.look(stored: stored) == .trusted)
    }

    @Test func everyJumpRestartsWaitingTime() {
        let clock = ManualClock()
        var here = Observer(clock: clock)
        let stored = clock.now
        #expect(here.look(stored: stored, aheadBy: Self.days) == Self.deviation(.sinceEarlierProcess, Self.days))
        clock.advance(by: .seconds(3599))
        #expect(here.look(stored: stored, aheadBy: Self.days) == Self.deviation(.sinceEarlierProcess, Self.days))
        clock.advance(by: .seconds(1))
        let further = Self.days + .seconds(600)
        #expect(here.look(stored: stored, aheadBy: further) == Self.deviation(.sinceEarlierProcess, further))
        clock.advance(by: .seconds(3599))
        #expect(here.look(stored: stored, aheadBy: further) != .trusted)
        clock.advance(by: .seconds(1))
        #expect(here.look(stored: stored, aheadBy: further) == .trusted)
    }

    @Test func otherProcessesConfirmTime() {
        let clock = ManualClock()
        var here = Observer(clock: clock)
        let stored = clock.now
        #expect(here.look(stored: stored, aheadBy: Self.days) == Self.deviation(.sinceEarlierProcess, Self.days))
        for _ in 0..<120 {
            clock.advance(by: Self.minute)
            // Another process stores the time that it trusts, every minute.
            #expect(here.look(stored: clock.now, aheadBy: Self.days) == Self.deviation(.otherProcess, Self.days))
        }
        // It stops: after that no other clock contradicts.
        let last = clock.now
        clock.advance(by: .seconds(3600))
        #expect(here.look(stored: last, aheadBy: Self.days) == .trusted)
    }

    @Test func databaseServerClockIsCompared() {
        let clock = ManualClock()
        var here = Observer(clock: clock)
        for _ in 0..<120 {
            let server = clock.now + .seconds(-301)
            #expect(here.look(stored: clock.now, server: server) == Self.deviation(.databaseServer, .seconds(301)))
            clock.advance(by: Self.minute)
        }
        #expect(here.look(stored: clock.now, server: clock.now + .seconds(-300)) == .trusted)
    }
}

@Suite(.serialized) struct TrustedClockTests {
    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        func append(_ line: String) { lines.withLock { $0.append(line) } }
        func count(of event: String) -> Int { lines.withLock { $0.count { $0.contains(" \(event)") } } }
    }

    @Test(arguments: StoreEngine.shared) func trustedTimeIsSharedAcrossProcesses(engine: StoreEngine) async throws {
        let place = try await StoreLocation(engine)
        // The clock of the database server, if there is one, is that of the machine.
        let clock = ManualClock(WallClock.now())
        func process(_ lines: Lines) async throws -> TrustedClock {
            let database = try await place.open()
            try await database.migrate([])
            return TrustedClock(
                database, now: { clock.now }, instant: { clock.instant },
                log: Log(instance: "test", write: lines.append))
        }
        let lines = Lines()
        let first = try await process(lines)
        #expect(try await first.now() == nil)
        clock.advance(by: .seconds(120))
        #expect(try await first.now() == nil)
        #expect(lines.count(of: "clock.unconfirmed") == 1)
        guard engine != .postgres else { return }
        clock.advance(by: .seconds(3600))
        #expect(try await first.now() == clock.now)
        #expect(lines.count(of: "clock.trusted") == 1)

        clock.advance(by: .seconds(60))
        #expect(try await process(lines).now() == clock.now)
        clock.setWall(clock.now + .seconds(61 * 86_400))
        for _ in 0..<4 {
            #expect(try await first.now() == nil)
            clock.advance(by: .seconds(30))
        }
        #expect(lines.count(of: "clock.doubted reason=jump aheadInSeconds=5270400") == 2)
        #expect(try await process(lines).now() == nil)
        clock.setWall(clock.now + .seconds(-61 * 86_400))
        #expect(try await first.now() == clock.now)
        #expect(try await process(lines).now() == clock.now)
        #expect(lines.count(of: "clock.trusted") == 2)
    }

    @Test func databaseServerReportsItsTime() async throws {
        let database = try await StoreLocation(.postgres).open()
        let before = WallClock.now()
        let server = try await database.read { try $0.serverTime() }
        let time = Moment(milliseconds: try #require(server))
        #expect(before + .seconds(-1) <= time && time <= WallClock.now() + .seconds(1))
    }
}
