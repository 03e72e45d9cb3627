import Contracts
package import ServiceRuntime
package import Vocabulary

extension AppVerifier {
    /// The app verifier of a process: it uses the store and the service clients of the service.
    package init(
        _ settings: AppVerificationSettings, _ store: MFASMSStore, _ services: ServiceClients,
        now: @escaping @Sendable () -> Moment,
        randomBytes: @escaping @Sendable (_ count: Int) -> [UInt8], log: Log, isDev: Bool
    ) {
        self.init(
            .init(
                now: now, randomBytes: randomBytes, database: store.database, digestKey: store.appVerificationKey,
                configuration: { realm, trace in
                    let context = RequestContext(trace: trace, timeout: MFASMSService.identityTimeout)
                    return try await services.resolveConfiguration(.init(realm: realm), context).configuration
                },
                push: { push, trace in
                    _ = try await services.sendPush(
                        push, RequestContext(trace: trace, timeout: MFASMSService.notifierTimeout))
                },
                report: { log.error("app-verification.provider-failed", ["error": .kind(of: $0)]) }, settings: settings,
                isDev: isDev))
    }
}
