// Parts of services are no interfaces: a release build has them only for tests.
#if DEBUG || TESTABLE

    import Blocking
    import Bus
    import Contracts
    import Crypto
    import DatabaseService
    import Delivery
    import SQL
    import ServiceRuntime
    import Settings
    import Storage
    import TestSupport
    import Vocabulary

    @testable import FederationService
    @testable import GatewayService
    @testable import IdentityService
    @testable import MFASMSService
    @testable import MFATOTPService
    @testable import PasskeyService

    /// How gateways, identity, mfa-totp, mfa-sms, passkey and federation start. What ends them is in `MemberScenario`.
    extension AccountScenario {
        func open(_ member: SimulatedMember) async throws {
            switch member.service {
            case .gateway: try openGateway(member)
            case .identity: try await openIdentity(member)
            case .mfaTOTP: try await openTOTP(member)
            case .mfaSMS: try await openSMS(member)
            case .passkey: try await openPasskey(member)
            case .federation: try await openFederation(member)
            case .broker, .notifier:
                preconditionFailure("\(member.service) has no process here")
            }
        }

        private func openGateway(_ member: SimulatedMember) throws {
            let process = member.process
            let machine = SimulatedMachine(process: process)
            let settings = try GatewaySettings(
                Environment([
                    "LATCHKEY_BROKERS": "ipc:///nowhere", "LATCHKEY_LISTEN": "127.0.0.1:9099",
                    "LATCHKEY_PUBLIC_URL": Self.publicURL, "LATCHKEY_LIMIT_SIGN_IN_PER_MINUTE": "1000",
                    "LATCHKEY_LIMIT_SIGN_UP_PER_MINUTE": "1000",
                ]))
            let gateway = Gateway(
                GatewayDependencies(
                    settings: settings, bus: SimulatedPeers(scenario: self, process: process),
                    now: machine.steadyClock, wallTime: machine.wallClock,
                    report: { [world] error, _ in world.report("\(process.name) has no error for \(error)") },
                    reportRefusedPage: { _, _ in }, reportCompleted: { _ in }, metrics: RequestMetrics(Metrics())))
            gateways[process.name] = gateway
            member.receive = gateway.handle
            member.components = [gateway.works]
        }

        private func openIdentity(_ member: SimulatedMember) async throws {
            let process = member.process
            let machine = SimulatedMachine(process: process)
            let database = SimulatedDatabase(identityDisk, of: process)
            let store = try await IdentityStore(database, keys: SimulatedKeys.master.get())
            try identityDisk.transaction { try $0.setTrustedTime(process.now().wall.milliseconds) }
            let (log, metrics) = (log(of: process), Metrics())
            let randomBytes: @Sendable (Int) -> [UInt8] = { [world] in world.random.bytes($0) }
            let projects = ProjectCache(
                store: store, isDev: false, now: machine.wallClock, instant: machine.steadyClock)
            try await projects.ensure(Self.project, apiKey: Self.apiKey, traceID: "simulation")
            let keys = SigningKeyRing(store: store, now: machine.wallClock, log: log) { [unowned self] in
                signingKeyCount += 1
                return try TestKey.rsa("simulation \(signingKeyCount)")
            }
            for purpose in Identity.ListSigningKeys.Purpose.allCases { try await keys.load(purpose) }
            let peers = SimulatedPeers(scenario: self, process: process)
            let emails = EmailOutbox(
                store, peers: peers, holder: LeaseHolder(text: process.name), now: machine.wallClock, metrics: metrics,
                log: log)
            let deletions = DeletedAccountOutbox(
                store, peers: peers, now: machine.wallClock, metrics: metrics, log: log)
            let environment = environment(of: process)
            let mails = DeliveryLoop(emails, EmailOutbox.limits, environment)
            guard let actionPage = WebURL("\(Self.publicURL)/__/auth/action") else {
                preconditionFailure("the page of actions is no URL")
            }
            let service = IdentityService(
                IdentityContext(
                    now: machine.wallClock, randomBytes: randomBytes, store: store, projects: projects, keys: keys,
                    // Without signatures, which are made on threads.
                    idTokens: IDTokenIssuer(
                        keys: keys, pool: BlockingPool(label: "signatures", threads: 1, maximumWaiting: 0),
                        isUnsigned: true),
                    hasher: hasher(of: store, process),
                    publish: { [unowned self] in
                        publish($0, from: process, to: [.gateway, .identity, .mfaSMS, .passkey, .federation])
                    },
                    wakeEmailLoop: mails.wake, reportTemplate: { _, _ in }, actionPage: actionPage, isDev: false,
                    refreshGrace: Session.defaultGrace,
                    blockingFunctionClient: BlockingFunctionClient { _, _ in
                        preconditionFailure("no project has a blocking function")
                    },
                    blockingFunctionMetrics: BlockingFunctionMetrics(metrics: metrics, log: log),
                    blockingFunctionsCoverEverySignIn: false))
            let clock = TrustedClock(database, now: machine.wallClock, instant: machine.steadyClock, log: log)
            member.components = [
                mails, DeliveryLoop(deletions, DeletedAccountOutbox.limits, environment),
                Maintenance(
                    service.maintenanceTasks(trusting: clock, log: log) + [
                        emails.maintenanceTasks(trusting: clock) + deletions.maintenanceTasks
                    ], log: log, now: machine.steadyClock),
            ]
            member.receive = service.receive
            member.handler = { call in try await service.handle(call.named(), call) }
        }

        /// Passwords take as long as with Argon2, and no thread.
        private func hasher(of store: IdentityStore, _ process: SimulatedProcess) -> PasswordHasher {
            let machine = SimulatedMachine(process: process)
            let world = world
            return PasswordHasher(
                threads: 1, maximumWaiting: 48, pepper: store.pepper, formerPeppers: store.formerPeppers,
                now: machine.wallClock, steadyNow: machine.steadyClock, pause: machine.pause,
                simulated: { password, salt in
                    try await machine.pause(for: .milliseconds(5 + world.random.index(below: 200)))
                    return HMAC.sha256(key: password, message: salt)
                }, randomBytes: { world.random.bytes($0) })
        }

        private func openTOTP(_ member: SimulatedMember) async throws {
            let process = member.process
            let machine = SimulatedMachine(process: process)
            let database = SimulatedDatabase(totpDisk, of: process)
            let store = try await TOTPStore(database, keys: SimulatedKeys.master.get())
            try totpDisk.transaction { try $0.setTrustedTime(process.now().wall.milliseconds) }
            let log = log(of: process)
            let peers = SimulatedPeers(scenario: self, process: process)
            let service = TOTPService(
                dependencies: .init(
                    now: machine.wallClock, randomBytes: { [world] in world.random.bytes($0) }, store: store,
                    peers: peers, metrics: TOTPMetrics(Metrics(), log: log)))
            let clock = TrustedClock(database, now: machine.wallClock, instant: machine.steadyClock, log: log)
            member.components = [
                Maintenance(
                    [
                        [store.sweepTask(trusting: clock)],
                        [Reconciliation(store, peers: peers, log: log).task(trusting: clock)],
                    ], log: log, now: machine.steadyClock)
            ]
            member.handler = { call in try await service.handle(call.named(), call) }
        }

        private func openSMS(_ member: SimulatedMember) async throws {
            let process = member.process
            let machine = SimulatedMachine(process: process)
            let database = SimulatedDatabase(smsDisk, of: process)
            var settings = try SMSSettings(
                Environment(["LATCHKEY_BROKERS": "ipc:///nowhere", "LATCHKEY_DATA": "/nowhere"]))
            settings.policy = .withoutLimits
            let store = try await SMSStore(database, keys: SimulatedKeys.master.get(), policy: settings.policy)
            try smsDisk.transaction { try $0.setTrustedTime(process.now().wall.milliseconds) }
            let (log, metrics) = (log(of: process), Metrics())
            let randomBytes: @Sendable (Int) -> [UInt8] = { [world] in world.random.bytes($0) }
            let peers = SimulatedPeers(scenario: self, process: process)
            let configurations = ProjectConfigurations(peers, instant: machine.steadyClock)
            let service = SMSService(
                dependencies: .init(
                    now: machine.wallClock, randomBytes: randomBytes, store: store, peers: peers,
                    configurations: configurations,
                    appVerifier: AppVerifier(
                        settings.appVerification, store, peers, configurations, now: machine.wallClock,
                        randomBytes: randomBytes, log: log, isDev: false),
                    // Clients have no device that gets pushes, and solve no challenge.
                    verifyAppCredential: { _, _, _, _ in }, originDomain: nil, metrics: CodeMetrics(metrics),
                    sendingMetrics: SendingMetrics(metrics, policy: settings.policy, log: log), log: log, isDev: false))
            let clock = TrustedClock(database, now: machine.wallClock, instant: machine.steadyClock, log: log)
            member.components = [
                Maintenance([[store.sweepTask(trusting: clock)]], log: log, now: machine.steadyClock)
            ]
            member.receive = { await configurations.receive($0) }
            member.handler = { call in try await service.handle(call.named(), call) }
        }

        private func openPasskey(_ member: SimulatedMember) async throws {
            let process = member.process
            let machine = SimulatedMachine(process: process)
            let database = SimulatedDatabase(passkeyDisk, of: process)
            let settings = try PasskeySettings(
                Environment([
                    "LATCHKEY_BROKERS": "ipc:///nowhere", "LATCHKEY_DATA": "/nowhere",
                    "LATCHKEY_PASSKEY_RP_ID": Self.relyingParty,
                ]), at: process.now().wall)
            let store = try await PasskeyStore(database, keys: SimulatedKeys.master.get())
            try passkeyDisk.transaction { try $0.setTrustedTime(process.now().wall.milliseconds) }
            let log = log(of: process)
            let peers = SimulatedPeers(scenario: self, process: process)
            let configurations = ProjectConfigurations(peers, instant: machine.steadyClock)
            let service = PasskeyService(
                dependencies: .init(
                    now: machine.wallClock, randomBytes: { [world] in world.random.bytes($0) }, store: store,
                    peers: peers, configurations: configurations, defaults: settings.relyingParty,
                    trust: settings.trust, metrics: PasskeyMetrics(Metrics(), log: log)))
            let clock = TrustedClock(database, now: machine.wallClock, instant: machine.steadyClock, log: log)
            member.components = [
                Maintenance(
                    [
                        [store.sweepTask(trusting: clock)],
                        [Reconciliation(store, peers: peers, log: log).task(trusting: clock)],
                    ], log: log, now: machine.steadyClock)
            ]
            member.receive = { await configurations.receive($0) }
            member.handler = { call in try await service.handle(call.named(), call) }
        }

        /// It takes the word of a provider without signature, as in dev mode, and connects to none.
        private func openFederation(_ member: SimulatedMember) async throws {
            let process = member.process
            let machine = SimulatedMachine(process: process)
            let database = SimulatedDatabase(federationDisk, of: process)
            let settings = try FederationSettings(
                Environment(["LATCHKEY_BROKERS": "ipc:///nowhere", "LATCHKEY_DATA": "/nowhere"]))
            let store = try await FederationStore(database, keys: SimulatedKeys.master.get())
            try federationDisk.transaction { try $0.setTrustedTime(process.now().wall.milliseconds) }
            let log = log(of: process)
            let metrics = FederationMetrics(metrics: Metrics(), log: log)
            let peers = SimulatedPeers(scenario: self, process: process)
            let configurations = ProjectConfigurations(peers, instant: machine.steadyClock)
            let service = FederationService(
                .init(
                    now: machine.wallClock, randomBytes: { [world] in world.random.bytes($0) }, store: store,
                    peers: peers, configurations: configurations,
                    providerChanges: ProviderChangeOutbox(in: store, peers: peers, log: log),
                    providers: ProviderClient(settings.outgoing, instant: machine.steadyClock, metrics: metrics),
                    gameCenterAnchors: settings.gameCenterAnchors, isDev: true, acceptsUnsignedTokens: true,
                    metrics: metrics))
            let clock = TrustedClock(database, now: machine.wallClock, instant: machine.steadyClock, log: log)
            member.components = [
                Maintenance(
                    [
                        [store.sweepTask(trusting: clock)],
                        [Reconciliation(store, peers: peers, log: log).task(trusting: clock)],
                    ], log: log, now: machine.steadyClock)
            ]
            member.receive = { await configurations.receive($0) }
            member.handler = { call in try await service.handle(call.named(), call) }
        }

        private static var publicURL: String { "https://auth.example.com" }

        /// Turns second factors on, and creates the tenants.
        func configure() async {
            let peers = SimulatedPeers(scenario: self, process: client)
            var totp = ProjectConfiguration.MultiFactor.ProviderConfig()
            totp.state = .enabled
            totp.totpProviderConfig = .init()
            var factors = ProjectConfiguration.MultiFactor()
            factors.state = .enabled
            factors.enabledProviders = [.phoneSMS]
            factors.providerConfigs = [totp]
            do {
                var current = try await peers.send(
                    Identity.ReadConfiguration(project: Self.project), trace: .random())
                current.configuration.mfa = factors
                current.configuration.multiTenant = .init()
                current.configuration.multiTenant?.allowTenants = true
                _ = try await peers.send(
                    Identity.ReplaceConfiguration(
                        project: Self.project, configuration: current.configuration,
                        expectedRevision: current.revision), trace: .random())
                // A process that misses the event has the former configuration for a second.
                try await client.pause(for: .seconds(2))
                var tenant = TenantConfiguration()
                tenant.allowPasswordSignup = true
                tenant.mfaConfig = factors
                for _ in 0..<plan.tenants {
                    let created = try await peers.send(
                        Identity.CreateTenant(project: Self.project, configuration: tenant), trace: .random())
                    realms.append(Realm(project: Self.project, tenant: created.id))
                }
            } catch {
                world.report("the project cannot be configured: \(error)")
            }
        }
    }

    extension SendingPolicy {
        /// A run of less than a minute has as many messages as an attack.
        fileprivate static var withoutLimits: Self {
            var policy = Self.development
            (policy.counts.perNumber, policy.counts.perAccount, policy.counts.perAddress) = (nil, nil, nil)
            return policy
        }
    }

#endif
