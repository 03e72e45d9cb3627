import Foundation
import Glibc
import Postgres
package import SQL
import Synchronization

/// A PostgreSQL server for the tests, from Debian's packages, in a temporary directory. It ends when the tests end for
/// any reason.
package final class RunningPostgres: Sendable {
    /// The owner of the databases. Any name is suitable: the server listens only on loopback.
    package static let user = "latchkey"
    package static let password = "pass/word"

    package let port: UInt16
    private let folder: TemporaryDirectory
    private let server: Holder
    /// Names of databases, by schema and version.
    private let templates = Mutex<[String: Task<String, any Error>]>([:])

    /// The program that runs the server now: another one restarts a killed server.
    private actor Holder {
        var program: RunningProgram?
        func hold(_ program: RunningProgram) { self.program = program }
    }

    private static let theOne = Task { try await RunningPostgres(endsWithTests: true) }

    /// The server that all tests share. Do not stop it.
    package static func shared() async throws -> RunningPostgres { try await theOne.value }

    /// Starts a server for one test, which may stop or kill it.
    package convenience init() async throws {
        try await self.init(endsWithTests: false)
    }

    /// Starts a standby of another server. From then on that server acknowledges only commits that both have.
    package convenience init(standbyOf primary: RunningPostgres) async throws {
        try await self.init(endsWithTests: false, primary: primary)
        try await primary.set("synchronous_standby_names", to: "'*'")
        try await eventually("the standby is synchronous") {
            try await primary.run("SELECT sync_state FROM pg_stat_replication") == "sync"
        }
    }

    /// - Parameter endsWithTests: the server is used until the tests end, and removes its own directory.
    private init(endsWithTests: Bool, primary: RunningPostgres? = nil) async throws {
        folder = try TemporaryDirectory()
        server = Holder()
        port = try Self.freePort()
        let programs = try Self.programs()
        let setUp = try RunningProgram(
            "/bin/sh",
            primary.map {
                ["-euc", Self.copyScript, "sh", programs, folder.path, $0.folder.appending("socket"), "\($0.port)"]
            } ?? ["-euc", Self.setUpScript, "sh", programs, folder.path, Self.password],
            environment: ["LC_ALL": "C"], in: folder)
        guard try await setUp.ending() == .code(0) else {
            throw RunningMesh.Failure("PostgreSQL was not set up:\n\(setUp.output)\n\(setUp.errors)")
        }
        try await start(removesFolder: endsWithTests)
        guard primary == nil else { return }
        try await run("CREATE ROLE \(Self.user) LOGIN CREATEDB PASSWORD '\(Self.password)'")
    }

    // MARK: Databases

    /// Creates an empty database.
    /// - Returns: its address, `postgres://…`, for a user that owns it.
    package func makeDatabase() async throws -> String { address(of: try await copyDatabase("template1")) }

    private func copyDatabase(_ template: String) async throws -> String {
        let name = "test_" + UUID().uuidString.lowercased().replacingOccurrences(of: "-", with: "")
        try await run("CREATE DATABASE \(name) OWNER \(Self.user) TEMPLATE \(template)")
        return name
    }

    /// Creates a database whose schema is migrated, as a copy of one that is migrated once for all tests.
    package func makeDatabase(schema: String, migrations: [SQLMigration]) async throws -> String {
        guard let last = migrations.last else { return try await makeDatabase() }
        let key = "\(schema) \(last.version)"
        let template = templates.withLock { templates in
            let template =
                templates[key]
                ?? Task {
                    let name = try await copyDatabase("template1")
                    let database = try await PostgresDatabase(
                        PostgresURL(address(of: name)), schema: schema, connections: 1, limits: .patient)
                    try await database.migrate(migrations)
                    await database.close()
                    return name
                }
            templates[key] = template
            return template
        }
        return address(of: try await copyDatabase(try await template.value))
    }

    /// The address of a database on this server; the database need not exist.
    package func address(of database: String, user: String = user, password: String = password) -> String {
        let password = password.replacingOccurrences(of: "/", with: "%2F")
        return "postgres://\(user):\(password)@127.0.0.1:\(port)/\(database)"
    }

    /// Runs one statement as the server's superuser.
    /// - Returns: its result, one line for each row.
    @discardableResult
    package func run(_ sql: String, database: String = "postgres") async throws -> String {
        let program = try RunningProgram(
            "\(Self.programs())/psql",
            [
                "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", folder.appending("socket"), "-p", "\(port)",
                "-U",
                "postgres", "-d", database, "-c", sql,
            ], in: folder)
        guard try await program.ending() == .code(0) else { throw RunningMesh.Failure(program.errors) }
        return program.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The address of a database on several servers.
    package static func address(of database: String, on ports: [UInt16]) -> String {
        let password = password.replacingOccurrences(of: "/", with: "%2F")
        let servers = ports.map { "127.0.0.1:\($0)" }.joined(separator: ",")
        return "postgres://\(user):\(password)@\(servers)/\(database)"
    }

    /// Changes a setting of the whole server. Sessions get it before their next transaction.
    package func set(_ setting: String, to value: String) async throws {
        try await run("ALTER SYSTEM SET \(setting) = \(value)")
        try await run("SELECT pg_reload_conf()")
    }

    /// Makes a standby a primary server, and waits until it accepts writes.
    package func promote() async throws {
        try await run("SELECT pg_promote()")
    }

    // MARK: Failures of the server

    /// Kills every process of the server without a final write, as a power failure does, and waits until they have
    /// ended.
    package func kill() async throws {
        let killed = try processes()
        for pid in killed { Glibc.kill(pid, SIGKILL) }
        try await eventually("the server was gone") { killed.allSatisfy(Self.isGone) }
        // Until the process is reaped, its process id is in use, and the next server would consider it alive.
        _ = try await server.program?.ending()
    }

    /// Also true for a process that is not reaped yet.
    private static func isGone(_ pid: Int32) -> Bool {
        guard let bytes = FileManager.default.contents(atPath: "/proc/\(pid)/stat") else { return true }
        // proc(5): the state follows the name in parentheses.
        return String(decoding: bytes, as: UTF8.self).contains(") Z ")
    }

    /// Restarts the server on the same port with the data on the disk, and waits until it is ready.
    package func restart() async throws {
        try await start(removesFolder: false)
    }

    /// Suspends every process of the server.
    package func suspend() throws {
        for pid in try processes() { Glibc.kill(pid, SIGSTOP) }
    }

    /// Resumes the processes.
    package func resume() throws {
        for pid in try processes() { Glibc.kill(pid, SIGCONT) }
    }

    /// The server and its child processes, the server first: otherwise it would replace stopped children.
    private func processes() throws -> [Int32] {
        let file = try String(contentsOfFile: folder.appending("data/postmaster.pid"), encoding: .utf8)
        guard let first = file.split(separator: "\n").first, let server = Int32(first) else { return [] }
        let children = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }
            .filter { pid in
                // proc(5): the state and the parent follow the name in parentheses. Processes start and end meanwhile.
                guard let bytes = FileManager.default.contents(atPath: "/proc/\(pid)/stat") else { return false }
                let fields = String(decoding: bytes, as: UTF8.self).split(separator: ") ").last?.split(separator: " ")
                return fields?.dropFirst().first == "\(server)"
            }
        return [server] + children
    }

    // MARK: Starting

    private func start(removesFolder: Bool) async throws {
        let program = try RunningProgram(
            // `sh` and SIGTERM are not usable: the thread that starts the program has signals blocked, and Debian's
            // `sh` then does not detect the exit of its children.
            "/bin/bash",
            [
                "-uc", Self.startScript, "sh", try Self.programs(), folder.path, "\(port)",
                removesFolder ? folder.path : "", removesFolder ? "off" : "on",
            ], environment: ["LC_ALL": "C"], in: folder)
        await server.hold(program)
        try await eventually("PostgreSQL responded") {
            if let end = program.end { throw RunningMesh.Failure("PostgreSQL ended with \(end):\n\(program.errors)") }
            // `try?`: it refuses connections while it starts.
            return (try? await run("SELECT 1")) == "1"
        }
    }

    /// PostgreSQL refuses to run as root: Debian's package creates a user for it.
    private static let asServer = """
        as_server() { if [ "$(id -u)" = 0 ]; then exec setpriv --reuid=postgres --regid=postgres --clear-groups "$@"
            else exec "$@"; fi; }
        """

    /// A locale with a natural text order, so that a test detects a missing order by bytes.
    private static let setUpScript =
        asServer + """

            programs=$1 folder=$2
            mkdir -m 700 "$folder/data" "$folder/socket"
            printf %s "$3" > "$folder/password"
            chmod 644 "$folder/password"
            if [ "$(id -u)" = 0 ]; then chown postgres: "$folder/data" "$folder/socket"; fi
            cd "$folder/data"
            as_server "$programs/initdb" -N -D "$folder/data" -U postgres -E UTF8 --locale=C.UTF-8 \\
                --locale-provider=icu --icu-locale=en-US --auth-host=scram-sha-256 --auth-local=trust \\
                --pwfile="$folder/password"
            """

    private static let copyScript =
        asServer + """

            programs=$1 folder=$2 primary=$3 port=$4
            mkdir -m 700 "$folder/data" "$folder/socket"
            if [ "$(id -u)" = 0 ]; then chown postgres: "$folder/data" "$folder/socket"; fi
            cd "$folder/data"
            as_server "$programs/pg_basebackup" -D "$folder/data" -h "$primary" -p "$port" -U postgres -R -c fast
            """

    /// The watcher reads from a pipe of the tests: when they end, it reads the end of the pipe. The server of all tests is
    /// never killed: it writes nothing for that, and leaves hundreds of small databases without a vacuum.
    private static let startScript =
        asServer + """

            programs=$1 folder=$2 port=$3 removed=$4 durable=$5
            cd "$folder/data"
            exec 3<&0
            as_server "$programs/postgres" -D "$folder/data" -p "$port" -k "$folder/socket" \\
                -c listen_addresses=127.0.0.1 -c max_connections=400 -c shared_buffers=32MB -c fsync="$durable" \\
                -c full_page_writes="$durable" -c autovacuum="$durable" -c log_min_messages=fatal </dev/null 3<&- &
            server=$!
            { while read -r _ <&3; do :; done; kill -QUIT "$server"; kill -CONT "$server"; } 2>/dev/null &
            watcher=$!
            wait "$server"
            status=$?
            kill -KILL "$watcher"
            if [ -n "$removed" ]; then cd /; rm -rf "$removed"; fi
            exit "$status"
            """

    /// The directory of the newest installed server.
    private static func programs() throws -> String {
        let root = "/usr/lib/postgresql"
        // `try?`: a missing directory contains no versions.
        let versions = ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []).compactMap { Int($0) }
        guard let newest = versions.max() else {
            throw RunningMesh.Failure("There is no PostgreSQL in \(root): make deps installs it")
        }
        return "\(root)/\(newest)/bin"
    }

    /// A port of the loopback address. It stays bound until the tests end, so that the kernel gives it to nobody else, not
    /// even to the next caller; a server that sets `SO_REUSEADDR`, as PostgreSQL does, can listen on it nevertheless.
    private static func freePort() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        // Programs that the tests start do not inherit it.
        guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else { throw RunningMesh.Failure("no socket for a port") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0 && getsockname(descriptor, pointer, &length) == 0
            }
        }
        guard isBound else { throw RunningMesh.Failure("no port is free") }
        return UInt16(bigEndian: address.sin_port)
    }
}
