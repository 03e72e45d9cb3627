import EventLoop
import Testing

@testable import HTTPServer

/// The connection table with a manual clock.
struct ConnectionTableTests {
    private let deadlines = ConnectionDeadlines(
        head: .seconds(10), body: .seconds(30), idle: .seconds(60), rateInterval: .seconds(5),
        minimumBytesPerSecond: 240)
    private let start = ContinuousClock.now

    private func late(
        _ table: inout ConnectionTable, afterSeconds seconds: Int, transferred: UInt64? = nil, unread: Set<Int32> = []
    ) -> [ConnectionDeadlines.Decision] {
        table.markTimedOut(
            at: start + .seconds(seconds), deadlines, drainTime: .seconds(1), transferred: { _, _ in transferred },
            hasArrived: { socket, _ in unread.contains(socket) }
        ).map(\.decision)
    }

    /// A request that is only counted: its connection is never used.
    private func exchange() throws -> Exchange {
        Exchange(
            RequestTarget("/"), try #require(OpaquePointer(bitPattern: 8)), DaemonSignal(try EventLoop(label: "test")))
    }

    /// Without a connection in a phase with a short deadline the server does not wake up to check deadlines.
    @Test func nextCheckFollowsPhases() throws {
        var table = ConnectionTable()
        func next(_ seconds: Int) -> Duration? {
            table.nextCheck(at: start + .seconds(seconds), deadlines, interval: .seconds(1)).map { $0 - start }
        }
        #expect(next(0) == nil)
        table.open(7, from: .loopback, at: start)
        #expect(next(0) == .seconds(1))
        let exchange = try exchange()
        #expect(table.admit(exchange, on: 7, limit: 1, at: start) == .admitted)
        #expect(next(0) == nil)
        table.enter(.sendingResponse, 7, at: start)
        #expect(next(1) == .seconds(2))
        table.enter(.idle, 7, at: start + .seconds(2))
        #expect(next(2) == .seconds(62))
        #expect(next(70) == .seconds(71))
        let isBegun = table.beginShutdown(at: start + .seconds(3), until: start + .seconds(9))
        #expect(isBegun)
        #expect(next(3) == .seconds(4))
    }

    @Test func connectionTimesOutOnce() {
        var table = ConnectionTable()
        table.open(7, from: .loopback, at: start)
        let verdicts = [9, 10, 11].map { late(&table, afterSeconds: $0) }
        #expect(verdicts == [[], [.refuse(.headTimeout)], []])
        #expect(table.isClosing(7))
    }

    @Test func reusedSocketIsNotMarkedForClosing() {
        var table = ConnectionTable()
        table.open(7, from: .loopback, at: start)
        _ = late(&table, afterSeconds: 10)
        table.close(7)
        table.open(7, from: .loopback, at: start + .seconds(10))
        #expect(!table.isClosing(7))
    }

    @Test func firstRequestLineDoesNotRestartDeadline() {
        var table = ConnectionTable()
        table.open(7, from: .loopback, at: start)
        table.enter(.head, 7, at: start + .seconds(9))
        let verdicts = late(&table, afterSeconds: 10)
        #expect(verdicts == [.refuse(.headTimeout)])
    }

    @Test func laterRequestHasItsOwnDeadline() {
        var table = ConnectionTable()
        table.open(7, from: .loopback, at: start)
        table.enter(.idle, 7, at: start + .seconds(5))
        table.enter(.head, 7, at: start + .seconds(20))
        let verdicts = [29, 30].map { late(&table, afterSeconds: $0) }
        #expect(verdicts == [[], [.refuse(.headTimeout)]])
    }

    @Test func connectionsAreCountedPerNetworkUntilClosed() {
        var table = ConnectionTable()
        let one = IPAddress.v6(high: 1, low: 1)
        let sameNetwork = IPAddress.v6(high: 1, low: 2)
        table.open(7, from: one, at: start)
        let second = table.admits(sameNetwork, limit: 2)
        table.open(8, from: sameNetwork, at: start)
        let third = table.admits(one, limit: 2)
        let unlimited = table.admits(one, limit: nil)
        let otherNetwork = table.admits(.v6(high: 2, low: 1), limit: 2)
        table.close(7)
        let afterwards = table.admits(one, limit: 2)
        #expect([second, third, unlimited, otherNetwork, afterwards] == [true, false, true, true, true])
        #expect(table.statistics.connectionsRefused == 1)
    }

    @Test func shutdownWaitsForLastConnectionOrItsDeadline() throws {
        var table = ConnectionTable()
        table.open(7, from: .loopback, at: start)
        table.open(8, from: .loopback, at: start)
        let admission = table.admit(try exchange(), on: 8, limit: 1, at: start)
        #expect(admission == .admitted)
        #expect(!table.isDrained(at: start + .seconds(1000)))
        let began = [4, 9].map { table.beginShutdown(at: start, until: start + .seconds($0)) }
        #expect(began == [true, false], "the second call changes nothing")
        table.close(7)
        #expect(!table.isDrained(at: start + .seconds(3)))
        #expect(table.isDrained(at: start + .seconds(4)))
        table.close(8)
        #expect(!table.isDrained(at: start), "another connection may have been accepted")
        table.endAccepting()
        #expect(table.isDrained(at: start))
    }

    @Test func stoppingServerClosesUnusedConnections() throws {
        var table = ConnectionTable()
        for socket in [7, 8, 9] as [Int32] { table.open(socket, from: .loopback, at: start) }
        table.enter(.idle, 8, at: start)
        _ = table.admit(try exchange(), on: 9, limit: 1, at: start)
        _ = table.beginShutdown(at: start + .seconds(5), until: start + .seconds(60))
        // A long idle time before the shutdown does not matter: a request may arrive.
        let early = late(&table, afterSeconds: 5)
        let unread = late(&table, afterSeconds: 6, unread: [7, 8])
        let unused = late(&table, afterSeconds: 6, unread: [7])
        #expect([early, unread, unused] == [[], [], [.close]])
        #expect(table.isClosing(8) && !table.isClosing(7) && !table.isClosing(9))
        table.enter(.sendingResponse, 9, at: start + .seconds(8))
        table.enter(.idle, 9, at: start + .seconds(8))
        let later = [8, 9].map { late(&table, afterSeconds: $0, unread: [7]) }
        #expect(later == [[], [.close]])
    }

    @Test func startedHeadKeepsItsDeadlineDuringShutdown() throws {
        var table = ConnectionTable()
        table.open(7, from: .loopback, at: start)
        table.enter(.head, 7, reading: try exchange(), at: start + .seconds(1))
        _ = table.beginShutdown(at: start + .seconds(2), until: start + .seconds(60))
        let verdicts = [9, 10].map { late(&table, afterSeconds: $0) }
        #expect(verdicts == [[], [.refuse(.headTimeout)]])
    }

    @Test(arguments: [
        (ConnectionDeadlines.Phase.sendingResponse, ConnectionDeadlines.Decision.close), (.body, .refuse(.bodyTimeout)),
    ])
    func transferRateIsMeasuredPerInterval(
        phase: ConnectionDeadlines.Phase, decision: ConnectionDeadlines.Decision
    ) {
        var table = ConnectionTable()
        table.open(7, from: .loopback, at: start)
        table.enter(phase, 7, at: start)
        // Bytes of earlier requests do not count, and a surplus is not carried over.
        let looks: [(seconds: Int, bytes: UInt64)] = [(0, 5_000), (4, 5_000), (5, 9_000), (9, 9_000), (10, 10_199)]
        let verdicts = looks.map { late(&table, afterSeconds: $0.seconds, transferred: $0.bytes) }
        #expect(verdicts == [[], [], [], [], [decision]])
    }

    @Test func transferRateIsResetWithItsPhase() {
        var table = ConnectionTable()
        table.open(7, from: .loopback, at: start)
        table.enter(.sendingResponse, 7, at: start)
        _ = late(&table, afterSeconds: 0, transferred: 100)
        table.enter(.idle, 7, at: start + .seconds(1))
        table.enter(.sendingResponse, 7, at: start + .seconds(4))
        let verdicts = [6, 10, 11].map { late(&table, afterSeconds: $0, transferred: 100) }
        #expect(verdicts == [[], [], [.close]])
    }

    /// The producer of a part has any time, and the client behind each part, and behind the last one, its own.
    @Test func clientOfAStreamHasADeadlineBehindEachPart() throws {
        var table = ConnectionTable()
        table.open(7, from: .loopback, at: start)
        let exchange = try exchange()
        let isAdmitted = table.awaitPart(exchange, on: 7, at: start)
        let whileProduced = late(&table, afterSeconds: 1000)
        table.sentPart(on: 7, at: start + .seconds(1000))
        let isAdmittedAgain = table.awaitPart(exchange, on: 7, at: start + .seconds(1050))
        table.sentPart(on: 7, at: start + .seconds(1050))
        let verdicts = [1109, 1110].map { late(&table, afterSeconds: $0) }
        #expect(isAdmitted && isAdmittedAgain && whileProduced == [])
        #expect(verdicts == [[], [.close]])
    }

    @Test func networkWithMostConnectionsIsEvicted() throws {
        var table = ConnectionTable()
        let many = IPAddress.v4(1)
        let one = IPAddress.v4(2)
        table.open(1, from: one, at: start)
        for socket in 2...4 as ClosedRange<Int32> {
            table.open(socket, from: many, at: start + .seconds(Int(socket)))
        }
        _ = table.admit(try exchange(), on: 2, limit: 9, at: start + .seconds(5))
        let enough = table.makeRoom(limit: 4)
        table.open(5, from: one, at: start + .seconds(9))
        // Neither the oldest, which is in a small network, nor the one whose request runs.
        let first = table.makeRoom(limit: 4)
        let again = table.makeRoom(limit: 4)
        #expect([enough, first, again] == [[], [3], []], "what is about to go counts no more")
        #expect(table.isClosing(3) && table.statistics.connectionsEvicted == 1)
        table.close(3)
        table.open(6, from: one, at: start + .seconds(10))
        table.close(4)
        let afterwards = table.makeRoom(limit: 4)
        #expect(afterwards == [])
    }

    @Test func requestsInFlightAreBoundedUntilHandlersReturn() throws {
        var table = ConnectionTable()
        for socket in [7, 8] as [Int32] { table.open(socket, from: .loopback, at: start) }
        var admissions = [table.admit(try exchange(), on: 7, limit: 1, at: start)]
        admissions.append(table.admit(try exchange(), on: 8, limit: 1, at: start))
        table.requestEnded()
        admissions.append(table.admit(try exchange(), on: 8, limit: 1, at: start))
        #expect(admissions == [.admitted, .overloaded, .admitted])
        #expect(table.statistics.requests == 3)
    }

    @Test func noRequestStartsAfterRejection() throws {
        var table = ConnectionTable()
        table.open(7, from: .loopback, at: start)
        _ = table.rejectNewRequests()
        let admission = table.admit(try exchange(), on: 7, limit: 1, at: start)
        #expect(admission == .close)
    }
}
