package import Contracts

/// Connects the typed operations of a service to the bus.
package struct BusWorker<Operation: ServiceOperation>: Sendable {
    private let handle: @Sendable (Operation, BusCall) async throws -> BusReply

    /// - Parameter handle: a `switch` over the operations.
    package init(
        _ operations: Operation.Type, _ handle: @escaping @Sendable (Operation, BusCall) async throws -> BusReply
    ) {
        self.handle = handle
    }

    /// The handler that `BusConnection` runs for each request.
    package var handler: BusHandler {
        { [handle] call in
            guard let operation = Operation(rawValue: call.operation) else { throw ServiceError(.unknownOperation) }
            if let callers = call.callers, callers.isDisjoint(with: operation.callers) { throw CallerRefusal() }
            return try await handle(operation, call)
        }
    }
}

/// The operation does not declare the process that sent it as a caller (security rule BU3).
struct CallerRefusal: Error {}
