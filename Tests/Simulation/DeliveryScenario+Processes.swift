// Parts of services are no interfaces: a release build has them only for tests.
#if DEBUG || TESTABLE

    import Bus
    import Contracts
    import DatabaseService
    import Delivery
    import EventLoop
    import SMTPClient
    import SQL
    import ServiceRuntime
    import Storage
    import TestSupport
    import Vocabulary

    @testable import IdentityService
    @testable import NotifierService

    /// How identity and notifier start and end.
    extension DeliveryScenario {
        func open(_ member: SimulatedMember) async throws {
            if member.service == .notifier { try await startNotifier(member) } else { try await startIdentity(member) }
        }

        /// Other services are told of deleted accounts, and no more.
        func reply<Request: BusRequest>(to request: Request, _ options: CallOptions) -> Request.Reply? {
            judge.isTold(request)
            // `as?`: only the requests about deleted accounts have other receivers.
            return EmptyReply() as? Request.Reply
        }

        private func startNotifier(_ member: SimulatedMember) async throws {
            let process = member.process
            let machine = SimulatedMachine(process: process)
            let database = SimulatedDatabase(notifierDisk, of: process)
            let store = try await NotifierStore(database, keys: SimulatedKeys.master.get())
            try notifierDisk.transaction { try $0.setTrustedTime(process.now().wall.milliseconds) }
            notifierDisk.inspect = judge.inspectNotifier
            let (log, metrics, holder) = (log(of: process), Metrics(), LeaseHolder(text: process.name))
            let counters = DeliveryMetrics(metrics, instant: machine.steadyClock)
            let environment = environment(of: process)
            guard let sender = EmailTransport.Sender("noreply@example.com") else { preconditionFailure("an address") }
            let servers = servers!
            let transports: [Transport] = [
                .smtp(
                    .init(), from: sender,
                    send: { message throws(SMTPError) in try await servers.send(message, from: process) }, abort: {}),
                SMSTransport(
                    [
                        servers.smsProvider("first-sms", isIdempotent: false, for: process),
                        servers.smsProvider("second-sms", isIdempotent: true, for: process),
                    ], counters: counters, instant: machine.steadyClock, jitter: machine.jitter
                ).transport(concurrency: 4),
                .push(
                    store,
                    keys: APNsKeyTransports { _, _ in preconditionFailure("no project has a key of its own") },
                    default: .apns(
                        APNsTransport(
                            key: nil, now: machine.wallClock, instant: machine.steadyClock,
                            send: servers.apns(for: process))), connections: 4, timeout: .seconds(5),
                    counters: counters,
                    log: log, instant: machine.steadyClock, jitter: machine.jitter),
            ]
            let loops = DeliveryLoops(
                transports.map {
                    MessageOutbox(store, $0, holder: holder, counters: counters, log: log).loop(environment)
                }, publish: { [unowned self] in publish($0, from: process, to: [.notifier]) })
            let endpoints = servers.endpoints(for: process) { [unowned self] webhook, event in
                judge.eventIsSent(event, to: webhook)
            }
            let webhookMetrics = WebhookMetrics(metrics)
            let webhooks = WebhookOutbox(
                store: store,
                transport: WebhookTransport(
                    .init(isDev: false), now: machine.wallClock, send: endpoints, sendToPrivateHost: endpoints),
                holder: holder, metrics: webhookMetrics, log: log
            ).loop(environment)
            let peers = SimulatedPeers(scenario: self, process: process)
            let maintenance = NotifierMaintenance(
                store: store, history: .seconds(86_400), webhookHistory: .standard, counters: counters,
                webhookMetrics: webhookMetrics, log: log, now: machine.wallClock)
            let clock = TrustedClock(database, now: machine.wallClock, instant: machine.steadyClock, log: log)
            member.components =
                loops.components + [
                    webhooks, Maintenance([maintenance.tasks(trusting: clock)], log: log, now: machine.steadyClock),
                ]
            member.receive = loops.receive
            let service = NotifierService(
                dependencies: .init(
                    now: machine.wallClock, randomBytes: { [world] in world.random.bytes($0) }, store: store,
                    limits: EmailLimits(perRecipient: nil, perProject: nil), counters: counters,
                    wakeDelivery: loops.wake, webhookMetrics: webhookMetrics, wakeWebhooks: webhooks.wake, peers: peers,
                    auditedChanges: NotifierChangeOutbox(in: store, peers: peers, log: log),
                    isDev: false))
            member.handler = { call in try await service.handle(call.named(), call) }
        }

        private func startIdentity(_ member: SimulatedMember) async throws {
            let process = member.process
            let machine = SimulatedMachine(process: process)
            let database = SimulatedDatabase(identityDisk, of: process)
            let store = try await IdentityStore(database, keys: SimulatedKeys.master.get())
            try identityDisk.transaction { try $0.setTrustedTime(process.now().wall.milliseconds) }
            identityDisk.inspect = judge.inspectIdentity
            let (log, metrics) = (log(of: process), Metrics())
            let environment = environment(of: process)
            let peers = SimulatedPeers(scenario: self, process: process)
            let emails = EmailOutbox(
                store, peers: peers, holder: LeaseHolder(text: process.name), now: machine.wallClock, metrics: metrics,
                log: log)
            let events = AccountEventOutbox(store, peers: peers, now: machine.wallClock, metrics: metrics, log: log)
            let deletions = DeletedAccountOutbox(
                store, peers: peers, now: machine.wallClock, metrics: metrics, log: log)
            let clock = TrustedClock(database, now: machine.wallClock, instant: machine.steadyClock, log: log)
            member.components = [
                DeliveryLoop(emails, EmailOutbox.limits, environment), events.loop(environment),
                DeliveryLoop(deletions, DeletedAccountOutbox.limits, environment),
                Maintenance(
                    [
                        emails.maintenanceTasks(trusting: clock) + events.maintenanceTasks + deletions.maintenanceTasks
                    ], log: log, now: machine.steadyClock),
            ]
            member.identity = store
        }
    }

#endif
