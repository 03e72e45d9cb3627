import Bus
import Foundation

/// `simulation [--seed N] [--seeds COUNT] [--history]`: runs scenarios, each from its seed.
@main struct SimulationMain {
    static func main() {
        var arguments = CommandLine.arguments.dropFirst()
        var seed: UInt64 = 1
        var count: UInt64 = 100
        var showsHistory = false
        while let argument = arguments.popFirst() {
            switch argument {
            case "--seed":
                guard let value = arguments.popFirst().flatMap({ UInt64($0) }) else { refuse(argument) }
                (seed, count) = (value, 1)
            case "--seeds":
                guard let value = arguments.popFirst().flatMap({ UInt64($0) }), value > 0 else { refuse(argument) }
                count = value
            case "--history":
                showsHistory = true
            default:
                refuse(argument)
            }
        }
        guard !seed.addingReportingOverflow(count).overflow else { fail("there are no \(count) seeds from \(seed) on") }
        // Without it, the order of sets and dictionaries differs between runs.
        guard ProcessInfo.processInfo.environment["SWIFT_DETERMINISTIC_HASHING"] != nil else {
            fail("SWIFT_DETERMINISTIC_HASHING=1 must be set, or no seed can be run again")
        }
        run(seed..<(seed + count), showsHistory: showsHistory)
    }

    private static func run(_ seeds: Range<UInt64>, showsHistory: Bool) {
        var summary = Summary()
        for seed in seeds {
            let plan = BusScenario.Plan(seed: seed)
            let result = result(of: plan, seed: seed)
            summary.add(result)
            if let violation = result.violation {
                print("seed \(seed): \(violation)")
                explain(shortened(plan, seed: seed), seed: seed, showsHistory: showsHistory)
                exit(1)
            }
        }
        print(summary)
    }

    struct Result {
        var steps: Int
        var fingerprint: UInt64
        var calls: Int
        var failedCalls: Int
        var violation: String?
        var history: [String]
    }

    struct Summary: CustomStringConvertible {
        var runs = 0
        var steps = 0
        var calls = 0
        var failedCalls = 0
        var fingerprint: UInt64 = 0

        mutating func add(_ result: Result) {
            runs += 1
            steps += result.steps
            calls += result.calls
            failedCalls += result.failedCalls
            fingerprint = fingerprint &* 31 &+ result.fingerprint
        }

        var description: String {
            "\(runs) runs, \(steps) steps, \(calls) calls, \(failedCalls) refused, fingerprint \(fingerprint)"
        }
    }

    static func result(of plan: BusScenario.Plan, seed: UInt64, recording: Bool = false) -> Result {
        let scenario = BusScenario(seed: seed, plan: plan)
        if recording { scenario.world.history = [] }
        scenario.run()
        let result = Result(
            steps: scenario.world.stepCount, fingerprint: scenario.world.fingerprint, calls: scenario.calls.count,
            failedCalls: scenario.calls.count { $0.failure != nil }, violation: scenario.world.violations.first,
            history: scenario.world.history ?? [])
        scenario.end()
        return result
    }

    /// The plan with as few faults as violate something.
    private static func shortened(_ plan: BusScenario.Plan, seed: UInt64) -> BusScenario.Plan {
        var shortest = plan
        var place = 0
        while place < shortest.faults.count {
            var shorter = shortest
            shorter.faults.remove(at: place)
            if result(of: shorter, seed: seed).violation != nil { shortest = shorter } else { place += 1 }
        }
        return shortest
    }

    private static func explain(_ plan: BusScenario.Plan, seed: UInt64, showsHistory: Bool) {
        let result = result(of: plan, seed: seed, recording: true)
        print("with \(plan.faults.count) faults: \(result.violation ?? "nothing")")
        for fault in plan.faults { print("  \(fault)") }
        print(
            "\(plan.brokers) brokers, \(plan.workers) workers with capacity \(plan.capacity), \(plan.callers) callers, "
                + "\(plan.highWaterMark) messages per connection")
        for line in result.history.suffix(showsHistory ? 100_000 : 40) { print("  \(line)") }
        print("again: make simulate SEED=\(seed)")
    }

    private static func refuse(_ argument: String) -> Never { fail("\(argument) is not understood") }

    private static func fail(_ sentence: String) -> Never {
        FileHandle.standardError.write(Data((sentence + "\n").utf8))
        exit(64)
    }
}
