package import Contracts

/// Diagnostics of the bus connection for the operator. The process decides where they go, because this module has no
/// logger.
package enum BusDiagnostic: Sendable {
    /// A broker knows this process now. The value counts all connected brokers.
    case connected(connectedBrokers: Int)
    /// The heartbeat of a broker timed out, or the broker no longer knows this process.
    case brokerLost(endpoint: String)
    /// No address was found for the host of a broker, after one was or at the start.
    case hostUnknown(endpoint: String)
    /// The first malformed message of a broker.
    case malformedMessage(broker: String, BusMessageError)
    /// A handler failed with an unexpected error. Its caller received `internal`.
    case handlerFailed(operation: String, trace: TraceContext, any Error)
    /// A process sent what its key does not permit. The broker names the caller; nil if what the broker passes on counts
    /// as its own request.
    case callerRefused(operation: String, caller: BusName?, trace: TraceContext)
}
