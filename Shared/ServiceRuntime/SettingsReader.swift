package import Settings
package import Vocabulary

/// Reads typed settings and collects their errors, until `finish()` throws all of them at once.
///
/// For a missing or malformed setting it returns a placeholder, which is never used because `finish()` throws.
/// ```swift
/// var reader = SettingsReader(environment, of: .service(.notifier))
/// connections = reader.integer(.smtpConnections, default: 4)
/// try reader.finish()
/// ```
package struct SettingsReader {
    let environment: Environment
    private let process: SettingsProcess
    private var issues: [SettingsIssue] = []

    /// - Parameter process: every setting that is read must list it.
    package init(_ environment: Environment, of process: SettingsProcess) {
        self.environment = environment
        self.process = process
    }

    /// - Throws: every error found since the reader was created.
    package func finish() throws(SettingsError) {
        guard issues.isEmpty else { throw SettingsError(issues) }
    }

    /// Adds an error that concerns several settings, for example two that exclude each other. The same error counts
    /// once.
    package mutating func addIssue(_ setting: Setting, _ problem: String, remedy: String) {
        add(SettingsIssue(setting, problem, remedy: remedy))
    }

    /// Adds an error. The same error counts once.
    package mutating func add(_ issue: SettingsIssue) {
        if !issues.contains(issue) { issues.append(issue) }
    }

    /// The text of a setting; nil if it is not set. A process that the catalog does not list would never receive the
    /// variable from `latchkey up`.
    private func text(of setting: Setting) -> String? {
        precondition(setting.readers.contains(process), "\(process.name) is not among the readers of \(setting.name)")
        return environment[setting]
    }

    /// Any text; nil if it is not set.
    package func optionalString(_ setting: Setting) -> String? {
        text(of: setting)
    }

    /// Any text.
    /// - Parameter example: a value for the error message.
    package mutating func string(_ setting: Setting, default: String? = nil, example: String) -> String {
        value(setting, default: `default`, placeholder: "", expects: "text", example: example) { $0 }
    }

    /// Any text that messages must not show.
    package func optionalSecret(_ setting: Setting) -> Secret<String>? {
        text(of: setting).map(Secret.init)
    }

    /// A whole number within the bounds of the catalog.
    package mutating func integer(_ setting: Setting, default: Int? = nil) -> Int {
        guard case .integer(let range) = setting.kind else {
            preconditionFailure("\(setting.name) is no whole number in the catalogue")
        }
        return value(
            setting, default: `default`, placeholder: range.lowerBound,
            expects: "a whole number from \(range.lowerBound) to \(range.upperBound)", example: "\(range.lowerBound)"
        ) { text in Int(text).flatMap { range.contains($0) ? $0 : nil } }
    }

    /// `1`, `true`, `yes`, `on` or their opposites; false if it is not set.
    package mutating func boolean(_ setting: Setting) -> Bool {
        value(setting, default: false, placeholder: false, expects: "yes or no", example: "1") { text in
            switch text.lowercased() {
            case "1", "true", "yes", "on": true
            case "0", "false", "no", "off": false
            default: nil
            }
        }
    }

    /// A duration up to the maximum in the catalog: a whole number with its unit, `250ms`, `30s`, `15m`, `2h` or `7d`.
    package mutating func duration(_ setting: Setting, default: Duration? = nil) -> Duration {
        guard case .duration(let maximumSeconds) = setting.kind else {
            preconditionFailure("\(setting.name) is no duration in the catalogue")
        }
        let limit = Duration.seconds(maximumSeconds)
        return value(
            setting, default: `default`, placeholder: .zero,
            expects: "a number with ms, s, m, h or d, at most \(limit)",
            example: "30s"
        ) { text in Duration(setting: text).flatMap { $0 <= limit ? $0 : nil } }
    }

    /// An address to listen on or to connect to.
    package mutating func hostPort(_ setting: Setting, default: HostPort? = nil) -> HostPort {
        value(
            setting, default: `default`, placeholder: .init(host: "127.0.0.1", port: 0), expects: "HOST:PORT",
            example: "127.0.0.1:9099", parse: HostPort.init)
    }

    /// An absolute `http` or `https` URL, without a trailing slash. It is never shown, because it may contain a
    /// password.
    package mutating func url(_ setting: Setting, default: String? = nil, example: String) -> String {
        value(
            setting, default: `default`, placeholder: "", expects: "an absolute http or https URL", example: example,
            isSecret: true
        ) { text in
            guard let scheme = ["http://", "https://"].first(where: text.hasPrefix),
                text.utf8.count > scheme.utf8.count,
                text.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7f })
            else { return nil }
            return text.hasSuffix("/") ? String(text.dropLast()) : text
        }
    }

    /// Words separated by commas. White space around them is ignored; empty words are an error.
    package mutating func list(_ setting: Setting, default: [String]? = nil, example: String) -> [String] {
        value(
            setting, default: `default`, placeholder: [], expects: "words separated by commas", example: example
        ) { text in
            let words = text.split(separator: ",", omittingEmptySubsequences: false)
                .map { String($0.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed()) }
            return words.contains("") ? nil : words
        }
    }

    /// Any other type.
    /// - Parameters:
    ///   - placeholder: returned together with an error, never used.
    ///   - expects: what `parse` accepts, to complete the sentence "which is not …".
    ///   - isSecret: whether the message about a malformed value hides it.
    package mutating func value<Value>(
        _ setting: Setting, default: Value?, placeholder: Value, expects: String, example: String,
        isSecret: Bool = false,
        parse: (String) -> Value?
    ) -> Value {
        guard let text = text(of: setting) else {
            if let value = `default` { return value }
            addIssue(setting, "is not set", remedy: "Set it to \(expects), for example \(setting.name)=\(example)")
            return placeholder
        }
        guard let value = parse(text) else {
            let shown = isSecret ? "holds something" : "is \"\(LogEscaping.escaped(text, maximumBytes: 100))\","
            addIssue(setting, "\(shown) which is not \(expects)", remedy: "Write it like \(setting.name)=\(example)")
            return placeholder
        }
        return value
    }
}

extension Duration {
    /// Parses `250ms`, `30s`, `15m`, `2h` or `7d`; nil for any other text, and for values that do not fit into 64 bits.
    package init?(setting text: String) {
        let digits = text.prefix { ("0"..."9").contains($0) }
        guard let number = Int64(digits) else { return nil }
        let (factor, unit): (Int64, Int64)
        switch text[digits.endIndex...] {
        case "ms":
            self = .milliseconds(number)
            return
        case "s": (factor, unit) = (1, 1)
        case "m": (factor, unit) = (60, 1)
        case "h": (factor, unit) = (60, 60)
        case "d": (factor, unit) = (86_400, 1)
        default: return nil
        }
        let (seconds, overflow) = number.multipliedReportingOverflow(by: factor * unit)
        guard !overflow else { return nil }
        self = .seconds(seconds)
    }
}
