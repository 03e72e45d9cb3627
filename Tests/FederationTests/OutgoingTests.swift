import Contracts
import FoundationEssentials
import HTTPClient
import ServiceRuntime
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import FederationService

@Suite struct OutgoingTests {
    private func client(
        _ policy: OutgoingPolicy, _ clock: ManualClock = ManualClock(), _ metrics: Metrics = Metrics()
    ) -> ProviderClient {
        var policy = policy
        (policy.documentTime, policy.apiTime) = (.seconds(60), .seconds(60))
        return ProviderClient(
            policy, instant: { clock.instant },
            metrics: FederationMetrics(metrics: metrics, log: Log(instance: "federation.1", write: { _ in })))
    }

    @Test func plainHTTPIsRefusedOutsideDevMode() async throws {
        try await FakeProviders.running { providers in
            let request = HTTPClientRequest(.get, "\(providers.base)/jwks")
            await #expect(throws: ServiceError.self) {
                try await client(.init(isDev: false)).send(request, .document)
            }
            #expect(providers.count(of: "/jwks") == 0)
            let response = try await client(.init(isDev: true)).send(request, .document)
            #expect(response.status == 200)
        }
    }

    @Test(arguments: ["https://127.0.0.1:1/", "https://localhost:1/", "https://[::1]:1/", "https://169.254.169.254/"])
    func privateAddressIsRefused(url: String) async throws {
        let metrics = Metrics()
        await #expect(throws: ServiceError.providerUnreachable) {
            try await client(.init(isDev: false), ManualClock(), metrics).send(HTTPClientRequest(.get, url), .document)
        }
    }

    @Test func redirectAndServerErrorAreUnavailable() async throws {
        try await FakeProviders.running { providers in
            let client = client(.init(isDev: true))
            for status in [301, 302, 307, 429, 500, 503] {
                providers.reply("/jwks", status)
                await #expect(throws: ServiceError.providerUnreachable) {
                    try await client.send(HTTPClientRequest(.get, "\(providers.base)/jwks"), .document)
                }
            }
        }
    }

    @Test func documentIsLimited() async throws {
        try await FakeProviders.running { providers in
            providers.reply("/jwks", 200, String(repeating: " ", count: 65 << 10))
            let request = HTTPClientRequest(.get, "\(providers.base)/jwks")
            let client = client(.init(isDev: true))
            await #expect(throws: ServiceError.self) { try await client.send(request, .document) }
            let response = try await client.send(request, .api)
            #expect(response.status == 200)
        }
    }

    @Test func failingHostIsSkippedAndOthersAreNot() async throws {
        try await FakeProviders.running { providers in
            let clock = ManualClock()
            let client = client(.init(isDev: true), clock)
            providers.reply("/jwks", 503)
            let other = providers.base.split(separator: ":").last.map { "http://localhost:\($0)/jwks" } ?? ""
            for _ in 0..<10 {
                _ = try? await client.send(HTTPClientRequest(.get, "\(providers.base)/jwks"), .document)
            }
            #expect(providers.count(of: "/jwks") == HostCircuit.failureThreshold)
            _ = try? await client.send(HTTPClientRequest(.get, other), .document)
            #expect(providers.count(of: "/jwks") == HostCircuit.failureThreshold + 1)
            clock.advance(by: HostCircuit.openDuration)
            providers.reply("/jwks", 200)
            let response = try await client.send(HTTPClientRequest(.get, "\(providers.base)/jwks"), .document)
            #expect(response.status == 200)
        }
    }

    /// "HostCircuit.nextProbeAt": the time of day does not decide when a host is probed.
    @Test(arguments: [-365 * 86_400, -600, 600, 365 * 86_400] as [Int64])
    func hostIsProbedInTime(seconds: Int64) async throws {
        try await FakeProviders.running { providers in
            let clock = ManualClock()
            let client = client(.init(isDev: true), clock)
            let request = HTTPClientRequest(.get, "\(providers.base)/jwks")
            providers.reply("/jwks", 503)
            for _ in 0..<10 { _ = try? await client.send(request, .document) }
            providers.reply("/jwks", 200)
            clock.setWall(clock.now + .seconds(seconds))
            await #expect(throws: ServiceError.providerUnreachable) { try await client.send(request, .document) }
            clock.advance(by: HostCircuit.openDuration)
            let response = try await client.send(request, .document)
            #expect(response.status == 200)
        }
    }

    // MARK: Domains

    private static let start = ContinuousClock.now

    @Test(arguments: [
        ("https://a.example.com/x", "example.com"), ("https://b.c.example.com:8443/", "example.com"),
        ("https://accounts.example.co.uk/", "example.co.uk"), ("https://a.github.io/", "a.github.io"),
        ("https://com/", "com"), ("https://intranet/", "intranet"), ("http://127.0.0.1:8080/", "127.0.0.1:8080"),
        ("http://localhost:1/", "localhost:1"), ("https://192.0.2.1:8443/", "192.0.2.1:8443"),
        ("https://[2001:db8::1]:8443/", "[2001:db8::1]:8443"),
    ])
    func hostsOfADomainShareABreaker(url: String, domain: String) throws {
        #expect(HostCircuits.domain(of: try #require(WebURL(url))) == domain)
    }

    private func acquire(_ url: String, _ circuits: inout HostCircuits) throws -> Bool {
        circuits.acquirePermission(for: try #require(WebURL(url)), at: Self.start)
    }

    private func record(_ outcome: HostCircuit.Outcome, _ url: String, _ circuits: inout HostCircuits) throws {
        circuits.record(outcome, of: try #require(WebURL(url)), at: Self.start)
    }

    @Test func failuresOfManyHostsOpenTheBreakerOfTheirDomain() throws {
        var circuits = HostCircuits()
        for number in 0..<HostCircuit.failureThreshold {
            let isGranted = try acquire("https://h\(number).example.com/", &circuits)
            #expect(isGranted)
            try record(.failure, "https://h\(number).example.com/", &circuits)
        }
        let (ofDomain, ofOther) = (
            try acquire("https://new.example.com/", &circuits), try acquire("https://example.org/", &circuits)
        )
        #expect(!ofDomain && ofOther)
    }

    @Test func idleBreakersAreForgotten() throws {
        var circuits = HostCircuits()
        for number in 0..<3 * HostCircuits.maximumDomains {
            let isGranted = try acquire("https://d\(number).example/", &circuits)
            #expect(isGranted)
            try record(number.isMultiple(of: 2) ? .success : .notSent, "https://d\(number).example/", &circuits)
        }
        #expect(circuits.count == 0)
        // Those with failures are bounded: the oldest one is forgotten.
        for number in 0..<3 * HostCircuits.maximumDomains {
            let isGranted = try acquire("https://d\(number).example/", &circuits)
            #expect(isGranted)
            try record(.failure, "https://d\(number).example/", &circuits)
        }
        #expect(circuits.count == HostCircuits.maximumDomains)
    }

    @Test func runningCallsAreNeverForgotten() throws {
        var circuits = HostCircuits()
        for number in 0..<HostCircuits.maximumDomains {
            let isGranted = try acquire("https://d\(number).example/", &circuits)
            #expect(isGranted)
        }
        let beforeTheEnd = try acquire("https://other.example/", &circuits)
        try record(.success, "https://d7.example/", &circuits)
        let afterTheEnd = try acquire("https://other.example/", &circuits)
        #expect(!beforeTheEnd && afterTheEnd)
    }

    private func expectPermission(_ circuit: inout HostCircuit, at now: ContinuousClock.Instant, _ expected: Bool) {
        let isGranted = circuit.acquirePermission(at: now)
        #expect(isGranted == expected)
    }

    @Test func circuitOpensAndProbes() {
        var circuit = HostCircuit()
        let start = ContinuousClock.now
        for _ in 0..<HostCircuit.failureThreshold {
            expectPermission(&circuit, at: start, true)
            circuit.record(.failure, at: start)
        }
        expectPermission(&circuit, at: start, false)
        let later = start + HostCircuit.openDuration
        expectPermission(&circuit, at: later, true)
        expectPermission(&circuit, at: later, false)
        circuit.record(.failure, at: later)
        expectPermission(&circuit, at: later, false)
        expectPermission(&circuit, at: later + HostCircuit.openDuration, true)
        circuit.record(.success, at: later + HostCircuit.openDuration)
        #expect(circuit.isIdle)
        expectPermission(&circuit, at: later, true)
    }

    @Test func circuitLimitsRunningCalls() {
        var circuit = HostCircuit()
        let now = ContinuousClock.now
        for _ in 0..<HostCircuit.maximumRunning { expectPermission(&circuit, at: now, true) }
        expectPermission(&circuit, at: now, false)
        circuit.record(.notSent, at: now)
        expectPermission(&circuit, at: now, true)
    }

    @Test func devEndpointReplacesHost() throws {
        let endpoints = try #require(
            DevEndpoints(#"{"Graph.facebook.com":"http://127.0.0.1:9197/graph/","a.example":"http://b.example"}"#))
        func destination(_ url: String) throws -> String { endpoints.destination(of: try #require(WebURL(url))) }
        #expect(try destination("https://graph.facebook.com/v1/me?a=b") == "http://127.0.0.1:9197/graph/v1/me?a=b")
        #expect(try destination("https://a.example:8443/x") == "http://b.example/x")
        #expect(try destination("http://a.example/x") == "http://a.example/x")
        #expect(try destination("https://c.example/x") == "https://c.example/x")
    }

    @Test(arguments: ["", "[]", "{", #"{"a":1}"#, #"{"a":"ftp://b"}"#, #"{"a b":"http://c"}"#, #"{"a":"http://c?d"}"#])
    func malformedDevEndpointsAreRefused(text: String) {
        #expect(DevEndpoints(text) == nil)
    }
}
