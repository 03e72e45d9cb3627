internal import Bus
internal import Contracts
internal import Crypto
internal import MasterKey
internal import ServiceRuntime
internal import Storage

/// The process `mfa-totp`: what it is made of, and how it starts and ends.
package enum TOTPProgram {
    /// Runs the process until it is stopped or fails, and ends it.
    package static func run() async -> Never {
        await Program(.mfaTOTP, "Time-based codes: second factors from an authenticator app.").start(
            reading: TOTPSettings.init
        ) {
            settings in
            let masterKeys = try ReloadingMasterKeyRing(settings.masterKey)
            let runtime = ServiceRuntime(settings.process)
            let (database, store) = try await runtime.start {
                try await settings.storage.prepare(masterKeyFile: settings.masterKey.name, log: runtime.log) {
                    database in
                    (database, try await TOTPStore(database, keys: masterKeys))
                }
            }
            let bus = try BusConnection(settings.process, capacity: 256, log: runtime.log)
            let peers = PeerClient(BusClient(bus))
            let service = TOTPService(
                .init(
                    now: WallClock.now, randomBytes: Random.bytes, store: store, peers: peers,
                    metrics: TOTPMetrics(runtime.metrics, log: runtime.log)))
            bus.serve(BusWorker(MFATOTP.Operation.self, mapping: service.wireError, service.handle).handler)
            let reconciliation = FactorReconciliation(store, peers: peers, log: runtime.log)
            let clock = TrustedClock(database, log: runtime.log)
            try await runtime.on(bus.loop).watching(database).run([
                runtime.reporter(settings.process, over: bus),
                // The reconciliation may take long.
                Maintenance(
                    [MaintenanceTask("sweep", every: .seconds(60), trusting: clock, store.sweep)],
                    [
                        MaintenanceTask("reconciliation", every: .seconds(3600), after: .seconds(60), trusting: clock) {
                            try await reconciliation.reconcile(at: $0)
                        }
                    ], log: runtime.log),
                SealingMaintenance(store.sealedRecords, metrics: runtime.metrics, log: runtime.log),
                bus,
            ])
            await runtime.close { await store.close() }
        }
    }
}
