import CommandLineArguments
import ServiceRuntime
import Vocabulary

/// The project that a command is about, and the mesh that has it.
struct ProjectArguments: Sendable {
    let project: ProjectID
    let mesh: MeshArguments

    /// - Parameter arguments: of a command that declares `MeshArguments.projectOptions`.
    /// - Throws: `SettingsError`, and `LauncherError` if the mesh does not run.
    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        mesh = try MeshArguments(arguments, environment, requiresProject: true)
        project = mesh.project ?? ProcessSettings.devProject
    }
}

extension ProjectID {
    /// - Throws: `UsageError` for a text that is no id.
    init(operand text: String) throws(UsageError) {
        guard Realm.isIdentifier(text) else {
            throw UsageError("\(UsageError.quoted(text)) is not an id of a project.")
        }
        self.init(text)
    }
}
