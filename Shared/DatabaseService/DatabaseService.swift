package import Bus
package import Contracts
package import MasterKey
package import SQL
package import ServiceRuntime
package import Storage
package import Tracing

/// A service with a database, as a list: its handler, its tasks and its components. `program` adds what every such service
/// has: the end on request, the database with its monitors, the bus, reports and the maintenance of sealed columns.
/// ```swift
/// DatabaseService.program(
///     .passkey, "Passkeys.", reading: PasskeySettings.init, common: \.common,
///     opening: { start in try await PasskeyStore(start.database, keys: start.masterKeys) }
/// ) { process in
///     let service = PasskeyService(...)
///     return DatabaseService(
///         service.handle, sealedRecords: process.store.sealedRecords,
///         tasks: [[process.store.sweepTask(trusting: process.clock)]])
/// }
/// ```
package struct DatabaseService: Sendable {
    private let handler: BusHandler
    private let sealedRecords: SealedRecords
    private let masterKeyRotated: @Sendable (borrowing SQLTransaction) throws -> Void
    private let tasks: [[MaintenanceTask]]
    private let receive: (@Sendable (BusEvent) async -> Void)?
    private let components: [any ProcessComponent]
    private let activity: ActivityCounts?

    /// - Parameters:
    ///   - handle: a `switch` over the operations.
    ///   - masterKeyRotated: runs in the transaction that records the end of a rotation, in one process of the service.
    ///   - tasks: those of one list run one after the other, and the lists concurrently. A task that takes long has a
    ///     list of its own.
    ///   - receive: is called for one event of the bus at a time; nil without a subscription.
    ///   - components: stop after the bus, in reverse order.
    ///   - activity: what the process counts for the overview of the console; nil if it counts nothing.
    package init<Operation: ServiceOperation>(
        _ handle: @escaping @Sendable (Operation, BusCall) async throws -> BusReply,
        sealedRecords: SealedRecords,
        masterKeyRotated: @escaping @Sendable (borrowing SQLTransaction) throws -> Void = { _ in },
        tasks: [[MaintenanceTask]], receive: (@Sendable (BusEvent) async -> Void)? = nil,
        components: [any ProcessComponent] = [], activity: ActivityCounts? = nil
    ) {
        handler = BusWorker(Operation.self, handle).handler
        self.sealedRecords = sealedRecords
        self.masterKeyRotated = masterKeyRotated
        self.tasks = tasks
        self.receive = receive
        self.components = components
        self.activity = activity
    }
}

extension DatabaseService {
    /// What a service opens its store with.
    package struct Start<Settings: Sendable>: Sendable {
        package let settings: Settings
        package let database: FencedDatabase
        package let masterKeys: ReloadingMasterKeyRing
        package let log: Log
    }

    /// What a service is made of: its settings, its open store, and what all processes have.
    package struct Process<Settings: Sendable, Store: Sendable>: Sendable {
        package let settings: Settings
        package let store: Store
        package let bus: BusConnection
        package let client: BusClient
        package let clock: TrustedClock
        package let metrics: Metrics
        /// Nil if the process records no traces.
        package let spans: SpanRecorder?
        package let log: Log
    }

    /// The program of a service.
    /// - Parameters:
    ///   - options: accepted on the command line besides `--help` and `--version`.
    ///   - capacity: requests handled at once for each broker.
    ///   - read: the settings of the service.
    ///   - common: those that every service with a database has.
    ///   - open: migrates and reads. After a lost connection it runs again from the beginning.
    ///   - make: the service, when its database is open.
    package static func program<Settings: Sendable, Store: Sendable>(
        _ service: ServiceName, _ summary: String, options: [Program.Option] = [], capacity: UInt16 = 256,
        reading read: @escaping @Sendable (Environment) throws -> Settings,
        common: @escaping @Sendable (Settings) -> DatabaseServiceSettings,
        opening open: @escaping @Sendable (Start<Settings>) async throws -> Store,
        _ make: @escaping @Sendable (Process<Settings, Store>) async throws -> DatabaseService
    ) -> Program {
        Program(service, summary, options: options, reading: read) { settings, host in
            let common = common(settings)
            let holder = RingHolder.Identity(instance: common.process.instance)
            let masterKeys = try ReloadingMasterKeyRing(common.masterKey, heldBy: holder)
            let runtime = ServiceRuntime(common.process, in: host)
            let (database, store) = try await runtime.start {
                try await common.storage.prepare(masterKeyFile: common.masterKey.name, log: runtime.log) { database in
                    let start = Start(
                        settings: settings, database: database, masterKeys: masterKeys, log: runtime.log)
                    do {
                        return (database, try await open(start))
                    } catch {
                        // After an `SQLError` the start is repeated, or the database is out of reach.
                        // `try?`: a rotation that finds the registration waits for the process, and then forgets it.
                        if !(error is SQLError) { try? await holder.remove(from: database) }
                        throw error
                    }
                }
            }
            let refusedCallers = RefusedCallers(by: common.process.service)
            let bus = try BusConnection(
                common.process, in: host, capacity: capacity, recordingIn: runtime.spans, log: runtime.log,
                note: refusedCallers.note)
            let service = try await make(
                Process(
                    settings: settings, store: store, bus: bus, client: BusClient(bus),
                    clock: TrustedClock(database, log: runtime.log), metrics: runtime.metrics,
                    spans: runtime.spans, log: runtime.log))
            bus.serve(service.handler)
            var components: [any ProcessComponent] = [
                runtime.reporter(common.process, in: host, over: bus),
                RefusedCallerRecorder(refusedCallers, peers: BusClient(bus)),
                Maintenance(service.tasks, log: runtime.log),
                SealingMaintenance(
                    service.sealedRecords, holder: holder, metrics: runtime.metrics, log: runtime.log,
                    rotated: service.masterKeyRotated),
            ]
            if let receive = service.receive {
                components.append(EventSubscription(bus.subscribe(), to: receive))
            }
            // Before the bus, so that the last counts are sent.
            let last = service.activity.map { ActivityReporter($0, peers: BusClient(bus), log: runtime.log) }
            try await runtime.on(bus.loop).watching(database).run(
                components + service.components + [bus] + (last.map { [$0] } ?? []))
            await runtime.close {
                await database.leave()
                await database.close()
            }
        }
    }
}
