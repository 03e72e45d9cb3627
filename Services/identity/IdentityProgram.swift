import Blocking
import Bus
import Contracts
import Crypto
import DatabaseService
import Delivery
import FoundationEssentials
package import ServiceRuntime
import Storage
import Vocabulary

/// The process `identity`: what it is made of.
package enum IdentityProgram {
    package static var program: Program {
        let machine = LocalMachine()
        let processors = ProcessInfo.processInfo.activeProcessorCount
        let trace = TraceContext.random().traceID
        return DatabaseService.program(
            .identity, "Accounts, sessions and tokens.", capacity: 1024,
            reading: { try IdentitySettings($0, processors: processors) }, common: \.common,
            opening: { start in
                let settings = start.settings
                // A first start makes the key while it makes the tables.
                let firstKey =
                    settings.common.storage.isFirstStart ? Task { try await SigningKeyRing.makePrivateKey() } : nil
                let store = try await IdentityStore(start.database, keys: start.masterKeys)
                let projects = ProjectCache(
                    store: store, isDev: settings.common.process.isDev, publicHost: settings.actionPage.host,
                    now: machine.wallClock)
                if let project = settings.common.process.project {
                    try await projects.ensure(project, apiKey: settings.apiKey, traceID: trace)
                }
                let keys = SigningKeyRing(store: store, now: machine.wallClock, log: start.log)
                _ = try await keys.rotateIfDue(.idToken, traceID: trace, prepared: firstKey)
                try await keys.load(.sessionCookie)  // Maintenance creates it later, if necessary.
                return (store, projects, keys)
            }
        ) { process in
            let (settings, peers) = (process.settings, process.client)
            let (store, projects, keys) = process.store
            let isDev = settings.common.process.isDev
            let signing = BlockingPool(label: "signatures", threads: processors, maximumWaiting: 1024)
            let delivery = DeliveryEnvironment(on: machine, spans: process.spans, log: process.log)
            let emailOutbox = EmailOutbox(
                store, peers: peers, holder: .current(settings.common.process.start), now: machine.wallClock,
                metrics: process.metrics, log: process.log)
            let eventOutbox = AccountEventOutbox(
                store, peers: peers, now: machine.wallClock, metrics: process.metrics, log: process.log)
            let deletionOutbox = DeletedAccountOutbox(
                store, peers: peers, now: machine.wallClock, metrics: process.metrics, log: process.log)
            let mails = DeliveryLoop(emailOutbox, EmailOutbox.limits, delivery)
            let hasher = PasswordHasher(
                // The work of 1.5 s on a common processor. Further requests are refused at once.
                threads: settings.passwordThreads, maximumWaiting: 48 * settings.passwordThreads, pepper: store.pepper,
                formerPeppers: store.formerPeppers, now: machine.wallClock, randomBytes: Random.bytes)
            let service = IdentityService(
                IdentityContext(
                    now: machine.wallClock, randomBytes: Random.bytes, store: store, projects: projects, keys: keys,
                    idTokens: IDTokenIssuer(keys: keys, pool: signing, isUnsigned: settings.usesUnsignedTokens),
                    hasher: hasher,
                    oldHashBudgets: isDev ? nil : OldHashBudgetLimiter(steadyNow: hasher.steadyNow),
                    importBcryptCost: settings.importBcryptCost, publish: process.bus.publish,
                    wakeEmailLoop: mails.wake,
                    reportTemplate: { fault, trace in
                        process.log.warn(.emailTemplateInvalid, ["error": .public(fault.description)], trace: trace)
                    },
                    actionPage: settings.actionPage, isDev: isDev, refreshGrace: settings.refreshGrace,
                    auditRetention: settings.auditRetention, emailsPerProject: settings.emailsPerProject,
                    passwordFilter: settings.passwordFilter, passwordHashReaders: settings.passwordHashReaders,
                    blockingFunctionClient: BlockingFunctionClient(
                        isDev: isDev, privateHosts: settings.blockingFunctionPrivateHosts),
                    blockingFunctionMetrics: BlockingFunctionMetrics(metrics: process.metrics, log: process.log),
                    blockingFunctionsCoverEverySignIn: settings.blockingFunctionsCoverEverySignIn))
            try await ServiceAccountKeyHandler(context: service.context)
                .registerForDevelopment(settings.devServiceAccounts, traceID: trace)
            return DatabaseService(
                service.handle, sealedRecords: store.sealedRecords,
                masterKeyRotated: service.masterKeyRotated,
                tasks: service.maintenanceTasks(trusting: process.clock, log: process.log) + [
                    emailOutbox.maintenanceTasks(trusting: process.clock) + eventOutbox.maintenanceTasks
                        + deletionOutbox.maintenanceTasks
                ],
                receive: service.receive,
                components: [
                    mails, eventOutbox.loop(delivery),
                    DeliveryLoop(deletionOutbox, DeletedAccountOutbox.limits, delivery),
                ])
        }
    }
}
