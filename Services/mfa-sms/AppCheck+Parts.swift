import Contracts
package import ServiceRuntime
package import Vocabulary

extension AppCheck {
    /// The check of a process: it keeps what it must in the store of the service, and asks the service's neighbours.
    package init(
        _ settings: AppCheckSettings, _ store: MFASMSStore, _ neighbours: Neighbours,
        now: @escaping @Sendable () -> Moment,
        randomBytes: @escaping @Sendable (_ count: Int) -> [UInt8], log: Log, isDev: Bool
    ) {
        self.init(
            .init(
                now: now, randomBytes: randomBytes, database: store.database, digestKey: store.appCheckKey,
                configuration: { realm, trace in
                    let errand = Errand(trace: trace, patience: MFASMSService.identityPatience)
                    return try await neighbours.resolveConfiguration(.init(realm: realm), errand).configuration
                },
                push: { push, trace in
                    _ = try await neighbours.sendPush(
                        push, Errand(trace: trace, patience: MFASMSService.notifierPatience))
                },
                report: { log.error("app-check.unanswered", ["error": .kind(of: $0)]) }, settings: settings,
                isDev: isDev))
    }
}
