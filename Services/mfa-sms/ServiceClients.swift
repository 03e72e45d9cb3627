package import Bus
package import Contracts

/// The context of a request to another service.
package struct RequestContext: Sendable {
    package var trace: TraceContext
    /// The timeout of the call.
    package var timeout: Duration
    /// The other service executes a request once per key; nil for a new key each time.
    package var idempotencyKey: String?
}

/// The bus clients of mfa-sms: identity stores the accounts, notifier delivers.
package struct ServiceClients: Sendable {
    package typealias Send<Request: BusRequest> = @Sendable (Request, RequestContext) async throws -> Request.Reply

    var resolveConfiguration: Send<Identity.ResolveConfiguration>
    // Phone as first factor.
    var checkPhoneSignIn: Send<Identity.CheckPhoneSignIn>
    var signInWithPhone: Send<Identity.SignInWithPhone>
    // Phone as second factor.
    var checkEnrollment: Send<Identity.CheckEnrollment>
    var enrollFactor: Send<Identity.EnrollFactor>
    var resolvePendingSignIn: Send<Identity.ResolvePendingSignIn>
    var completeSignIn: Send<Identity.CompleteSignIn>
    // Both return when the message is stored.
    var sendSMS: Send<Notifier.SendSMS>
    var sendPush: Send<Notifier.SendPush>
}

extension ServiceClients {
    /// The clients that use the bus.
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
