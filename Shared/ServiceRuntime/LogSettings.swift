import Settings

/// `LATCHKEY_LOG`: a level, a format, or both, for example `info`, `json` or `debug,json`.
package struct LogSettings: Equatable, Sendable {
    package var level: Log.Level
    package var format: Log.Format

    package init(level: Log.Level = .info, format: Log.Format = .text) {
        self.level = level
        self.format = format
    }

    /// Reads `LATCHKEY_LOG`; the defaults are `info` and `text`.
    package init(from reader: inout SettingsReader) {
        self = reader.value(
            .log, default: .init(), placeholder: .init(),
            expects: "a level (debug, info, warn, error), a format (text, json), or both", example: "info,json",
            parse: Self.init(setting:))
    }

    /// - Returns: nil for unknown words, and for two levels or two formats.
    package init?(setting: String) {
        var level: Log.Level?
        var format: Log.Format?
        for word in setting.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
            if let named = Log.Level(rawValue: word), level == nil {
                level = named
            } else if let named = Log.Format(rawValue: word), format == nil {
                format = named
            } else {
                return nil
            }
        }
        self.init(level: level ?? .info, format: format ?? .text)
    }

    /// The text that parses as these settings.
    package var setting: String { "\(level.rawValue),\(format.rawValue)" }
}
