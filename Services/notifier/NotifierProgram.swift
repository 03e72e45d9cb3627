import Bus
import Contracts
import Crypto
import DatabaseService
import Delivery
import SMTPClient
package import ServiceRuntime
import Settings

/// The process `notifier`: what it is made of.
package enum NotifierProgram {
    package static var program: Program {
        let machine = LocalMachine()
        return DatabaseService.program(
            .notifier, "Delivers e-mail, text messages, pushes and account events.",
            options: [.init("channels", .notifierChannels, "NAME,...")],
            reading: { environment in
                let settings = try NotifierSettings(environment)
                // With the key that a setting names.
                let apns = try settings.push.flatMap { try APNsTransport($0, on: machine) }
                return (settings, apns.map(DefaultPush.apns) ?? (settings.common.process.isDev ? .inbox : .none))
            },
            common: { settings, _ in settings.common },
            opening: { start in try await NotifierStore(start.database, keys: start.masterKeys) }
        ) { process in
            let (settings, defaultPush) = process.settings
            let store = process.store
            let activity = ActivityCounts()
            let counters = DeliveryMetrics(process.metrics, activity: activity, instant: machine.steadyClock)
            let transports = transports(settings, defaultPush, store, counters, machine, process.log)
            let delivery = DeliveryEnvironment(on: machine, spans: process.spans, log: process.log)
            let holder = LeaseHolder.current(settings.common.process.start)
            let workers = DeliveryLoops(
                transports.map { transport in
                    MessageOutbox(store, transport, holder: holder, counters: counters, log: process.log)
                        .loop(delivery)
                }, publish: process.bus.publish)
            let webhookMetrics = WebhookMetrics(process.metrics)
            let webhooks =
                settings.deliversWebhooks
                ? WebhookOutbox(
                    store: store, transport: WebhookTransport(settings.webhooks, now: machine.wallClock),
                    holder: holder,
                    metrics: webhookMetrics, log: process.log
                ).loop(delivery) : nil
            let auditedChanges = NotifierChangeOutbox(in: store, peers: process.client, log: process.log)
            let service = NotifierService(
                dependencies: .init(
                    now: machine.wallClock, randomBytes: Random.bytes, store: store, limits: settings.limits,
                    counters: counters,
                    unconfiguredChannels: settings.unconfiguredChannels(transports, defaultPush),
                    receipts: settings.sms?.receipts, wakeDelivery: workers.wake,
                    webhookMetrics: webhookMetrics, wakeWebhooks: { webhooks?.wake() },
                    peers: process.client, auditedChanges: auditedChanges,
                    isDev: settings.common.process.isDev))
            let maintenance = NotifierMaintenance(
                store: store, history: settings.history, webhookHistory: settings.webhookHistory, counters: counters,
                webhookMetrics: webhookMetrics, log: process.log, now: machine.wallClock)
            return DatabaseService(
                service.handle, sealedRecords: store.sealedRecords,
                tasks: [maintenance.tasks(trusting: process.clock)], receive: workers.receive,
                components: workers.components + (webhooks.map { [$0] } ?? []) + [
                    auditedChanges.loop(recordingIn: process.spans)
                ], activity: activity)
        }
    }

    /// One transport for each configured channel of this process.
    private static func transports(
        _ settings: NotifierSettings, _ defaultPush: DefaultPush, _ store: NotifierStore,
        _ counters: DeliveryMetrics, _ machine: LocalMachine, _ log: Log
    ) -> [Transport] {
        Channel.allCases.compactMap { (channel) -> Transport? in
            switch channel {
            case .email:
                switch settings.email {
                case .smtp(let server, let limits, let caFilePath):
                    return .smtp(SMTPClient(server, limits, caFilePath: caFilePath), limits, from: settings.sender)
                case .inbox: return .emailInbox(store, from: settings.sender)
                case .notHandledHere: return nil
                }
            case .sms:
                guard settings.channels.contains(.sms) else { return nil }
                if let sms = settings.sms {
                    return sms.transport(
                        counters: counters, now: machine.wallClock, instant: machine.steadyClock,
                        jitter: machine.jitter)
                }
                if settings.common.process.isDev { return .smsInbox(store) }
                log.warn(.smsChannelDisabled, ["reason": "LATCHKEY_SMS_PROVIDER is not set: SMS is disabled"])
                return nil
            case .push:
                return settings.push.map { push in
                    .push(
                        store, keys: APNsKeyTransports(push, on: machine), default: defaultPush,
                        connections: push.connections, timeout: push.timeout, counters: counters, log: log,
                        instant: machine.steadyClock, jitter: machine.jitter)
                }
            }
        }
    }
}

extension NotifierSettings {
    /// The channels that this process serves and that deliver nothing. A push may still have a key of its project.
    fileprivate func unconfiguredChannels(_ transports: [Transport], _ defaultPush: DefaultPush) -> Set<Channel> {
        let unconfigured = channels.subtracting(transports.map(\.channel))
        return switch defaultPush {
        case .none where channels.contains(.push): unconfigured.union([.push])
        case .none, .apns, .inbox: unconfigured
        }
    }
}
