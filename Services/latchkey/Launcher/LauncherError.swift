package import ServiceRuntime

/// Why the mesh cannot start, or had to stop.
package enum LauncherError: ExitError, Equatable {
    case cannotListen(HostPort, reason: String)
    /// An error of a file or directory: the path, the problem as the rest of a sentence, the remedy.
    case file(String, problem: String, remedy: String)
    /// The same for the data directory: nothing starts before the operator has changed something.
    case unusableDirectory(String, problem: String, remedy: String)
    /// This user lacks the permission to use a file or directory of the mesh.
    case forbidden(String)
    /// The master key is missing, and these databases can only be read with it.
    case lostMasterKey(String, databases: [String])
    /// A process reported that it cannot run with its settings (exit code 78), with its own messages.
    case refused(instance: String, sentences: [String])
    /// The system does not give the memory that a mesh needs. The limit is that of RLIMIT_DATA in bytes; nil without one.
    case noMemory(needed: Int, limit: UInt?)
    /// A service of a mesh in one process ended by itself, with its own messages.
    case serviceEnded(instance: String, exitCode: Int32, sentences: [String])
    /// A process exited repeatedly before the mesh was ready for the first time.
    case neverReady(instance: String, end: String, sentences: [String])

    package var exitCode: Int32 {
        switch self {
        case .refused, .lostMasterKey, .unusableDirectory: ExitCode.settings
        case .noMemory: ExitCode.noMemory
        case .serviceEnded(_, let exitCode, _): exitCode
        case .cannotListen, .file, .forbidden, .neverReady: ExitCode.failure
        }
    }

    package var messages: [String] {
        switch self {
        case .cannotListen(let address, let reason):
            ["Cannot listen on \(address): \(reason). Stop what uses it, or choose another address with --listen."]
        case .file(let path, let problem, let remedy), .unusableDirectory(let path, let problem, let remedy):
            ["\(path) \(problem). \(remedy)."]
        case .forbidden(let path):
            ["\(FilePermissions.sentence(about: path)) Run the command as that user."]
        case .lostMasterKey(let path, let databases):
            [
                "\(path) is missing, and \(databases.joined(separator: ", ")) can only be read with it. Put the key file "
                    + "back from your backup, or let LATCHKEY_MASTER_KEY_FILE name it; a new key would open nothing."
            ]
        case .refused(let instance, let sentences):
            ["\(instance) cannot run as it is set up:"] + sentences
        case .noMemory(let needed, let limit):
            [
                "The system does not give \(needed >> 20) MiB of memory, which each process of the mesh needs. "
                    + (limit.map { "RLIMIT_DATA is \($0 >> 20) MiB: raise it (LimitDATA of a unit, or ulimit -d)." }
                        ?? "Raise the limits of the process, or give the machine more memory.")
            ]
        case .serviceEnded(let instance, _, let sentences):
            ["\(instance) ended, and with it the whole mesh, which is one process:"] + sentences
        case .neverReady(let instance, let end, let sentences):
            ["\(instance) exited repeatedly during startup (\(end)):"] + sentences
        }
    }
}
