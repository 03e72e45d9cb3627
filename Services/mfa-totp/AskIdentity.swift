package import Bus
package import Contracts

/// What mfa-totp asks of identity.
package struct AskIdentity: Sendable {
    /// With the trace that a request belongs to, and the time that is left for the answer.
    package typealias Question<Request: BusRequest> =
        @Sendable (Request, TraceContext, _ patience: Duration) async throws -> Request.Reply

    package var checkEnrollment: Question<Identity.CheckEnrollment>
    /// Takes effect once under its idempotency key.
    package var enrollFactor:
        @Sendable (Identity.EnrollFactor, TraceContext, _ patience: Duration, _ idempotencyKey: String) async throws ->
            Identity.EnrollFactor.Reply
    package var resolvePendingSignIn: Question<Identity.ResolvePendingSignIn>
    package var completeSignIn: Question<Identity.CompleteSignIn>
    package var findAccounts: Question<Identity.FindAccounts>

    package init(
        checkEnrollment: @escaping Question<Identity.CheckEnrollment>,
        enrollFactor:
            @escaping @Sendable (Identity.EnrollFactor, TraceContext, Duration, String) async throws ->
            Identity.EnrollFactor.Reply,
        resolvePendingSignIn: @escaping Question<Identity.ResolvePendingSignIn>,
        completeSignIn: @escaping Question<Identity.CompleteSignIn>,
        findAccounts: @escaping Question<Identity.FindAccounts>
    ) {
        self.checkEnrollment = checkEnrollment
        self.enrollFactor = enrollFactor
        self.resolvePendingSignIn = resolvePendingSignIn
        self.completeSignIn = completeSignIn
        self.findAccounts = findAccounts
    }

    /// Over the bus.
    package init(_ client: BusClient) {
        self.init(
            checkEnrollment: { try await client.ask($0, trace: $1, within: $2) },
            enrollFactor: { try await client.ask($0, trace: $1, within: $2, idempotencyKey: $3) },
            resolvePendingSignIn: { try await client.ask($0, trace: $1, within: $2) },
            completeSignIn: { try await client.ask($0, trace: $1, within: $2) },
            findAccounts: { try await client.ask($0, trace: $1, within: $2) })
    }
}
