import Testing

/// What reads a clock, waits, draws a random number or begins a task of its own cannot be run again from a seed. Code gets
/// these from its caller, or through `BusMachine`, `EventLoop.sleep` and `startTask`, `MachineRandom`, `Random` and the parameters `now` and
/// `pause`.
struct MachineAccessTests {
    /// The places where the machine enters, and how often. This list only becomes shorter: a change that removes an access
    /// lowers its number, and nothing is added.
    private let seams: [String: [MachineAccess: Int]] = [
        "Services/federation/FederationProgram.swift": [.clock: 1],
        "Services/federation/Keys/RemoteDocumentCache.swift": [.task: 1],
        "Services/federation/Outgoing/ProviderClient.swift": [.clock: 1],
        "Services/gateway/Console/Work/ConsoleWorks.swift": [.random: 1],
        "Services/gateway/Gateway.swift": [.random: 2],
        "Services/gateway/GatewayProgram.swift": [.clock: 2],
        "Services/gateway/HostedSignIn/HostedFlow.swift": [.random: 1],
        "Services/gateway/SignInPages/PracticePage.swift": [.random: 1],
        "Services/identity/Emails/Project+Email.swift": [.random: 1],
        "Services/identity/IdentityMaintenance.swift": [.random: 2],
        "Services/identity/IdentityProgram.swift": [.random: 1, .task: 1],
        "Services/identity/Passwords/PasswordHasher.swift": [.clock: 1, .pause: 1],
        "Services/identity/Projects/ProjectCache.swift": [.clock: 1],
        "Services/identity/Storage/IdentityStore+Secrets.swift": [.random: 2],
        "Services/identity/Webhooks/IdentityStore+AccountEvents.swift": [.random: 2],
        "Services/identity/Webhooks/IdentityStore+Webhooks.swift": [.random: 1],
        "Services/latchkey/Audit/AuditCommands.swift": [.random: 4],
        "Services/latchkey/Backup/Backup.swift": [.clock: 1],
        "Services/latchkey/Backup/CopyProgress.swift": [.clock: 1, .pause: 1, .task: 1],
        "Services/latchkey/Bench/BenchFillCommand.swift": [.clock: 1],
        "Services/latchkey/CommandLine/InterruptHandler.swift": [.task: 1],
        "Services/latchkey/CommandLine/MeshArguments.swift": [.task: 1],
        "Services/latchkey/CommandLine/MeshRequestError.swift": [.random: 1],
        "Services/latchkey/Doctor/DatabaseChecks.swift": [.clock: 1],
        "Services/latchkey/Doctor/ServerChecks.swift": [.clock: 1, .random: 1],
        "Services/latchkey/Keys/KeyRotation.swift": [.clock: 3, .pause: 1, .random: 2],
        "Services/latchkey/Keys/RingInquiries.swift": [.clock: 2, .pause: 2],
        "Services/latchkey/Keys/SigningKeyCommands.swift": [.random: 2],
        "Services/latchkey/Launcher/ReadinessProbe.swift": [.clock: 4, .pause: 1],
        "Services/latchkey/Launcher/SharedDatabases.swift": [.pause: 1],
        "Services/latchkey/Launcher/Supervisor.swift": [.clock: 4, .pause: 1, .task: 2],
        "Services/latchkey/ServiceAccounts/TokenCommand.swift": [.clock: 1],
        "Services/latchkey/Settings/ProcessSettingsCheck.swift": [.pause: 1, .task: 1],
        "Services/latchkey/Status/DrainCommand.swift": [.clock: 2, .pause: 1],
        "Services/latchkey/Status/StatusCommand.swift": [.clock: 1, .pause: 1, .task: 1],
        "Services/latchkey/UserTransfer/DevUsers.swift": [.random: 4],
        "Services/latchkey/UserTransfer/TransferProgress.swift": [.clock: 2],
        "Services/latchkey/UserTransfer/UsersExportCommand.swift": [.random: 3],
        "Services/latchkey/UserTransfer/UsersImportCommand.swift": [.clock: 3, .random: 3],
        "Services/latchkey/Users/UserRevokeSessionsCommand.swift": [.clock: 1],
        "Services/mfa-sms/SMSProgram.swift": [.clock: 2],
        "Services/mfa-totp/TOTPMetrics.swift": [.clock: 1],
        "Services/mfa-totp/TOTPProgram.swift": [.clock: 1],
        "Services/notifier/Push/APNsTransport.swift": [.clock: 1],
        "Services/passkey/PasskeyProgram.swift": [.clock: 3],
        "Shared/Broker/Broker.swift": [.clock: 1],
        "Shared/Bus/BrokerHost.swift": [.task: 1],
        "Shared/Bus/BusCall.swift": [.random: 2],
        "Shared/Bus/BusLoop.swift": [.task: 1],
        "Shared/Bus/BusMachine.swift": [.clock: 1, .pause: 1, .random: 1],
        "Shared/Bus/BusMessage.swift": [.clock: 2],
        "Shared/Bus/BusTime.swift": [.clock: 2],
        "Shared/Contracts/Messages/TraceContext.swift": [.random: 2],
        "Shared/Crypto/Random.swift": [.random: 1],
        "Shared/DatabaseService/AuditedChange.swift": [.random: 1],
        "Shared/DatabaseService/ProjectConfigurations.swift": [.clock: 1],
        "Shared/DatabaseService/Reconciliation.swift": [.random: 1],
        "Shared/DatabaseService/ServiceStore.swift": [.random: 1],
        "Shared/EventLoop/EventLoop+Sleep.swift": [.pause: 1],
        "Shared/EventLoop/EventLoop+Task.swift": [.task: 1],
        "Shared/EventLoop/EventLoopThread.swift": [.clock: 3],
        "Shared/EventLoop/MachineRandom.swift": [.random: 1],
        "Shared/HTTPServer/ConnectionDriver.swift": [.clock: 1],
        "Shared/HTTPServer/DaemonSource.swift": [.clock: 1],
        "Shared/HTTPServer/Exchange.swift": [.task: 1],
        "Shared/HTTPServer/HTTPServer.swift": [.clock: 1, .task: 1],
        "Shared/MasterKey/MissingKeyOutage.swift": [.clock: 2],
        "Shared/MasterKey/ReloadingMasterKeyRing.swift": [.clock: 1],
        "Shared/MasterKey/SealingMaintenance.swift": [.clock: 4],
        "Shared/Postgres/LibpqConnection.swift": [.clock: 6],
        "Shared/Postgres/PostgresConnection.swift": [.clock: 1],
        "Shared/Postgres/PostgresConnectionPool.swift": [.clock: 1],
        "Shared/Postgres/PostgresConnector.swift": [.clock: 6, .pause: 1],
        "Shared/Postgres/PostgresDatabase+Replacement.swift": [.pause: 1],
        "Shared/Postgres/PostgresDatabase.swift": [.clock: 2, .pause: 1, .random: 1],
        "Shared/Postgres/PostgresQueryWorker.swift": [.clock: 2, .pause: 1],
        "Shared/Postgres/PostgresServers.swift": [.clock: 2],
        "Shared/Postgres/PostgresSettings.swift": [.random: 1],
        "Shared/Postgres/PostgresWorker.swift": [.clock: 2, .pause: 2, .random: 1],
        "Shared/Postgres/SessionCheck.swift": [.random: 1],
        "Shared/SMTPClient/SMTPTransfer.swift": [.clock: 2],
        "Shared/SQL/SQLEpoch.swift": [.random: 1],
        "Shared/SQL/SQLJob.swift": [.clock: 1],
        "Shared/SQL/SQLMigration.swift": [.clock: 1],
        "Shared/SQL/SQLQuery.swift": [.clock: 1],
        "Shared/SQL/SchemaWindow.swift": [.clock: 1, .random: 1],
        "Shared/SQLite/CommitCounter.swift": [.clock: 2, .random: 1],
        "Shared/SQLite/DatabaseLock.swift": [.clock: 2, .pause: 1],
        "Shared/SQLite/InlineReader.swift": [.clock: 2],
        "Shared/SQLite/SQLiteDatabase.swift": [.clock: 1],
        "Shared/SQLite/SQLiteLog.swift": [.clock: 1],
        "Shared/SQLite/StatementClock.swift": [.clock: 1],
        "Shared/ServiceRuntime/ActivityCounts.swift": [.clock: 1],
        "Shared/ServiceRuntime/ActivityReporter.swift": [.random: 2],
        "Shared/ServiceRuntime/Log.swift": [.clock: 2],
        "Shared/ServiceRuntime/Maintenance.swift": [.clock: 1],
        "Shared/ServiceRuntime/ProcessReporter.swift": [.clock: 2],
        "Shared/ServiceRuntime/ProcessStart.swift": [.random: 1],
        "Shared/ServiceRuntime/ProcessUsage.swift": [.clock: 2],
        "Shared/ServiceRuntime/Program.swift": [.clock: 1],
        "Shared/ServiceRuntime/RefusedCallers.swift": [.clock: 1],
        "Shared/ServiceRuntime/ServiceRuntime.swift": [.pause: 1, .task: 4],
        "Shared/ServiceRuntime/StartDelay.swift": [.clock: 2, .pause: 1, .task: 1],
        "Shared/ServiceRuntime/StopRequestDispatcher.swift": [.task: 1],
        "Shared/ServiceRuntime/TimeLimit.swift": [.pause: 1, .task: 2],
        "Shared/ServiceRuntime/TraceExporter.swift": [.pause: 1, .task: 1],
        "Shared/ServiceRuntime/WallClock.swift": [.clock: 1],
        "Shared/Storage/ServiceRuntime+Database.swift": [.clock: 1],
        "Shared/Storage/StorageSettings+Prepare.swift": [.pause: 1],
        "Shared/Storage/StoreCheck.swift": [.task: 2],
        "Shared/Storage/StoreHealth.swift": [.clock: 2],
        "Shared/Storage/TrustedClock.swift": [.clock: 2],
        "Shared/Tracing/ActiveSpan.swift": [.random: 1],
        "Shared/Tracing/SpanRecorder.swift": [.random: 3],
        "Shared/Tracing/SpanTime.swift": [.clock: 2],
        "Shared/UserFiles/Import/UserImport.swift": [.random: 1],
        "Shared/Vocabulary/SystemRandom.swift": [.random: 2],
    ]

    private let tree: SourceTree

    init() throws { tree = try SourceTree() }

    @Test func machineEntersOnlyWhereItIsListed() {
        // They run in the programs of their users.
        let products = ["Shared/LatchkeyAuth/", "Shared/LatchkeyAdmin/", "Shared/LatchkeyTestKit/"]
        var unused = seams
        for file in tree.files(in: "Services") + tree.files(in: "Shared")
        where !products.contains(where: file.path.hasPrefix) {
            let found = MachineAccess.counts(in: SourceTokens(file.lines.joined(separator: "\n")).tokens)
            let listed = unused.removeValue(forKey: file.path) ?? [:]
            for access in MachineAccess.allCases {
                let (count, limit) = (found[access, default: 0], listed[access, default: 0])
                #expect(count <= limit, "\(file) has \(count) accesses to a \(access), of \(limit) that are listed")
                #expect(count >= limit, "\(file) needs only \(count) of \(limit) for a \(access): shorten the list")
            }
        }
        #expect(unused.isEmpty, "these files do not exist any more: shorten the list")
    }

    @Test(
        arguments: [
            ("let now = ContinuousClock.now", .clock), ("state.tick(at: .now)", .clock), ("{ .now }", .clock),
            ("if .now >= end {}", .clock), ("ContinuousClock().now - start", .clock), ("WallClock.now()", .clock),
            ("Date()", .clock), ("time(nil)", .clock), ("clock_gettime(CLOCK_REALTIME, &time)", .clock),
            ("try await Task.sleep(for: pause)", .pause), ("usleep(1000)", .pause),
            ("Int.random(in: 0..<5)", .random), ("let id: ID = .random()", .random), ("UUID()", .random),
            ("hosts.shuffled()", .random), ("RAND_bytes(buffer, 5)", .random),
            ("\"\\(Int.random(in: 0..<5))\"", .random),
            ("Task { await run() }", .task), ("Task.detached { }", .task),
            ("Task(executorPreference: loop) { }", .task),
        ] as [(String, MachineAccess)])
    func accessIsRecognized(source: String, access: MachineAccess) {
        #expect(MachineAccess.counts(in: SourceTokens(source).tokens) == [access: 1])
    }

    @Test(
        arguments: [
            "let now = machine.now()", "clock.now", "store.sweep(at: context.now())", "// Date()", "\"usleep(1)\"",
            "static func random() -> Self", "var task: Task<Void, Never>?", "Date(timeIntervalSince1970: 5)",
            "try await EventLoop.sleep(forAbout: pause)", "EventLoop.startTask { }", "Random.bytes(32)",
            "hosts.shuffled(using: &random)", "func usleep()", "MaintenanceTask(name)",
        ])
    func restIsNoAccess(source: String) {
        #expect(MachineAccess.counts(in: SourceTokens(source).tokens) == [:])
    }
}
