package import Contracts
package import Vocabulary

/// The log of one process: events of `LogEvent` with fields that contain no secrets.
/// ```swift
/// log.warn(.webhookEndpointGone, ["webhook": .public(id)], trace: call.trace)
/// ```
package struct Log: Sendable {
    package enum Level: String, CaseIterable, Comparable, Sendable {
        case debug, info, warn, error

        package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

        private var rank: Int {
            switch self {
            case .debug: 0
            case .info: 1
            case .warn: 2
            case .error: 3
            }
        }
    }

    package enum Format: String, CaseIterable, Sendable { case text, json }

    /// Names are literals in the source. The order of the fields is kept in the output.
    package typealias Fields = KeyValuePairs<StaticString, LogValue>

    package let settings: LogSettings
    /// The process that logs, for example `identity.1`.
    package let instance: String
    private let limiter: LogLimiter
    private let now: @Sendable () -> Moment
    private let instant: @Sendable () -> ContinuousClock.Instant
    private let write: @Sendable (String) -> Void

    /// - Parameters:
    ///   - instant: the steady clock.
    ///   - write: receives one line without its end.
    package init(
        instance: String, settings: LogSettings = .init(), now: @escaping @Sendable () -> Moment = WallClock.now,
        instant: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        write: @escaping @Sendable (String) -> Void = StandardError.shared.write
    ) {
        self.instance = instance
        self.settings = settings
        limiter = LogLimiter()
        self.now = now
        self.instant = instant
        self.write = write
    }

    /// The same log under another instance name.
    package func withInstance(_ instance: String) -> Log {
        .init(instance: instance, settings: settings, now: now, instant: instant, write: write)
    }

    package func debug(_ event: LogEvent, _ fields: Fields = [:], trace: TraceContext? = nil) {
        log(.debug, event, fields, trace)
    }

    package func info(_ event: LogEvent, _ fields: Fields = [:], trace: TraceContext? = nil) {
        log(.info, event, fields, trace)
    }

    package func warn(_ event: LogEvent, _ fields: Fields = [:], trace: TraceContext? = nil) {
        log(.warn, event, fields, trace)
    }

    package func error(_ event: LogEvent, _ fields: Fields = [:], trace: TraceContext? = nil) {
        log(.error, event, fields, trace)
    }

    /// Logs an event that repeats with every request during an outage. It is logged when it is new and then once a
    /// minute, with the number of suppressed lines (`repeated`).
    /// - Parameter subject: identifies the lines of one outage, for example the reason.
    package func errorOnceAMinute(
        _ event: LogEvent, about subject: String, _ fields: Fields = [:], trace: TraceContext? = nil
    ) {
        guard Level.error >= settings.level,
            let repeated = limiter.admit("\(event.rawValue) \(subject)", at: instant())
        else { return }
        var all: [(StaticString, LogValue)] = fields.map { ($0.key, $0.value) }
        all.append(("repeated", .public(repeated)))
        write(.error, event, all, trace)
    }

    private func log(_ level: Level, _ event: LogEvent, _ fields: Fields, _ trace: TraceContext?) {
        guard level >= settings.level else { return }
        write(level, event, fields.map { ($0.key, $0.value) }, trace)
    }

    private func write(
        _ level: Level, _ event: LogEvent, _ fields: [(StaticString, LogValue)], _ trace: TraceContext?
    ) {
        let line = LogLine(
            time: now(), level: level, instance: instance, event: event.rawValue, traceID: trace?.traceID,
            fields: fields.map { ($0.0.description, $0.1) })
        write(line.rendered(as: settings.format))
    }
}
