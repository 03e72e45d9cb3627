/// What the broker and the caller may do with a request whose worker was lost before its reply.
package enum RetrySemantics: Sendable {
    /// The request changes nothing, or a second time changes nothing more: the broker may give it to another worker.
    case idempotent
    /// The request must take effect once. It carries an idempotency key, the caller may send it again under the same
    /// key, and the service then repeats the reply that it recorded the first time.
    case deduplicated
    /// Neither the broker nor the caller sends the request again.
    case atMostOnce
}

/// The operations one service offers: a closed set, named on the wire by their raw values.
package protocol ServiceOperation: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
    static var service: ServiceName { get }

    /// Who may send the operation: those that send it, and no other. A `switch` over the operations, so that one without
    /// callers does not compile.
    var callers: Set<BusCaller> { get }
}

/// One request over the bus. The type declares everything that caller, broker and service need to know about the
/// operation: its name, its retry semantics and its reply; its comment lists the errors. Request and reply are flat
/// JSON objects. New fields are optional and meanings never change; `ContractsTests` contains the JSON of every one.
package protocol BusRequest: Codable, Sendable {
    associatedtype Operation: ServiceOperation
    associatedtype Reply: Codable & Sendable
    static var operation: Operation { get }
    static var retrySemantics: RetrySemantics { get }
}

extension BusRequest {
    /// Who may send the request.
    package static var callers: Set<BusCaller> { operation.callers }
}

/// A request for a list, of which a reply contains a part.
package protocol ListRequest: BusRequest {
    static var maximumCount: Int { get }
    /// 1 to `maximumCount`.
    var limit: Int { get }
}

extension ListRequest {
    /// - Throws: `ServiceError.limitOutOfRange`.
    package func checkLimit() throws(ServiceError) {
        guard (1...Self.maximumCount).contains(limit) else { throw .limitOutOfRange }
    }
}

/// The reply of an operation without result.
package struct EmptyReply: Codable, Equatable, Sendable {
    package init() {}
}
