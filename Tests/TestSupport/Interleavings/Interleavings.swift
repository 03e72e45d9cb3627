import FoundationEssentials
package import SQL

/// How many orders the full test tries, by the environment.
package enum Interleaving {
    private static let setting = ProcessInfo.processInfo.environment["LATCHKEY_INTERLEAVINGS"]

    package static var isFullTest: Bool { setting != nil }

    /// How often a method may be left while it could go on: few errors need more than one or two changes. Nil, for
    /// `all`, tries every order.
    package static var switchesOfFullTest: Int? { setting == "all" ? nil : setting.flatMap { Int($0) } ?? 2 }
}

/// Runs two methods of a store beside each other in every order of their statements and commits, on an engine. Each order
/// must end like one of the two in which one method follows the other: the same rows, and the same results. Besides, no
/// invariant may be violated.
///
/// A method is stopped before each statement and commit (`SteppedDatabase`). A test lets one of the two do one step, waits
/// until each is stopped, finished or blocked by a lock of the other, and chooses again. An order is thereby a list of
/// choices, and a depth-first search goes through all of them.
package struct Interleavings<Store: Sendable, Context: Sendable>: Sendable {
    /// A method with its arguments.
    package struct Method: Sendable {
        package var name: String
        /// Its result, without what differs between two equal runs.
        package var run: @Sendable (Store, Context) async throws -> String

        package init(_ name: String, _ run: @Sendable @escaping (Store, Context) async throws -> String) {
            self.name = name
            self.run = run
        }
    }

    /// What must be true of the rows after all.
    package struct Invariant: Sendable {
        package var name: String
        /// A query of the number of rows that violate it, as `count`.
        package var violations: String

        package init(_ name: String, violations: String) {
            self.name = name
            self.violations = violations
        }
    }

    /// What the orders of two methods have shown.
    package struct Report: Sendable {
        package var orders = 0
        /// A text for each order that ends like no serial one, or violates an invariant.
        package var failures: [String] = []
    }

    /// Opens a store on a database, and migrates it.
    package var open: @Sendable (any SQLDatabase) async throws -> Store
    /// Stores the rows before the two methods.
    package var prepare: @Sendable (Store) async throws -> Context
    package var invariants: [Invariant]
    /// Columns that differ between two equal runs, as `column`, `table.column` or `table.*`. Those of sealed values always
    /// do.
    package var masked: Set<String>
    /// Tables whose rows no method changes, and that stay for the next order.
    package var keptTables: Set<String>

    package init(
        open: @Sendable @escaping (any SQLDatabase) async throws -> Store,
        prepare: @Sendable @escaping (Store) async throws -> Context, invariants: [Invariant] = [],
        masking masked: Set<String> = [], keeping keptTables: Set<String> = []
    ) {
        self.open = open
        self.prepare = prepare
        self.invariants = invariants
        self.masked = masked
        self.keptTables = keptTables
    }

    /// Tries the orders of two methods.
    package func run(
        _ first: Method, _ second: Method, on engine: StoreEngine, switches: Int?
    ) async throws -> Report {
        let bench = try await InterleavingBench(self, [first, second], on: engine)
        defer { bench.open() }
        var report = Report()
        let serial = [try await bench.run([0]).end, try await bench.run([1]).end]
        var prefixes: [[Int]] = [[]]
        while let prefix = prefixes.popLast() {
            let order = try await bench.run(prefix)
            report.orders += 1
            if let failure = order.failure(serial) {
                report.failures.append(
                    "\(first.name) | \(second.name) on \(engine), \(order.text)\n\(failure)")
            }
            for (position, decision) in order.decisions.enumerated().dropFirst(prefix.count) where decision.isFree {
                let other = order.choices[..<position] + [1 - decision.chosen]
                if let switches, Self.switches(other, order.decisions) > switches { continue }
                prefixes.append(Array(other))
            }
        }
        await bench.close()
        return report
    }

    /// Tries each pair of methods, also of one with itself.
    package func runAllPairs(
        of methods: [Method], on engine: StoreEngine, switches: Int? = Interleaving.switchesOfFullTest
    ) async throws -> Report {
        var report = Report()
        for (position, first) in methods.enumerated() {
            for second in methods[position...] {
                let pair = try await run(first, second, on: engine, switches: switches)
                report.orders += pair.orders
                // One order shows what is wrong with the pair.
                report.failures += pair.failures.prefix(1)
            }
        }
        return report
    }

    private static func switches(_ choices: ArraySlice<Int>, _ decisions: [InterleavedOrder.Decision]) -> Int {
        zip(zip(choices, choices.dropFirst()), decisions.dropFirst()).count { pair, decision in
            pair.0 != pair.1 && decision.isFree
        }
    }
}

/// One order of two methods, and how it ended.
struct InterleavedOrder: Sendable {
    struct Decision: Sendable {
        var chosen: Int
        /// Whether the other method could have done a step as well.
        var isFree: Bool
        var step: String
    }

    struct End: Equatable, Sendable {
        var results: [String]
        var content: DatabaseContent
    }

    var decisions: [Decision] = []
    var end: End
    var violations: [String]

    var choices: ArraySlice<Int> { decisions.map(\.chosen)[...] }

    var text: String {
        "order:\n"
            + decisions.map { "  \($0.chosen == 0 ? "A" : "B") \($0.step.prefix(100).replacing("\n", with: " "))" }
            .joined(separator: "\n")
    }

    func failure(_ serial: [End]) -> String? {
        guard violations.isEmpty else { return violations.joined(separator: "\n") }
        guard !serial.contains(end) else { return nil }
        return "ends like no serial order: results \(end.results)\n"
            + serial.map { other in
                "compared with \(other.results):\n\(end.content.difference(from: other.content))"
            }.joined(separator: "\n")
    }
}
