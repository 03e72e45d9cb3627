// Parts of services are no interfaces: a release build has them only for tests.
#if DEBUG || TESTABLE

    import Bus
    import DatabaseService
    import SQL
    import ServiceRuntime
    import Storage
    import TestSupport
    import Vocabulary

    /// What each service with a database begins with.
    struct ServiceParts<Scenario: MemberScenario> {
        let process: SimulatedProcess
        let machine: SimulatedMachine
        let disk: SimulatedDisk
        let database: SimulatedDatabase
        let log: Log
        let peers: SimulatedPeers<Scenario>

        var randomBytes: @Sendable (Int) -> [UInt8] { { [world = process.world] in world.random.bytes($0) } }

        /// Call it when the tables exist. The clock of the first start is trusted.
        func trustedClock() throws -> TrustedClock {
            try disk.transaction { try $0.setTrustedTime(process.now().wall.milliseconds) }
            return TrustedClock(database, now: machine.wallClock, instant: machine.steadyClock, log: log)
        }

        func maintenance(_ tasks: [[MaintenanceTask]]) -> Maintenance {
            Maintenance(tasks, log: log, now: machine.steadyClock)
        }
    }

    extension MemberScenario {
        func parts(of member: SimulatedMember, on disk: SimulatedDisk) -> ServiceParts<Self> {
            let process = member.process
            return ServiceParts(
                process: process, machine: SimulatedMachine(process: process), disk: disk,
                database: SimulatedDatabase(disk, of: process), log: log(of: process),
                peers: SimulatedPeers(scenario: self, process: process))
        }
    }

#endif
