internal import Bus
internal import Contracts
internal import Crypto
internal import MasterKey
internal import ServiceRuntime
internal import Storage

/// The process `mfa-sms`: what it is made of, and how it starts and ends.
package enum SMSProgram {
    /// Runs the process until it is stopped or fails, and ends it.
    package static func run() async -> Never {
        await Program(.mfaSMS, "Phone codes: second factors by SMS, and sign-in with a phone number.").start(
            reading: SMSSettings.init
        ) { settings in
            let masterKeys = try ReloadingMasterKeyRing(settings.masterKey)
            let runtime = ServiceRuntime(settings.process)
            let (database, store) = try await runtime.start {
                try await settings.storage.prepare(masterKeyFile: settings.masterKey.name, log: runtime.log) {
                    database in
                    (database, try await SMSStore(database, keys: masterKeys, policy: settings.policy))
                }
            }
            let bus = try BusConnection(settings.process, capacity: 256, log: runtime.log)
            let peers = PeerClient(BusClient(bus))
            let appVerifier = AppVerifier(
                settings.appVerification, store, peers, now: WallClock.now, randomBytes: Random.bytes, log: runtime.log,
                isDev: settings.process.isDev)
            let service = SMSService(
                .init(
                    now: WallClock.now, randomBytes: Random.bytes, store: store, peers: peers, appVerifier: appVerifier,
                    originDomain: settings.originDomain, metrics: CodeMetrics(runtime.metrics),
                    sendingMetrics: SendingMetrics(runtime.metrics, log: runtime.log), log: runtime.log,
                    isDev: settings.process.isDev))
            bus.serve(BusWorker(MFASMS.Operation.self, mapping: service.wireError, service.handle).handler)
            let clock = TrustedClock(database, log: runtime.log)
            try await runtime.on(bus.loop).watching(database).run([
                runtime.reporter(settings.process, over: bus),
                Maintenance(
                    [MaintenanceTask("sweep", every: .seconds(60), trusting: clock, store.sweep)], log: runtime.log),
                SealingMaintenance(store.sealedRecords, metrics: runtime.metrics, log: runtime.log),
                bus,
            ])
            await runtime.close { await store.close() }
        }
    }
}
