import Bus
import Contracts
import Crypto
import MasterKey
import NotifierService
import SMTPClient
import ServiceRuntime
import Settings
import Storage

await Program(
    .notifier, "Delivers e-mail, text messages and pushes.",
    options: [.init("channels", .notifierChannels, "NAME,...")]
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
    var transports: [Transport] = []
    switch settings.email {
    case .smtp(let server, let limits, let authorities):
        transports.append(.smtp(SMTPClient(server, limits, authorities: authorities), limits, from: settings.sender))
    case .inbox: transports.append(.emailInbox(store, from: settings.sender))
    case .elsewhere: break
    }
    if settings.channels.contains(.sms) {
        if let sms = settings.sms {
            transports.append(
                sms.transport(counters: counters, now: WallClock.now, jitter: { Double.random(in: 0..<1) }))
        } else if settings.common.isDev {
            transports.append(.smsInbox(store))
        } else {
            runtime.log.warn("sms.refused", ["reason": "LATCHKEY_SMS_PROVIDER is not set: nobody gets text messages"])
        }
    }
    switch settings.push {
    case .apns(let settings): transports.append(.apns(try APNsTransport(settings, now: WallClock.now), settings))
    case .inbox: transports.append(.pushInbox(store))
    case .none: break
    }
    let unservable = settings.channels.subtracting(transports.map(\.channel))
    let bus = try BusConnection(settings.common, capacity: 256, log: runtime.log)
    let couriers = Couriers(
        transports.map { transport in
            Courier(
                .init(
                    store: store, transport: transport, holder: .current(settings.common.start), now: WallClock.now,
                    jitter: { Double.random(in: 0..<1) }, counters: counters, log: runtime.log))
        }, publish: bus.publish)
    let service = NotifierService(
        .init(
            now: WallClock.now, randomBytes: Random.bytes, store: store, limits: settings.limits, counters: counters,
            unservable: unservable, receipts: settings.sms?.receipts, wakeCouriers: couriers.wake,
            isDev: settings.common.isDev))
    bus.serve(
        BusWorker(Notifier.Operation.self, mapping: NotifierService.wireError, service.handle).handler)
    let clock = TrustedClock(database, log: runtime.log)
    let upkeep = NotifierUpkeep(
        store, history: settings.history, counters: counters, now: WallClock.now,
        trustedNow: { try await clock.now() }, log: runtime.log)
    let parts: [any RunningPart] = [
        runtime.reporter(settings.common, over: bus), upkeep, SealingUpkeep(store.sealedRecords, log: runtime.log),
        StoreWatch(database, log: runtime.log),
        StoreHealth(.database(database, now: WallClock.now), metrics: runtime.metrics, log: runtime.log),
        HintFeed(bus.subscribe(), to: couriers),
    ]
    try await runtime.run(parts + couriers.parts + [bus])
    await store.close()
}
