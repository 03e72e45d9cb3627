internal import Bus
internal import Contracts
internal import ServiceAccountFile
internal import ServiceRuntime
internal import Vocabulary

/// `latchkey service-account`: manages the service accounts that may sign custom tokens for a project and administer
/// it.
///
/// It sends requests to identity over the bus and does not open the database. So it works with a mesh on one machine or
/// several. Its changes are in the audit log, and invalidate the caches of all processes.
struct ServiceAccountCommand: Sendable {
    private enum Action: Sendable {
        case add(Identity.ServiceAccountKey)
        case list(ProjectID)
        case remove(email: String, keyID: String?)
    }

    private let action: Action
    private let brokers: [String]

    /// - Throws: `UsageError`, `SettingsError`, and `LauncherError` if a key file is unusable or the mesh does not run.
    init(_ arguments: [String], _ environment: Environment) throws {
        let line = try MeshCommandLine(arguments, environment, requiresProject: { $0 == ["list"] })
        action = try Self.action(line.words, project: line.givenProject, usual: line.project)
        brokers = try line.brokers()
    }

    /// - Parameters:
    ///   - project: from the command line; it takes precedence over the key file.
    ///   - usual: from the command line or the settings.
    private static func action(_ words: [String], project: ProjectID?, usual: ProjectID?) throws -> Action {
        switch (words.first, words.count) {
        case ("add", 2):
            do throws(ServiceAccountFileError) {
                var key = try ServiceAccountFile(path: words[1]).key
                key.project = project ?? key.project
                return .add(key)
            } catch {
                throw LauncherError.file(
                    error.path, problem: error.problem, remedy: "Name the JSON key file of a service account")
            }
        case ("list", 1): return .list(usual ?? ProcessSettings.devProject)
        case ("remove", 2): return .remove(email: words[1], keyID: nil)
        case ("remove", 3): return .remove(email: words[1], keyID: words[2])
        default: throw UsageError("service-account requires a subcommand: `add FILE`, `list`, or `remove EMAIL [KEY]`.")
        }
    }

    /// Sends the request and prints the lines of the result.
    func run(_ printLine: @Sendable (String) -> Void) async throws {
        do {
            for line in try await MeshCommandLine.withMesh(brokers, execute) { printLine(line) }
        } catch let error as WireError {
            throw ServiceAccountCommandError(error: error)
        }
    }

    private func execute(_ bus: BusClient) async throws -> [String] {
        switch action {
        case .add(let key):
            _ = try await bus.send(Identity.AddServiceAccountKey(key: key), trace: .random())
            return ["registered \(key.email), key \(key.keyID), for project \(key.project)"]
        case .list(let project):
            let keys = try await bus.send(Identity.ListServiceAccountKeys(project: project), trace: .random()).keys
            return keys.isEmpty
                ? ["project \(project) has no service accounts"] : keys.map { "\($0.email)  key \($0.keyID)" }
        case .remove(let email, let keyID):
            let reply = try await bus.send(
                Identity.RemoveServiceAccountKeys(email: email, keyID: keyID), trace: .random())
            return ["removed \(reply.removed) key\(reply.removed == 1 ? "" : "s") of \(email); access tokens ended"]
        }
    }
}

/// An error that the mesh returned, for the operator.
struct ServiceAccountCommandError: ExitError, Equatable {
    let error: WireError

    var exitCode: Int32 { ExitCode.failure }

    var messages: [String] {
        switch error.code {
        case .projectNotFound:
            ["The mesh has no such project. Name one with --project; LATCHKEY_PROJECT of `latchkey up` makes it."]
        case .serviceAccountConflict:
            [
                "This account belongs to another project, or this key id to another key. Remove it first with `latchkey "
                    + "service-account remove EMAIL`."
            ]
        case .serviceAccountNotFound: ["No such service account, or key of it, is registered."]
        case .invalidServiceAccount:
            ["The account cannot be registered: at most \(Identity.AddServiceAccountKey.maximumKeys) RSA keys each."]
        case .unavailable, .overloaded, .deadlineExceeded:
            ["No reply from the mesh (\(error.code.rawValue)). Is `latchkey up` running?"]
        default: ["The mesh refused: \(error.code.rawValue)."]  // Of a closed list of eighty, the rest cannot happen.
        }
    }
}
