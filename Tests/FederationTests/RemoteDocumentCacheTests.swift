import Contracts
import Crypto
import FoundationEssentials
import JOSE
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import FederationService

@Suite struct RemoteDocumentCacheTests {
    /// A fetcher that counts, waits and fails on command.
    private final class Fetcher: Sendable {
        struct State {
            var count = 0
            var fails = false
            var isHeld = false
            var held: [CheckedContinuation<Void, Never>] = []
            var maximumAge: Duration?
        }
        let state = Mutex(State())
        let clock = ManualClock()

        var count: Int { state.withLock { $0.count } }

        func fetch() async throws -> RemoteDocumentCache<Int>.Fetched {
            await withCheckedContinuation { continuation in
                let isHeld = state.withLock { state in
                    state.count += 1
                    if state.isHeld { state.held.append(continuation) }
                    return state.isHeld
                }
                if !isHeld { continuation.resume() }
            }
            return try state.withLock { state in
                if state.fails { throw ServiceError.providerUnreachable }
                return .init(document: state.count, maximumAge: state.maximumAge)
            }
        }

        func release() {
            let held = state.withLock { state in
                defer { (state.isHeld, state.held) = (false, []) }
                return state.held
            }
            for continuation in held { continuation.resume() }
        }

        var cache: RemoteDocumentCache<Int> {
            RemoteDocumentCache(instant: { [clock] in clock.instant }, fetch: { [self] _ in try await fetch() })
        }
    }

    @Test func waitingRequestsShareAFetch() async throws {
        let fetcher = Fetcher()
        fetcher.state.withLock { $0.isHeld = true }
        let cache = fetcher.cache
        let documents = try await withThrowingTaskGroup { group in
            for _ in 0..<100 { group.addTask { try await cache.document(at: "a").document } }
            try await eventually("the fetch runs") { fetcher.count == 1 }
            fetcher.release()
            return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(documents == [1])
        #expect(fetcher.count == 1)
    }

    @Test(
        arguments: [
            (nil, 3600), (Duration.seconds(10), 300), (.seconds(7200), 7200), (.seconds(10_000_000), 86_400),
            (.zero, 300),
        ] as [(Duration?, Int64)])
    func maximumAgeIsBounded(age: Duration?, expectedSeconds: Int64) async throws {
        let fetcher = Fetcher()
        fetcher.state.withLock { $0.maximumAge = age }
        let cache = fetcher.cache
        _ = try await cache.document(at: "a")
        fetcher.clock.advance(by: .seconds(expectedSeconds - 1))
        _ = try await cache.document(at: "a")
        #expect(fetcher.count == 1)
        fetcher.clock.advance(by: .seconds(1))
        _ = try await cache.document(at: "a")
        #expect(fetcher.count == 2)
    }

    @Test func oldDocumentIsUsedForADayWhileItCannotBeFetched() async throws {
        let fetcher = Fetcher()
        let cache = fetcher.cache
        #expect(try await cache.document(at: "a").document == 1)
        fetcher.state.withLock { $0.fails = true }
        for _ in 0..<23 {
            fetcher.clock.advance(by: .seconds(3600))
            #expect(try await cache.document(at: "a").document == 1)
            #expect(try await cache.document(at: "a").document == 1)
        }
        // One attempt an hour: the second request follows within a minute.
        #expect(fetcher.count == 24)
        fetcher.clock.advance(by: .seconds(3600))
        await #expect(throws: ServiceError.self) { try await cache.document(at: "a") }
        fetcher.state.withLock { $0.fails = false }
        #expect(try await cache.document(at: "a").document == 26)
    }

    /// Security rule FE7: random key IDs cause at most one fetch a minute.
    @Test func unknownKeysCauseOneFetchAMinute() async throws {
        let fetcher = Fetcher()
        let cache = fetcher.cache
        var version = try await cache.document(at: "a")
        for number in 1...10_000 {
            fetcher.clock.advance(by: .milliseconds(18))
            if let newer = await cache.newerDocument(at: "a", than: version) { version = newer }
            if number == 1 { #expect(fetcher.count == 2) }
        }
        // 180 seconds: at the start, and after 60 and 120 seconds.
        #expect(fetcher.count == 4)
    }

    /// The provider rotates its keys, and the first answer after it is none.
    @Test func failedRefreshIsRepeatedAfterFiveSeconds() async throws {
        let fetcher = Fetcher()
        let cache = fetcher.cache
        let first = try await cache.document(at: "a")
        fetcher.state.withLock { $0.fails = true }
        #expect(await cache.newerDocument(at: "a", than: first) == nil)
        fetcher.state.withLock { $0.fails = false }
        fetcher.clock.advance(by: .milliseconds(4999))
        #expect(await cache.newerDocument(at: "a", than: first) == nil)
        #expect(fetcher.count == 2)
        fetcher.clock.advance(by: .milliseconds(1))
        #expect(await cache.newerDocument(at: "a", than: first)?.document == 3)
        // While it fails, unknown keys cause one fetch in five seconds.
        fetcher.state.withLock { $0.fails = true }
        fetcher.clock.advance(by: .seconds(60))
        let third = try await cache.document(at: "a")
        for _ in 0..<100 {
            fetcher.clock.advance(by: .milliseconds(100))
            _ = await cache.newerDocument(at: "a", than: third)
        }
        #expect(fetcher.count == 3 + 2)
    }

    /// "CachedDocument.Version.freshUntil", "CachedDocument.nextRefreshAt"
    @Test(arguments: [-365 * 86_400, -600, 600, 365 * 86_400] as [Int64])
    func timeOfDayDoesNotDecideAboutFetches(seconds: Int64) async throws {
        let fetcher = Fetcher()
        let cache = fetcher.cache
        let first = try await cache.document(at: "a")
        #expect(await cache.newerDocument(at: "a", than: first)?.document == 2)
        fetcher.clock.setWall(fetcher.clock.now + .seconds(seconds))
        let second = try await cache.document(at: "a")
        #expect(second.document == 2)
        #expect(await cache.newerDocument(at: "a", than: second) == nil)
        fetcher.clock.advance(by: .seconds(60))
        #expect(await cache.newerDocument(at: "a", than: second)?.document == 3)
        fetcher.clock.advance(by: .seconds(3600))
        #expect(try await cache.document(at: "a").document == 4)
    }

    @Test func otherRequestsGetTheNewerDocumentWithoutAFetch() async throws {
        let fetcher = Fetcher()
        let cache = fetcher.cache
        let first = try await cache.document(at: "a")
        fetcher.clock.advance(by: .seconds(1))
        #expect(await cache.newerDocument(at: "a", than: first)?.document == 2)
        #expect(await cache.newerDocument(at: "a", than: first)?.document == 2)
        #expect(fetcher.count == 2)
    }

    @Test func failedFetchIsRepeatedByTheNextRequest() async throws {
        let fetcher = Fetcher()
        fetcher.state.withLock { $0.fails = true }
        let cache = fetcher.cache
        await #expect(throws: ServiceError.self) { try await cache.document(at: "a") }
        fetcher.state.withLock { $0.fails = false }
        #expect(try await cache.document(at: "a").document == 2)
    }

    @Test(
        arguments: [
            ("max-age=600", 600), ("public, Max-Age=\"60\", must-revalidate", 60), ("no-store", 0),
            ("no-cache, max-age=9", 0),
        ] as [(String, Int64)])
    func cacheControlIsRead(header: String, seconds: Int64) {
        #expect(CacheControl.maximumAge(header) == .seconds(seconds))
    }

    @Test(arguments: [nil, "", "max-age=", "max-age=-1", "max-age=99999999999", "s-maxage=5"])
    func cacheControlWithoutAgeIsIgnored(header: String?) {
        #expect(CacheControl.maximumAge(header) == nil)
    }

    @Test(arguments: [
        (#"{"issuer":"https://a.example","jwks_uri":"https://a.example/k"}"#, true),
        (#"{"issuer":"https://b.example","jwks_uri":"https://a.example/k"}"#, false),
        (#"{"issuer":"https://a.example/","jwks_uri":"https://a.example/k"}"#, true),
        (#"{"issuer":"https://a.example","jwks_uri":"http://a.example/k"}"#, false),
        (#"{"issuer":"https://a.example","jwks_uri":"file:///etc/passwd"}"#, false),
        (#"{"issuer":"https://a.example","jwks_uri":"https://u:p@a.example/k"}"#, false),
        (
            #"{"issuer":"https://a.example","jwks_uri":"https://a.example/k","token_endpoint":"http://a.example"}"#,
            false
        ),
        (#"{"issuer":"https://a.example"}"#, false), ("[]", false), ("", false),
    ])
    func discoveryDocumentBelongsToItsIssuer(json: String, isValid: Bool) {
        let document = try? DiscoveryDocument(
            json: Data(json.utf8), from: "https://a.example/.well-known/openid-configuration", isDev: false)
        #expect((document != nil) == isValid)
    }

    @Test func discoveryDocumentFixesAlgorithms() throws {
        func algorithms(_ member: String) throws -> Set<SignatureAlgorithm> {
            try DiscoveryDocument(
                json: Data(#"{"issuer":"https://a.example","jwks_uri":"https://a.example/k"\#(member)}"#.utf8),
                from: "https://a.example/.well-known/openid-configuration", isDev: false
            ).algorithms
        }
        #expect(try algorithms("") == [.rs256])
        #expect(try algorithms(#","id_token_signing_alg_values_supported":["ES256","none","HS256"]"#) == [.es256])
        #expect(try algorithms(#","id_token_signing_alg_values_supported":["none"]"#) == [])
    }
}
