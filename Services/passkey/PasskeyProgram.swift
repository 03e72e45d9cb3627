internal import Bus
internal import Contracts
internal import Crypto
internal import MasterKey
internal import ServiceRuntime
internal import Storage

/// The process `passkey`: what it is made of, and how it starts and ends.
package enum PasskeyProgram {
    /// Runs the process until it is stopped or fails, and ends it.
    package static func run() async -> Never {
        await Program(.passkey, "Passkeys: registration and sign-in by WebAuthn.").start(
            reading: { try PasskeySettings($0, at: WallClock.now()) }
        ) { settings in
            let masterKeys = try ReloadingMasterKeyRing(settings.masterKey)
            let runtime = ServiceRuntime(settings.process)
            if settings.trust.isOutdated(at: WallClock.now()) { runtime.log.warn("passkey.metadata-outdated") }
            let (database, store) = try await runtime.start {
                try await settings.storage.prepare(masterKeyFile: settings.masterKey.name, log: runtime.log) {
                    database in
                    (database, try await PasskeyStore(database, keys: masterKeys))
                }
            }
            let bus = try BusConnection(settings.process, capacity: 256, log: runtime.log)
            let peers = PeerClient(BusClient(bus))
            let service = PasskeyService(
                .init(
                    now: WallClock.now, randomBytes: Random.bytes, store: store, peers: peers,
                    defaults: settings.relyingParty, trust: settings.trust,
                    metrics: PasskeyMetrics(runtime.metrics, log: runtime.log)))
            bus.serve(BusWorker(Passkey.Operation.self, mapping: service.wireError, service.handle).handler)
            let reconciliation = CredentialReconciliation(store, peers: peers, log: runtime.log)
            let clock = TrustedClock(database, log: runtime.log)
            try await runtime.on(bus.loop).watching(database).run([
                runtime.reporter(settings.process, over: bus),
                EventSubscription(bus.subscribe(), to: service.receive),
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
