import Settings

/// `LATCHKEY_LOG` and `LATCHKEY_LOG_FORMAT`: the level and the format of a log.
package struct LogSettings: Equatable, Sendable {
    package var level: Log.Level
    package var format: Log.Format

    package init(level: Log.Level = .info, format: Log.Format = .text) {
        self.level = level
        self.format = format
    }

    /// Reads both; the defaults are `info` and `text`.
    package init(from reader: inout SettingsReader) {
        let formats = Self.formats(in: reader.optionalString(.log) ?? "")
        if let format = formats.first {
            reader.addIssue(
                .log, "has the level alone", remedy: "Set the format with \(Setting.logFormat.name)=\(format.rawValue)")
            level = .info
        } else {
            level = reader.value(
                .log, default: .info, placeholder: .info, expects: "a level (debug, info, warn, error)",
                example: "info", parse: Log.Level.init(rawValue:))
        }
        format = reader.value(
            .logFormat, default: .text, placeholder: .text, expects: "a format (text, json)", example: "json",
            parse: Log.Format.init(rawValue:))
    }

    /// Earlier versions had the format in `LATCHKEY_LOG`, alone or beside the level.
    private static func formats(in setting: String) -> [Log.Format] {
        setting.split(separator: ",").compactMap { Log.Format(rawValue: String($0)) }
    }
}
