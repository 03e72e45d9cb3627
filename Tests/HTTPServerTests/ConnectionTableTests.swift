import Testing

@testable import HTTPServer

/// The table with a clock the test holds.
struct ConnectionTableTests {
    private let deadlines = ConnectionDeadlines(head: .seconds(10), body: .seconds(30), idle: .seconds(60))
    private let start = ContinuousClock.now

    private func late(_ table: inout ConnectionTable, afterSeconds seconds: Int) -> [ConnectionDeadlines.Verdict] {
        table.condemnLate(at: start + .seconds(seconds), deadlines).map(\.verdict)
    }

    /// A request that is only counted: its connection is never touched.
    private func exchange() throws -> Exchange {
        Exchange(RequestTarget("/"), try #require(OpaquePointer(bitPattern: 8)))
    }

    @Test func aConnectionIsToldOnceThatItIsLate() {
        var table = ConnectionTable()
        table.open(7, from: .loopback, at: start)
        let verdicts = [9, 10, 11].map { late(&table, afterSeconds: $0) }
        #expect(verdicts == [[], [.refuse(.headTimeout)], []])
        #expect(table.isCondemned(7))
    }

    @Test func aLaterConnectionWithTheSameSocketIsNotCondemned() {
        var table = ConnectionTable()
        table.open(7, from: .loopback, at: start)
        _ = late(&table, afterSeconds: 10)
        table.close(7)
        table.open(7, from: .loopback, at: start + .seconds(10))
        #expect(!table.isCondemned(7))
    }

    @Test func theFirstRequestLineDoesNotStartTheClockAgain() {
        var table = ConnectionTable()
        table.open(7, from: .loopback, at: start)
        table.enter(.head, 7, at: start + .seconds(9))
        let verdicts = late(&table, afterSeconds: 10)
        #expect(verdicts == [.refuse(.headTimeout)])
    }

    @Test func aLaterRequestHasItsOwnClock() {
        var table = ConnectionTable()
        table.open(7, from: .loopback, at: start)
        table.enter(.idle, 7, at: start + .seconds(5))
        table.enter(.head, 7, at: start + .seconds(20))
        let verdicts = [29, 30].map { late(&table, afterSeconds: $0) }
        #expect(verdicts == [[], [.refuse(.headTimeout)]])
    }

    @Test func networksAreCountedAndForgotten() {
        var table = ConnectionTable()
        let one = IPAddress.v6(high: 1, low: 1)
        let neighbour = IPAddress.v6(high: 1, low: 2)
        table.open(7, from: one, at: start)
        let second = table.admits(neighbour, limit: 2)
        table.open(8, from: neighbour, at: start)
        let third = table.admits(one, limit: 2)
        let unlimited = table.admits(one, limit: nil)
        let stranger = table.admits(.v6(high: 2, low: 1), limit: 2)
        table.close(7)
        let afterwards = table.admits(one, limit: 2)
        #expect([second, third, unlimited, stranger, afterwards] == [true, false, true, true, true])
        #expect(table.statistics.connectionsRefused == 1)
    }

    @Test func aShutdownWaitsForTheLastConnectionOrItsEnd() throws {
        var table = ConnectionTable()
        table.open(7, from: .loopback, at: start)
        table.open(8, from: .loopback, at: start)
        let admission = table.admit(try exchange(), on: 8, limit: 1, at: start)
        #expect(admission == .admitted)
        #expect(!table.isDrained(at: start + .seconds(1000)))
        let unused = [table.beginShutdown(until: start + .seconds(4)), table.beginShutdown(until: start + .seconds(9))]
        #expect(unused == [[7], nil], "the second call changes nothing")
        table.close(7)
        #expect(!table.isDrained(at: start + .seconds(3)))
        #expect(table.isDrained(at: start + .seconds(4)))
        table.close(8)
        #expect(table.isDrained(at: start))
    }

    @Test func requestsInFlightAreBoundedUntilHandlersReturn() throws {
        var table = ConnectionTable()
        for socket in [7, 8] as [Int32] { table.open(socket, from: .loopback, at: start) }
        var admissions = [table.admit(try exchange(), on: 7, limit: 1, at: start)]
        admissions.append(table.admit(try exchange(), on: 8, limit: 1, at: start))
        table.handlerReturned()
        admissions.append(table.admit(try exchange(), on: 8, limit: 1, at: start))
        #expect(admissions == [.admitted, .overloaded, .admitted])
        #expect(table.statistics.requests == 3)
    }

    @Test func nothingStartsOnceRequestsAreAbandoned() throws {
        var table = ConnectionTable()
        table.open(7, from: .loopback, at: start)
        _ = table.stopAdmitting()
        let admission = table.admit(try exchange(), on: 7, limit: 1, at: start)
        #expect(admission == .hangUp)
    }
}
