import Contracts
import Crypto
import DatabaseService
package import ServiceRuntime
import Storage

/// The process `mfa-totp`: what it is made of.
package enum TOTPProgram {
    package static var program: Program {
        DatabaseService.program(
            .mfaTOTP, "Time-based codes: second factors from an authenticator app.",
            reading: { try DatabaseServiceSettings(.mfaTOTP, $0) }, common: \.self,
            opening: { start in try await TOTPStore(start.database, keys: start.masterKeys) }
        ) { process in
            let store = process.store
            let peers = process.client
            let service = TOTPService(
                dependencies: .init(
                    now: WallClock.now, randomBytes: Random.bytes, store: store, peers: peers,
                    metrics: TOTPMetrics(process.metrics, log: process.log)))
            let reconciliation = Reconciliation(store, peers: peers, log: process.log)
            return DatabaseService(
                service.handle, sealedRecords: store.sealedRecords,
                tasks: [
                    [store.sweepTask(trusting: process.clock)],
                    [reconciliation.task(trusting: process.clock)],
                ])
        }
    }
}
