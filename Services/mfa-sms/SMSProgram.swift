import Contracts
import Crypto
import DatabaseService
package import ServiceRuntime
import Storage

/// The process `mfa-sms`: what it is made of.
package enum SMSProgram {
    package static var program: Program {
        DatabaseService.program(
            .mfaSMS, "Phone codes: second factors by SMS, and sign-in with a phone number.",
            reading: SMSSettings.init, common: \.common,
            opening: { start in
                try await SMSStore(start.database, keys: start.masterKeys, policy: start.settings.policy)
            }
        ) { process in
            let (settings, store) = (process.settings, process.store)
            let isDev = settings.common.process.isDev
            let peers = process.client
            let configurations = ProjectConfigurations(peers)
            let appVerifier = AppVerifier(
                settings.appVerification, store, peers, configurations, now: WallClock.now, randomBytes: Random.bytes,
                log: process.log, isDev: isDev)
            let activity = ActivityCounts()
            let service = SMSService(
                dependencies: .init(
                    now: WallClock.now, randomBytes: Random.bytes, store: store, peers: peers,
                    configurations: configurations, appVerifier: appVerifier,
                    verifyAppCredential: { try await appVerifier.verify($0, in: $1, $2, $3) },
                    originDomain: settings.originDomain, metrics: CodeMetrics(process.metrics),
                    sendingMetrics: SendingMetrics(
                        process.metrics, activity: activity, policy: settings.policy, log: process.log),
                    log: process.log, isDev: isDev))
            return DatabaseService(
                service.handle, sealedRecords: store.sealedRecords,
                tasks: [[store.sweepTask(trusting: process.clock)]],
                receive: { await configurations.receive($0) }, activity: activity)
        }
    }
}
