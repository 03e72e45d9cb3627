import Glibc
import ServiceRuntime

/// Checks owners and modes of files, and the free space.
enum FileChecks {
    /// The data directory has to be private to the user that runs the mesh and this command.
    static func dataDirectory(_ path: String) -> Finding {
        let subject = "data directory"
        do throws(LauncherError) {
            return Finding(subject, .ok, "\(TextTable.escaped(try DataDirectory.existing(path))) is private.")
        } catch {
            return Finding(subject, .error, error.messages.joined(separator: " "))
        }
    }

    /// - Parameters:
    ///   - masterKeyFile: nil if the master key is in the environment.
    ///   - environmentFiles: those of `--env-file`, which usually contain secrets.
    static func secrets(masterKeyFile: String?, environmentFiles: [String]) -> [Finding] {
        var findings: [Finding] = []
        if let masterKeyFile {
            findings.append(secret("master key", masterKeyFile, ownerOnly: true))
        } else {
            findings.append(Finding("master key", .ok, "It is in the environment."))
        }
        return findings + environmentFiles.map { secret("settings file", $0, ownerOnly: false) }
    }

    private static func secret(_ subject: String, _ path: String, ownerOnly: Bool) -> Finding {
        var status = stat()
        let shown = TextTable.escaped(path)
        guard stat(path, &status) == 0 else {
            return Finding(
                subject, .error, "\(shown) cannot be found: \(lastError()).",
                remedy: "Put the file back from your backup, or name the right one.")
        }
        guard access(path, R_OK) == 0 else {
            return Finding(subject, .error, FilePermissions.sentence(about: path), remedy: "Run it as that user.")
        }
        return finding(subject, shown, mode: status.st_mode, ownerOnly: ownerOnly)
    }

    /// - Parameter ownerOnly: also the group must not read the file.
    static func finding(_ subject: String, _ path: String, mode: mode_t, ownerOnly: Bool) -> Finding {
        let (forbidden, readers, remedy): (mode_t, String, String) =
            ownerOnly ? (0o077, "other users", "go=") : (0o007, "all users", "o=")
        guard mode & forbidden == 0 else {
            return Finding(
                subject, .error, "\(path) can be used by \(readers) of this machine.",
                remedy: "Run: chmod \(remedy) \(path)")
        }
        return Finding(subject, .ok, "\(path) is private.")
    }

    /// The free space of the file system with the data directory.
    static func freeSpace(_ directory: String) -> Finding {
        var status = statvfs()
        guard statvfs(directory, &status) == 0 else {
            return Finding("free space", .skipped, "It is unknown: \(lastError()).")
        }
        let (free, _) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        let (total, _) = UInt64(status.f_blocks).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return freeSpace(mebibytes: free >> 20, ofMebibytes: total >> 20)
    }

    static func freeSpace(mebibytes free: UInt64, ofMebibytes total: UInt64) -> Finding {
        let text = "\(free) of \(total) MiB are free."
        let remedy = "Free some space: a full disk refuses every change."
        switch free {
        case ..<200: return Finding("free space", .error, text, remedy: remedy)
        case ..<2048 where free < total / 10: return Finding("free space", .warning, text, remedy: remedy)
        default: return Finding("free space", .ok, text)
        }
    }
}
