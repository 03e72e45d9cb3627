import Bus
import CommandLineArguments
import ConfigurationDocuments
import Contracts
import ServiceRuntime
import Vocabulary

/// `latchkey tenants list`.
struct TenantListCommand: Command {
    static let declaration = CommandDeclaration(
        "list", "print the tenants of a project", options: [.json] + MeshArguments.projectOptions)

    private let target: ProjectArguments

    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        target = try ProjectArguments(arguments, environment)
    }

    func run() async throws { try await target.mesh.withRequests { try await write($0, to: target.mesh.output) } }

    func write(_ bus: any BusRequestSending, to output: CommandOutput) async throws {
        var list = output.list(
            OutputColumn("TENANT") { (tenant: TenantRecord) in tenant.id },
            OutputColumn("NAME") { $0.displayName ?? "" },
            OutputColumn("STATE") { $0.disabled ? "disabled" : "enabled" })
        var after: TenantID?
        repeat {
            let page = try await bus.send(
                Identity.ListTenants(
                    project: target.project, after: after, limit: Identity.ListTenants.maximumCount), .ofOperator())
            try list.append(page.tenants.map(TenantRecord.init))
            after = page.hasMore ? page.tenants.last?.id : nil
        } while after != nil
        if list.count == 0 { output.note("The project \(target.project) has no tenants.") }
    }
}

/// `latchkey tenants show TENANT`.
struct TenantShowCommand: Command {
    private static let tenant = Operand("TENANT", "id of the tenant")

    static let declaration = CommandDeclaration(
        "show", "print the configuration of a tenant, as the JSON document of the admin API", operands: [tenant],
        options: MeshArguments.projectOptions)

    private let tenant: TenantID
    private let target: ProjectArguments

    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        tenant = TenantID(arguments[Self.tenant])
        target = try ProjectArguments(arguments, environment)
    }

    func run() async throws {
        let found = try await target.mesh.withRequests { bus in
            try await bus.send(
                Identity.ReadTenant(project: target.project, tenant: tenant), .ofOperator())
        }
        print(IndentedJSON.text(try TenantDocument.document(found, of: target.project)))
    }
}

/// `latchkey tenants create NAME`.
struct TenantCreateCommand: Command {
    private static let name = Operand("NAME", "display name, of which the id is made")
    private static let passwords = CommandOption(
        "allow-passwords", "users of the tenant sign in with e-mail and password")

    static let declaration = CommandDeclaration(
        "create", "create a tenant and print its id",
        discussion: "The project must allow tenants: `projects config set multiTenant.allowTenants true`.",
        operands: [name], options: [passwords, .json] + MeshArguments.projectOptions)

    private let configuration: TenantConfiguration
    private let target: ProjectArguments

    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        var configuration = TenantConfiguration()
        configuration.displayName = arguments[Self.name]
        if arguments.has(Self.passwords) { configuration.allowPasswordSignup = true }
        self.configuration = configuration
        target = try ProjectArguments(arguments, environment)
    }

    func run() async throws {
        let created = try await target.mesh.withRequests { bus in
            try await bus.send(
                Identity.CreateTenant(
                    project: target.project, configuration: configuration, client: .operatorCommand), .ofOperator())
        }
        try target.mesh.output.show(TenantRecord(created), created.id.rawValue)
    }
}

/// `latchkey tenants delete TENANT --yes`.
struct TenantDeleteCommand: Command {
    private static let tenant = Operand("TENANT", "id of the tenant")
    private static let yes = CommandOption("yes", "delete the tenant")

    static let declaration = CommandDeclaration(
        "delete", "delete a tenant with all its users",
        discussion: "They cannot be restored, except from a backup. Without --yes the command deletes nothing.",
        operands: [tenant], options: [yes] + MeshArguments.projectOptions)

    private let tenant: TenantID
    private let target: ProjectArguments

    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        guard arguments.has(Self.yes) else {
            throw UsageError("The users of a deleted tenant cannot be restored. Add --yes to delete the tenant.")
        }
        tenant = TenantID(arguments[Self.tenant])
        target = try ProjectArguments(arguments, environment)
    }

    func run() async throws {
        try await target.mesh.withRequests { bus in
            _ = try await bus.send(
                Identity.DeleteTenant(project: target.project, tenant: tenant, client: .operatorCommand),
                .ofOperator())
        }
        print("Deleted the tenant \(tenant) of project \(target.project) with its users.")
    }
}

/// A tenant in the output of lists. The names of the members are stable.
struct TenantRecord: Encodable, Equatable {
    var id: String
    var displayName: String?
    /// Its users cannot sign in.
    var disabled: Bool

    init(_ tenant: Identity.Tenant) {
        id = tenant.id.rawValue
        displayName = tenant.configuration.displayName
        disabled = tenant.configuration.disableAuth ?? false
    }
}
