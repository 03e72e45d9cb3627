import Contracts
package import ServiceRuntime
package import Vocabulary

extension AppCheck {
    /// On the store of the service, with its neighbours on the bus.
    package init(
        on store: MFASMSStore, _ neighbours: Neighbours, _ settings: AppCheckSettings, log: Log, isDev: Bool,
        now: @escaping @Sendable () -> Moment, randomBytes: @escaping @Sendable (_ count: Int) -> [UInt8]
    ) {
        self.init(
            .init(
                now: now, randomBytes: randomBytes, database: store.database, digestKey: store.appCheckDigestKey,
                configuration: { realm, trace in
                    let errand = Errand(trace: trace.child(), patience: MFASMSService.identityPatience)
                    return try await neighbours.resolveConfiguration(.init(realm: realm), errand).configuration
                },
                push: { push, trace in
                    let errand = Errand(trace: trace.child(), patience: MFASMSService.notifierPatience)
                    _ = try await neighbours.sendPush(push, errand)
                },
                report: { log.error("mfa-sms.app-check-failed", ["error": .kind(of: $0)]) }, settings: settings,
                isDev: isDev))
    }
}
