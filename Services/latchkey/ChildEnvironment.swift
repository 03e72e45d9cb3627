internal import Contracts
internal import ServiceRuntime
internal import Settings

/// Which variables of the operator reach which process: no process gets a secret that it does not read (security
/// rule SE3).
enum ChildEnvironment {
    /// Variables that are not ours and mean something to every process.
    private static let general: Set = [
        "GLIBC_TUNABLES", "HOME", "LANG", "LD_LIBRARY_PATH", "MALLOC_ARENA_MAX", "PATH", "SSL_CERT_DIR",
        "SSL_CERT_FILE", "SWIFT_BACKTRACE", "TMPDIR", "TZ", "XDG_RUNTIME_DIR",
    ]

    /// - Returns: what `service` may see of the launcher's environment. A secret in a file stays there: the process that
    ///   needs it reads the file.
    static func visible(to service: ServiceName, of environment: Environment) -> Environment {
        environment.filter { name in
            general.contains(name) || SettingsCatalogue.isVisible(name, to: .service(service))
        }
    }
}
