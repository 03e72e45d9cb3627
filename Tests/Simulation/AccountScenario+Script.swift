// Parts of services are no interfaces: a release build has them only for tests.
#if DEBUG || TESTABLE

    import TestSupport

    extension AccountScenario {
        /// What one client does, in place of chance.
        struct Step {
            /// Since the clients began. A client that is busy at the time does it afterwards.
            var at: Duration
            /// Modulo the number of choices it is what chance would have drawn.
            var number: Int
        }

        /// Reads the bytes of a fuzzer as a run. The first one has the sizes, the second one is the seed of everything that
        /// the others leave open. Then three bytes are what a client does, its choice and the pause before the next one,
        /// or a fault, its choice and its duration. The rest of a long input is ignored.
        static func read(_ input: [UInt8]) -> (seed: UInt64, plan: Plan) {
            var rest = input[...]
            let sizes = Int(rest.popFirst() ?? 0)
            let seed = UInt64(rest.popFirst() ?? 0)
            var plan = Plan(
                gateways: 1 + sizes % 2, identities: 1 + sizes / 2 % 2, totps: 1 + sizes / 4 % 2,
                smsProcesses: 1 + sizes / 32 % 2, passkeyProcesses: 1 + sizes / 64 % 2, federations: 1,
                tenants: sizes / 128 % 2,
                users: 1 + sizes / 8 % 2, devices: 1 + sizes / 16 % 2)
            var script = [[Step]](repeating: [], count: plan.clients)
            var count = 0
            while count < Plan.maximumSteps, let first = rest.popFirst(), let number = rest.popFirst() {
                let duration = Int(rest.popFirst() ?? 0)
                if first < 192 {
                    script[Int(first) % plan.clients].append(Step(at: plan.time, number: Int(number)))
                    plan.time += .milliseconds(8 * duration)
                } else {
                    let kinds = AccountFault.Kind.allCases
                    plan.faults.append(
                        AccountFault(
                            at: plan.time, kind: kinds[Int(first - 192) % kinds.count], choice: Int(number) * 4,
                            duration: .milliseconds(50 + 32 * duration)))
                }
                count += 1
            }
            plan.script = script
            // What began last goes on beside the faults.
            plan.time += .seconds(1)
            return (seed, plan)
        }
    }

    /// What one client does next: chance decides it, or the script of the run.
    ///
    /// `@unchecked Sendable`: the scheduler runs everything on one thread.
    final class ClientChoices: @unchecked Sendable {
        private unowned let scenario: AccountScenario
        /// Nil: chance decides.
        private var steps: ArraySlice<AccountScenario.Step>?
        private let began: ContinuousClock.Instant
        /// Before what chance decides.
        private let pause: () -> Duration

        /// - Parameter client: its number among the clients of the plan.
        init(_ scenario: AccountScenario, _ client: Int, pause: @escaping () -> Duration) {
            self.scenario = scenario
            steps = scenario.plan.script.map { $0[client][...] }
            began = scenario.world.time.steady
            self.pause = pause
        }

        /// 0 to `bound` - 1, after a pause. Nil: the client is done.
        func next(below bound: Int) async -> Int? {
            guard !scenario.isClosing else { return nil }
            guard steps != nil else {
                try? await scenario.client.pause(for: pause())
                return scenario.world.random.index(below: bound)
            }
            guard let step = steps?.popFirst() else { return nil }
            let remaining = began + step.at - scenario.world.time.steady
            if remaining > .zero { try? await scenario.client.pause(for: remaining) }
            return step.number % bound
        }
    }

#endif
