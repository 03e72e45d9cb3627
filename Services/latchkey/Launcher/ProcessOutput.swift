import Blocking
import ServiceRuntime
import Synchronization

/// Passes the output of one process of the mesh on to the common log.
///
/// Log lines already contain the name of the process and pass unchanged. All other output (the message of a crash, a
/// library that prints) becomes a log line under the name of the process. The last such lines are kept to explain its
/// end.
final class ProcessOutput: Sendable {
    private static let kept = 8

    private let log: Log
    private let write: @Sendable (String) -> Void
    private let words = Mutex<[String]>([])
    private let crash: @Sendable (RequestMark) -> Void
    private let joined: @Sendable () -> Void
    private let closed: @Sendable () -> Void

    /// - Parameters:
    ///   - crash: receives the request over which the process crashes, before the process has ended.
    ///   - joined: called when the process has joined the bus.
    ///   - closed: called when the process has closed on request.
    init(
        instance: String, log: Log, write: @escaping @Sendable (String) -> Void = StandardError.shared.write,
        crash: @escaping @Sendable (RequestMark) -> Void = { _ in }, joined: @escaping @Sendable () -> Void = {},
        closed: @escaping @Sendable () -> Void = {}
    ) {
        self.log = log.withInstance(instance)
        self.crash = crash
        self.joined = joined
        self.closed = closed
        self.write = write
    }

    /// The last lines that the process printed apart from its log.
    var lastOutputLines: [String] { words.withLock { $0 } }

    func receive(_ line: String) {
        if let mark = CrashMark.mark(in: line) { return crash(mark) }
        guard line != JoinMark.line else { return joined() }
        guard line != CloseMark.line else { return closed() }
        guard !isLogLine(line) else { return write(line) }
        log.warn(.processOutput, ["line": .public(line)])
        let word = LogEscaping.escaped(line, maximumBytes: 1000, betweenQuotes: false)
        words.withLock { words in
            guard words.last != word else { return }  // A repeated crash is explained once.
            words.append(word)
            if words.count > Self.kept { words.removeFirst() }
        }
    }

    private func isLogLine(_ line: String) -> Bool {
        switch log.settings.format {
        case .json:
            return line.hasPrefix("{\"time\":\"") && line.hasSuffix("}")
        case .text:
            // `<time> <level> <instance> <event> …`
            let words = line.split(separator: " ", maxSplits: 3)
            return words.count > 3 && words[2] == log.instance && Log.Level(rawValue: String(words[1])) != nil
        }
    }
}
