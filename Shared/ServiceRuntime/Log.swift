package import Contracts
package import Vocabulary

/// The log of one process: events by name, with fields that are fit to be read by others.
/// ```swift
/// log.info("session.ended", ["session": .public(id), "reason": "revoked"], trace: call.trace)
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

    /// Names are words of our source; the order written is the order shown.
    package typealias Fields = KeyValuePairs<StaticString, LogValue>

    package let settings: LogSettings
    /// Who speaks, for example `identity.1`.
    package let instance: String
    private let now: @Sendable () -> Moment
    private let write: @Sendable (String) -> Void

    /// - Parameter write: takes one line without its end.
    package init(
        instance: String, settings: LogSettings = .init(), now: @escaping @Sendable () -> Moment = WallClock.now,
        write: @escaping @Sendable (String) -> Void = StandardError.shared.write
    ) {
        self.instance = instance
        self.settings = settings
        self.now = now
        self.write = write
    }

    /// The same log under another speaker's name.
    package func speaking(as instance: String) -> Log {
        .init(instance: instance, settings: settings, now: now, write: write)
    }

    package func debug(_ event: StaticString, _ fields: Fields = [:], trace: TraceContext? = nil) {
        log(.debug, event, fields, trace)
    }

    package func info(_ event: StaticString, _ fields: Fields = [:], trace: TraceContext? = nil) {
        log(.info, event, fields, trace)
    }

    package func warn(_ event: StaticString, _ fields: Fields = [:], trace: TraceContext? = nil) {
        log(.warn, event, fields, trace)
    }

    package func error(_ event: StaticString, _ fields: Fields = [:], trace: TraceContext? = nil) {
        log(.error, event, fields, trace)
    }

    private func log(_ level: Level, _ event: StaticString, _ fields: Fields, _ trace: TraceContext?) {
        guard level >= settings.level else { return }
        let line = LogLine(
            time: now(), level: level, instance: instance, event: event.description, traceID: trace?.traceID,
            fields: fields.map { ($0.key.description, $0.value) })
        write(line.rendered(as: settings.format))
    }
}
