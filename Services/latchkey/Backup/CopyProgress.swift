internal import Contracts
internal import Glibc
internal import ServiceRuntime
internal import Synchronization

/// How far a copy of rows is, as an operator sees it: a bar that is drawn again in its place.
struct ProgressLine: Equatable {
    var service: ServiceName
    /// What happens to the rows: `rows`, or the step after the last of them.
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

    /// For a file or a pipe.
    var sentence: String { "\(service.rawValue): \(percent)%, \(text)" }

    private var text: String { "\(done) of \(total) \(step), \(seconds) s" }

    /// Never 100 before the last row.
    private var percent: Int { total > 0 ? min(100, done * 100 / total) : 100 }

    private func padded(_ text: String) -> String { text + String(repeating: " ", count: max(1, 12 - text.count)) }
}

/// Shows how far `backup` and `restore` are: on a terminal as a bar, ten times a second at most; elsewhere as a line each
/// ten seconds, so that a run that is over sooner leaves nothing in the mail of a cron job.
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
    /// Rows between two looks at the clock.
    private static let stride = 256
    /// Carriage return, erase to the end of the line (ECMA-48).
    private static let eraseLine = "\r\u{1b}[K"

    private let output: Output
    private let state: Mutex<State?> = Mutex(nil)
    private let now: @Sendable () -> ContinuousClock.Instant
    private let write: @Sendable (String) -> Void

    /// - Parameter write: takes text as it is to appear, with line ends.
    init(
        _ output: Output, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        write: @escaping @Sendable (String) -> Void
    ) {
        self.output = output
        self.now = now
        self.write = write
    }

    /// On standard error: standard output has the result.
    static func standardError() -> CopyProgress {
        CopyProgress(isatty(STDERR_FILENO) == 1 ? .terminal : .lines) { text in
            _ = text.withCString { Glibc.write(STDERR_FILENO, $0, strlen($0)) }
        }
    }

    /// Rows of one service begin.
    func begin(_ service: ServiceName, total: Int) {
        finish()
        let now = now()
        state.withLock {
            $0 = State(
                line: ProgressLine(service: service, step: "rows", done: 0, total: total, seconds: 0), startedAt: now,
                shownAt: now)
        }
    }

    /// One more row was copied.
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

    /// Something else than copying rows begins, before the first or after the last of them, which may take as long.
    /// - Parameters:
    ///   - step: nil when it is over and rows are copied.
    ///   - isShownAtOnce: also when nothing has been shown so far.
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

    /// Nothing of a bar stays on the terminal.
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
