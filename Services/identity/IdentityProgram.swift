internal import Blocking
internal import Bus
internal import Contracts
internal import Crypto
internal import FoundationEssentials
internal import MasterKey
internal import ServiceRuntime
internal import Storage
internal import Vocabulary

/// The process `identity`: what it is made of, and how it starts and ends.
package enum IdentityProgram {
    /// Runs the process until it is stopped or fails, and ends it.
    package static func run() async -> Never {
        let processors = ProcessInfo.processInfo.activeProcessorCount
        await Program(.identity, "Accounts, sessions and tokens.").start(
            reading: { try IdentitySettings($0, processors: processors) }
        ) { settings in
            let masterKeys = try ReloadingMasterKeyRing(settings.masterKey)
            let runtime = ServiceRuntime(settings.process)
            let trace = TraceContext.random().traceID
            // A first start makes the key while it makes the tables.
            let firstKey = settings.storage.isFirstStart ? Task { try await SigningKeyRing.makePrivateKey() } : nil

            let (database, store, projects, keys) = try await runtime.start {
                try await settings.storage.prepare(masterKeyFile: settings.masterKey.name, log: runtime.log) {
                    database in
                    let store = try await IdentityStore(database, keys: masterKeys)
                    let projects = ProjectCache(
                        store: store, isDev: settings.process.isDev, publicHost: settings.actionPage.host,
                        now: WallClock.now)
                    if let project = settings.process.project {
                        try await projects.ensure(project, apiKey: settings.apiKey, traceID: trace)
                    }
                    let keys = SigningKeyRing(store: store, now: WallClock.now, log: runtime.log)
                    _ = try await keys.rotateIfDue(.idToken, traceID: trace, prepared: firstKey)
                    try await keys.load(.sessionCookie)  // Maintenance creates it later, if necessary.
                    return (database, store, projects, keys)
                }
            }

            let signing = BlockingPool(label: "signatures", threads: processors, maximumWaiting: 1024)
            let bus = try BusConnection(settings.process, capacity: 1024, log: runtime.log)
            let client = BusClient(bus)
            let clock = TrustedClock(database, log: runtime.log)
            let mails = MailDispatcher(
                .init(
                    store: store,
                    send: { mail, key, trace throws(WireError) in
                        _ = try await client.send(
                            mail, trace: trace.child(), timeout: MailDispatcher.timeout, idempotencyKey: key)
                    },
                    holder: .current(settings.process.start),
                    now: WallClock.now, trustedNow: { try await clock.now() }, instant: { .now },
                    jitter: { .random(in: 0..<1) }, metrics: runtime.metrics,
                    log: runtime.log))
            let accountEvents = AccountEventDispatcher(
                .init(
                    store: store,
                    send: { request throws(WireError) in
                        try await client.send(request, trace: .random(), timeout: AccountEventDispatcher.timeout)
                    },
                    now: WallClock.now, instant: { .now }, jitter: { .random(in: 0..<1) }, metrics: runtime.metrics,
                    log: runtime.log))
            let deletions = AccountDeletionDispatcher(
                .init(
                    store: store,
                    send: { holder, realm, accounts throws(WireError) in
                        let timeout = AccountDeletionDispatcher.timeout
                        switch holder {
                        case .passkey:
                            _ = try await client.send(
                                Passkey.ForgetAccounts(realm: realm, accounts: accounts), trace: .random(),
                                timeout: timeout)
                        case .mfaTOTP:
                            _ = try await client.send(
                                MFATOTP.ForgetAccounts(realm: realm, accounts: accounts), trace: .random(),
                                timeout: timeout)
                        case .mfaSMS:
                            _ = try await client.send(
                                MFASMS.ForgetAccounts(realm: realm, accounts: accounts), trace: .random(),
                                timeout: timeout)
                        }
                    },
                    now: WallClock.now, instant: { .now }, jitter: { .random(in: 0..<1) }, metrics: runtime.metrics,
                    log: runtime.log))
            let isDev = settings.process.isDev
            let hasher = PasswordHasher(
                // The work of 1.5 s on a common processor. Further requests are refused at once.
                threads: settings.passwordThreads, maximumWaiting: 48 * settings.passwordThreads, pepper: store.pepper,
                formerPeppers: store.formerPeppers, now: WallClock.now, randomBytes: Random.bytes)
            let service = IdentityService(
                IdentityContext(
                    now: WallClock.now, randomBytes: Random.bytes, store: store, projects: projects, keys: keys,
                    idTokens: IDTokenIssuer(keys: keys, pool: signing, isUnsigned: settings.usesUnsignedTokens),
                    hasher: hasher,
                    oldHashBudgets: isDev ? nil : OldHashBudgetLimiter(steadyNow: hasher.steadyNow),
                    importBcryptCost: settings.importBcryptCost, publish: bus.publish,
                    wakeMailDispatcher: mails.wake,
                    reportTemplate: { fault, trace in
                        runtime.log.warn("email-template.invalid", ["error": .public(fault.description)], trace: trace)
                    },
                    actionPage: settings.actionPage, isDev: isDev, refreshGrace: settings.refreshGrace,
                    auditRetention: settings.auditRetention, emailsPerProject: settings.emailsPerProject,
                    passwordFilter: settings.passwordFilter, passwordHashReaders: settings.passwordHashReaders,
                    blockingFunctionClient: BlockingFunctionClient(
                        isDev: isDev, privateHosts: settings.blockingFunctionPrivateHosts),
                    blockingFunctionMetrics: BlockingFunctionMetrics(runtime.metrics, log: runtime.log),
                    blockingFunctionsCoverEverySignIn: settings.blockingFunctionsCoverEverySignIn))
            try await ServiceAccountKeyHandler(context: service.context)
                .registerForDevelopment(settings.devServiceAccounts, traceID: trace)
            bus.serve(BusWorker(Identity.Operation.self, mapping: service.wireError, service.handle).handler)
            try await runtime.on(bus.loop).watching(database).run([
                runtime.reporter(settings.process, over: bus),
                service.maintenance(
                    trusting: clock, and: mails.maintenanceTasks + accountEvents.maintenanceTasks,
                    deletions.maintenanceTasks, log: runtime.log),
                EventSubscription(bus.subscribe(), to: service.receive),
                SealingMaintenance(
                    store.sealedRecords, metrics: runtime.metrics, log: runtime.log, rotated: service.masterKeyRotated),
                mails,
                accountEvents,
                bus,
            ])
            await runtime.close { await store.close() }
        }
    }
}
