import Bus
import Contracts
import Crypto
import MFASMSService
import MasterKey
import ServiceRuntime
import Storage

await Program(.mfaSMS, "Phone codes: second factors by SMS, and sign-in with a phone number.").start { environment in
    let settings = try MFASMSSettings(environment)
    let masterKeys = try MasterKeys(settings.masterKey)
    let runtime = ServiceRuntime(settings.common)
    let (database, store) = try await runtime.start {
        try await settings.storage.prepare(masterKeyFile: settings.masterKey.name, log: runtime.log) { database in
            (database, try await MFASMSStore(database, keys: masterKeys, policy: settings.policy))
        }
    }
    let bus = try BusConnection(settings.common, capacity: 256, log: runtime.log)
    let neighbours = Neighbours(BusClient(bus))
    let appCheck = AppCheck(
        settings.appCheck, store, neighbours, now: WallClock.now, randomBytes: Random.bytes, log: runtime.log,
        isDev: settings.common.isDev)
    let service = MFASMSService(
        .init(
            now: WallClock.now, randomBytes: Random.bytes, store: store, neighbours: neighbours, appCheck: appCheck,
            originDomain: settings.originDomain, counters: CodeCounters(runtime.metrics),
            sendingCounters: SendingCounters(runtime.metrics, log: runtime.log), log: runtime.log,
            isDev: settings.common.isDev))
    bus.serve(BusWorker(MFASMS.Operation.self, mapping: service.wireError, service.handle).handler)
    let clock = TrustedClock(database, log: runtime.log)
    try await runtime.run([
        runtime.reporter(settings.common, over: bus),
        MFASMSUpkeep(store, appCheck, trustedNow: { try await clock.now() }, log: runtime.log),
        SealingUpkeep(store.sealedRecords, log: runtime.log), StoreWatch(database, log: runtime.log),
        StoreHealth(.database(database, now: WallClock.now), metrics: runtime.metrics, log: runtime.log),
        bus,
    ])
    await store.close()
}
