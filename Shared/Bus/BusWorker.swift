package import Contracts

/// The typed front of a service: its operations on one side, the bus on the other.
package struct BusWorker<Operation: ServiceOperation>: Sendable {
    private let mapping: @Sendable (any Error) -> WireError?
    private let handle: @Sendable (Operation, BusCall) async throws -> BusReply

    /// - Parameters:
    ///   - mapping: the refusal a domain error stands for; nil for what is a failure and not a refusal.
    ///   - handle: a `switch` over the operations.
    package init(
        _ operations: Operation.Type, mapping: @escaping @Sendable (any Error) -> WireError?,
        _ handle: @escaping @Sendable (Operation, BusCall) async throws -> BusReply
    ) {
        self.mapping = mapping
        self.handle = handle
    }

    /// What `BusConnection` runs for each request.
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
