import TestSupport

extension BusScenario {
    /// What may go wrong in a run.
    enum Profile: CaseIterable {
        case nothing
        /// Processes end on request: no call may fail.
        case restarts
        case everything
    }

    /// The size of a run, which the seed decides.
    struct Plan: ScenarioPlan {
        var profile: Profile
        var brokers: Int
        /// Each caller is a gateway that contains one of the brokers.
        var brokersAreInCallers = false
        var workers: Int
        var callers: Int
        var capacity: UInt16
        var highWaterMark: Int
        /// The same for what a broker sends.
        var highWaterMarkOfBroker: Int
        /// The percentage of calls that take up to 800 milliseconds.
        var longCalls: Int
        var pauseOfCallers: Duration
        var crashingPayloads: Bool
        /// Processes that crash at their first starts, chosen by a number.
        var crashesAtStart: [(choice: Int, times: Int)]
        /// Chooses a process that is killed just before the gateway says that the mesh is ready.
        var endsBeforeReady: Int?
        /// Chooses a process that stands still while the mesh stops.
        var hangsAtStop: Int?
        var faults: [BusFault]

        static let faultTime = Duration.seconds(15)

        var size: String {
            "\(brokers) brokers, \(workers) workers with capacity \(capacity), \(callers) callers, "
                + "\(highWaterMark) messages per connection, \(highWaterMarkOfBroker) of a broker"
        }

        init(seed: UInt64) {
            var random = SeededRandom(seed: seed)
            profile = Profile.allCases[random.index(below: 8) == 0 ? 0 : random.chance(percent: 25) ? 1 : 2]
            brokers = 1 + random.index(below: 2)
            workers = 1 + random.index(below: 3)
            callers = 1 + random.index(below: 2)
            capacity = UInt16(1 + random.index(below: 4))
            highWaterMark = 1000
            highWaterMarkOfBroker = 10_000
            longCalls = 5
            pauseOfCallers = .milliseconds(10 + random.index(below: 150))
            crashingPayloads = false
            crashesAtStart = []
            endsBeforeReady = nil
            hangsAtStop = nil
            let kinds: [BusFault.Kind]
            switch profile {
            case .nothing:
                kinds = []
                capacity = 32
            case .restarts:
                kinds = [.stopWorker, .stopBroker]
                (brokers, workers, capacity) = (2, 2 + random.index(below: 2), 32)
            case .everything:
                kinds = BusFault.Kind.allCases
                crashingPayloads = random.chance(percent: 30)
                if random.chance(percent: 30) {
                    // Fewer than those after which the launcher gives up.
                    crashesAtStart = [(random.index(below: 1000), 1 + random.index(below: 4))]
                }
                if random.chance(percent: 30) { endsBeforeReady = random.index(below: 1000) }
                if random.chance(percent: 30) { hangsAtStop = random.index(below: 1000) }
                if random.chance(percent: 20) { highWaterMark = 4 + random.index(below: 20) }
                if random.chance(percent: 20) {
                    // Workers that have many requests at a time, over connections that take few messages.
                    highWaterMarkOfBroker = 3 + random.index(below: 20)
                    capacity = UInt16(4 + random.index(below: 20))
                    longCalls = 30
                }
            }
            // Chosen apart, so that the other runs stay what they are. Where only workers and brokers are restarted, callers
            // go on.
            var other = SeededRandom(seed: ~seed)
            if profile != .restarts, other.index(below: 3) == 0 {
                brokersAreInCallers = true
                brokers = callers
            }
            faults =
                kinds.isEmpty
                ? []
                : BusFault.list(
                    random.index(below: 25), of: kinds, within: Self.faultTime, &random)
            if profile == .restarts { faults = Self.apart(faults) }
        }

        /// One restart at a time, so that another process of its kind serves meanwhile.
        private static func apart(_ faults: [BusFault]) -> [BusFault] {
            var free = Duration.zero
            return faults.filter { fault in
                guard fault.at >= free else { return false }
                free = fault.at + .seconds(4)
                return true
            }
        }
    }
}
