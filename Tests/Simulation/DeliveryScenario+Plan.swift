// Parts of services are no interfaces: a release build has them only for tests.
#if DEBUG || TESTABLE

    import TestSupport

    extension DeliveryScenario {
        /// The size of a run, which the seed decides.
        struct Plan: ScenarioPlan {
            /// Processes of each service.
            var notifiers: Int
            var identities: Int
            var webhooks: Int
            var accounts: Int
            var pauseOfClients: Duration
            var faults: [DeliveryFault]

            static let faultTime = Duration.seconds(20)
            /// After the faults everything is delivered in this time. An endpoint that refused an event twice gets it again
            /// after five minutes, and a mail server that was down for long after as much.
            static let drainTime = Duration.seconds(12 * 60)

            init(seed: UInt64) {
                var random = SeededRandom(seed: seed)
                // What one process does beside another is rarer than what one does alone.
                notifiers = random.chance(percent: 75) ? 2 : 1
                identities = random.chance(percent: 75) ? 2 : 1
                webhooks = 1 + random.index(below: 3)
                accounts = 1 + random.index(below: 5)
                pauseOfClients = .milliseconds(50 + random.index(below: 600))
                let count = random.chance(percent: 12) ? 0 : random.index(below: 30)
                faults = DeliveryFault.list(count, within: Self.faultTime, &random)
            }

            var size: String {
                "\(notifiers) notifiers, \(identities) processes of identity, \(webhooks) webhooks, \(accounts) accounts, "
                    + "pauses of \(Int(pauseOfClients / .milliseconds(1))) ms"
            }
        }
    }

#endif
