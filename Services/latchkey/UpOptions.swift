internal import ServiceRuntime
internal import Settings

/// The options of `latchkey up`. Each is equivalent to one setting, so that settings are read in one place.
enum UpOptions {
    private enum Option: String, CaseIterable {
        case dev, data, listen
        case adminListen = "admin-listen"
        case project, scale, only, log
        case emulatorTokens = "emulator-tokens"

        var setting: Setting {
            switch self {
            case .dev: .dev
            case .data: .data
            case .listen: .listen
            case .adminListen: .adminListen
            case .project: .project
            case .scale: .scale
            case .only: .only
            case .log: .log
            case .emulatorTokens: .emulatorTokens
            }
        }

        /// The operand of the option; nil for an option without one.
        var operand: String? {
            switch self {
            case .dev, .emulatorTokens: nil
            case .data: "DIR"
            case .listen, .adminListen: "HOST:PORT"
            case .project: "ID"
            case .scale: "NAME=N"
            case .only: "NAME,..."
            case .log: "FORMAT"
            }
        }

        var meaning: String {
            switch self {
            case .dev: "development mode, on loopback only"
            case .data: "data directory (default in dev: .latchkey)"
            case .listen: "public address (default: 127.0.0.1:9099)"
            case .adminListen: "admin address (default: 127.0.0.1:9098; in dev the public one)"
            case .project: "default project (default in dev: demo-latchkey)"
            case .scale: "how many processes of a kind; may be repeated"
            case .only: "which processes; a broker comes along unless LATCHKEY_BROKERS names one"
            case .log: "text or json, or with a level: debug,json"
            case .emulatorTokens: "dev only: unsigned ID tokens, for clients that insist"
            }
        }
    }

    static var help: String {
        let lines = Option.allCases.map { option in
            ("  --\(option.rawValue)\(option.operand.map { " " + $0 } ?? "")", option)
        }
        func padded(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        return lines.map { padded($0, 29) + padded($1.setting.name, 26) + $1.meaning }.joined(separator: "\n")
    }

    /// The environment as changed by the command line. An option overrides its variable. The last of several equal
    /// options wins, but scale options add up. `--name value` and `--name=value` are accepted.
    static func environment(_ arguments: [String], over environment: Environment) throws(UsageError) -> Environment {
        var changes: [Setting: String?] = [:]
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("--") else { throw UsageError("There is no argument \(quoted(argument)).") }
            let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let option = Option(rawValue: String(parts[0])) else {
                throw UsageError("There is no option \(quoted(argument)).")
            }
            let attached = parts.count == 2 ? String(parts[1]) : nil
            guard let operand = option.operand else {
                guard attached == nil else { throw UsageError("--\(option.rawValue) takes no value.") }
                changes[option.setting] = "1"
                continue
            }
            guard let value = attached ?? rest.popFirst(), !value.isEmpty, !value.hasPrefix("--") else {
                throw UsageError("--\(option.rawValue) requires \(operand).")
            }
            if option == .scale, case let earlier?? = changes[option.setting] {
                changes[option.setting] = earlier + "," + value
            } else {
                changes[option.setting] = value
            }
        }
        return environment.changing(changes)
    }

    private static func quoted(_ text: String) -> String { "\"\(LogEscaping.escaped(text, maximumBytes: 100))\"" }
}
