import Glibc
package import Settings

/// The environment variables a process was started with.
package struct Environment: Sendable {
    private let variables: [String: String]

    package init(_ variables: [String: String]) {
        self.variables = variables
    }

    /// The environment of this process. Values that are not UTF-8 are repaired, so that the settings reader can report
    /// them.
    package static var process: Environment {
        var variables: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
            entry += 1
        }
        return .init(variables)
    }

    /// The value of a variable. An empty value counts as not set, as in an environment file.
    package subscript(name: String) -> String? {
        variables[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The value of a setting. An empty value counts as not set.
    package subscript(setting: Setting) -> String? { self[setting.name] }

    /// The names of all variables that have a value.
    package var names: [String] { variables.filter { !$0.value.isEmpty }.map(\.key) }

    /// The same environment with some variables set or, where the value is nil, removed.
    package func changing(_ changes: [String: String?]) -> Environment {
        var changed = variables
        for (name, value) in changes { changed[name] = value }
        return .init(changed)
    }

    /// The same environment with some settings set or, where the value is nil, removed.
    package func changing(_ changes: [Setting: String?]) -> Environment {
        changing(Dictionary(uniqueKeysWithValues: changes.map { ($0.key.name, $0.value) }))
    }

    /// The variables whose names satisfy a condition.
    package func filter(_ isIncluded: (String) -> Bool) -> Environment {
        .init(variables.filter { isIncluded($0.key) })
    }

    /// `NAME=value` entries in a stable order, for `execve`.
    package var entries: [String] {
        variables.map { "\($0.key)=\($0.value)" }.sorted()
    }
}
