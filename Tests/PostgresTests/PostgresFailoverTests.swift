import Foundation
import Glibc
import Postgres
import SQL
import TestSupport
import Testing

/// Another server takes the place of the one that a database uses.
@Suite struct PostgresFailoverTests {
    private func open(
        _ address: String, connections: Int = 1, createsSchema: Bool = true,
        limits: PostgresDatabase.Limits = shortLimits()
    ) async throws -> PostgresDatabase {
        try await PostgresDatabase(
            PostgresURL(address), schema: "tests", connections: connections, createsSchema: createsSchema,
            limits: limits)
    }

    /// A server with a standby, and a database with the table of numbers on both.
    private struct Pair {
        let primary: RunningPostgres
        let standby: RunningPostgres
        let name: String

        init() async throws {
            primary = try await RunningPostgres()
            standby = try await RunningPostgres(standbyOf: primary)
            let address = try await primary.makeDatabase()
            name = try #require(address.split(separator: "/").last.map(String.init))
            let database = try await PostgresDatabase(
                PostgresURL(address), schema: "tests", connections: 1, limits: .longRunning)
            try await database.migrate(numbers)
            await database.close()
        }

        /// Both servers, the standby first: it is asked first, and refuses.
        var address: String { RunningPostgres.address(of: name, on: [standby.port, primary.port]) }
    }

    enum Loss: CaseIterable { case killed, frozen }

    /// A frozen server keeps its connections open and sends nothing, as one whose network is gone.
    @Test(arguments: Loss.allCases) func acknowledgedWritesSurviveFailover(loss: Loss) async throws {
        let pair = try await Pair()
        let database = try await open(pair.address, connections: 8)
        let tally = Tally()
        try await withThrowingTaskGroup { group in
            for writer in 0..<8 { group.addTask { await tally.write(in: database, from: writer * 1_000_000) } }
            try await eventually("much was written") { tally.acknowledged.count > 100 }
            switch loss {
            case .killed: try await pair.primary.kill()
            case .frozen: try pair.primary.suspend()
            }
            try await pair.standby.promote()
            let before = tally.acknowledged.count
            try await eventually("writing went on") { tally.acknowledged.count > before + 20 }
            tally.finish()
            try await group.waitForAll()
        }
        // A connection to the frozen server may still wait for its end.
        try await eventually("the new primary was read") { (try? await database.ids()) != nil }
        let stored = Set(try await database.ids())
        #expect(tally.acknowledged.isSubset(of: stored))
        #expect(stored.allSatisfy { stored.contains($0 ^ 1) })
        await database.close()
        if loss == .frozen { try pair.primary.resume() }
    }

    /// The former primary still runs, and its connections are open.
    @Test func demotedPrimaryIsLeftByEveryConnection() async throws {
        let pair = try await Pair()
        let database = try await open(pair.address, connections: 4)
        let alone = try await open(
            RunningPostgres.address(of: pair.name, on: [pair.standby.port]), createsSchema: false)
        let query = SQLQuery("SELECT id FROM numbers", [])
        try await database.insert(1)
        #expect(try await database.rows(query).count == 1)
        try await eventually("the standby had the row") { try await alone.ids() == [1] }
        #expect(
            await refusal { try await alone.insert(2) }
                == .readOnly(path: "postgres://latchkey@127.0.0.1:\(pair.standby.port)/\(pair.name)"))
        #expect(try await alone.ids() == [1])
        try await pair.primary.set("default_transaction_read_only", to: "on")
        try await pair.standby.promote()
        // The process of the server may read its settings a moment later, and the write fails with it.
        try await eventually("the new primary was used") {
            guard await refusal({ try await database.insert(2) }) == nil else { return false }
            return try await alone.ids().contains(2)
        }
        #expect(Set(try await database.rows(query).map { try $0.get("id") as Int }).contains(2))
        try await eventually("the former primary was left") {
            try await pair.primary.run(
                "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'latchkey %'") == "0"
        }
        try await eventually("the promoted server was written through its old connection") {
            await refusal { try await alone.insert(3) } == nil
        }
        await database.close()
        await alone.close()
    }

    /// libpq itself would wait for the first server until the deadline.
    @Test func silentServerDoesNotHideTheNextOne() async throws {
        let silent = try SilentServer()
        let server = try await RunningPostgres.shared()
        let name = try #require(try await server.makeDatabase().split(separator: "/").last.map(String.init))
        let ports = [silent.port, silent.port, server.port]
        let database = try await open(RunningPostgres.address(of: name, on: ports))
        try await database.migrate(numbers)
        try await database.insert(1)
        #expect(try await database.ids() == [1])
        await database.close()
    }

    @Test func reasonsOfEveryServerAreNamed() async throws {
        let silent = try SilentServer()
        let server = try await RunningPostgres.shared()
        let address = RunningPostgres.address(of: "nowhere", on: [silent.port, 1, server.port])
        let error = await refusal { _ = try await open(address) }
        guard case .unavailable(let reason)? = error else {
            Issue.record("refused otherwise: \(String(describing: error))")
            return
        }
        #expect(reason.contains("no reply") && reason.contains("refused") && reason.contains("nowhere"))
        #expect(!reason.contains("\n"))
        let wrong = RunningPostgres.address(of: "nowhere", on: [server.port, server.port])
        #expect(await refusal { _ = try await open(wrong) }?.isPermanent == true)
    }

    /// The server acknowledges such a commit, but its standby may not have it.
    @Test func commitWithoutItsStandbyIsUncertain() async throws {
        let server = try await RunningPostgres()
        let database = try await open(try await server.makeDatabase(), limits: .longRunning)
        try await database.migrate(numbers)
        try await server.set("synchronous_standby_names", to: "'nobody'")
        let insertion = Task { await refusal { try await database.insert(1) } }
        try await eventually("the commit waited for the standby, and the wait was canceled") {
            try await server.run("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
                == "t"
        }
        #expect(await insertion.value?.isUnavailable == true)
        #expect(try await database.ids() == [1])
        await database.close()
    }
}

/// Accepts connections and never answers.
private final class SilentServer {
    let port: UInt16
    private let descriptor: Int32

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { [descriptor] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0 && getsockname(descriptor, pointer, &length) == 0
            }
        }
        try #require(isBound && listen(descriptor, 100) == 0)
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(descriptor) }
}
