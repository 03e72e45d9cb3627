import Glibc

/// One start of one process. Its name is the same after a restart and may be in use on other machines too; its id is
/// not.
///
/// An owner that is stored outside the process (of a lease, or of a membership on the bus) is the start and not the
/// name. Of two processes with the name `notifier.1`, one must never treat the work of the other as its own. `latchkey
/// up` sets the id with `LATCHKEY_START_ID` and reports to the brokers how this start ended. Without it, a process
/// generates its own id.
package struct ProcessStart: Equatable, Sendable {
    /// Hexadecimal digits in `id`.
    package static let idLength = 16
    /// Names are shorter than the bus allows, because a dot and the id follow.
    package static let maximumNameBytes = 64 - 1 - idLength

    /// For display, for example `notifier.1`.
    package let name: String
    /// Random and unique among all starts of all processes.
    package let id: String

    package init(name: String, id: String = Self.randomID()) {
        self.name = name
        self.id = id
    }

    package static func randomID() -> String {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: idLength - digits.count) + digits
    }

    /// Whether a text has the form of `randomID`.
    package static func isID(_ text: String) -> Bool {
        text.utf8.count == idLength
            && text.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }

    /// The name on the bus: `notifier.1.0123456789abcdef`.
    package var busInstance: String { "\(name).\(id)" }
}

/// Identifies the owner of a lease in a database, and checks whether that process still runs.
///
/// The text contains the start, the machine, the process id, and the start time of that process in the kernel's ticks.
/// The machine is described as the process sees it: boot, process namespace, host name. Another process can detect its
/// end only on the same machine and in the same namespace. Everywhere else the lease must expire.
package struct LeaseHolder: Equatable, Sendable {
    /// The text that is stored in the database.
    package let text: String

    private static let processFields = 2

    package init(text: String) {
        self.text = text
    }

    /// This process.
    package static func current(_ start: ProcessStart) -> LeaseHolder {
        var fields = [start.busInstance]
        // Without /proc no other process can detect the end of this one.
        if let machine = Self.machine, let ticks = Self.startTicks(of: getpid()) {
            fields += machine + [String(getpid()), String(ticks)]
        }
        return .init(text: fields.joined(separator: " "))
    }

    /// Whether the process that wrote `text` has certainly ended. False also if that cannot be determined from here.
    package static func hasEnded(_ text: String) -> Bool {
        let fields = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard let machine = Self.machine, fields.count == 1 + machine.count + processFields,
            Array(fields[1..<(1 + machine.count)]) == machine, let pid = pid_t(fields[1 + machine.count]), pid > 0,
            let ticks = fields.last.flatMap(UInt64.init)
        else { return false }
        // A missing file in /proc may also be a hidden one; the kernel's result for a signal is reliable.
        if kill(pid, 0) != 0 { return errno == ESRCH }
        guard let found = startTicks(of: pid) else { return false }
        return found != ticks
    }

    /// The boot, from the file of the kernel, or from the variable of a unit that hides this file (`ProcSubset=pid`).
    static func bootID(_ file: String?, _ environment: Environment) -> String? {
        file.map { String($0.prefix { $0 != "\n" }) } ?? environment["BOOT_ID"]
    }

    /// The boot, the process namespace and the host name: process ids are comparable only if all three are equal.
    private static let machine: [String]? = {
        guard let boot = bootID(contents(of: "/proc/sys/kernel/random/boot_id"), .process) else { return nil }
        var target = [CChar](repeating: 0, count: 128)
        let count = readlink("/proc/self/ns/pid", &target, target.count)
        guard count > 0, count < target.count else { return nil }
        let namespace = String(decoding: target.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return nil }
        let host = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return [boot, namespace, host].map { $0.replacing(" ", with: "_") }
    }()

    /// proc(5): the 22nd field. The second field, the command in parentheses, can contain spaces and parentheses.
    private static func startTicks(of pid: pid_t) -> UInt64? {
        guard let text = contents(of: "/proc/\(pid)/stat"), let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[end...].split(separator: " ")
        return fields.count > 20 ? UInt64(fields[20]) : nil
    }

    private static func contents(of path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(file, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }
}
