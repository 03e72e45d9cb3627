package import Contracts

/// Connects the typed operations of a service to the bus.
package struct BusWorker<Operation: ServiceOperation>: Sendable {
    private let mapping: @Sendable (any Error) -> WireError?
    private let handle: @Sendable (Operation, BusCall) async throws -> BusReply

    /// - Parameters:
    ///   - mapping: the wire error of a domain error; nil for an unexpected failure.
    ///   - handle: a `switch` over the operations.
    package init(
        _ operations: Operation.Type, mapping: @escaping @Sendable (any Error) -> WireError?,
        _ handle: @escaping @Sendable (Operation, BusCall) async throws -> BusReply
    ) {
        self.mapping = mapping
        self.handle = handle
    }

    /// The handler that `BusConnection` runs for each request.
    package var handler: BusHandler {
        { [mapping, handle] call in
            guard let operation = Operation(rawValue: call.operation) else { throw WireError(.unknownOperation) }
            do {
                return try await handle(operation, call)
            } catch {
                throw error as? WireError ?? mapping(error) ?? error
            }
        }
    }
}
