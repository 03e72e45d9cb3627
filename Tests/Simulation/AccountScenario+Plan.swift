// Parts of services are no interfaces: a release build has them only for tests.
#if DEBUG || TESTABLE

    import TestSupport

    extension AccountScenario {
        /// The size of a run, which the seed decides.
        struct Plan: ScenarioPlan {
            /// Processes of each service.
            var gateways: Int
            var identities: Int
            var totps: Int
            var users: Int
            /// Of each user, at the same time.
            var devices: Int
            var pauseOfClients: Duration
            var faults: [AccountFault]

            static let faultTime = Duration.seconds(45)

            init(seed: UInt64) {
                var random = SeededRandom(seed: seed)
                gateways = 1 + random.index(below: 2)
                identities = 1 + random.index(below: 2)
                totps = 1 + random.index(below: 2)
                users = 1 + random.index(below: 3)
                devices = 1 + random.index(below: 3)
                pauseOfClients = .milliseconds(100 + random.index(below: 900))
                let count = random.chance(percent: 15) ? 0 : random.index(below: 25)
                faults = AccountFault.list(count, within: Self.faultTime, &random)
            }

            var size: String {
                "\(gateways) gateways, \(identities) processes of identity, \(totps) of mfa-totp, \(users) users with "
                    + "\(devices) devices, pauses of \(Int(pauseOfClients / .milliseconds(1))) ms"
            }
        }
    }

#endif
