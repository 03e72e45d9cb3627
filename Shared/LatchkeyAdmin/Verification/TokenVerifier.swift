import Foundation
import LatchkeyAuth

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Verifies tokens of one kind, with the keys of a server or with fixed ones.
final class TokenVerifier: Sendable {
    /// The longest wait for a response with keys, in seconds.
    private static let timeoutSeconds: TimeInterval = 5

    enum KeySource: Sendable {
        case fixed(PublishedKeys)
        case server(URL, HTTPTransport)
    }

    private let rules: TokenRules
    private let source: KeySource
    private let clock: AuthClock
    private let cache = Locked(KeyCache())
    private let fetch = SharedCall<Void>()

    convenience init(_ kind: TokenRules.Kind, _ projectID: String, serverURL: URL, clockToleranceSeconds: Int) {
        self.init(
            TokenRules(kind: kind, projectID: projectID, clockToleranceSeconds: clockToleranceSeconds),
            keys: .server(serverURL, .urlSession()), clock: .system)
    }

    /// - Throws: `keysUnavailable` if the set has no usable key or is too large.
    convenience init(_ kind: TokenRules.Kind, _ projectID: String, jwkSet: Data, clockToleranceSeconds: Int)
        throws(IDTokenVerificationError)
    {
        guard let keys = PublishedKeys(jwkSet: jwkSet) else { throw .keysUnavailable }
        self.init(
            TokenRules(kind: kind, projectID: projectID, clockToleranceSeconds: clockToleranceSeconds),
            keys: .fixed(keys), clock: .system)
    }

    init(_ rules: TokenRules, keys source: KeySource, clock: AuthClock) {
        precondition((0...300).contains(rules.clockToleranceSeconds), "The tolerance is 0 to 300 seconds.")
        self.rules = rules
        self.source = source
        self.clock = clock
    }

    /// - Throws: `IDTokenVerificationError`; `CancellationError`.
    func verify(_ token: String, tenant: ExpectedTenant) async throws -> VerifiedIDToken {
        let token = try CompactToken(token)
        let key = try await key(token.keyID)
        return try rules.verify(token, with: key, tenant: tenant, at: clock.now())
    }

    private func key(_ keyID: String) async throws -> RSAPublicKey {
        switch source {
        case .fixed(let keys):
            guard let key = keys.key(keyID) else { throw IDTokenVerificationError.unknownKey }
            return key
        case .server(let url, let transport):
            let isFetching = fetch.isRunning
            let decision = cache.withLock { $0.decision(for: keyID, at: clock.now(), isFetching: isFetching) }
            switch decision {
            case .use(let key): return key
            case .useAndFetch(let key):
                _ = fetch.task { await self.fetchKeys(from: url, transport) }
                return key
            case .fetch:
                try await fetch.task { await self.fetchKeys(from: url, transport) }.value
                try Task.checkCancellation()
                return try cache.withLock { cache throws(IDTokenVerificationError) in
                    try cache.key(keyID, at: clock.now())
                }
            case .refuse(let error): throw error
            }
        }
    }

    private func fetchKeys(from server: URL, _ transport: HTTPTransport) async {
        guard cache.withLock({ $0.startFetch(at: clock.now()) }) else { return }
        var request = URLRequest(url: server.appendingPathComponent(rules.keyPath))
        request.timeoutInterval = Self.timeoutSeconds
        // `try?`: without a response the former keys stay, for a bounded time.
        let result = try? await RetryingTransport(transport: transport, clock: clock).send(request, repetition: .always)
        guard let (body, response) = result, response.statusCode == 200, let keys = PublishedKeys(jwkSet: body) else {
            return cache.withLock { $0.fetchFailed() }
        }
        let cacheControl = response.value(forHTTPHeaderField: "Cache-Control")
        cache.withLock { $0.fetched(keys, cacheControl: cacheControl, at: clock.now()) }
    }
}
