import Bus
import Contracts
import Crypto
import MFATOTPService
import MasterKey
import ServiceRuntime
import Storage

await Program(.mfaTOTP, "Time-based codes: second factors from an authenticator app.").start { environment in
    let settings = try TOTPSettings(environment)
    let masterKeys = try MasterKeys(settings.masterKey)
    let runtime = ServiceRuntime(settings.common)
    let (database, store) = try await runtime.start {
        try await settings.storage.prepare(masterKeyFile: settings.masterKey.name, log: runtime.log) { database in
            (database, try await TOTPStore(database, keys: masterKeys))
        }
    }
    let bus = try BusConnection(settings.common, capacity: 256, log: runtime.log)
    let identity = AskIdentity(BusClient(bus))
    let service = TOTPService(
        .init(
            now: WallClock.now, randomBytes: Random.bytes, store: store, identity: identity,
            gauges: TOTPGauges(runtime.metrics, log: runtime.log)))
    bus.serve(BusWorker(MFATOTP.Operation.self, mapping: service.wireError, service.handle).handler)
    let clock = TrustedClock(database, log: runtime.log)
    try await runtime.run([
        runtime.reporter(settings.common, over: bus),
        TOTPUpkeep(store, identity: identity, trustedNow: { try await clock.now() }, log: runtime.log),
        SealingUpkeep(store.sealedRecords, log: runtime.log),
        StoreWatch(database, log: runtime.log),
        StoreHealth(.database(database, now: WallClock.now), metrics: runtime.metrics, log: runtime.log),
        bus,
    ])
    await store.close()
}
