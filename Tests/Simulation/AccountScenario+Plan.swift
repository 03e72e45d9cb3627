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
            var smsProcesses: Int
            var passkeyProcesses: Int
            var federations: Int
            /// Besides the project itself.
            var tenants: Int
            var users: Int
            /// Of each user, at the same time.
            var devices: Int
            var pauseOfClients: Duration
            var faults: [AccountFault] = []
            /// How long clients and faults begin something.
            var time = Duration.zero
            /// By client: those of each user, and at last the administrator. Nil: chance decides what they do.
            var script: [[Step]]?

            /// Of a script with its faults.
            static let maximumSteps = 64

            init(seed: UInt64) {
                var random = SeededRandom(seed: seed)
                gateways = 1 + random.index(below: 2)
                identities = 1 + random.index(below: 2)
                totps = 1 + random.index(below: 2)
                users = 1 + random.index(below: 3)
                devices = 1 + random.index(below: 3)
                smsProcesses = 1 + random.index(below: 2)
                passkeyProcesses = 1 + random.index(below: 2)
                tenants = random.index(below: 3)
                federations = 1 + random.index(below: 2)
                pauseOfClients = .milliseconds(100 + random.index(below: 900))
                time = .seconds(45)
                let count = random.chance(percent: 15) ? 0 : random.index(below: 25)
                faults = AccountFault.list(count, within: time, &random)
            }

            /// Without faults, and without time for any.
            init(
                gateways: Int, identities: Int, totps: Int, smsProcesses: Int, passkeyProcesses: Int, federations: Int,
                tenants: Int,
                users: Int, devices: Int
            ) {
                self.gateways = gateways
                self.identities = identities
                self.totps = totps
                self.smsProcesses = smsProcesses
                self.passkeyProcesses = passkeyProcesses
                self.federations = federations
                self.tenants = tenants
                self.users = users
                self.devices = devices
                pauseOfClients = .milliseconds(200)
            }

            /// With the administrator.
            var clients: Int { users * devices + 1 }

            var size: String {
                "\(gateways) gateways, \(identities) processes of identity, \(totps) of mfa-totp, "
                    + "\(smsProcesses) of mfa-sms, \(passkeyProcesses) of passkey, \(federations) of federation, \(tenants) tenants, \(users) users with \(devices) devices, pauses of \(Int(pauseOfClients / .milliseconds(1))) ms"
                    + (script.map { ", \($0.joined().count) steps" } ?? "")
            }
        }
    }

#endif
