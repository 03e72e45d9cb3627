internal import Bus
internal import Contracts
internal import Crypto
internal import Delivery
internal import MasterKey
internal import SMTPClient
internal import ServiceRuntime
internal import Settings
internal import Storage

/// The process `notifier`: what it is made of, and how it starts and ends.
package enum NotifierProgram {
    /// Runs the process until it is stopped or fails, and ends it.
    package static func run() async -> Never {
        await Program(
            .notifier, "Delivers e-mail, text messages, pushes and account events.",
            options: [.init("channels", .notifierChannels, "NAME,...")]
        ).start(
            reading: { environment in
                let settings = try NotifierSettings(environment)
                // With the key that a setting names.
                var apns: Transport?
                if case .apns(let push) = settings.push {
                    apns = .apns(try APNsTransport(push, now: WallClock.now), push)
                }
                return (settings, apns)
            }
        ) { settings, apns in
            let masterKeys = try ReloadingMasterKeyRing(settings.masterKey)
            let runtime = ServiceRuntime(settings.process)
            let (database, store) = try await runtime.start {
                try await settings.storage.prepare(masterKeyFile: settings.masterKey.name, log: runtime.log) {
                    database in
                    (database, try await NotifierStore(database, keys: masterKeys))
                }
            }
            let counters = DeliveryMetrics(runtime.metrics)
            var transports: [Transport] = []
            switch settings.email {
            case .smtp(let server, let limits, let caFilePath):
                transports.append(
                    .smtp(SMTPClient(server, limits, caFilePath: caFilePath), limits, from: settings.sender))
            case .inbox: transports.append(.emailInbox(store, from: settings.sender))
            case .notHandledHere: break
            }
            if settings.channels.contains(.sms) {
                if let sms = settings.sms {
                    transports.append(
                        sms.transport(counters: counters, now: WallClock.now, jitter: { Double.random(in: 0..<1) }))
                } else if settings.process.isDev {
                    transports.append(.smsInbox(store))
                } else {
                    runtime.log.warn(
                        "sms.channel-disabled", ["reason": "LATCHKEY_SMS_PROVIDER is not set: SMS is disabled"])
                }
            }
            switch settings.push {
            case .apns: transports += apns.map { [$0] } ?? []
            case .inbox: transports.append(.pushInbox(store))
            case .none: break
            }
            let unconfiguredChannels = settings.channels.subtracting(transports.map(\.channel))
            let bus = try BusConnection(settings.process, capacity: 256, log: runtime.log)
            let delivery = DeliveryEnvironment(log: runtime.log)
            let holder = LeaseHolder.current(settings.process.start)
            let workers = DeliveryLoops(
                transports.map { transport in
                    MessageOutbox(store, transport, holder: holder, counters: counters, log: runtime.log)
                        .loop(delivery)
                }, publish: bus.publish)
            let webhookMetrics = WebhookMetrics(runtime.metrics)
            let webhooks =
                settings.deliversWebhooks
                ? WebhookOutbox(
                    store, WebhookTransport(settings.webhooks, now: WallClock.now), holder: holder,
                    metrics: webhookMetrics, log: runtime.log
                ).loop(delivery) : nil
            let service = NotifierService(
                .init(
                    now: WallClock.now, randomBytes: Random.bytes, store: store, limits: settings.limits,
                    counters: counters,
                    unconfiguredChannels: unconfiguredChannels, receipts: settings.sms?.receipts,
                    wakeWorkers: workers.wake,
                    webhookMetrics: webhookMetrics, wakeWebhookWorker: { webhooks?.wake() },
                    isDev: settings.process.isDev))
            bus.serve(
                BusWorker(Notifier.Operation.self, mapping: NotifierService.wireError, service.handle).handler)
            let clock = TrustedClock(database, log: runtime.log)
            let maintenance = NotifierMaintenance(
                store, history: settings.history, webhookHistory: settings.webhookHistory, counters: counters,
                webhookMetrics: webhookMetrics, log: runtime.log, now: WallClock.now)
            let parts: [any ProcessComponent] = [
                runtime.reporter(settings.process, over: bus),
                Maintenance(maintenance.tasks(trusting: clock), log: runtime.log),
                SealingMaintenance(store.sealedRecords, metrics: runtime.metrics, log: runtime.log),
                EventSubscription(bus.subscribe(), to: workers.receive),
            ]
            try await runtime.on(bus.loop).watching(database).run(
                parts + workers.components + (webhooks.map { [$0] } ?? []) + [bus])
            await runtime.close { await store.close() }
        }
    }
}
