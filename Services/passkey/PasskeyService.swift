package import Bus
internal import Contracts

/// Handles the operations of the contract. There are none yet: see README.md.
package struct PasskeyService: Sendable {
    package init() {}

    /// `Passkey.Operation` has no case, so every operation is unknown.
    package func handle(_ call: BusCall) async throws -> BusReply {
        throw WireError(.unknownOperation)
    }
}
