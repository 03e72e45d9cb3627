package import Bus
package import Contracts

/// How another service is asked in the course of a request.
package struct Errand: Sendable {
    package var trace: TraceContext
    /// How long the answer is waited for.
    package var patience: Duration
    /// Under this key the other service does it once, however often it is asked; nil for a key of its own each time.
    package var idempotencyKey: String?
}

/// What mfa-sms asks of other services: identity knows the accounts, notifier delivers.
package struct Neighbours: Sendable {
    package typealias Asking<Request: BusRequest> = @Sendable (Request, Errand) async throws -> Request.Reply

    var resolveConfiguration: Asking<Identity.ResolveConfiguration>
    // A telephone as first factor.
    var checkPhoneSignIn: Asking<Identity.CheckPhoneSignIn>
    var signInWithPhone: Asking<Identity.SignInWithPhone>
    // A telephone as second factor.
    var checkEnrollment: Asking<Identity.CheckEnrollment>
    var enrollFactor: Asking<Identity.EnrollFactor>
    var resolvePendingSignIn: Asking<Identity.ResolvePendingSignIn>
    var completeSignIn: Asking<Identity.CompleteSignIn>
    /// Returns when the message is stored.
    var sendSMS: Asking<Notifier.SendSMS>
}

extension Neighbours {
    /// Those on the bus.
    package init(_ client: BusClient) {
        func asking<Request: BusRequest>(_: Request.Type) -> Asking<Request> {
            { request, errand in
                try await client.ask(
                    request, trace: errand.trace, within: errand.patience, idempotencyKey: errand.idempotencyKey)
            }
        }
        self.init(
            resolveConfiguration: asking(Identity.ResolveConfiguration.self),
            checkPhoneSignIn: asking(Identity.CheckPhoneSignIn.self),
            signInWithPhone: asking(Identity.SignInWithPhone.self),
            checkEnrollment: asking(Identity.CheckEnrollment.self), enrollFactor: asking(Identity.EnrollFactor.self),
            resolvePendingSignIn: asking(Identity.ResolvePendingSignIn.self),
            completeSignIn: asking(Identity.CompleteSignIn.self), sendSMS: asking(Notifier.SendSMS.self))
    }
}
