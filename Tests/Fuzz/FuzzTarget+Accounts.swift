@testable import MeshSimulation

extension FuzzTarget {
    /// The input decides what the clients of a run of accounts do, and its faults (`AccountScenario.read`).
    static func runAccounts(_ input: [UInt8]) throws {
        let (seed, plan) = AccountScenario.read(input)
        let result = SimulationMain.result(AccountScenario.self, of: plan, seed: seed)
        try demand(result.violation == nil, result.violation ?? "")
    }
}
