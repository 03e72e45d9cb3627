import Contracts
import Crypto
package import ServiceRuntime
import Vocabulary

/// Counts the results of ceremonies. The log has their reasons, because clients get the same error for most of them.
package struct PasskeyMetrics: Sendable {
    private let metrics: Metrics
    private let log: Log

    private static let accepted = "accepted"

    package init(_ metrics: Metrics, log: Log) {
        self.metrics = metrics
        self.log = log
        for purpose in Ceremony.Purpose.allCases { ceremonies(purpose, Self.accepted).increment(by: 0) }
        for isAccepted in [true, false] { regressions(isAccepted).increment(by: 0) }
    }

    private func ceremonies(_ purpose: Ceremony.Purpose, _ result: String) -> Metrics.Counter {
        metrics.counter("latchkey_passkey_ceremonies_total", ["ceremony": purpose.rawValue, "result": result])
    }

    private func regressions(_ isAccepted: Bool) -> Metrics.Counter {
        metrics.counter("latchkey_passkey_sign_count_regressions_total", ["accepted": isAccepted ? "yes" : "no"])
    }

    /// Runs the verification of a response and counts its result.
    /// - Throws: the error of `verify`, for a rejected response without the reason.
    func count<Verified>(
        _ purpose: Ceremony.Purpose, trace: TraceContext, _ verify: () async throws -> Verified
    ) async throws -> Verified {
        do {
            let verified = try await verify()
            ceremonies(purpose, Self.accepted).increment()
            return verified
        } catch let error as ServiceError {
            guard let reason = error.rejectionReason else { throw error }
            ceremonies(purpose, reason).increment()
            log.info(
                .passkeyCeremonyRejected,
                ["ceremony": .public(purpose.rawValue), "reason": .public(reason)], trace: trace)
            throw ServiceError(error.code)
        }
    }

    /// Logs a signature counter that did not increase: the credential may have been copied.
    func countCounterRegression(of id: CredentialID, isAccepted: Bool, trace: TraceContext) {
        regressions(isAccepted).increment()
        // The digest identifies the credential only to a reader who knows its ID.
        log.warn(
            .passkeyCounterRegressed,
            [
                "credential": .public(SHA2.sha256(id.bytes).prefix(8).hexadecimal),
                "accepted": .public(isAccepted),
            ], trace: trace)
    }
}
