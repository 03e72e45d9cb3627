internal import Glibc

/// One start of one process. Its name is the same after a restart and may be in use on other machines too; its id is not.
///
/// Whatever outlives a process and says whose it is (a lease, a place on the bus) carries the start and not the name:
/// of two processes called `notifier.1`, one must never take the work of the other for its own. `latchkey up` sets the id
/// with `LATCHKEY_START_ID` and tells the brokers what became of this start; a process makes its own without it.
package struct ProcessStart: Equatable, Sendable {
    /// Of hexadecimal digits in `id`.
    package static let idLength = 16
    /// Names are so much shorter than the bus allows, since a point and the id follow there.
    package static let maximumNameBytes = 64 - 1 - idLength

    /// For people, for example `notifier.1`.
    package let name: String
    /// Random: no other start of any process has it.
    package let id: String

    package init(name: String, id: String = Self.randomID()) {
        self.name = name
        self.id = id
    }

    package static func randomID() -> String {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: idLength - digits.count) + digits
    }

    /// Whether a text is an id as `randomID` makes them.
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

/// Says in a database whose something is, and finds out whether that process still runs.
///
/// The text names the start, the machine as the process saw it (boot, process namespace, host name), the process id, and
/// when that process began by the kernel's count. Another process sees that it is gone only on the same machine and in the
/// same namespace; everywhere else nobody can know, and what it holds has to expire.
package struct LeaseHolder: Equatable, Sendable {
    /// For the database.
    package let text: String

    private static let processFields = 2

    package init(text: String) {
        self.text = text
    }

    /// This process.
    package static func current(_ start: ProcessStart) -> LeaseHolder {
        var fields = [start.busInstance]
        // Without /proc nobody will know what became of this process.
        if let machine = Self.machine, let ticks = Self.startTicks(of: getpid()) {
            fields += machine + [String(getpid()), String(ticks)]
        }
        return .init(text: fields.joined(separator: " "))
    }

    /// Whether the process that wrote `text` has ended for certain. False also when that cannot be known from here.
    package static func isKnownDead(_ text: String) -> Bool {
        let fields = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard let machine = Self.machine, fields.count == 1 + machine.count + processFields,
            Array(fields[1..<(1 + machine.count)]) == machine, let pid = pid_t(fields[1 + machine.count]), pid > 0,
            let ticks = fields.last.flatMap(UInt64.init)
        else { return false }
        // A file that is not there can also be one that is hidden from us; the kernel's answer to a signal cannot.
        if kill(pid, 0) != 0 { return errno == ESRCH }
        guard let found = startTicks(of: pid) else { return false }
        return found != ticks
    }

    /// The boot, the process namespace and the host name: process ids mean the same only where all three are the same.
    private static let machine: [String]? = {
        guard let boot = contents(of: "/proc/sys/kernel/random/boot_id")?.prefix(while: { $0 != "\n" }) else {
            return nil
        }
        var target = [CChar](repeating: 0, count: 128)
        let count = readlink("/proc/self/ns/pid", &target, target.count)
        guard count > 0, count < target.count else { return nil }
        let namespace = String(decoding: target.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return nil }
        let host = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return [String(boot), namespace, host].map { $0.replacing(" ", with: "_") }
    }()

    /// proc(5): the 22nd field. The second, the command in parentheses, can have spaces and parentheses of its own.
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
