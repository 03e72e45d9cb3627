import Glibc
import ServiceRuntime

extension MeshPlan {
    /// The table of the processes in the output of `latchkey up`.
    /// - Parameter pid: of a process; nil if it did not start.
    func table(_ pid: (PlannedProcess) -> pid_t?) -> String {
        let rows = processes.map { ($0.instance, pid($0).map(String.init) ?? "-", $0.listens) }
        func padded(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        let width = rows.map(\.0.count).max() ?? 0
        let lines = [("process", "pid", "listens on")] + rows
        return lines.map { "  \(padded($0.0, width))  \(padded($0.1, 8))\($0.2)".trimmedAtEnd }.joined(separator: "\n")
    }
}

extension Log {
    func reportStart(of process: MeshPlan.PlannedProcess, pid: pid_t) {
        let fields: Log.Fields =
            process.listens.isEmpty
            ? ["process": .public(process.instance), "pid": .public(pid)]
            : ["process": .public(process.instance), "pid": .public(pid), "listensOn": .public(process.listens)]
        info(.processStarted, fields)
    }
}

extension String {
    fileprivate var trimmedAtEnd: String { String(reversed().drop { $0 == " " }.reversed()) }
}
