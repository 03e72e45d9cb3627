package import Contracts
import Glibc

/// What the launcher executes for one process of the mesh.
package struct ProcessExecutable: Sendable {
    var path: String
    /// The first argument (`argv[0]`), by which `ps` shows the process.
    var name: String

    package init(path: String) {
        self.path = path
        name = path
    }

    /// The running executable, which contains the program of every process and selects one by its name.
    ///
    /// The kernel's link to it leads to the same file even after an upgrade has replaced it. So a process that is
    /// restarted has the version of the others.
    package static func running(as service: ServiceName) -> Self {
        var executable = Self(path: "/proc/self/exe")
        executable.name = service.rawValue
        if let own = realpath(executable.path, nil) {
            defer { free(own) }
            let path = String(cString: own)
            executable.name = "\(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])/\(service.rawValue)"
        }
        return executable
    }
}

extension ServiceName {
    /// The program that an executable with this path runs; nil for the operator's command.
    package init?(ofExecutable path: String) {
        self.init(rawValue: String(path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...]))
    }
}
