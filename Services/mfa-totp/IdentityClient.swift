package import Bus
package import Contracts

/// The identity operations that mfa-totp uses.
package struct IdentityClient: Sendable {
    /// With the trace of the request and the remaining time for the reply.
    package typealias Send<Request: BusRequest> =
        @Sendable (Request, TraceContext, _ timeout: Duration) async throws -> Request.Reply

    package var checkEnrollment: Send<Identity.CheckEnrollment>
    /// Takes effect once under its idempotency key.
    package var enrollFactor:
        @Sendable (Identity.EnrollFactor, TraceContext, _ timeout: Duration, _ idempotencyKey: String) async throws ->
            Identity.EnrollFactor.Reply
    package var resolvePendingSignIn: Send<Identity.ResolvePendingSignIn>
    package var completeSignIn: Send<Identity.CompleteSignIn>
    package var findAccounts: Send<Identity.FindAccounts>

    package init(
        checkEnrollment: @escaping Send<Identity.CheckEnrollment>,
        enrollFactor:
            @escaping @Sendable (Identity.EnrollFactor, TraceContext, Duration, String) async throws ->
            Identity.EnrollFactor.Reply,
        resolvePendingSignIn: @escaping Send<Identity.ResolvePendingSignIn>,
        completeSignIn: @escaping Send<Identity.CompleteSignIn>,
        findAccounts: @escaping Send<Identity.FindAccounts>
    ) {
        self.checkEnrollment = checkEnrollment
        self.enrollFactor = enrollFactor
        self.resolvePendingSignIn = resolvePendingSignIn
        self.completeSignIn = completeSignIn
        self.findAccounts = findAccounts
    }

    /// The client that uses the bus.
    package init(_ client: BusClient) {
        self.init(
            checkEnrollment: { try await client.send($0, trace: $1, timeout: $2) },
            enrollFactor: { try await client.send($0, trace: $1, timeout: $2, idempotencyKey: $3) },
            resolvePendingSignIn: { try await client.send($0, trace: $1, timeout: $2) },
            completeSignIn: { try await client.send($0, trace: $1, timeout: $2) },
            findAccounts: { try await client.send($0, trace: $1, timeout: $2) })
    }
}
