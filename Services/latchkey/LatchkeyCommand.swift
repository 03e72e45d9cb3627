import CommandLineArguments

/// The operator's command. `latchkey help` lists the subcommands.
package enum LatchkeyCommand {
    /// Runs the subcommand of the command line and ends the process.
    /// - Parameters:
    ///   - readers: for exports with secrets.
    ///   - schemas: for commands that migrate databases.
    ///   - programs: for a mesh in one process.
    ///   - fills: for commands that fill databases.
    package static func main(
        _ readers: AccountSecretReaders, _ schemas: ServiceSchemas, _ programs: ServicePrograms, _ fills: AccountFills
    ) async -> Never {
        await CommandRunner(root).run { command in
            if !(command is UpCommand) { InterruptHandler.install() }
            try await run(command, readers, programs, schemas, fills)
        }
    }

    /// - Parameter fills: nil if the command fills no database.
    static func run(
        _ command: any Command, _ readers: AccountSecretReaders, _ programs: ServicePrograms,
        _ schemas: ServiceSchemas = ServiceSchemas([:]), _ fills: AccountFills? = nil
    ) async throws {
        switch command {
        case let command as UpCommand: try await command.run(starting: programs)
        case let command as BenchFillCommand:
            guard let fills else { preconditionFailure("the executable passes them") }
            try await command.run(with: fills)
        case let command as any SchemaCommand: try await command.run(knowing: schemas)
        case let command as any AccountSecretCommand: try await command.run(reading: readers)
        default: try await command.run()
        }
    }

    /// Ends the process where it has too little memory to start anything. Call it first, on the first thread.
    package static func checkMemory() {
        MemoryCheck.runBeforeThreads()
    }

    /// Every subcommand, in the order of the help.
    static let root = CommandGroup(
        "latchkey", "a self-hosted identity platform", discussion: discussion,
        [
            .command(UpCommand.self),
            .command(CheckCommand.self),
            .command(SettingsCommand.self),
            .command(StatusCommand.self),
            .command(HealthcheckCommand.self),
            .command(DrainCommand.self),
            .command(DoctorCommand.self),
            .command(ProjectInitCommand.self),
            .group(projects),
            .group(tenants),
            .group(applications),
            .group(apnsKeys),
            .group(users),
            .group(sessions),
            .group(keys),
            .group(operators),
            .command(BackupCommand.self),
            .command(RestoreCommand.self),
            .command(MigrateCommand.self),
            .group(audit),
            .group(serviceAccounts),
            .command(TokenCommand.self),
            .group(clientConfiguration),
            .group(templates),
            .command(PasswordFilterCommand.self),
            .group(bench),
            .command(ManCommand.self),
            .command(CompletionCommand.self),
        ])

    private static let projects = CommandGroup(
        "projects", "manage projects",
        [
            .command(ProjectListCommand.self), .command(ProjectShowCommand.self),
            .command(ProjectCreateCommand.self),
            .group(
                CommandGroup(
                    "config", "read and change the configuration of a project",
                    commands: [ConfigurationGetCommand.self, ConfigurationSetCommand.self])),
        ])

    private static let clientConfiguration = CommandGroup(
        "client-config", "print what an application needs to reach a project",
        commands: [
            WebClientConfigurationCommand.self, IOSClientConfigurationCommand.self,
            AndroidClientConfigurationCommand.self,
        ])

    private static let tenants = CommandGroup(
        "tenants", "manage the tenants of a project",
        commands: [
            TenantListCommand.self, TenantShowCommand.self, TenantCreateCommand.self, TenantDeleteCommand.self,
        ])

    private static let applications = CommandGroup(
        "apps", "manage the applications that are registered with a project",
        commands: [ApplicationAddCommand.self, ApplicationListCommand.self, ApplicationRemoveCommand.self])

    private static let apnsKeys = CommandGroup(
        "apns", "manage the keys with which a project sends pushes to its applications",
        commands: [APNsKeyAddCommand.self, APNsKeyListCommand.self, APNsKeyRemoveCommand.self])

    private static let users = CommandGroup(
        "users", "manage the users of a project or tenant",
        commands: [
            UserListCommand.self, UserShowCommand.self, UserCreateCommand.self, UserDisableCommand.self,
            UserEnableCommand.self, UserDeleteCommand.self, UserResetPasswordCommand.self,
            UserRevokeSessionsCommand.self, UserRemoveFactorCommand.self, UsersImportCommand.self,
            UsersExportCommand.self,
        ])

    private static let sessions = CommandGroup(
        "sessions", "read and end the sessions of a user",
        commands: [SessionListCommand.self, SessionRevokeCommand.self])

    private static let operators = CommandGroup(
        "operator", "manage who may use the console",
        commands: [
            OperatorAddCommand.self, OperatorListCommand.self, OperatorResetCommand.self, OperatorRemoveCommand.self,
        ])

    private static let keys = CommandGroup(
        "keys", "list and rotate the master key, revoke a signing key, and create keys of the bus",
        discussion: SealedDatabaseAccess.discussion,
        [
            .command(KeysListCommand.self), .command(KeysRotateMasterCommand.self),
            .command(KeysDeleteFormerCommand.self), .command(KeysListSigningCommand.self),
            .command(KeysRevokeCommand.self),
            .group(
                CommandGroup(
                    "bus", "create the keys with which processes join the bus", commands: [KeysBusCreateCommand.self])),
        ])

    private static let audit = CommandGroup(
        "audit", "read the audit log",
        commands: [AuditVerifyCommand.self, AuditListCommand.self, AuditExportCommand.self])

    private static let serviceAccounts = CommandGroup(
        "service-account", "manage the service accounts of a project",
        discussion: "A service account signs custom tokens for a project, and administers it.",
        commands: [
            ServiceAccountCreateCommand.self, ServiceAccountAddCommand.self, ServiceAccountListCommand.self,
            ServiceAccountRemoveCommand.self,
        ])

    private static let templates = CommandGroup(
        "templates", "check the texts of e-mails", commands: [TemplatesCheckCommand.self])

    private static let bench = CommandGroup(
        "bench", "prepare measurements in dev mode", commands: [BenchFillCommand.self])

    private static let discussion = """
        A command that sends requests to the running mesh finds it by the sockets in the data directory (--data, \
        LATCHKEY_DATA), or by the brokers that LATCHKEY_BROKERS names. Without either it uses the mesh of dev mode, whose \
        data directory is .latchkey.

        An option overrides the setting that its description names. --env-file reads settings from a file in the syntax of \
        EnvironmentFile= of systemd, so that a command beside a unit uses the settings of the unit:

          latchkey keys list --env-file /etc/latchkey/latchkey.env

        A variable in such a file overrides a variable of the process, as in a unit. Of several files, the last counts. With \
        --env-file, the data directory is /var/lib/latchkey, as in the units, unless an option or a setting names another.

        The exit code is 0 for success, 1 for a failure, 64 for an invalid command line, 65 for damaged data, and 78 for \
        invalid settings.
        """
}
