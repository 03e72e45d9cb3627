import CommandLineArguments
import Contracts
import ServiceRuntime
import Vocabulary

/// The realm that a command about users works on, and the mesh that has it.
struct UserArguments: Sendable {
    static let tenant = CommandOption(
        "tenant", value: "ID", "tenant of the project; without it, the project's own users")
    static let options: [CommandOption] = [tenant] + MeshArguments.projectOptions

    let realm: Realm
    let mesh: MeshArguments

    /// - Parameter arguments: of a command that declares `options`.
    /// - Throws: `SettingsError`, and `LauncherError` if the mesh does not run.
    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        mesh = try MeshArguments(arguments, environment, requiresProject: true)
        realm = Realm(
            project: mesh.project ?? ProcessSettings.devProject,
            tenant: arguments.value(Self.tenant).map { TenantID($0) })
    }
}
