import Glibc
import ServiceRuntime

/// What `latchkey up` writes to standard output: sentences and a table for people, or lines of the form of the log if
/// that is JSON. A journal mixes standard output and the log.
struct LauncherOutput: Sendable {
    /// Nil for people.
    private let log: Log?
    private let printLine: @Sendable (String) -> Void

    /// - Parameter printLine: receives one line, or the lines of a table.
    init(_ format: Log.Format, printLine: (@Sendable (String) -> Void)? = nil) {
        let printLine = printLine ?? Self.printLine
        self.printLine = printLine
        switch format {
        case .text: log = nil
        case .json: log = Log(instance: "latchkey", settings: LogSettings(format: .json), write: printLine)
        }
    }

    /// The first line.
    func showStart(isDev: Bool, data: String) {
        guard let log else {
            return printLine("latchkey \(Program.version)\(isDev ? ", development mode" : ""), data in \(data)")
        }
        log.info(
            .meshStarting,
            ["version": .public(Program.version), "isDev": .public(isDev ? "yes" : "no"), "data": .public(data)])
    }

    /// The processes with their addresses. The log has the same in `process.started`.
    func showTable(_ table: String) {
        if log == nil { printLine(table) }
    }

    /// The last line: programs wait for it.
    /// - Parameter url: nil without a gateway.
    func showReady(_ url: String?) {
        let line = ["ready", url].compactMap(\.self).joined(separator: " ")
        guard let log else { return printLine(line) }
        log.info(
            .meshReady, url.map { ["url": .public($0), "line": .public(line)] } ?? ["line": .public(line)])
    }

    private static func printLine(_ text: String) {
        print(text)
        fflush(nil)  // A reader on a pipe waits for this line.
    }
}
