package import Contracts

/// What an operator should know of this process's place on the bus. The process hands in where it goes, because the bus
/// knows no logger.
package enum BusDiagnostic: Sendable {
    /// A broker knows this process now; so many do.
    case connected(connectedBrokers: Int)
    /// A broker fell silent, or forgot this process.
    case brokerLost(endpoint: String)
    /// The first message of a broker that was not ours.
    case malformedMessage(broker: String, BusMessageError)
    /// A handler failed with something that is no refusal. Its caller was told `internal`.
    case handlerFailed(operation: String, trace: TraceContext, any Error)
}
