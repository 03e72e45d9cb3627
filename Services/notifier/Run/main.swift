import Bus
import Contracts
import Crypto
import MasterKey
import NotifierService
import SMTPClient
import ServiceRuntime
import Storage

await Program(
    "notifier", "Delivers e-mail.", NotifierSettings.help,
    options: [
        .init("channels", "LATCHKEY_NOTIFIER_CHANNELS", "NAME,...", "what to deliver: email (default: everything)")
    ]
).start { environment in
    let settings = try NotifierSettings(environment)
    let masterKeys = try MasterKeys(settings.masterKey)
    let runtime = ServiceRuntime(settings.common)
    let (database, store) = try await runtime.start {
        try await settings.storage.prepare(masterKeyFile: settings.masterKey.name, log: runtime.log) { database in
            (database, try await NotifierStore(database, keys: masterKeys))
        }
    }
    let counters = DeliveryCounters(runtime.metrics, now: WallClock.now)
    let transport: EmailTransport =
        switch settings.email {
        case .smtp(let server, let limits, let authorities):
            .smtp(SMTPClient(server, limits, authorities: authorities), limits, from: settings.sender)
        case .inbox: .inbox(store, from: settings.sender)
        }
    let courier = Courier(
        .init(
            store: store, transport: transport, instance: settings.common.instance, now: WallClock.now,
            jitter: { Double.random(in: 0..<1) }, counters: counters, log: runtime.log))
    let service = NotifierService(
        .init(
            now: WallClock.now, randomBytes: Random.bytes, store: store, limits: settings.limits, counters: counters,
            wakeCourier: courier.wake, isDev: settings.common.isDev))
    let bus = try BusConnection(settings.common, capacity: 256, log: runtime.log)
    bus.serve(
        BusWorker(Notifier.Operation.self, mapping: NotifierService.wireError, service.handle).handler)
    let upkeep = NotifierUpkeep(
        store, history: settings.history, counters: counters, now: WallClock.now, log: runtime.log)
    var parts: [any RunningPart] = [
        runtime.reporter(settings.common, over: bus), upkeep, SealingUpkeep(store.sealedRecords, log: runtime.log),
        StoreWatch(database, log: runtime.log),
    ]
    if settings.channels.contains(.email) { parts.append(courier) }
    try await runtime.run(parts + [bus])
    await store.close()
}
