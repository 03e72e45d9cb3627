import TestSupport

/// One thing that goes wrong, and when. A run has a list of them, which is made shorter when the run fails.
struct BusFault: CustomStringConvertible {
    enum Kind: CaseIterable {
        /// A connection ends, and its ends notice it soon.
        case cut
        /// A connection ends, and its ends notice it late.
        case silentCut
        /// A connection carries nothing for a time.
        case stall
        /// A process stands still, as after SIGSTOP.
        case pause
        case killWorker, killBroker, killCaller
        /// SIGTERM, and a start afterwards.
        case stopWorker, stopBroker
        /// The process that reports ended processes is killed and started again.
        case killLauncher
        /// Each start of a process crashes for a time.
        case crashAgainAndAgain
        /// Each start of a process finds its data unusable for a time.
        case unusable
        /// The brokers do not learn how processes end, or late.
        case loseEndReports, delayEndReports
        /// Messages take long.
        case slowNetwork
        /// The wall clock of a process is set.
        case setClock
    }

    var kind: Kind
    /// Since the beginning.
    var at: Duration
    /// How long it lasts, for those that last.
    var duration: Duration
    /// Chooses among the candidates.
    var choice: Int

    var description: String {
        "\(Int(at / .milliseconds(1))) ms \(kind) (\(Int(duration / .milliseconds(1))) ms, candidate \(choice))"
    }

    /// - Parameter kinds: those that may occur.
    static func list(_ count: Int, of kinds: [Kind], within: Duration, _ random: inout SeededRandom) -> [BusFault] {
        let milliseconds = Int(within / .milliseconds(1))
        let faults = (0..<count).map { _ in
            BusFault(
                kind: kinds[random.index(below: kinds.count)], at: .milliseconds(random.index(below: milliseconds)),
                duration: .milliseconds(10 + random.index(below: random.chance(percent: 20) ? 3000 : 400)),
                choice: random.index(below: 1000))
        }
        return faults.sorted { $0.at < $1.at }
    }
}
