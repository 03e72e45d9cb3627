import Contracts
import HTTPClient
import ServiceRuntime
import Vocabulary

/// Counts sign-ins and requests to providers. The log has the reasons.
package struct FederationMetrics: Sendable {
    enum RequestResult: Equatable, Sendable {
        case answered
        /// The circuit breaker of the host is open, or the host has too many running requests.
        case skipped
        case refused(status: Int)
        case failed(HTTPClientError)

        fileprivate var name: String {
            switch self {
            case .answered: "answered"
            case .skipped: "skipped"
            case .refused: "refused"
            case .failed: "failed"
            }
        }
    }

    let metrics: Metrics
    let log: Log

    /// Runs the verification of a response and counts its result.
    /// - Parameter providerID: as the client sent it; only known names become labels.
    func count<Verified>(
        _ providerID: String?, trace: TraceContext, _ verify: () async throws -> Verified
    ) async throws -> Verified {
        let provider = Self.label(of: providerID)
        func counter(_ result: String) -> Metrics.Counter {
            metrics.counter("latchkey_federation_verifications_total", ["provider": provider, "result": result])
        }
        do {
            let verified = try await verify()
            counter("accepted").increment()
            return verified
        } catch let error as ServiceError {
            counter(error.code.rawValue).increment()
            log.info(
                .providerResponseRejected,
                ["provider": .public(provider), "reason": .public(error.message ?? error.code.rawValue)], trace: trace)
            throw error
        }
    }

    /// - Parameter reason: without values of the certificate.
    func recordUntrustedCertificate(from host: String, reason: String) {
        log.errorOnceAMinute(
            .providerCertificateRejected, about: host, ["host": .public(host), "reason": .public(reason)])
    }

    /// - Parameter reason: without content of the document.
    func recordUnresolvedIssuer(of providerID: String, _ issuer: String, reason: String, trace: TraceContext) {
        log.warn(
            .providerIssuerUnresolved,
            ["provider": .public(providerID), "issuer": .public(issuer), "reason": .public(reason)], trace: trace)
    }

    private static func label(of providerID: String?) -> String {
        guard let providerID else { return "none" }
        if providerID.hasPrefix("oidc.") { return "oidc" }
        if providerID.hasPrefix("saml.") { return "saml" }
        return Federation.SupportedProvider(rawValue: providerID)?.rawValue ?? "other"
    }

    /// - Parameter duration: nil for a request that was not sent.
    func countRequest(to host: String, _ result: RequestResult, took duration: Duration? = nil) {
        if let duration {
            metrics.histogram(
                "latchkey_federation_provider_request_duration_seconds", bounds: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
            ).observe(duration / .seconds(1))
        }
        metrics.counter("latchkey_federation_provider_requests_total", ["result": result.name]).increment()
        switch result {
        case .answered: break
        case .skipped:
            log.errorOnceAMinute(.providerRequestSkipped, about: host, ["host": .public(host)])
        case .refused(let status):
            log.errorOnceAMinute(
                .providerRequestRefused, about: "\(host) \(status)",
                ["host": .public(host), "status": .public(status)])
        case .failed(let error):
            log.errorOnceAMinute(
                .providerRequestFailed, about: host, ["host": .public(host), "error": .public("\(error)")])
        }
    }
}
