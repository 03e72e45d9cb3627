internal import FoundationEssentials

/// One request on its way in and its answer on the way out: the user data of the library's request.
///
/// `@unchecked Sendable`: only the library's thread for the connection touches the fields, except `answer`, which its
/// owner writes with the table's lock held and the library's thread reads with it held.
final class Exchange: @unchecked Sendable {
    enum Stage {
        case head
        case body
        /// The handler runs, or has run and the connection is resumed.
        case handling
    }

    let target: RequestTarget
    var stage = Stage.head
    var head: RequestHead?
    /// Why the request will be refused once its body is drained.
    var refusal: HTTPRefusal.Reason?
    /// Bytes of body that arrived, kept or not.
    var received = 0
    var body = Data()
    /// `nil` after resumption: the request was abandoned.
    var answer: HTTPResponse?

    init(_ target: RequestTarget) {
        self.target = target
    }
}

/// A connection of the library, to be resumed by whoever takes it out of the table.
///
/// `@unchecked Sendable`: a suspended connection lives until it is resumed, and resuming is allowed on any thread.
struct SuspendedConnection: @unchecked Sendable {
    let pointer: OpaquePointer
}

/// A request whose handler runs.
struct RunningRequest: Sendable {
    let exchange: Exchange
    let connection: SuspendedConnection
    let task: Task<Void, Never>
}
