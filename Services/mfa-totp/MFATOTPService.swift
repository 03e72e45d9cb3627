package import Bus
internal import Contracts

/// Answers what the contract offers, which is nothing yet: see README.md.
package struct MFATOTPService: Sendable {
    package init() {}

    /// `MFATOTP.Operation` has no case, so whatever is asked is unknown.
    package func handle(_ call: BusCall) async throws -> BusReply {
        throw WireError(.unknownOperation)
    }
}
