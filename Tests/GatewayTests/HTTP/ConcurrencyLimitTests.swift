import Bus
import Contracts
import FoundationEssentials
import HTTPServer
import JSON
import ServiceRuntime
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

@Suite struct ConcurrencyLimitTests {
    private let start = ContinuousClock().now

    /// A limit with `inProgress` requests in progress, after the service refused one more.
    private func limit(inProgress: Int) -> ConcurrencyLimit {
        var limit = ConcurrencyLimit()
        for _ in 0...inProgress { #expect(limit.begin(at: start) == .admitted) }
        limit.end(isOverloaded: true, at: start)
        return limit
    }

    @Test func withoutOverloadAllAreAdmitted() {
        var limit = ConcurrencyLimit()
        for _ in 0..<10_000 { #expect(limit.begin(at: start) == .admitted) }
        for _ in 0..<10_000 { limit.end(isOverloaded: false, at: start) }
        #expect(limit.inProgress == 0 && limit.maximum(at: start) == nil)
    }

    @Test func overloadLimitsToRequestsInProgress() {
        var limit = limit(inProgress: 3)
        #expect(limit.begin(at: start) == .refused(retryAfterSeconds: 1))
        limit.end(isOverloaded: false, at: start)
        #expect(limit.begin(at: start) == .admitted)
        #expect(limit.begin(at: start) == .refused(retryAfterSeconds: 2))
        #expect(limit.inProgress == 3)
    }

    /// A service with 98 slots, and a thousand requests at once: the last of its refusals sets the limit.
    @Test func limitAfterBurstIsNumberOfAccepted() {
        var limit = ConcurrencyLimit()
        for _ in 0..<1000 { _ = limit.begin(at: start) }
        for _ in 98..<1000 { limit.end(isOverloaded: true, at: start) }
        #expect(limit.maximum(at: start) == 98)
        #expect(limit.begin(at: start) == .refused(retryAfterSeconds: 1))
    }

    @Test(arguments: [
        (3, 0, 3), (3, 999, 3), (3, 1000, 4), (3, 2000, 5), (3, 9999, 12), (3, 10_000, nil), (3, 86_400_000, nil),
        (100, 999, 100), (100, 1000, 125), (100, 9999, 325), (100, 10_000, nil),
    ])
    func limitGrowsEachPeriodAndEnds(inProgress: Int, milliseconds: Int, maximum: Int?) {
        #expect(limit(inProgress: inProgress).maximum(at: start + .milliseconds(milliseconds)) == maximum)
    }

    @Test func laterOverloadReplacesLimit() {
        var limit = limit(inProgress: 3)
        let later = start + .seconds(1)
        #expect(limit.begin(at: later) == .admitted)
        #expect(limit.begin(at: later) == .refused(retryAfterSeconds: 1))
        limit.end(isOverloaded: true, at: later)
        #expect(limit.maximum(at: later) == 3)
        limit.end(isOverloaded: true, at: later)
        #expect(limit.maximum(at: later) == 2)
    }

    /// Otherwise the gateway would never find out that the service serves requests again.
    @Test func oneRequestIsAdmittedWhenOthersFillTheService() {
        var limit = limit(inProgress: 0)
        #expect(limit.begin(at: start) == .admitted)
        #expect(limit.begin(at: start) == .refused(retryAfterSeconds: 1))
    }

    @Test func refusedClientsReturnAtDifferentTimes() {
        var limit = limit(inProgress: 1)
        let waits = (0..<5).map { _ in limit.begin(at: start) }
        #expect(waits == [1, 2, 3, 4, 1].map { .refused(retryAfterSeconds: $0) })
    }

    /// A simulated service with 98 slots that serves 50 requests per second, and a thousand clients that send again as
    /// soon as they may. The service is never idle, and refuses few requests itself.
    @Test func tenTimesTheLoadKeepsServiceBusy() {
        let (slots, servedEvery, seconds) = (98, 20, 60)
        var limit = ConcurrencyLimit()
        var sends = [0: 1000]  // Clients by the millisecond of their next request.
        var (taken, served, sent, refusedByService, refusals) = (0, 0, 0, 0, 0)
        for millisecond in 0..<(1000 * seconds) {
            let now = start + .milliseconds(millisecond)
            // A reading of the millisecond before.
            for _ in 0..<refusals { limit.end(isOverloaded: true, at: now) }
            sends[millisecond + 1000, default: 0] += refusals
            refusals = 0
            if millisecond % servedEvery == 0, taken > 0 {
                limit.end(isOverloaded: false, at: now)
                (taken, served) = (taken - 1, served + 1)
                sends[millisecond, default: 0] += 1
            }
            for _ in 0..<(sends.removeValue(forKey: millisecond) ?? 0) {
                sent += 1
                switch limit.begin(at: now) {
                case .refused(let retryAfterSeconds): sends[millisecond + 1000 * retryAfterSeconds, default: 0] += 1
                case .admitted where taken < slots: taken += 1
                case .admitted: refusals += 1
                }
            }
            refusedByService += refusals
        }
        #expect(served >= 1000 * seconds / servedEvery - 1)
        #expect(sent > 10 * served / 2)
        #expect(refusedByService < sent / 10)
    }
}

/// Sign-ins that the gateway refuses itself.
@Suite struct OverloadSheddingTests {
    /// A mesh whose replies are errors that the test sends.
    private final class HeldMesh: BusRequestSending {
        typealias Held = (operation: String, reply: CheckedContinuation<ServiceError, Never>)
        private let stream = AsyncStream.makeStream(of: Held.self)

        var requests: AsyncStream<Held>.Iterator { stream.stream.makeAsyncIterator() }

        func send<Request: BusRequest>(
            _ request: Request, _ options: CallOptions
        ) async throws(ServiceError) -> Request.Reply {
            throw await withCheckedContinuation { stream.continuation.yield((Request.operation.rawValue, $0)) }
        }
    }

    private let mesh = HeldMesh()
    private let gateway: Gateway

    init() throws {
        let clock = ManualClock()
        gateway = Gateway(
            GatewayDependencies(
                settings: try .testing(["LATCHKEY_DEV": "1"]), bus: mesh, now: { clock.instant },
                wallTime: { clock.now },
                report: { _, _ in }, reportRefusedPage: { _, _ in },
                reportCompleted: { _ in }, metrics: RequestMetrics(Metrics())))
    }

    private func send(_ operation: String, _ body: String) async throws -> TestResponse {
        var fields = HTTPHeaders()
        fields.append("Content-Type", "application/json")
        return TestResponse(
            await gateway.respond(
                to: HTTPRequest(
                    .post, "/identitytoolkit.googleapis.com/v1/accounts:\(operation)", query: "key=fake-api-key",
                    headers: fields, body: Data(body.utf8), from: try #require(IPAddress("127.0.0.1"))),
                on: .public))
    }

    private func signIn() async throws -> TestResponse {
        try await send("signInWithPassword", #"{"email":"ada@example.com","password":"a long password"}"#)
    }

    @Test func overloadRefusesSignInsBeforeTheirBodyIsDecodedAndNothingElse() async throws {
        var requests = mesh.requests
        try await withThrowingTaskGroup { group in
            for _ in 0..<2 { group.addTask { try await signIn() } }
            let accepted = try #require(await requests.next())
            let refused = try #require(await requests.next())
            refused.reply.resume(returning: ServiceError.overloaded)
            #expect(try await group.next()?.status == 503)

            let shed = try await send("signInWithPassword", "no JSON")
            #expect(shed.status == 503 && shed.header("retry-after") == "1")
            #expect(shed.error?["status"] == .string("UNAVAILABLE"))

            for (operation, body) in [
                ("signUp", #"{"email":"ada@example.com","password":"a long password"}"#),
                ("lookup", #"{"idToken":"header.payload.signature"}"#),
            ] {
                group.addTask { try await send(operation, body) }
                let request = try #require(await requests.next())
                request.reply.resume(returning: ServiceError(.internal))
                #expect(try await group.next()?.status == 500, "\(request.operation)")
            }

            accepted.reply.resume(returning: ServiceError(.invalidCredentials))
            #expect(try await group.next()?.status == 400)
            group.addTask { try await signIn() }
            let next = try #require(await requests.next())
            next.reply.resume(returning: ServiceError(.invalidCredentials))
            #expect(try await group.next()?.status == 400)
        }
    }
}
