import SQL

/// Two stores on one database, each with a method that stops before its steps.
final class InterleavingBench<Store: Sendable, Context: Sendable>: Sendable {
    private let plan: Interleavings<Store, Context>
    private let methods: [Interleavings<Store, Context>.Method]
    /// Without stops: for the rows before and after.
    private let database: any SQLDatabase
    private let store: Store
    private let gates: [StepGate]
    /// A value after a method has stopped or finished.
    private let arrivals: AsyncStream<Void>
    private let stepped: [SteppedDatabase]
    private let stores: [Store]
    private let engine: StoreEngine
    /// Removed with the bench.
    private let place: StoreLocation

    /// More steps than that are an endless loop of conflicts.
    private static var maximumSteps: Int { 2000 }

    init(
        _ plan: Interleavings<Store, Context>, _ methods: [Interleavings<Store, Context>.Method],
        on engine: StoreEngine
    ) async throws {
        self.plan = plan
        self.methods = methods
        self.engine = engine
        let place = try await StoreLocation(engine, name: "interleavings")
        let database = try await place.open()
        let grain: SteppedDatabase.Grain =
            switch engine {
            case .memory, .file: .transaction
            case .postgres: .statement
            }
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let gates = (0..<2).map { _ in StepGate { arrived.yield() } }
        let store = try await plan.open(database)
        var stepped: [SteppedDatabase] = []
        var stores: [Store] = []
        for gate in gates {
            let one = SteppedDatabase(database: try await place.open(), gate: gate, grain: grain)
            stepped.append(one)
            stores.append(try await plan.open(one))
        }
        self.place = place
        self.database = database
        self.store = store
        self.gates = gates
        self.arrivals = arrivals
        self.stepped = stepped
        self.stores = stores
    }

    func open() { for gate in gates { gate.open() } }

    func close() async {
        open()
        for one in stepped { await one.close() }
        await database.close()
    }

    /// Runs both methods in the order of the choices, and then without a change as long as possible.
    func run(_ prefix: [Int]) async throws -> InterleavedOrder {
        open()
        try await DatabaseContent.clear(database, keeping: plan.keptTables)
        let context = try await plan.prepare(store)
        for gate in gates { gate.begin() }
        let tasks = zip(methods, zip(stores, gates)).map { method, place in
            Task {
                defer { place.1.finish() }
                do {
                    return try await method.run(place.0, context)
                } catch {
                    return "\(error)"
                }
            }
        }
        var decisions: [InterleavedOrder.Decision] = []
        var last: Int?
        do {
            while let ready = try await settledGates() {
                guard decisions.count < Self.maximumSteps else { throw EndlessOrderError() }
                let wanted = decisions.count < prefix.count ? prefix[decisions.count] : last ?? 0
                let (chosen, step) = ready.first { $0.method == wanted } ?? ready[0]
                decisions.append(.init(chosen: chosen, isFree: ready.count > 1, step: step))
                last = chosen
                gates[chosen].goOn()
            }
        } catch {
            open()
            for task in tasks { _ = await task.value }
            throw error
        }
        let results = [await tasks[0].value, await tasks[1].value]
        return InterleavedOrder(
            decisions: decisions,
            end: .init(results: results, content: try await DatabaseContent(of: database, masking: plan.masked)),
            violations: try await violations())
    }

    private struct EndlessOrderError: Error, CustomStringConvertible {
        let description = "the two methods meet without end"
    }

    /// Waits until each method is stopped, finished, or blocked by the other.
    /// - Returns: the stopped methods with their next steps; nil when both are finished.
    private func settledGates() async throws -> [(method: Int, step: String)]? {
        while true {
            let states = gates.map(\.state)
            let ready = states.enumerated().compactMap { method, state -> (method: Int, step: String)? in
                guard case .stopped(let step) = state else { return nil }
                return (method, step)
            }
            let running = states.count { $0 == .running }
            if running == 0 { return ready.isEmpty ? nil : ready }
            switch engine {
            case .memory, .file: _ = await arrivals.first { true }
            case .postgres:
                guard !ready.isEmpty else {
                    // The server ends a deadlock of the two.
                    _ = await arrivals.first { true }
                    continue
                }
                // A method that still runs after the other one is stopped may wait for it. Nobody else holds locks.
                if try await blockedTransactions() == running, gates.map(\.state) == states { return ready }
            }
        }
    }

    /// A lock is granted before the statement that releases it has its reply: so none is counted that is granted already.
    private func blockedTransactions() async throws -> Int {
        try await database.read { transaction in
            try transaction.firstRow(
                """
                SELECT COUNT(DISTINCT pid) AS count FROM pg_catalog.pg_locks WHERE NOT granted AND pid IN
                    (SELECT pid FROM pg_catalog.pg_stat_activity WHERE datname = current_database())
                """)?.get("count") ?? 0
        }
    }

    private func violations() async throws -> [String] {
        try await database.read { [plan] transaction in
            try plan.invariants.compactMap { invariant in
                let count: Int = try transaction.firstRow(invariant.violations)?.get("count") ?? 0
                return count == 0 ? nil : "\(invariant.name): \(count) rows violate it"
            }
        }
    }
}
