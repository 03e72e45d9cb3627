import Dispatch
import SQL
import Testing

@Suite struct LongReadTests {
    /// A body that runs until it is released.
    private final class Brake: Sendable {
        private let (started, starting) = AsyncStream.makeStream(of: Void.self)
        private let release = DispatchSemaphore(value: 0)

        func hold() {
            starting.yield()
            release.wait()
        }

        func untilHeld() async {
            for await _ in started { return }
        }

        func letGo() { release.signal() }
    }

    @Test(arguments: Engine.shared)
    func shortReadsDoNotWaitForLongRead(engine: Engine) async throws {
        let database = try await EngineLocation(engine).openWithTables()
        let brake = Brake()
        async let long = database.longRead { transaction in
            brake.hold()
            return try transaction.rows("SELECT id FROM notes").count
        }
        await brake.untilHeld()
        for _ in 0..<20 { #expect(try await database.read { try $0.rows("SELECT id FROM notes").count } == 0) }
        brake.letGo()
        #expect(try await long == 0)
        await database.close()
    }

    @Test(arguments: Engine.shared)
    func queuedLongReadsAreBounded(engine: Engine) async throws {
        let database = try await EngineLocation(engine).openWithTables()
        let brake = Brake()
        let first = Task { try await database.longRead { _ in brake.hold() } }
        await brake.untilHeld()
        let refused = await withTaskGroup { group in
            for _ in 0...LongReads.maximumWaiting {
                group.addTask {
                    do {
                        try await database.longRead { _ in }
                        return false
                    } catch {
                        // The job beyond the limit is rejected while the others wait.
                        brake.letGo()
                        return error as? SQLError == .overloaded
                    }
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(refused == 1)
        try await first.value
        await database.close()
    }

    @Test(arguments: Engine.allCases)
    func longReadCannotWrite(engine: Engine) async throws {
        let database = try await EngineLocation(engine).openWithTables()
        await #expect(throws: SQLError.writeInReadOnlyTransaction) {
            try await database.longRead { try $0.execute("INSERT INTO notes (id) VALUES (1)") }
        }
        await database.close()
        await #expect(throws: SQLError.closed) { try await database.longRead { _ in } }
    }
}
