// Parts of services are no interfaces: a release build has them only for tests.
#if DEBUG || TESTABLE

    import Bus
    import Contracts
    import MasterKey
    import ServiceRuntime
    import TestSupport
    import Vocabulary

    @testable import IdentityService
    @testable import NotifierService

    /// Identity and notifier with their databases, and the servers that get messages and events, with their faults, from one
    /// seed.
    ///
    /// `@unchecked Sendable`: the scheduler runs everything on one thread.
    final class DeliveryScenario: Scenario, @unchecked Sendable {
        typealias Instant = ContinuousClock.Instant

        /// One start of a process.
        ///
        /// `@unchecked Sendable`: the scheduler runs everything on one thread.
        final class Member: @unchecked Sendable {
            enum Role: Equatable {
                case notifier(Int)
                case identity(Int)
            }

            let role: Role
            let process: SimulatedProcess
            /// Set when the process serves.
            var notifier: NotifierService?
            var identity: IdentityStore?
            var components: [any ProcessComponent] = []
            /// Gets the events of the bus.
            var receive: @Sendable (BusEvent) -> Void = { _ in }
            var runningComponents = 0
            var isStopping = false

            init(_ role: Role, _ process: SimulatedProcess) {
                self.role = role
                self.process = process
            }
        }

        static let realm = Realm(project: ProjectID("p"))
        /// The master key of every run: nothing depends on its value.
        static let masterKeys = Result { try ReloadingMasterKeyRing(.variable(.init(.random()))) }

        let world: World
        let plan: Plan
        let identityDisk: SimulatedDisk
        let notifierDisk: SimulatedDisk
        private(set) var servers: SimulatedServers!  // Set by `init`.
        private(set) var judge: DeliveryJudge!  // Set by `init`.
        var notifiers: [Member?] = []
        var identities: [Member?] = []
        /// mfa-sms.
        private(set) var client: SimulatedProcess!  // Set by `init`.
        var callsAreLostUntil = SimulatedTime.beginning
        var callsAreSlowUntil = SimulatedTime.beginning
        var callsAreDoubledUntil = SimulatedTime.beginning
        var operationCount = 0
        var refusalCount = 0
        private var instanceCount = 0
        private(set) var isClosing = false

        init(seed: UInt64, plan: Plan) {
            self.plan = plan
            world = World(seed: seed, highWaterMark: 1000, ofBroker: 1000)
            do {
                identityDisk = try SimulatedDisk("identity", in: world)
                notifierDisk = try SimulatedDisk("notifier", in: world)
            } catch {
                preconditionFailure("a database in memory cannot be opened: \(error)")
            }
            servers = SimulatedServers(
                ["mail", "first-sms", "second-sms", "apns"] + (0..<plan.webhooks).map(Self.webhook), notifierDisk,
                in: world
            )
            judge = DeliveryJudge(self)
            notifiers = Array(repeating: nil, count: plan.notifiers)
            identities = Array(repeating: nil, count: plan.identities)
            client = process("mfa-sms")
        }

        static func webhook(_ number: Int) -> String { "webhook-\(number)" }

        // MARK: Run

        func run() {
            for number in identities.indices { start(.identity(number)) }
            for number in notifiers.indices { start(.notifier(number)) }
            world.run(for: .seconds(5)) {}
            addWebhooks()
            world.run(for: .seconds(2)) {}
            for fault in plan.faults { world.schedule(after: fault.at) { [unowned self] in begin(fault) } }
            client.begin { [unowned self] in await sendMessages() }
            scheduleChange()
            world.run(for: Plan.faultTime) {}
            isClosing = true
            // The last faults end, and what clients have begun.
            world.run(for: .seconds(15)) {}
            let end = world.time.steady + Plan.drainTime
            while world.violations.isEmpty, world.time.steady < end, !judge.isDrained { world.run(for: .seconds(5)) {} }
            guard world.violations.isEmpty else { return }
            judge.requireEnd()
        }

        func end() {
            world.end()
            for disk in [identityDisk, notifierDisk] {
                disk.inspect = {}
                disk.close()
            }
            (notifiers, identities, client) = ([], [], nil)
        }

        func process(_ name: String) -> SimulatedProcess {
            instanceCount += 1
            var offsets = ClockOffsets()
            offsets.steady = .milliseconds(world.random.index(below: 1_000_000))
            // Processes that share a database have clocks that are near to each other.
            offsets.wall = .milliseconds(world.random.index(below: 2000) - 1000)
            let process = SimulatedProcess("\(name).\(instanceCount)", in: world, offsets: offsets)
            world.add(process)
            return process
        }
    }

#endif
