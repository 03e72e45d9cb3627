package import Bus
import Contracts
package import DatabaseService
package import ServiceRuntime
package import Vocabulary

extension AppVerifier {
    /// The verifier of a process, with the store and the peers of the service.
    package init(
        _ settings: AppVerificationSettings, _ store: SMSStore, _ peers: any BusRequestSending,
        _ configurations: ProjectConfigurations, now: @escaping @Sendable () -> Moment,
        randomBytes: @escaping @Sendable (_ count: Int) -> [UInt8], log: Log, isDev: Bool
    ) {
        self.init(
            .init(
                now: now, randomBytes: randomBytes, store: store.appVerification,
                configuration: { realm, trace in
                    let options = CallOptions(trace: trace, timeout: SMSService.identityTimeout)
                    return try await configurations.resolve(realm, options).configuration
                },
                push: { push, trace in
                    _ = try await peers.send(
                        push, CallOptions(trace: trace, timeout: SMSService.notifierTimeout))
                },
                report: { log.error(.appVerificationProviderFailed, ["error": .kind(of: $0)]) }, settings: settings,
                isDev: isDev))
    }
}
