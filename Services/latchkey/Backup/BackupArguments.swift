internal import ServiceRuntime
internal import Settings

/// The command line of `latchkey backup` and `latchkey restore`.
struct BackupArguments: Equatable {
    /// The directory of the backup, without slashes at the end.
    var directory: String
    /// `--data`: equivalent to `LATCHKEY_DATA`.
    var data: String?
    /// `--dev`: equivalent to `LATCHKEY_DEV`, for the data directory of dev mode.
    var isDev = false
    /// `--replace`, for `restore` only.
    var replaces = false

    init(_ command: String, _ arguments: [String], allowsReplacing: Bool = false) throws(UsageError) {
        var directory: String?
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--data":
                guard let value = rest.popFirst(), !value.isEmpty, !value.hasPrefix("--") else {
                    throw UsageError("--data requires DIR.")
                }
                data = value
            case _ where argument.hasPrefix("--data=") && argument != "--data=":
                data = String(argument.dropFirst("--data=".count))
            case "--dev":
                isDev = true
            case "--replace" where allowsReplacing:
                replaces = true
            case _ where argument.hasPrefix("-"):
                throw UsageError("There is no option \"\(LogEscaping.escaped(argument, maximumBytes: 100))\".")
            default:
                guard directory == nil, !argument.isEmpty else {
                    throw UsageError("latchkey \(command) takes one directory.")
                }
                directory = Self.trimmingTrailingSlashes(argument)
            }
        }
        guard let directory else { throw UsageError("latchkey \(command) requires the directory of the backup.") }
        self.directory = directory
    }

    func environment(over environment: Environment) -> Environment {
        var changes: [Setting: String?] = [:]
        if isDev { changes[.dev] = "1" }
        if let data { changes[.data] = data }
        return environment.changing(changes)
    }

    private static func trimmingTrailingSlashes(_ path: String) -> String {
        var path = path[...]
        while path.count > 1, path.last == "/" { path = path.dropLast() }
        return String(path)
    }
}
