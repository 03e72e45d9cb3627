internal import Bus
internal import Contracts
internal import Crypto
internal import MasterKey
internal import ServiceRuntime
internal import Storage

/// The process `federation`: what it is made of, and how it starts and ends.
package enum FederationProgram {
    /// Runs the process until it is stopped or fails, and ends it.
    package static func run() async -> Never {
        await Program(.federation, "Sign-in with other identity providers.").start(reading: FederationSettings.init) {
            settings in
            let masterKeys = try ReloadingMasterKeyRing(settings.masterKey)
            let runtime = ServiceRuntime(settings.process)
            let (database, store) = try await runtime.start {
                try await settings.storage.prepare(masterKeyFile: settings.masterKey.name, log: runtime.log) {
                    database in
                    (database, try await FederationStore(database, keys: masterKeys))
                }
            }
            let bus = try BusConnection(settings.process, capacity: 256, log: runtime.log)
            let metrics = FederationMetrics(runtime.metrics, log: runtime.log)
            let peers = PeerClient(BusClient(bus))
            let providerChanges = ProviderChangeRecorder(store, peers: peers, log: runtime.log)
            let service = FederationService(
                .init(
                    now: WallClock.now, randomBytes: Random.bytes, store: store, peers: peers,
                    providerChanges: providerChanges,
                    providers: ProviderClient(settings.outgoing, metrics: metrics),
                    gameCenterAnchors: settings.gameCenterAnchors, isDev: settings.process.isDev,
                    acceptsUnsignedTokens: settings.acceptsUnsignedTokens, metrics: metrics))
            bus.serve(BusWorker(Federation.Operation.self, mapping: service.wireError, service.handle).handler)
            let reconciliation = TenantReconciliation(store, peers: peers, log: runtime.log)
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
                    ],
                    // Delivery waits for identity.
                    [
                        MaintenanceTask(
                            "provider-changes", every: .seconds(60), after: .seconds(10), providerChanges.recordAll)
                    ],
                    log: runtime.log),
                SealingMaintenance(store.sealedRecords, metrics: runtime.metrics, log: runtime.log),
                bus,
            ])
            await runtime.close { await store.close() }
        }
    }
}
