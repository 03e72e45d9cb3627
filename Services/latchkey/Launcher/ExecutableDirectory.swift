internal import Glibc

/// The directory of the executables of the mesh.
package struct ExecutableDirectory: Sendable {
    package var path: String

    package init(_ path: String) {
        self.path = path
    }

    /// The directory of the running executable.
    package static var ofCurrentExecutable: ExecutableDirectory {
        guard let own = realpath("/proc/self/exe", nil) else { return .init(".") }
        defer { free(own) }
        let path = String(cString: own)
        return .init(String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]))
    }

    /// The path of an executable.
    /// - Throws: `LauncherError.file` if it cannot be executed.
    func executable(_ name: String) throws(LauncherError) -> String {
        let file = "\(path)/\(name)"
        guard access(file, X_OK) == 0 else {
            throw .file(
                file, problem: "cannot be run: \(lastError())", remedy: "Build it, or install all executables together")
        }
        return file
    }
}
