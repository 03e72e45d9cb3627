import Glibc
import ServiceRuntime
import Synchronization

/// One line with the progress of an import or an export.
struct TransferProgressLine: Equatable {
    var users: Int
    /// The completed part of the work, in any unit; a total of 0 is unknown.
    var done: Int
    var total: Int
    var seconds: Double

    private static let barWidth = 24

    /// At most 79 columns.
    var text: String {
        let rate = seconds > 0 ? Double(users) / seconds : 0
        let speed = "\(users) users, \(Int(rate))/s"
        guard total > 0 else { return "  \(speed)" }
        let share = min(1, Double(done) / Double(total))
        let filled = Int(share * Double(Self.barWidth))
        let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: Self.barWidth - filled)
        let rest = share > 0 ? " \(Self.duration(seconds / share - seconds)) left" : ""
        return "  [\(bar)] \(Int(share * 100))%  \(speed)\(rest)"
    }

    private static func duration(_ seconds: Double) -> String {
        let whole = Int(min(max(0, seconds.rounded(.up)), 359_999))
        let minutes = whole / 60
        let twoDigits = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
        return minutes < 60
            ? "\(minutes):\(twoDigits(whole % 60))"
            : "\(minutes / 60):\(twoDigits(minutes % 60)):\(twoDigits(whole % 60))"
    }
}

/// Draws the progress on a terminal, at most ten times a second. Elsewhere it draws nothing.
final class TransferProgress: Sendable {
    private struct State {
        var drawnAt: ContinuousClock.Instant?
        var isShown = false
    }

    private static let interval = Duration.milliseconds(100)
    /// Carriage return, erase to the end of the line (ECMA-48).
    private static let eraseLine = "\r\u{1b}[K"

    private let isTerminal: Bool
    private let startedAt = ContinuousClock.now
    private let state = Mutex(State())

    init(isTerminal: Bool = isatty(STDERR_FILENO) == 1) {
        self.isTerminal = isTerminal
    }

    func update(users: Int, done: Int, total: Int) {
        guard isTerminal else { return }
        let now = ContinuousClock.now
        state.withLock { state in
            if let drawnAt = state.drawnAt, now - drawnAt < Self.interval { return }
            state.drawnAt = now
            state.isShown = true
            let seconds = (now - startedAt) / .seconds(1)
            let line = TransferProgressLine(users: users, done: done, total: total, seconds: seconds)
            Self.write(Self.eraseLine + line.text)
        }
    }

    /// Prints a line on standard error, above the progress.
    func print(_ line: String) {
        let escaped = TextTable.escaped(line)
        state.withLock { state in
            let erase = state.isShown ? Self.eraseLine : ""
            state.isShown = false
            state.drawnAt = nil
            Self.write("\(erase)\(escaped)\n")
        }
    }

    func finish() {
        state.withLock { state in
            if state.isShown { Self.write(Self.eraseLine) }
            state.isShown = false
        }
    }

    private static func write(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
            guard written > 0 || (written < 0 && errno == EINTR) else { return }
            bytes = bytes.dropFirst(max(0, written))
        }
    }
}
