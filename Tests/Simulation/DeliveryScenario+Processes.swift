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
        func start(_ role: Member.Role) {
            let member: Member
            switch role {
            case .notifier(let number):
                member = Member(role, process("notifier"))
                notifiers[number] = member
            case .identity(let number):
                member = Member(role, process("identity"))
                identities[number] = member
            }
            let process = member.process
            process.begin { [unowned self] in
                do {
                    switch role {
                    case .notifier: try await startNotifier(member)
                    case .identity: try await startIdentity(member)
                    }
                    for component in member.components { run(component, of: member) }
                } catch {
                    // The database failed. A real process ends, and is started again.
                    guard !process.isEnded else { return }
                    world.note("\(process.name) cannot start: \(error)")
                    endItself(member)
                }
            }
        }

        private func run(_ component: any ProcessComponent, of member: Member) {
            member.runningComponents += 1
            let process = member.process
            process.begin { [unowned self] in
                try? await component.run()
                guard !process.isEnded else { return }
                if !member.isStopping { world.report("\(process.name) ended a component that was not stopped") }
                member.runningComponents -= 1
                guard member.runningComponents == 0 else { return }
                endItself(member)
            }
        }

        /// A task of a process ends the process, which is started again.
        private func endItself(_ member: Member) {
            world.schedule(after: .milliseconds(1)) { [unowned self] in
                guard !member.process.isEnded else { return }
                member.process.end()
                restart(member, after: .milliseconds(100))
            }
        }

        func restart(_ member: Member, after pause: Duration) {
            world.schedule(after: pause) { [unowned self] in start(member.role) }
        }

        /// SIGTERM, and SIGKILL after five seconds.
        func requestStop(of member: Member) {
            guard !member.isStopping, !member.process.isEnded, !member.components.isEmpty else { return }
            member.isStopping = true
            let process = member.process
            for component in member.components { process.begin { await component.beginShutdown() } }
            world.schedule(after: .seconds(5)) { [unowned self] in
                guard !process.isEnded else { return }
                if process.condition == .running, process.resumedAt + .seconds(5) < world.time.steady,
                    identityDisk.isSlowUntil < world.time.steady - .seconds(10),
                    notifierDisk.isSlowUntil < world.time.steady - .seconds(10)
                {
                    world.report("\(process.name) did not stop within five seconds")
                }
                process.end()
                restart(member, after: .milliseconds(100))
            }
        }

        private func environment(of process: SimulatedProcess) -> DeliveryEnvironment {
            DeliveryEnvironment(
                on: SimulatedMachine(process: process),
                hasEnded: { [unowned self] holder in
                    world.processes.contains { $0.name == holder && $0.isEnded }
                }, log: log(of: process))
        }

        private func log(of process: SimulatedProcess) -> Log {
            let world = world
            return Log(instance: process.name, now: { process.now().wall }, write: { line in world.note(line) })
        }

        private func startNotifier(_ member: Member) async throws {
            let process = member.process
            let machine = SimulatedMachine(process: process)
            let database = SimulatedDatabase(notifierDisk, of: process)
            let store = try await NotifierStore(database, keys: Self.masterKeys.get())
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
                }, publish: { [unowned self] in publish($0, from: process) })
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
            member.notifier = NotifierService(
                dependencies: .init(
                    now: machine.wallClock, randomBytes: { [world] in world.random.bytes($0) }, store: store,
                    limits: EmailLimits(perRecipient: nil, perProject: nil), counters: counters,
                    wakeDelivery: loops.wake, webhookMetrics: webhookMetrics, wakeWebhooks: webhooks.wake, peers: peers,
                    auditedChanges: NotifierChangeOutbox(in: store, peers: peers, log: log),
                    isDev: false))
        }

        /// Events of the bus may be lost.
        private func publish(_ event: BusEvent, from process: SimulatedProcess) {
            for case let other? in notifiers where other.process !== process && world.random.chance(percent: 70) {
                let (process, receive) = (other.process, other.receive)
                world.schedule(after: .milliseconds(1 + world.random.index(below: 5))) {
                    if !process.isEnded { process.begin { receive(event) } }
                }
            }
        }

        private func startIdentity(_ member: Member) async throws {
            let process = member.process
            let machine = SimulatedMachine(process: process)
            let database = SimulatedDatabase(identityDisk, of: process)
            let store = try await IdentityStore(database, keys: Self.masterKeys.get())
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
