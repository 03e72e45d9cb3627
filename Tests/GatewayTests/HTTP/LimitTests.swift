import Contracts
import HTTPServer
import ServiceRuntime
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// Every refusal by a limit names the limit: in the response, in the log and in a metric.
@Suite struct LimitTests {
    private static let codes: Set<WireError.Code> = [
        .tooManyAttempts, .quotaExceeded, .resetLimitExceeded, .tooManyEnrollmentAttempts,
    ]

    @Test(arguments: LimitName.allCases)
    func refusalOfServiceNamesLimit(limit: LimitName) async throws {
        #expect(Self.codes.contains(limit.code))
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.SignInWithPassword.self) { _ in
            throw ServiceError.limited(by: limit, until: nil)
        }
        let response = try await harness.client("v1/accounts:signInWithPassword", #"{"email":"a@b.test"}"#)
        #expect(response.status == 400 && response.header("x-latchkey-limit") == limit.rawValue)
        #expect(harness.completed.all.withLock(\.self).map(\.limit) == [limit])
        let count = harness.metrics.snapshot().filter { $0.name == "latchkey_limit_refusals_total" && $0.value == 1 }
        #expect(count.map(\.labels) == [["limit": limit.rawValue]])
    }

    @Test func otherRefusalNamesNone() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.SignInWithPassword.self) { _ in throw ServiceError(.overloaded) }
        let response = try await harness.client("v1/accounts:signInWithPassword", "{}")
        #expect(response.status == 503 && response.header("x-latchkey-limit") == nil)
        #expect(harness.completed.all.withLock(\.self).map(\.limit) == [nil])
    }

    /// Browsers show a field to scripts of other origins only if it is listed.
    @Test func scriptsOfOtherOriginsCanReadLimit() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.ListSigningKeys.self) { _ in .init(keys: [], maximumAgeSeconds: 60) }
        let response = try await harness.send(.get, "/v1/publicKeys", headers: ["Origin": "https://app.test"])
        #expect(response.header("access-control-expose-headers")?.contains("X-Latchkey-Limit") == true)
    }

    @Test(arguments: [true, false])
    func refusalIsLogged(isDev: Bool) {
        let lines = Mutex<[String]>([])
        let log = Log(
            instance: "gateway.1", settings: LogSettings(level: .info),
            write: { line in lines.withLock { $0.append(line) } })
        var request = CompletedRequest(.post, route: "POST /v1/accounts:signUp", trace: .random())
        request.limit = .signUpRequests
        log.report(request, isDev: isDev)
        let event = lines.withLock { $0.first }
        #expect(event?.contains(" limit.exceeded ") == true && event?.contains("limit=sign-up-requests") == true)
    }

    @Test func everyClassWithLimitHasName() {
        for kind in RateLimitClass.allCases { #expect((kind.limitName == nil) == (kind == .exempt)) }
    }
}
