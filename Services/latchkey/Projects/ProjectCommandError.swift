import CommandLineArguments
import ServiceRuntime
import Vocabulary

/// Why a command about projects did nothing.
enum ProjectCommandError: ExitError, Equatable {
    case noProject(ProjectID)
    /// A whole sentence.
    case nothingToDo(String)
    /// A path that the configuration does not have.
    case unknownField(String)
    /// A field that Latchkey computes.
    case outputField(String)
    /// Whole sentences about a value.
    case invalidValue([String])

    var exitCode: Int32 {
        switch self {
        case .noProject, .nothingToDo: ExitCode.failure
        case .unknownField, .outputField, .invalidValue: ExitCode.usage
        }
    }

    var messages: [String] {
        switch self {
        case .noProject(let id): ["The mesh has no project \(id). `latchkey projects list` lists the projects."]
        case .nothingToDo(let sentence): [sentence]
        case .unknownField(let path): ["The configuration has no field \(UsageError.quoted(path))."]
        case .outputField(let path): ["\(path) cannot be set: Latchkey computes it."]
        case .invalidValue(let sentences): sentences
        }
    }
}
