// Parts of services are no interfaces: a release build has them only for tests.
#if DEBUG || TESTABLE

    import Blocking
    import Bus
    import Contracts
    import Crypto
    import DatabaseService
    import Delivery
    import ServiceRuntime
    import Settings
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
            let parts = parts(of: member, on: identityDisk)
            let (process, machine, log, peers) = (parts.process, parts.machine, parts.log, parts.peers)
            let store = try await IdentityStore(parts.database, keys: SimulatedKeys.master.get())
            let clock = try parts.trustedClock()
            let metrics = Metrics()
            let projects = ProjectCache(
                store: store, isDev: false, now: machine.wallClock, instant: machine.steadyClock)
            try await projects.ensure(Self.project, apiKey: Self.apiKey, traceID: "simulation")
            let keys = SigningKeyRing(store: store, now: machine.wallClock, log: log) { [unowned self] in
                signingKeyCount += 1
                return try TestKey.rsa("simulation \(signingKeyCount)")
            }
            for purpose in Identity.ListSigningKeys.Purpose.allCases { try await keys.load(purpose) }
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
                    now: machine.wallClock, randomBytes: parts.randomBytes, store: store, projects: projects,
                    keys: keys,
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
            member.components = [
                mails, DeliveryLoop(deletions, DeletedAccountOutbox.limits, environment),
                parts.maintenance(
                    service.maintenanceTasks(trusting: clock, log: log) + [
                        emails.maintenanceTasks(trusting: clock) + deletions.maintenanceTasks
                    ]),
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
            let parts = parts(of: member, on: totpDisk)
            let store = try await TOTPStore(parts.database, keys: SimulatedKeys.master.get())
            let clock = try parts.trustedClock()
            let service = TOTPService(
                dependencies: .init(
                    now: parts.machine.wallClock, randomBytes: parts.randomBytes, store: store, peers: parts.peers,
                    metrics: TOTPMetrics(Metrics(), log: parts.log)))
            member.components = [
                parts.maintenance([
                    [store.sweepTask(trusting: clock)],
                    [Reconciliation(store, peers: parts.peers, log: parts.log).task(trusting: clock)],
                ])
            ]
            member.handler = { call in try await service.handle(call.named(), call) }
        }

        private func openSMS(_ member: SimulatedMember) async throws {
            let parts = parts(of: member, on: smsDisk)
            let (machine, log, peers) = (parts.machine, parts.log, parts.peers)
            var settings = try SMSSettings(
                Environment(["LATCHKEY_BROKERS": "ipc:///nowhere", "LATCHKEY_DATA": "/nowhere"]))
            settings.policy = .withoutLimits
            let store = try await SMSStore(parts.database, keys: SimulatedKeys.master.get(), policy: settings.policy)
            let clock = try parts.trustedClock()
            let metrics = Metrics()
            let configurations = ProjectConfigurations(peers, instant: machine.steadyClock)
            let service = SMSService(
                dependencies: .init(
                    now: machine.wallClock, randomBytes: parts.randomBytes, store: store, peers: peers,
                    configurations: configurations,
                    appVerifier: AppVerifier(
                        settings.appVerification, store, peers, configurations, now: machine.wallClock,
                        randomBytes: parts.randomBytes, log: log, isDev: false),
                    // Clients have no device that gets pushes, and solve no challenge.
                    verifyAppCredential: { _, _, _, _ in }, originDomain: nil, metrics: CodeMetrics(metrics),
                    sendingMetrics: SendingMetrics(metrics, policy: settings.policy, log: log), log: log, isDev: false))
            member.components = [parts.maintenance([[store.sweepTask(trusting: clock)]])]
            member.receive = { await configurations.receive($0) }
            member.handler = { call in try await service.handle(call.named(), call) }
        }

        private func openPasskey(_ member: SimulatedMember) async throws {
            let parts = parts(of: member, on: passkeyDisk)
            let settings = try PasskeySettings(
                Environment([
                    "LATCHKEY_BROKERS": "ipc:///nowhere", "LATCHKEY_DATA": "/nowhere",
                    "LATCHKEY_PASSKEY_RP_ID": Self.relyingParty,
                ]), at: parts.process.now().wall)
            let store = try await PasskeyStore(parts.database, keys: SimulatedKeys.master.get())
            let clock = try parts.trustedClock()
            let configurations = ProjectConfigurations(parts.peers, instant: parts.machine.steadyClock)
            let service = PasskeyService(
                dependencies: .init(
                    now: parts.machine.wallClock, randomBytes: parts.randomBytes, store: store, peers: parts.peers,
                    configurations: configurations, defaults: settings.relyingParty, trust: settings.trust,
                    metrics: PasskeyMetrics(Metrics(), log: parts.log)))
            member.components = [
                parts.maintenance([
                    [store.sweepTask(trusting: clock)],
                    [Reconciliation(store, peers: parts.peers, log: parts.log).task(trusting: clock)],
                ])
            ]
            member.receive = { await configurations.receive($0) }
            member.handler = { call in try await service.handle(call.named(), call) }
        }

        /// It takes the word of a provider without signature, as in dev mode, and connects to none.
        private func openFederation(_ member: SimulatedMember) async throws {
            let parts = parts(of: member, on: federationDisk)
            let (machine, peers) = (parts.machine, parts.peers)
            let settings = try FederationSettings(
                Environment(["LATCHKEY_BROKERS": "ipc:///nowhere", "LATCHKEY_DATA": "/nowhere"]))
            let store = try await FederationStore(parts.database, keys: SimulatedKeys.master.get())
            let clock = try parts.trustedClock()
            let metrics = FederationMetrics(metrics: Metrics(), log: parts.log)
            let configurations = ProjectConfigurations(peers, instant: machine.steadyClock)
            let service = FederationService(
                .init(
                    now: machine.wallClock, randomBytes: parts.randomBytes, store: store, peers: peers,
                    configurations: configurations,
                    providerChanges: ProviderChangeOutbox(in: store, peers: peers, log: parts.log),
                    providers: ProviderClient(settings.outgoing, instant: machine.steadyClock, metrics: metrics),
                    gameCenterAnchors: settings.gameCenterAnchors, isDev: true, acceptsUnsignedTokens: true,
                    metrics: metrics))
            member.components = [
                parts.maintenance([
                    [store.sweepTask(trusting: clock)],
                    [Reconciliation(store, peers: parts.peers, log: parts.log).task(trusting: clock)],
                ])
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
