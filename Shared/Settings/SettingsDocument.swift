import Contracts

/// The catalog as text for operators.
package enum SettingsDocument {
    /// The lines about settings in the `--help` of a process.
    package static func help(of process: SettingsProcess) -> String {
        SettingsCatalogue.settings(of: process).map { setting in
            let file = setting.isResolvedFromFile ? " (or \(setting.name)_FILE)" : ""
            let sentences = [sentence(of: setting)] + defaults(of: setting, for: process)
            return "  \(setting.name)\(file)\n      \(sentences.joined(separator: " "))"
        }
        .joined(separator: "\n")
    }

    // MARK: docs/operate/settings.md

    /// `docs/operate/settings.md`.
    package static var markdown: String {
        let sections = SettingsCatalogue.sections.map { section in
            (["## \(section.title)", "", "| Setting | Meaning | Type | Default | Read by |", "|---|---|---|---|---|"]
                + section.settings.map(row)).joined(separator: "\n")
        }
        return introduction + "\n" + sections.joined(separator: "\n\n") + "\n"
    }

    private static let introduction = """
        # Settings

        <!-- `latchkey settings markdown` generates this file from Shared/Settings/Catalogue. A test compares them. -->

        Every setting is an environment variable. `latchkey up` gives each process the variables that it reads and no
        others. `latchkey settings` prints this list; `PROCESS --help` prints the part of one process.

        - A variable without a value counts as not set.
        - A name that begins with `LATCHKEY_` and is not listed here is refused at the start, with exit code 78 and the
          nearest known name.
        - Kubernetes sets variables such as `LATCHKEY_PORT` for a service that is called `latchkey`. Name the service
          differently, or set `enableServiceLinks: false`.
        - A secret can be given as a file instead: `NAME_FILE` is its path. The content counts without one newline at its
          end. The process that needs the secret reads the file at its start, so that the secret is in no environment. The
          file must not be readable by all users.
        - Durations have a unit: `250ms`, `30s`, `15m`, `2h` or `7d`.
        - Yes is `1`, `true`, `yes` or `on`; no is `0`, `false`, `no` or `off`.

        """

    private static func row(_ setting: Setting) -> String {
        let cells = [
            "`\(setting.name)`", meaning(of: setting), kind(of: setting), standard(of: setting),
            names(of: setting.readers),
        ]
        return "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
    }

    private static func meaning(of setting: Setting) -> String {
        var sentences = [sentence(of: setting)]
        if !setting.explanation.isEmpty { sentences.append(setting.explanation) }
        if !setting.requiredBy.isEmpty {
            sentences.append("Required outside dev mode by \(names(of: setting.requiredBy)).")
        }
        if setting.isSecret, let file = setting.fileName {
            sentences.append(setting.isResolvedFromFile ? "Secret, or `\(file)`." : "Secret; see `\(file)`.")
        }
        switch setting.audience {
        case .operator, .launcher: break
        case .development: sentences.append("For dev mode only.")
        }
        if let example = setting.example { sentences.append("Example: `\(example)`") }
        return sentences.joined(separator: " ")
    }

    private static func standard(of setting: Setting) -> String {
        guard let dev = setting.devStandard else { return text(of: setting.standard) }
        return "\(text(of: setting.standard)); in dev mode \(text(of: dev))"
    }

    private static func names(of processes: Set<SettingsProcess>) -> String {
        if processes == .all { return "all processes" }
        return SettingsProcess.allCases.filter(processes.contains).map(\.name).joined(separator: ", ")
    }

    private static func text(of standard: Setting.Default) -> String {
        switch standard {
        case .none: "none"
        case .value(let text): "`\(text)`"
        case .described(let words): words
        }
    }

    private static func kind(of setting: Setting) -> String {
        switch setting.kind {
        case .text: "text"
        case .boolean: "yes or no"
        case .integer(let range): "whole number from \(range.lowerBound) to \(range.upperBound)"
        case .duration(let maximum): "duration, at most \(duration(maximum))"
        case .address: "`HOST:PORT`"
        case .url: "URL"
        case .list: "list, separated by commas"
        case .path: "path"
        }
    }

    private static func duration(_ seconds: Int) -> String {
        for (unit, length) in [("d", 86_400), ("h", 3600), ("m", 60)] where seconds.isMultiple(of: length) {
            return "\(seconds / length)\(unit)"
        }
        return "\(seconds)s"
    }

    // MARK: deploy/env

    /// The names of the files in `deploy/env`, without `.env`: one for all processes of the mesh, and one for each
    /// executable.
    package static let environmentFileNames = [meshFile] + SettingsProcess.allCases.map(\.name)

    private static let meshFile = "mesh"

    /// A commented file of settings for systemd.
    /// - Returns: nil for a name that is not in `environmentFileNames`.
    package static func environmentFile(_ name: String) -> String? {
        let header: String
        let settings: [Setting]
        let process = SettingsProcess(name: name)
        switch process {
        case nil where name == meshFile:
            header = """
                # /etc/latchkey/mesh.env: settings of all processes, when systemd starts each by itself (latchkey@.service).
                """
            settings = sharedSettings
        case nil: return nil
        case .latchkey:
            header = """
                # /etc/latchkey/latchkey.env: settings of `latchkey up`. It gives each variable to the processes that read it,
                # so every setting of the other files can be here too. Set mode 0600 once it contains secrets.
                """
            settings = SettingsCatalogue.all.filter { setting in
                setting.readers.contains(.latchkey) || !setting.requiredBy.isDisjoint(with: .databaseOwners)
                    || [.trustedProxies, .otlpURL, .otlpSamplePercent].contains(setting)
            }
        case .service(let service):
            settings = SettingsCatalogue.settings(of: .service(service)).filter { !sharedSettings.contains($0) }
            header =
                "# /etc/latchkey/\(name).env: settings of \(name), beside mesh.env."
                + (settings.contains(where: isForUnits) ? "" : " There are none yet.")
        }
        let entries = settings.filter(isForUnits).map { environmentEntry($0, for: process) }
        let note = "# `latchkey settings env \(name)` generates this file. \(documentHint)"
        return ([header + "\n" + note] + entries).joined(separator: "\n\n") + "\n"
    }

    private static let documentHint = "docs/operate/settings.md explains all settings."

    /// The settings in `mesh.env`. Secrets are in the files of the processes that read them.
    private static let sharedSettings: [Setting] = [
        .brokers, .project, .publicURL, .log, .logFormat, .otlpURL, .otlpSamplePercent,
    ]

    /// Whether the operator sets it in a file. The unit files set the data directory and the instance.
    private static func isForUnits(_ setting: Setting) -> Bool {
        switch setting.audience {
        case .operator: setting != .data && setting != .instance
        case .development, .launcher: false
        }
    }

    private static func environmentEntry(_ setting: Setting, for process: SettingsProcess?) -> String {
        var sentences = [sentence(of: setting)]
        if !setting.explanation.isEmpty { sentences.append(setting.explanation) }
        sentences += defaults(of: setting, for: process, withDev: false)
        if setting.isResolvedFromFile { sentences.append("As a file: \(setting.name)_FILE.") }
        var value = setting.example ?? ""
        if case .value(let text) = setting.standard, setting.example == nil { value = text }
        if value.contains(" ") { value = "\"\(value)\"" }
        let isSet = setting.isSuggested || isRequired(setting, for: process)
        return wrapped(sentences.joined(separator: " ")) + "\n\(isSet ? "" : "#")\(setting.name)=\(value)"
    }

    /// A file for several processes sets what one of them requires, unless `latchkey up` does not require it.
    private static func isRequired(_ setting: Setting, for process: SettingsProcess?) -> Bool {
        switch process {
        case nil: !setting.requiredBy.isEmpty
        case .service(let service): setting.requiredBy.contains(.service(service))
        case .latchkey:
            setting.requiredBy.contains(.latchkey)
                || (!setting.requiredBy.isEmpty && !setting.readers.contains(.latchkey))
        }
    }

    /// Lines of a comment, at most 120 characters each.
    private static func wrapped(_ text: String) -> String {
        var lines = ["#"]
        for word in text.split(separator: " ") {
            if lines[lines.count - 1].count + 1 + word.count > 120 { lines.append("#") }
            lines[lines.count - 1] += " " + word
        }
        return lines.joined(separator: "\n")
    }

    // MARK: Sentences

    private static func sentence(of setting: Setting) -> String { setting.sentence + "." }

    /// The defaults of the setting, as whole sentences.
    private static func defaults(
        of setting: Setting, for process: SettingsProcess?, withDev: Bool = true
    ) -> [String] {
        if isRequired(setting, for: process) { return ["Required outside dev mode."] }
        let words =
            switch setting.standard {
            case .none: ""
            case .value(let text), .described(let text): "Default: \(text)."
            }
        let dev: String =
            switch withDev ? setting.devStandard : nil {
            case nil, .some(.none): ""
            case .value(let text), .described(let text): "Default in dev mode: \(text)."
            }
        return [words, dev].filter { !$0.isEmpty }
    }
}
