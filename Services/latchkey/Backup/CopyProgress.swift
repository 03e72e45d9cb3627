import Contracts
import Glibc
import ServiceRuntime
import Synchronization

/// The progress of copying rows, or of making accounts, for the operator: a bar that is redrawn in place.
struct ProgressLine: Equatable {
    var service: ServiceName
    /// What is counted, or the step after the last of them.
    var step: String
    var done: Int
    var total: Int
    var seconds: Int

    private static let barWidth = 24

    /// One line of at most 79 columns, for a terminal.
    var bar: String {
        let filled = total > 0 ? min(Self.barWidth, done * Self.barWidth / total) : 0
        let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: Self.barWidth - filled)
        return "  \(padded(service.rawValue))[\(bar)] \(percent)%  \(text)"
    }

    /// One line of a file or a pipe.
    var sentence: String { "\(service.rawValue): \(percent)%, \(text)" }

    private var text: String { "\(done) of \(total) \(step), \(seconds) s" }

    /// Reaches 100 only with the last row.
    private var percent: Int { total > 0 ? min(100, done * 100 / total) : 100 }

    private func padded(_ text: String) -> String { text + String(repeating: " ", count: max(1, 12 - text.count)) }
}

/// Shows the progress of `backup`, `restore` and `bench fill`. On a terminal it draws a bar, at most ten times a second. Elsewhere it
/// writes a line every ten seconds, so a shorter run writes nothing into the e-mail of a cron job.
final class CopyProgress: Sendable {
    enum Output: Sendable { case terminal, lines }

    private struct State {
        var line: ProgressLine
        var startedAt: ContinuousClock.Instant
        var shownAt: ContinuousClock.Instant
        var isShown = false
    }

    private static let redrawing = Duration.milliseconds(100)
    private static let lineInterval = Duration.seconds(10)
    /// Rows between two readings of the clock.
    private static let stride = 256
    /// Carriage return, erase to the end of the line (ECMA-48).
    private static let eraseLine = "\r\u{1b}[K"

    private let output: Output
    private let state: Mutex<State?> = Mutex(nil)
    private let now: @Sendable () -> ContinuousClock.Instant
    private let write: @Sendable (String) -> Void

    /// - Parameter write: receives the text to print, with line ends.
    init(
        _ output: Output, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        write: @escaping @Sendable (String) -> Void
    ) {
        self.output = output
        self.now = now
        self.write = write
    }

    /// The step after the last row of a database is copied.
    static let indexes = "building the indexes"

    /// On standard error, because standard output contains the result.
    static func standardError() -> CopyProgress {
        let progress = CopyProgress(isatty(STDERR_FILENO) == 1 ? .terminal : .lines) { text in
            _ = text.withCString { Glibc.write(STDERR_FILENO, $0, strlen($0)) }
        }
        Task { [weak progress] in
            // `try?`: nothing cancels it.
            repeat { try? await Task.sleep(for: .seconds(1)) } while progress?.tick() != nil
        }
        return progress
    }

    /// Starts with the rows of one service.
    /// - Parameter unit: what is counted.
    func begin(_ service: ServiceName, total: Int, of unit: String = "rows") {
        finish()
        let now = now()
        state.withLock {
            $0 = State(
                line: ProgressLine(service: service, step: unit, done: 0, total: total, seconds: 0), startedAt: now,
                shownAt: now)
        }
    }

    /// Counts one copied row.
    func countRow() {
        let text: String? = state.withLock { state in
            guard var current = state else { return nil }
            current.line.done += 1
            defer { state = current }
            guard current.line.done % Self.stride == 0 else { return nil }
            return shown(&current)
        }
        text.map(write)
    }

    /// So many are done, those of an earlier run included.
    func reach(_ count: Int) {
        let text: String? = state.withLock { state in
            guard var current = state else { return nil }
            current.line.done = count
            defer { state = current }
            return shown(&current)
        }
        text.map(write)
    }

    /// A step before the first or after the last row begins or ends. It can take as long as copying.
    /// - Parameters:
    ///   - step: nil when it ends and rows are copied.
    ///   - isShownAtOnce: also if nothing has been shown yet.
    func enter(_ step: String?, isShownAtOnce: Bool = false) {
        let text: String? = state.withLock { state in
            guard var current = state else { return nil }
            current.line.step = step.map { "rows, \($0)" } ?? "rows"
            defer { state = current }
            guard output == .terminal, isShownAtOnce || current.isShown else { return nil }
            return shown(&current, always: true)
        }
        text.map(write)
    }

    /// Shows that a step goes on which counts no rows. Called each second.
    func tick() {
        let text: String? = state.withLock { state in
            guard var current = state else { return nil }
            defer { state = current }
            return shown(&current)
        }
        text.map(write)
    }

    /// Erases the bar from the terminal.
    func finish() {
        let wasShown = state.withLock { state in
            defer { state = nil }
            return state?.isShown ?? false
        }
        if wasShown, output == .terminal { write(Self.eraseLine) }
    }

    private func shown(_ state: inout State, always: Bool = false) -> String? {
        let now = now()
        let interval = output == .terminal ? Self.redrawing : Self.lineInterval
        guard always || now - state.shownAt >= interval else { return nil }
        state.shownAt = now
        state.isShown = true
        state.line.seconds = Int((now - state.startedAt).components.seconds)
        switch output {
        case .terminal: return Self.eraseLine + state.line.bar
        case .lines: return state.line.sentence + "\n"
        }
    }
}
