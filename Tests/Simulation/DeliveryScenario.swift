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
    final class DeliveryScenario: MemberScenario, @unchecked Sendable {
        static let realm = Realm(project: ProjectID("p"))

        let world: World
        let plan: Plan
        let identityDisk: SimulatedDisk
        let notifierDisk: SimulatedDisk
        private(set) var servers: SimulatedServers!  // Set by `init`.
        private(set) var judge: DeliveryJudge!  // Set by `init`.
        var members: [SimulatedMember] = []
        /// mfa-sms.
        private(set) var client: SimulatedProcess!  // Set by `init`.
        var bus = SimulatedBus()
        var operationCount = 0
        var refusalCount = 0
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
            client = process("mfa-sms")
        }

        var disks: [SimulatedDisk] { [identityDisk, notifierDisk] }

        static func webhook(_ number: Int) -> String { "webhook-\(number)" }

        // MARK: Run

        func run() {
            for number in 0..<plan.identities { start(.identity, number) }
            for number in 0..<plan.notifiers { start(.notifier, number) }
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
            for disk in disks {
                disk.inspect = {}
                disk.close()
            }
            (members, client) = ([], nil)
        }
    }

#endif
