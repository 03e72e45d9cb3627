internal import ServiceRuntime

/// The options of `latchkey up`. Each is another way to write one variable, so that settings are read in one place.
enum UpOptions {
    private enum Option: String, CaseIterable {
        case dev, data, listen
        case adminListen = "admin-listen"
        case project, scale, only, log
        case emulatorTokens = "emulator-tokens"

        var variable: String {
            switch self {
            case .dev: "LATCHKEY_DEV"
            case .data: "LATCHKEY_DATA"
            case .listen: "LATCHKEY_LISTEN"
            case .adminListen: "LATCHKEY_ADMIN_LISTEN"
            case .project: "LATCHKEY_PROJECT"
            case .scale: "LATCHKEY_SCALE"
            case .only: "LATCHKEY_ONLY"
            case .log: "LATCHKEY_LOG"
            case .emulatorTokens: "LATCHKEY_EMULATOR_TOKENS"
            }
        }

        /// What follows the option; nil for one that stands alone.
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
        return lines.map { padded($0, 29) + padded($1.variable, 26) + $1.meaning }.joined(separator: "\n")
    }

    /// The environment as the command line changes it. An option wins over its variable; the last of several wins, but
    /// scales add up. Both `--name value` and `--name=value` are understood.
    static func environment(_ arguments: [String], over environment: Environment) throws(UsageFailure) -> Environment {
        var changes: [String: String?] = [:]
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("--") else { throw UsageFailure("There is no argument \(quoted(argument)).") }
            let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let option = Option(rawValue: String(parts[0])) else {
                throw UsageFailure("There is no option \(quoted(argument)).")
            }
            let attached = parts.count == 2 ? String(parts[1]) : nil
            guard let operand = option.operand else {
                guard attached == nil else { throw UsageFailure("--\(option.rawValue) stands alone.") }
                changes[option.variable] = "1"
                continue
            }
            guard let value = attached ?? rest.popFirst(), !value.isEmpty, !value.hasPrefix("--") else {
                throw UsageFailure("--\(option.rawValue) wants \(operand).")
            }
            if option == .scale, case let earlier?? = changes[option.variable] {
                changes[option.variable] = earlier + "," + value
            } else {
                changes[option.variable] = value
            }
        }
        return environment.changing(changes)
    }

    private static func quoted(_ text: String) -> String { "\"\(LogText.escaped(text, maximumBytes: 100))\"" }
}
