package import Contracts

/// Work that has ended, as a part of a trace. Names and attributes follow the semantic conventions of OpenTelemetry. They
/// contain no path with the caller's values, no code, no token and no address of a user.
package struct Span: Sendable {
    /// With the numbers of the protocol.
    package enum Kind: Int, Sendable {
        /// An attempt of an outbox.
        case `internal` = 1
        /// A request that this process answers.
        case server = 2
        /// A request to a server outside of the mesh.
        case client = 3
    }

    package enum Value: Equatable, Sendable {
        case text(String)
        case number(Int)
    }

    package typealias Attribute = (name: String, value: Value)

    package var context: TraceContext
    /// The span in whose course this one began; nil for the first one of a trace.
    package var parentID: String?
    package var kind: Kind
    package var name: String
    package var beganAt: SpanTime
    package var duration: Duration
    package var attributes: [Attribute]
    /// The requests that this work belongs to, in other traces.
    package var links: [TraceContext]
    /// The kind of error, if the work failed: the attribute `error.type`.
    package var error: String?
}
