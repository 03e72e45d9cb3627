import Glibc
import ServiceRuntime

/// The permissions of a file for messages.
enum FilePermissions {
    /// A sentence that says which user lacks access to a path, and which user has it. Without access to its parent, it
    /// names the nearest directory above that can be examined.
    static func sentence(about path: String) -> String {
        let shown = LogEscaping.escaped(path, maximumBytes: 200)
        let user = name(of: geteuid())
        var place = path
        var status = stat()
        while stat(place, &status) != 0, let slash = place.lastIndex(of: "/"), slash != place.startIndex {
            place = String(place[..<slash])
        }
        let owner = name(of: status.st_uid)
        let mode = String(status.st_mode & 0o777, radix: 8)
        return "The user \(user) has no permission to use \(shown): "
            + "\(LogEscaping.escaped(place, maximumBytes: 200)) belongs to \(owner) and has mode 0\(mode)."
    }

    private static func name(of user: uid_t) -> String {
        // `getpwuid` is not safe with concurrent calls; a command calls it once, before it ends.
        guard let entry = getpwuid(user), let name = entry.pointee.pw_name else { return "\(user)" }
        return String(cString: name)
    }
}
