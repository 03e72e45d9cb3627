/// A part of the mesh that is run from a seed.
protocol Scenario: AnyObject, SendableMetatype {
    associatedtype Plan: ScenarioPlan

    init(seed: UInt64, plan: Plan)

    var world: World { get }
    /// What callers or clients asked, and how much of it was refused.
    var operationCount: Int { get }
    var refusalCount: Int { get }

    func run()
    /// Ends every process, so that nothing stays in memory.
    func end()
}

/// What a seed decides about a run.
protocol ScenarioPlan: SendableMetatype {
    associatedtype Fault: CustomStringConvertible

    init(seed: UInt64)

    var faults: [Fault] { get set }
    /// The number of its processes and their limits, for the report of a run that failed.
    var size: String { get }
}
