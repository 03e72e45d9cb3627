/// The page of operators about the events of the log.
package enum LogEventDocument {
    /// `docs/operate/log-events.md`.
    package static var markdown: String {
        """
        # Log events

        This page is for an operator who reads the log, or writes rules for it. `make settings` writes it from the code.
        [Operations](operations.md#logs) describes the form of a line, in text and in JSON.

        Names and levels of events are stable. An event with two levels has the lower one where it is expected.

        | Event | Level | Meaning |
        |---|---|---|
        \(LogEvent.allCases.map(row).joined(separator: "\n"))

        """
    }

    private static func row(of event: LogEvent) -> String {
        let levels = event.levels.map(\.rawValue).joined(separator: ", ")
        return "| `\(event.rawValue)` | \(levels) | \(event.meaning) |"
    }
}
