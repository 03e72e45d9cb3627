// Parts of services are no interfaces: a release build has them only for tests.
#if DEBUG || TESTABLE

    import Bus
    import Contracts
    import DatabaseService
    import Delivery
    import EventLoop
    import SMTPClient
    import ServiceRuntime
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
            let parts = parts(of: member, on: notifierDisk)
            let (process, machine, log, peers) = (parts.process, parts.machine, parts.log, parts.peers)
            let store = try await NotifierStore(parts.database, keys: SimulatedKeys.master.get())
            let clock = try parts.trustedClock()
            notifierDisk.inspect = judge.inspectNotifier
            let (metrics, holder) = (Metrics(), LeaseHolder(text: process.name))
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
                    MessageOutbox(
                        store, servers.observed($0, by: process), holder: holder, counters: counters, log: log
                    ).loop(environment)
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
            let maintenance = NotifierMaintenance(
                store: store, history: .seconds(86_400), webhookHistory: .standard, counters: counters,
                webhookMetrics: webhookMetrics, log: log, now: machine.wallClock)
            member.components =
                loops.components + [webhooks, parts.maintenance([maintenance.tasks(trusting: clock)])]
            member.receive = loops.receive
            let service = NotifierService(
                dependencies: .init(
                    now: machine.wallClock, randomBytes: parts.randomBytes, store: store,
                    limits: EmailLimits(perRecipient: nil, perProject: nil), counters: counters,
                    wakeDelivery: loops.wake, webhookMetrics: webhookMetrics, wakeWebhooks: webhooks.wake, peers: peers,
                    auditedChanges: NotifierChangeOutbox(in: store, peers: peers, log: log),
                    isDev: false))
            member.handler = { call in try await service.handle(call.named(), call) }
        }

        private func startIdentity(_ member: SimulatedMember) async throws {
            let parts = parts(of: member, on: identityDisk)
            let (process, machine, log, peers) = (parts.process, parts.machine, parts.log, parts.peers)
            let store = try await IdentityStore(parts.database, keys: SimulatedKeys.master.get())
            let clock = try parts.trustedClock()
            identityDisk.inspect = judge.inspectIdentity
            let metrics = Metrics()
            let environment = environment(of: process)
            let emails = EmailOutbox(
                store, peers: peers, holder: LeaseHolder(text: process.name), now: machine.wallClock, metrics: metrics,
                log: log)
            let events = AccountEventOutbox(store, peers: peers, now: machine.wallClock, metrics: metrics, log: log)
            let deletions = DeletedAccountOutbox(
                store, peers: peers, now: machine.wallClock, metrics: metrics, log: log)
            member.components = [
                DeliveryLoop(emails, EmailOutbox.limits, environment), events.loop(environment),
                DeliveryLoop(deletions, DeletedAccountOutbox.limits, environment),
                parts.maintenance([
                    emails.maintenanceTasks(trusting: clock) + events.maintenanceTasks + deletions.maintenanceTasks
                ]),
            ]
            member.identity = store
        }
    }

#endif
