package import Bus
package import Contracts

/// How another service is asked in the course of a request.
package struct RequestContext: Sendable {
    package var trace: TraceContext
    /// How long the answer is waited for.
    package var timeout: Duration
    /// Under this key the other service does it once, however often it is asked; nil for a key of its own each time.
    package var idempotencyKey: String?
}

/// What mfa-sms asks of other services: identity knows the accounts, notifier delivers.
package struct ServiceClients: Sendable {
    package typealias Send<Request: BusRequest> = @Sendable (Request, RequestContext) async throws -> Request.Reply

    var resolveConfiguration: Send<Identity.ResolveConfiguration>
    // A telephone as first factor.
    var checkPhoneSignIn: Send<Identity.CheckPhoneSignIn>
    var signInWithPhone: Send<Identity.SignInWithPhone>
    // A telephone as second factor.
    var checkEnrollment: Send<Identity.CheckEnrollment>
    var enrollFactor: Send<Identity.EnrollFactor>
    var resolvePendingSignIn: Send<Identity.ResolvePendingSignIn>
    var completeSignIn: Send<Identity.CompleteSignIn>
    // Both return when the message is stored.
    var sendSMS: Send<Notifier.SendSMS>
    var sendPush: Send<Notifier.SendPush>
}

extension ServiceClients {
    /// Those on the bus.
    package init(_ client: BusClient) {
        func asking<Request: BusRequest>(_: Request.Type) -> Send<Request> {
            { request, context in
                try await client.send(
                    request, trace: context.trace, timeout: context.timeout, idempotencyKey: context.idempotencyKey)
            }
        }
        self.init(
            resolveConfiguration: asking(Identity.ResolveConfiguration.self),
            checkPhoneSignIn: asking(Identity.CheckPhoneSignIn.self),
            signInWithPhone: asking(Identity.SignInWithPhone.self),
            checkEnrollment: asking(Identity.CheckEnrollment.self), enrollFactor: asking(Identity.EnrollFactor.self),
            resolvePendingSignIn: asking(Identity.ResolvePendingSignIn.self),
            completeSignIn: asking(Identity.CompleteSignIn.self), sendSMS: asking(Notifier.SendSMS.self),
            sendPush: asking(Notifier.SendPush.self))
    }
}
