import Contracts
import Crypto
import DatabaseService
package import ServiceRuntime
import Storage

/// The process `passkey`: what it is made of.
package enum PasskeyProgram {
    package static var program: Program {
        DatabaseService.program(
            .passkey, "Passkeys: registration and sign-in by WebAuthn.",
            reading: { try PasskeySettings($0, at: WallClock.now()) }, common: \.common,
            opening: { start in try await PasskeyStore(start.database, keys: start.masterKeys) }
        ) { process in
            let (settings, store) = (process.settings, process.store)
            if settings.trust.isOutdated(at: WallClock.now()) { process.log.warn(.passkeyMetadataOutdated) }
            let peers = process.client
            let configurations = ProjectConfigurations(peers)
            let service = PasskeyService(
                dependencies: .init(
                    now: WallClock.now, randomBytes: Random.bytes, store: store, peers: peers,
                    configurations: configurations, defaults: settings.relyingParty, trust: settings.trust,
                    metrics: PasskeyMetrics(process.metrics, log: process.log)))
            let reconciliation = Reconciliation(store, peers: peers, log: process.log)
            return DatabaseService(
                service.handle, sealedRecords: store.sealedRecords,
                tasks: [
                    [store.sweepTask(trusting: process.clock)],
                    [reconciliation.task(trusting: process.clock)],
                ], receive: { await configurations.receive($0) })
        }
    }
}
