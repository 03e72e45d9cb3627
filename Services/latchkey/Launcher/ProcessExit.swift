import ServiceRuntime

/// How a process ended.
package enum ProcessExit: Equatable, Sendable, CustomStringConvertible {
    case code(Int32)
    case signal(Int32)
    /// It never ran: the error of the kernel.
    case notStarted(String)

    /// Whether a restart fails again until the operator changes settings or data.
    package var isLasting: Bool { self == .code(ExitCode.settings) || self == .code(ExitCode.data) }

    /// Why it does not work. Every client of the gateway may read it, so it contains no path and no address.
    package var problem: String {
        switch self {
        case .code(ExitCode.settings): "its settings or permissions are wrong; the log says which"
        case .code(ExitCode.data): "its database cannot be used; the log says why"
        case .code, .signal, .notStarted: "it dies again and again (\(description))"
        }
    }

    /// Whether a signal of a programming error ended it, and not a request to stop.
    package var isCrash: Bool {
        switch self {
        case .signal(let number): CrashMark.signals.contains(number)
        case .code, .notStarted: false
        }
    }

    package var description: String {
        switch self {
        case .code(let code): "exit code \(code)"
        case .signal(let number): "signal \(number)"
        case .notStarted(let reason): "not started: \(reason)"
        }
    }
}
