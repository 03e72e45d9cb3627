import Bus
import Foundation
import Synchronization

/// `simulation [--part PART] [--seed N | --seeds COUNT | --steps COUNT | --input FILE] [--history]`: runs one scenario from its
/// seed, a number of them, as many as have a number of steps, or what the bytes of a fuzzer decide.
package enum SimulationMain {
    /// What is simulated.
    private enum Part: String {
        case bus, deliveries, accounts
    }

    /// Which runs of a part.
    private enum Choice {
        case seed(UInt64)
        case seeds(UInt64)
        /// No run begins after this number of steps.
        case steps(Int)
        /// The run that the bytes of this file decide.
        case input(String)

        /// - Returns: nil where the argument or its value is not understood.
        init?(_ argument: String, _ value: String) {
            switch argument {
            case "--seed":
                guard let seed = UInt64(value), seed < .max else { return nil }
                self = .seed(seed)
            case "--seeds":
                guard let count = UInt64(value), count > 0, count < .max else { return nil }
                self = .seeds(count)
            case "--steps":
                guard let count = Int(value), count > 0 else { return nil }
                self = .steps(count)
            case "--input": self = .input(value)
            default: return nil
            }
        }

        var seeds: Range<UInt64> {
            switch self {
            case .seed(let seed): seed..<(seed + 1)
            case .seeds(let count): 1..<(1 + count)
            case .steps, .input: 1..<1_000_000
            }
        }

        var steps: Int {
            switch self {
            case .steps(let count): count
            case .seed, .seeds, .input: .max
            }
        }
    }

    /// Runs what the arguments of the program say.
    package static func main() {
        var arguments = CommandLine.arguments.dropFirst()
        var chosen: (argument: String, choice: Choice)?
        var showsHistory = false
        var part = Part.bus
        while let argument = arguments.popFirst() {
            if argument == "--history" {
                showsHistory = true
                continue
            }
            guard let value = arguments.popFirst() else { fail("\(argument) is not understood, or has no value") }
            if argument == "--part", let value = Part(rawValue: value) {
                part = value
            } else if let choice = Choice(argument, value) {
                if let chosen { fail("\(argument) cannot be given beside \(chosen.argument)") }
                chosen = (argument, choice)
            } else {
                fail("\(argument) \(value) is not understood")
            }
        }
        // Without it, the order of sets and dictionaries differs between runs.
        guard ProcessInfo.processInfo.environment["SWIFT_DETERMINISTIC_HASHING"] != nil else {
            fail("SWIFT_DETERMINISTIC_HASHING=1 must be set, or no seed can be run again")
        }
        run(part, chosen?.choice ?? .seeds(100), showsHistory: showsHistory)
    }

    private static func run(_ part: Part, _ choice: Choice, showsHistory: Bool) {
        switch part {
        case .bus:
            if case .input = choice { fail("only PART=accounts reads an input") }
            run(BusScenario.self, choice, showsHistory: showsHistory, again: "")
        case .deliveries, .accounts:
            #if DEBUG || TESTABLE
                if case .input(let path) = choice { return run(part, ofFile: path, showsHistory: showsHistory) }
                let again = "PART=\(part.rawValue) "
                if part == .deliveries {
                    run(DeliveryScenario.self, choice, showsHistory: showsHistory, again: again)
                } else {
                    run(AccountScenario.self, choice, showsHistory: showsHistory, again: again)
                }
            #else
                fail("this build has no part \(part.rawValue): make simulate PART=\(part.rawValue)")
            #endif
        }
    }

    /// The seeds that are run at the same time, one on each processor, and what came of them.
    private final class Runs: Sendable {
        private struct Content {
            var remaining: Range<UInt64>
            var remainingSteps: Int
            var summaries: [UInt64: Summary] = [:]
            var violations: [UInt64: String] = [:]
        }

        private let content: Mutex<Content>

        init(_ seeds: Range<UInt64>, steps: Int) {
            content = Mutex(Content(remaining: seeds, remainingSteps: steps))
        }

        /// The next seed. Seeds are begun in their order, so that the lowest one that violates something is found.
        func begin() -> UInt64? {
            content.withLock { content in
                guard content.violations.isEmpty, content.remainingSteps > 0 else { return nil }
                return content.remaining.popFirst()
            }
        }

        func end(_ seed: UInt64, _ result: Result) {
            content.withLock { content in
                content.remainingSteps -= result.steps
                content.summaries[seed] = Summary(result)
                content.violations[seed] = result.violation
            }
        }

        var firstViolation: (seed: UInt64, violation: String)? {
            content.withLock { content in
                content.violations.min { $0.key < $1.key }.map { (seed: $0.key, violation: $0.value) }
            }
        }

        /// In the order of the seeds, so that it does not depend on the number of processors.
        var summary: Summary {
            content.withLock { content in
                content.summaries.sorted { $0.key < $1.key }.reduce(into: Summary()) { $0.add($1.value) }
            }
        }
    }

    /// - Parameter again: what `make simulate` needs before the seed.
    private static func run<S: Scenario>(
        _ scenario: S.Type, _ choice: Choice, showsHistory: Bool, again: String
    ) {
        let began = ContinuousClock.now
        let seeds = choice.seeds
        let runs = Runs(seeds, steps: choice.steps)
        let processors = seeds.count == 1 ? 1 : ProcessInfo.processInfo.activeProcessorCount
        DispatchQueue.concurrentPerform(iterations: processors) { _ in
            while let seed = runs.begin() { runs.end(seed, result(scenario, of: .init(seed: seed), seed: seed)) }
        }
        if let (seed, violation) = runs.firstViolation {
            print("seed \(seed): \(violation)")
            // To find the shortest list of faults may take long.
            fflush(nil)
            explain(
                scenario, shortened(scenario, .init(seed: seed), seed: seed), seed: seed, showsHistory: showsHistory,
                again: "\(again)SEED=\(seed)")
            exit(1)
        }
        let summary = runs.summary
        print(summary)
        guard seeds.count > 1 else { return }
        let seconds = (ContinuousClock.now - began) / .seconds(1)
        print("\(Int(Double(summary.steps) / seconds)) steps per second on \(processors) processors")
    }

    #if DEBUG || TESTABLE
        private static func run(_ part: Part, ofFile path: String, showsHistory: Bool) {
            guard part == .accounts, let input = FileManager.default.contents(atPath: path) else {
                fail("PART=accounts reads an input, and \(path) is no file for it")
            }
            let (seed, plan) = AccountScenario.read(Array(input))
            let result = result(AccountScenario.self, of: plan, seed: seed)
            guard result.violation != nil else { return print(Summary(result)) }
            explain(
                AccountScenario.self, shortened(AccountScenario.self, plan, seed: seed), seed: seed,
                showsHistory: showsHistory, again: "PART=accounts INPUT=\(path)")
            exit(1)
        }
    #endif

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

        init() {}

        init(_ result: Result) {
            (runs, steps, calls, failedCalls) = (1, result.steps, result.calls, result.failedCalls)
            fingerprint = result.fingerprint
        }

        mutating func add(_ next: Summary) {
            runs += next.runs
            steps += next.steps
            calls += next.calls
            failedCalls += next.failedCalls
            fingerprint = fingerprint &* 31 &+ next.fingerprint
        }

        var description: String {
            "\(runs) runs, \(steps) steps, \(calls) calls, \(failedCalls) refused, fingerprint \(fingerprint)"
        }
    }

    static func result<S: Scenario>(
        _: S.Type, of plan: S.Plan, seed: UInt64, recording: Bool = false
    ) -> Result {
        let scenario = S(seed: seed, plan: plan)
        if recording { scenario.world.history = [] }
        scenario.run()
        let result = Result(
            steps: scenario.world.stepCount, fingerprint: scenario.world.fingerprint, calls: scenario.operationCount,
            failedCalls: scenario.refusalCount, violation: scenario.world.violations.first,
            history: scenario.world.history ?? [])
        scenario.end()
        return result
    }

    /// The plan with as few faults as violate something.
    private static func shortened<S: Scenario>(_ scenario: S.Type, _ plan: S.Plan, seed: UInt64) -> S.Plan {
        var shortest = plan
        var place = 0
        while place < shortest.faults.count {
            var shorter = shortest
            shorter.faults.remove(at: place)
            if result(scenario, of: shorter, seed: seed).violation != nil { shortest = shorter } else { place += 1 }
        }
        return shortest
    }

    private static func explain<S: Scenario>(
        _ scenario: S.Type, _ plan: S.Plan, seed: UInt64, showsHistory: Bool, again: String
    ) {
        let result = result(scenario, of: plan, seed: seed, recording: true)
        print("with \(plan.faults.count) faults: \(result.violation ?? "nothing")")
        for fault in plan.faults { print("  \(fault)") }
        print(plan.size)
        for line in result.history.suffix(showsHistory ? 100_000 : 40) { print("  \(line)") }
        print("again: make simulate \(again)")
    }

    private static func fail(_ sentence: String) -> Never {
        FileHandle.standardError.write(Data((sentence + "\n").utf8))
        exit(64)
    }
}
