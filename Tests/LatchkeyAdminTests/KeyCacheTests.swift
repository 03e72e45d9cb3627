import Foundation
import TestSupport
import Testing

@testable import LatchkeyAdmin
@testable import LatchkeyAuth

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A server that publishes keys, and a clock. Tests change both.
private final class KeyServer: Sendable {
    struct State {
        var now = TokenSigner.now
        var keys: Data
        var cacheControl: String? = "public, max-age=3600, must-revalidate"
        var error: URLError.Code?
        var requests: [URL] = []
        /// While true, requests wait.
        var isHeld = false
    }

    let state: Locked<State>

    init(_ signers: TokenSigner...) throws { state = Locked(State(keys: try TokenSigner.jwkSet(signers))) }

    var requestCount: Int { state.withLock { $0.requests.count } }

    func advance(_ seconds: TimeInterval) { state.withLock { $0.now += seconds } }

    func verifier() throws -> IDTokenVerifier {
        let transport = HTTPTransport { request in
            let url = try #require(request.url)
            self.state.withLock { $0.requests.append(url) }
            while self.state.withLock({ $0.isHeld }) { await Task.yield() }
            let (keys, cacheControl, error) = self.state.withLock { ($0.keys, $0.cacheControl, $0.error) }
            if let error { throw URLError(error) }
            let headers = cacheControl.map { ["Cache-Control": $0] }
            let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: headers)
            return (keys, try #require(response))
        }
        let url = try #require(URL(string: "https://auth.example.org"))
        return IDTokenVerifier(
            projectID: "shop", keys: .server(url, transport), clockToleranceSeconds: 60,
            clock: AuthClock(now: { self.state.withLock { $0.now } }, sleep: { _ in }))
    }
}

struct KeyCacheTests {
    private let signer: TokenSigner
    private let server: KeyServer
    private let verifier: IDTokenVerifier

    init() throws {
        signer = try TokenSigner()
        server = try KeyServer(signer)
        verifier = try server.verifier()
    }

    /// A token that is valid for the whole test.
    private func token(of signer: TokenSigner) throws -> String {
        try signer.token(changing: ["exp": Int(TokenSigner.now.timeIntervalSince1970) + 10_000_000])
    }

    private func waitForRequests(_ count: Int) async {
        while server.requestCount < count { await Task.yield() }
    }

    @Test func keysAreFetchedOnce() async throws {
        let token = try token(of: signer)
        for _ in 0..<3 { _ = try await verifier.verify(token) }
        #expect(server.requestCount == 1)
        #expect(
            server.state.withLock { $0.requests.first?.path }
                == "/www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com")
    }

    @Test func concurrentCallersShareOneFetch() async throws {
        let token = try token(of: signer)
        server.state.withLock { $0.isHeld = true }
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 { group.addTask { try await verifier.verify(token).uid } }
            await waitForRequests(1)
            server.state.withLock { $0.isHeld = false }
            for try await uid in group { #expect(uid == "ada") }
        }
        #expect(server.requestCount == 1)
    }

    @Test func unknownKeysCauseOneFetchPerInterval() async throws {
        _ = try await verifier.verify(try token(of: signer))
        let unknown = try signer.token(header: #"{"alg":"RS256","kid":"unknown"}"#)
        for second in 1...25 {
            server.advance(1)
            await #expect(throws: IDTokenVerificationError.unknownKey, "second \(second)") {
                try await verifier.verify(unknown)
            }
        }
        #expect(server.requestCount == 3)
    }

    @Test func newKeyIsFetchedWhenATokenNamesIt() async throws {
        _ = try await verifier.verify(try token(of: signer))
        let next = try TokenSigner("k2")
        let keys = try TokenSigner.jwkSet([signer, next])
        server.state.withLock { $0.keys = keys }
        server.advance(KeyCache.minimumFetchInterval)
        #expect(try await verifier.verify(try token(of: next)).uid == "ada")
        #expect(server.requestCount == 2)
    }

    @Test func retiredKeyIsRejectedAfterItsLifetime() async throws {
        let token = try token(of: signer)
        _ = try await verifier.verify(token)
        let keys = try TokenSigner.jwkSet([TokenSigner("k2")])
        server.state.withLock { $0.keys = keys }
        server.advance(3600)
        await #expect(throws: IDTokenVerificationError.unknownKey) { try await verifier.verify(token) }
    }

    @Test func keysAreReplacedBeforeTheyExpire() async throws {
        let token = try token(of: signer)
        _ = try await verifier.verify(token)
        server.advance(2699)
        _ = try await verifier.verify(token)
        #expect(server.requestCount == 1)
        server.advance(1)
        server.state.withLock { $0.isHeld = true }
        // It does not wait for the fetch.
        _ = try await verifier.verify(token)
        await waitForRequests(2)
        server.state.withLock { $0.isHeld = false }
    }

    @Test func oldKeysServeOfflineForADay() async throws {
        let token = try token(of: signer)
        _ = try await verifier.verify(token)
        server.state.withLock { $0.error = .cannotConnectToHost }
        for _ in 0..<3 {
            server.advance(3600)
            #expect(try await verifier.verify(token).uid == "ada")
        }
        server.advance(KeyCache.maximumOfflineSeconds - 3 * 3600 + 3600 - 1)
        #expect(try await verifier.verify(token).uid == "ada")
        server.advance(1)
        await #expect(throws: IDTokenVerificationError.keysUnavailable) { try await verifier.verify(token) }
        server.state.withLock { $0.error = nil }
        server.advance(KeyCache.minimumFetchInterval)
        #expect(try await verifier.verify(token).uid == "ada")
    }

    @Test func unreachableServerRefusesWithoutWaitingAgain() async throws {
        let token = try token(of: signer)
        server.state.withLock { $0.error = .timedOut }
        await #expect(throws: IDTokenVerificationError.keysUnavailable) { try await verifier.verify(token) }
        let attempts = server.requestCount
        #expect(attempts == RetrySchedule.maximumAttempts)
        await #expect(throws: IDTokenVerificationError.keysUnavailable) { try await verifier.verify(token) }
        #expect(server.requestCount == attempts)
    }

    @Test(arguments: [nil, "no-store", "max-age=x", "max-age=", "private", "max-age=99999999999999999999"])
    func lifetimeWithoutMaximumAgeIsOneHour(cacheControl: String?) async throws {
        server.state.withLock { $0.cacheControl = cacheControl }
        try await expectLifetime(3600)
    }

    @Test(arguments: [
        ("max-age=0", 60), ("max-age=-5", 60), ("max-age=7200", 7200), ("public, Max-Age=7200", 7200),
        ("max-age=31536000", 86_400),
    ])
    func lifetimeIsBounded(cacheControl: String, seconds: TimeInterval) async throws {
        server.state.withLock { $0.cacheControl = cacheControl }
        try await expectLifetime(seconds)
    }

    /// A key that the server withdraws is accepted for so long.
    private func expectLifetime(_ seconds: TimeInterval) async throws {
        let token = try token(of: signer)
        _ = try await verifier.verify(token)
        server.advance(0.75 * seconds - 1)
        _ = try await verifier.verify(token)
        #expect(server.requestCount == 1)
        let keys = try TokenSigner.jwkSet([TokenSigner("k2")])
        server.state.withLock { $0.keys = keys }
        server.advance(0.25 * seconds + 1)
        await #expect(throws: IDTokenVerificationError.unknownKey) { try await verifier.verify(token) }
    }

    @Test func clockThatIsSetBackCausesAFetch() async throws {
        let token = try token(of: signer)
        _ = try await verifier.verify(token)
        server.advance(-30)
        _ = try await verifier.verify(token)
        #expect(server.requestCount == 2)
    }

    // MARK: - The set

    @Test func unusableKeysAreLeftOut() throws {
        let good = try TokenSigner.jwkSet([signer])
        #expect(PublishedKeys(jwkSet: good)?.key("k1") != nil)
        let object = try #require(try JSONSerialization.jsonObject(with: good) as? [String: Any])
        let key = try #require((object["keys"] as? [[String: Any]])?.first)
        func keys(_ changes: [String: Any]...) throws -> PublishedKeys? {
            let entries = changes.map { key.merging($0) { $1 } }
            return PublishedKeys(jwkSet: try JSONSerialization.data(withJSONObject: ["keys": entries]))
        }
        let unusable: [[String: Any]] = [
            ["alg": "RS512"], ["use": "enc"], ["kty": "EC"], ["kid": NSNull()], ["n": NSNull()], ["n": "AQAB"],
            ["e": "Aw"],
            ["n": "***"], ["kid": 7],
        ]
        for changes in unusable {
            #expect(try keys(changes) == nil, "\(changes)")
            #expect(try keys(changes, ["kid": "k2"])?.key("k2") != nil, "\(changes)")
        }
        #expect(try keys(["use": NSNull(), "alg": NSNull()])?.key("k1") != nil)
        // One name for two keys.
        #expect(try keys([:], [:]) == nil)
    }

    @Test func setIsBounded() throws {
        let good = try TokenSigner.jwkSet([signer])
        let key = try #require(
            (try JSONSerialization.jsonObject(with: good) as? [String: Any])?["keys"] as? [[String: Any]])
        let set = { (count: Int) in
            try JSONSerialization.data(
                withJSONObject: ["keys": key + (1..<count).map { ["kty": "RSA", "kid": "\($0)"] }])
        }
        #expect(PublishedKeys(jwkSet: try set(PublishedKeys.maximumKeys)) != nil)
        #expect(PublishedKeys(jwkSet: try set(PublishedKeys.maximumKeys + 1)) == nil)
        let padding = { (count: Int) in good + Data(repeating: UInt8(ascii: " "), count: count - good.count) }
        #expect(PublishedKeys(jwkSet: padding(PublishedKeys.maximumBytes)) != nil)
        #expect(PublishedKeys(jwkSet: padding(PublishedKeys.maximumBytes + 1)) == nil)
        for malformed in ["", "[]", "{}", #"{"keys":[]}"#, #"{"keys":{}}"#, #"{"keys":[7,null]}"#] {
            #expect(PublishedKeys(jwkSet: Data(malformed.utf8)) == nil)
            #expect(throws: IDTokenVerificationError.keysUnavailable) {
                try IDTokenVerifier(projectID: "shop", jwkSet: Data(malformed.utf8))
            }
        }
    }
}
