import Contracts
import ServiceRuntime
import Settings

/// Decides which variables of the operator each process receives: no process gets a secret that it does not read
/// (security rule SE3).
enum ChildEnvironment {
    /// External variables that have a meaning for every process.
    private static let general: Set = [
        "BOOT_ID", "GLIBC_TUNABLES", "HOME", "LANG", "LD_LIBRARY_PATH", "MALLOC_ARENA_MAX", "PATH", "SSL_CERT_DIR",
        "SSL_CERT_FILE", "SWIFT_BACKTRACE", "TMPDIR", "TZ", "XDG_RUNTIME_DIR",
    ]

    /// - Returns: the part of the launcher's environment that `service` receives. A secret in a file stays in the file,
    ///   and the process that needs it reads it there.
    static func visible(to service: ServiceName, of environment: Environment) -> Environment {
        environment.filter { name in
            general.contains(name) || SettingsCatalogue.isVisible(name, to: .service(service))
        }
    }
}
