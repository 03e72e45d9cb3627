internal import ServiceRuntime

/// How a process ended.
package enum ProcessExit: Equatable, Sendable, CustomStringConvertible {
    case code(Int32)
    case signal(Int32)
    /// It never ran: what the kernel said.
    case notStarted(String)

    /// Whether starting it again will find the same, until somebody changes settings or data.
    package var isLasting: Bool { self == .code(ExitCode.settings) || self == .code(ExitCode.data) }

    /// Why it does not work, for whoever may ask the gateway: no path and no address.
    package var problem: String {
        switch self {
        case .code(ExitCode.settings): "its settings are wrong; the log says which"
        case .code(ExitCode.data): "its database cannot be used; the log says why"
        case .code, .signal, .notStarted: "it dies again and again (\(description))"
        }
    }

    /// Whether it died of a mistake in its own code, and not of somebody's will.
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
