import Contracts
import Crypto
import DatabaseService
import Delivery
package import ServiceRuntime
import Storage

/// The process `federation`: what it is made of.
package enum FederationProgram {
    package static var program: Program {
        DatabaseService.program(
            .federation, "Sign-in with other identity providers.",
            reading: FederationSettings.init, common: \.common,
            opening: { start in try await FederationStore(start.database, keys: start.masterKeys) }
        ) { process in
            let (settings, store) = (process.settings, process.store)
            let metrics = FederationMetrics(metrics: process.metrics, log: process.log)
            let peers = process.client
            let configurations = ProjectConfigurations(peers)
            let providerChanges = ProviderChangeOutbox(in: store, peers: peers, log: process.log)
            let service = FederationService(
                .init(
                    now: WallClock.now, randomBytes: Random.bytes, store: store, peers: peers,
                    configurations: configurations, providerChanges: providerChanges,
                    providers: ProviderClient(settings.outgoing, metrics: metrics),
                    gameCenterAnchors: settings.gameCenterAnchors, isDev: settings.common.process.isDev,
                    acceptsUnsignedTokens: settings.acceptsUnsignedTokens, metrics: metrics))
            let reconciliation = Reconciliation(store, peers: peers, log: process.log)
            return DatabaseService(
                service.handle, sealedRecords: store.sealedRecords,
                tasks: [
                    [store.sweepTask(trusting: process.clock)],
                    [reconciliation.task(trusting: process.clock)],
                ], receive: { await configurations.receive($0) },
                components: [providerChanges.loop(recordingIn: process.spans)])
        }
    }
}
