import Contracts
import FoundationEssentials
import HTTPClient
import Synchronization
import Vocabulary

/// Sends requests to identity providers.
///
/// Outside dev mode it uses HTTPS, and connects to public addresses or to hosts that the operator allows. It follows no
/// redirects. A host that fails or hangs is skipped for some time.
package struct ProviderClient: Sendable {
    /// What is requested.
    enum Purpose: Sendable {
        /// A published document: at most 64 KiB in `OutgoingPolicy.documentTime`.
        case document
        /// A reply of an API: at most 256 KiB in `OutgoingPolicy.apiTime`.
        case api
    }

    private struct Clients: Sendable {
        let documents: HTTPClient
        let api: HTTPClient

        init(_ policy: OutgoingPolicy, _ addresses: AddressPolicy) {
            var limits = HTTPClient.Limits()
            limits.headerBytes = 32 << 10
            // Caches share the fetches of documents.
            limits.threads = 8
            (limits.totalTime, limits.bodyBytes) = (policy.documentTime, 64 << 10)
            limits.connectTime = limits.totalTime
            documents = HTTPClient(limits, addresses: addresses)
            // More than one domain may use (`HostCircuit.maximumRunning`).
            limits.threads = 32
            (limits.totalTime, limits.bodyBytes) = (policy.apiTime, 256 << 10)
            limits.connectTime = limits.totalTime
            api = HTTPClient(limits, addresses: addresses)
        }
    }

    private final class Circuits: Sendable {
        let value = Mutex(HostCircuits())
    }

    private let policy: OutgoingPolicy
    /// The steady clock.
    let instant: @Sendable () -> ContinuousClock.Instant
    private let metrics: FederationMetrics
    private let clients: Clients
    /// For the hosts that may have private addresses; nil without any.
    private let privateClients: Clients?
    private let circuits = Circuits()

    package init(
        _ policy: OutgoingPolicy, instant: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        metrics: FederationMetrics
    ) {
        self.policy = policy
        self.instant = instant
        self.metrics = metrics
        clients = Clients(policy, policy.isDev ? .all : .publicOnly)
        privateClients = policy.isDev || policy.privateHosts.isEmpty ? nil : Clients(policy, .all)
    }

    /// Sends a request and waits for the complete response.
    /// - Returns: a response with any status but 3xx, 429 and 5xx.
    /// - Throws: `providerUnavailable`.
    func send(_ request: HTTPClientRequest, _ purpose: Purpose) async throws(ServiceError) -> HTTPClientResponse {
        guard let url = WebURL(request.url), policy.permits(url) else {
            throw ServiceError(.providerUnavailable, "A URL of the provider is not https.")
        }
        let host = String(url.authority)
        guard acquirePermission(for: url) else {
            metrics.countRequest(to: host, .skipped)
            throw .providerUnreachable
        }
        var request = request
        request.url = policy.endpoints.destination(of: url)
        let clients = policy.privateHosts.contains(url.host) ? privateClients ?? self.clients : self.clients
        let response: HTTPClientResponse
        let began = instant()
        do throws(HTTPClientError) {
            switch purpose {
            case .document: response = try await clients.documents.send(request)
            case .api: response = try await clients.api.send(request)
            }
        } catch {
            let isOwnFault = [.cancelled, .overloaded, .invalidRequest].contains(error)
            record(isOwnFault ? .notSent : .failure, of: url)
            metrics.countRequest(to: host, .failed(error), took: instant() - began)
            throw .providerUnreachable
        }
        let isFailure = response.status >= 500 || response.status == 429
        record(isFailure ? .failure : .success, of: url)
        guard !isFailure, !(300..<400).contains(response.status) else {
            metrics.countRequest(to: host, .refused(status: response.status), took: instant() - began)
            throw .providerUnreachable
        }
        metrics.countRequest(to: host, .answered, took: instant() - began)
        return response
    }

    /// The reply of an API to a request with an access token.
    /// - Throws: `invalidProviderResponse` when the provider refuses the token, `providerUnavailable`.
    func replyForAccessToken(to request: HTTPClientRequest) async throws(ServiceError) -> Data {
        let response = try await send(request, .api)
        guard response.status == 200 else {
            throw ServiceError(.invalidProviderResponse, "The provider refused the access token.")
        }
        return response.body
    }

    private func acquirePermission(for url: WebURL) -> Bool {
        let now = instant()
        return circuits.value.withLock { $0.acquirePermission(for: url, at: now) }
    }

    private func record(_ outcome: HostCircuit.Outcome, of url: WebURL) {
        let now = instant()
        circuits.value.withLock { $0.record(outcome, of: url, at: now) }
    }
}

/// Where requests to identity providers may go.
package struct OutgoingPolicy: Equatable, Sendable {
    /// Allows plain HTTP and private addresses.
    package var isDev: Bool
    /// Hosts in lower case that may have private addresses.
    package var privateHosts: Set<String> = []
    package var endpoints = DevEndpoints.none
    /// The maximum time for a published document.
    package var documentTime = Duration.seconds(3)
    /// The maximum time for a reply of an API.
    package var apiTime = Duration.seconds(5)

    func permits(_ url: WebURL) -> Bool { url.isSecure || isDev }
}

extension ServiceError {
    /// The provider does not answer, or answers with an error of its own.
    static let providerUnreachable = ServiceError(.providerUnavailable, "The provider cannot be reached.")
}

/// An `application/x-www-form-urlencoded` text.
enum FormText {
    static let contentType = (name: "Content-Type", value: "application/x-www-form-urlencoded")

    static func encoded(_ items: [(name: String, value: String)]) -> String {
        items.map { "\(PercentEncoding.encoded($0.name))=\(PercentEncoding.encoded($0.value))" }.joined(separator: "&")
    }
}
