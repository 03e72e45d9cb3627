/// How a process ended.
package enum ProcessEnd: Equatable, Sendable, CustomStringConvertible {
    case code(Int32)
    case signal(Int32)
    /// It never ran: what the kernel said.
    case notStarted(String)

    package var description: String {
        switch self {
        case .code(let code): "exit code \(code)"
        case .signal(let number): "signal \(number)"
        case .notStarted(let reason): "not started: \(reason)"
        }
    }
}
