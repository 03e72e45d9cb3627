import Bus
import Contracts
import Glibc
import MasterKey
import ServiceRuntime
import Settings

/// `latchkey up`: checks that the mesh can start, starts it, and supervises it until it is stopped.
package struct MeshLauncher: Sendable {
    let settings: UpSettings
    let environment: Environment
    /// Of the services that run in this process, if they do.
    let programs: ServicePrograms

    /// - Throws: `LauncherError` or `SettingsError`, with a message for the operator.
    package func run() async throws {
        try MemoryCheck.run()
        let log = Log(instance: "latchkey", settings: settings.log)
        for warning in PlaceholderSettings.warnings(about: environment) {
            log.warn(
                .settingIsExample, ["setting": .public(warning.setting), "problem": .public(warning.problem)])
        }
        let data = try DataDirectory(settings.dataDirectory)
        // The processes have five seconds after the drain time; a launcher that stops earlier would leave them unsupervised.
        let grace = settings.drainTime + .seconds(settings.users.exportOnExit == nil ? 8 : 60)
        var runtime = ServiceRuntime(log: log, grace: grace)
            .adding(settings.busKeys.map { [PeerTableWatch($0, log: log)] } ?? [])
        var masterKeyFile: String?
        switch settings.masterKey.place(dataDirectory: data.path) {
        case .variable: break
        case .file(let path):
            masterKeyFile = path
            let databases = SharedDatabases(stores: settings.stores, log: log)
            let inUse = data.beginsAnew(masterKeyFile: path) ? try await runtime.start(databases.inUse) : []
            if try data.prepareMasterKey(at: path, sharedDatabases: inUse, MasterKey.random) {
                let reminder: LogValue = settings.isDev ? "for development" : "back it up, apart from the databases"
                log.warn(.masterKeyCreated, ["file": .public(path), "note": reminder])
            }
        }
        let sockets = try data.prepareSockets()

        var settings = settings
        if settings.processes[.gateway] != nil {
            let admin = settings.adminListen.map { [$0] } ?? []
            var addresses = try ListenAddressCheck.resolve([settings.listen] + admin)[...]
            if let listen = addresses.popFirst() { settings.listen = listen }
            settings.adminListen = addresses.popFirst()
        }
        let brokers = (0..<settings.ownBrokers).map { sockets.endpoint(broker: $0 + 1) }
        let allBrokers = settings.externalBrokers + (try LocalBrokers.named(brokers, by: settings.busKeys))
        let plan = MeshPlan(
            settings, environment, dataDirectory: data.path, masterKeyFile: masterKeyFile, brokers: brokers,
            allBrokers: allBrokers)
        do {
            try MeshDescription.write(settings, environment, in: sockets.path)
        } catch {
            // Only commands without settings miss it.
            log.warn(.meshDescriptionFailed, ["directory": .public(sockets.path), "error": .kind(of: error)])
        }
        let users = DevUsers(
            settings.users, project: settings.project ?? ProcessSettings.devProject,
            brokers: allBrokers, keys: settings.busKeys, log: log)
        let address = settings.processes[.gateway] != nil ? settings.listen : nil
        // Without a gateway the mesh is ready when every process has joined.
        var untilReady: @Sendable () async throws -> Void = {}
        if let address {
            untilReady = {
                try await ReadinessProbe(of: address).waitUntilReady { missing in
                    log.error(
                        .meshStartDelayed,
                        [
                            "awaited": .public(missing),
                            "note": "it goes on by itself; the lines above say what is missing",
                        ])
                }
                try await users.seed()
            }
        }
        let output = LauncherOutput(settings.log.format)
        let whenReady: @Sendable () -> Void = {
            output.showReady(address.map { "http://\($0)" })
            SystemdUnit.ofProcess?.send(.ready)
            // The start leaves memory that the mesh does not need.
            IdleMemory.release()
        }
        output.showStart(isDev: settings.isDev, data: data.path)
        let mesh: [any ProcessComponent]
        if settings.isOneProcess {
            let services = try OneProcessMesh(
                plan, programs, listen: BusEndpoint(brokers[0]), log: log, untilReady: untilReady, whenReady: whenReady)
            mesh = services.components
            // The watchdog of a unit then ends a process whose services cannot go on.
            runtime = runtime.reporting(from: services.loop)
            output.showTable(plan.table { _ in getpid() })
        } else {
            let bus = try Self.bus(allBrokers, settings.busKeys)
            var limits = SupervisorState.Limits()
            limits.stopTimeout += settings.drainTime
            let supervisor = Supervisor(
                plan, executable: ProcessExecutable.running, limits: limits, log: log, printLine: output.showTable,
                untilReady: untilReady, whenReady: whenReady, reportEnd: bus.report, publish: bus.publish)
            ProcessSignals.onHangup(supervisor.reload)
            mesh = [bus, supervisor]
        }
        try await runtime.run(mesh + [users])
        // Held until here: the mesh needs the lock and the sockets while it runs.
        _ = consume sockets
        _ = consume data
    }

    /// The connection over which the launcher reports to the brokers how processes end.
    private static func bus(_ brokers: [String], _ keys: BusKeyFiles?) throws -> BusConnection {
        let place: BusSettings
        do throws(BusSettingsError) {
            place = try BusSettings(
                brokers: brokers, launcher: ProcessStart(name: "latchkey").busInstance, keys: keys?.keys)
        } catch {
            throw SettingsError([.init(.brokers, error)])
        }
        return try BusConnection(place, note: { _ in })
    }
}
