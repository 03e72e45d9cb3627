import Foundation
import HTTPClient
package import LatchkeyAdmin
package import LatchkeyAuth

/// A mesh of real processes: `latchkey up --dev` with its own directory and port.
package final class RunningMesh: Sendable {
    /// The files of the mesh. They may exist before it starts.
    package let directory: TemporaryDirectory
    package let client: MeshClient
    private let launcher: RunningProgram

    /// Starts a mesh and waits until it reports that it is ready.
    /// - Parameters:
    ///   - arguments: of `latchkey up`, after `--dev`, the data directory and the address.
    ///   - directory: of an earlier mesh, to continue with its data.
    ///   - connections: the number of concurrent requests of `client`.
    ///   - diskMegabytes: the size of a separate file system for the data directory; nil uses that of the machine.
    ///   - descriptors: the file descriptors that each process may have; nil uses the limit of the machine.
    ///   - port: of an earlier mesh, to continue at its address; 0 for one of the kernel.
    /// - Throws: `Failure` if the launcher exits.
    package init(
        _ arguments: [String] = [], environment: [String: String] = [:], in directory: TemporaryDirectory? = nil,
        connections: Int = 16, diskMegabytes: Int? = nil, descriptors: Int? = nil, port: Int = 0
    ) async throws {
        let directory = try directory ?? TemporaryDirectory()
        let command =
            ["up", "--dev", "--data", Self.dataDirectory(in: directory), "--listen", "127.0.0.1:\(port)"] + arguments
        let launcher =
            if let diskMegabytes {
                try Self.launcher(command, environment, in: directory, diskMegabytes: diskMegabytes)
            } else if let descriptors {
                try RunningProgram(
                    "/bin/sh",
                    [
                        "-c", "ulimit -n \(descriptors) && exec \"$@\"", "sh",
                        RunningProgram.buildDirectory + "/latchkey",
                    ]
                        + command, environment: environment, in: directory)
            } else {
                try RunningProgram("latchkey", command, environment: environment, in: directory)
            }
        let origin = try await waitFor("the mesh was ready") {
            if let end = launcher.end { throw Failure("The mesh ended with \(end):\n\(launcher.errors)") }
            return Self.readyLines(in: launcher.output).first
        }
        self.directory = directory
        self.launcher = launcher
        client = MeshClient(origin, connections: connections)
    }

    /// Runs `body` with a mesh, and stops the mesh after any result of the body.
    /// - Throws: `Failure` with the end of the log if the body throws, the mesh does not stop cleanly, or one of its
    ///   processes continues.
    package static func running(
        _ arguments: [String] = [], environment: [String: String] = [:], connections: Int = 16,
        diskMegabytes: Int? = nil, descriptors: Int? = nil, _ body: (RunningMesh) async throws -> Void
    ) async throws {
        let mesh = try await RunningMesh(
            arguments, environment: environment, connections: connections, diskMegabytes: diskMegabytes,
            descriptors: descriptors)
        do {
            try await body(mesh)
        } catch {
            _ = try? await mesh.stop()  // `try?`: the first error is the one to report.
            throw Failure("\(error)\nThe end of the log:\n\(mesh.log.suffix(8000))")
        }
        let end = try await mesh.stop()
        guard end == .code(0) else {
            throw Failure("The mesh ended with \(end). The end of the log:\n\(mesh.log.suffix(8000))")
        }
        let remaining = try processes(in: mesh.directory)
        guard remaining.isEmpty else { throw Failure("Processes of the mesh continue: \(remaining)") }
    }

    /// A launcher whose data directory is a small private file system. It is in memory and disappears with the last
    /// process that uses it.
    private static func launcher(
        _ command: [String], _ environment: [String: String], in directory: TemporaryDirectory, diskMegabytes: Int
    ) throws -> RunningProgram {
        let data = dataDirectory(in: directory)
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
        // Without root, the script becomes root of a user namespace that contains only this mesh.
        let namespace = geteuid() == 0 ? ["--mount"] : ["--mount", "--map-root-user"]
        let script = "mount -t tmpfs -o size=\(diskMegabytes)m,mode=0700 tmpfs \"$0\" && exec \"$@\""
        return try RunningProgram(
            "/usr/bin/unshare",
            namespace + ["sh", "-c", script, data, RunningProgram.buildDirectory + "/latchkey"] + command,
            environment: environment, in: directory)
    }

    /// The data directory as the mesh sees it, possibly on a separate file system.
    package var seenDataDirectory: String { "/proc/\(launcher.pid)/root\(dataDirectory)" }

    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(_ description: String) { self.description = description }
    }

    package static func dataDirectory(in directory: TemporaryDirectory) -> String { directory.appending("data") }

    package var dataDirectory: String { Self.dataDirectory(in: directory) }

    /// The output of the launcher for the operator.
    package var output: String { launcher.output }

    /// The client library on a device without a session.
    package func makeAuth() -> Auth {
        Auth.auth(
            app: LatchkeyApp(
                options: LatchkeyOptions(
                    apiKey: "any", projectID: "demo-latchkey", serverURL: URL(string: client.origin)),
                persistence: .memory))
    }

    /// The administration of the project.
    package func makeAdmin() throws -> AdminAuth {
        guard let url = URL(string: client.origin) else { throw Failure("The mesh has no URL.") }
        return AdminAuth(projectID: "demo-latchkey", serverURL: url, credential: .emulator)
    }

    /// The log of all processes.
    package var log: String { launcher.errors }

    /// The origins that the launcher reported as ready.
    package var readyOrigins: [String] { Self.readyLines(in: output) }

    private static func readyLines(in output: String) -> [String] {
        // Without the last line, which may be incomplete.
        output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .compactMap { line in
                // `ready URL`, or the same as a field of a JSON line.
                guard let start = line.range(of: line.hasPrefix("{") ? "\"line\":\"ready " : "ready ") else {
                    return nil
                }
                guard line.hasPrefix("{") || start.lowerBound == line.startIndex else { return nil }
                return String(line[start.upperBound...].prefix { $0 != "\"" })
            }
    }

    /// The log lines of an event, in text or JSON.
    package func lines(of event: String) -> [String] {
        log.split(separator: "\n").map(String.init)
            .filter { $0.contains(" \(event) ") || $0.contains(#""event":"\#(event)""#) }
    }

    /// The process ids by instance, for example `identity.1`, according to the launcher's log.
    package var pids: [String: Int32] {
        let started = lines(of: "process.started").compactMap { line -> (String, Int32)? in
            guard let match = line.firstMatch(of: /process"?[=:]"?([a-z0-9.-]+)"?[ ,]"?pid"?[=:]([0-9]+)/),
                let pid = Int32(match.2)
            else { return nil }
            return (String(match.1), pid)
        }
        return Dictionary(started) { $1 }
    }

    /// The `LATCHKEY_` variables of one process, without those that are specific to this start.
    package func environment(of instance: String) throws -> [String: String] {
        guard let pid = pids[instance], let bytes = FileManager.default.contents(atPath: "/proc/\(pid)/environ") else {
            throw Failure("\(instance) does not run")
        }
        let pairs = bytes.split(separator: 0).compactMap { entry -> (String, String)? in
            let halves = String(decoding: entry, as: UTF8.self)
                .split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return halves.count == 2 && halves[0].hasPrefix("LATCHKEY_") ? (String(halves[0]), String(halves[1])) : nil
        }
        return Dictionary(pairs) { first, _ in first }
            .filter { !["LATCHKEY_NOTIFIER_CHANNELS", "LATCHKEY_START_ID"].contains($0.key) }
    }

    private func send(_ signal: Int32, to instance: String) throws {
        guard let pid = pids[instance], kill(pid, signal) == 0 else {
            throw Failure("\(instance) does not run")
        }
    }

    /// Suspends one process, and waits until each of its threads is suspended.
    package func suspend(_ instance: String) async throws {
        try send(SIGSTOP, to: instance)
        guard let pid = pids[instance] else { throw Failure("\(instance) does not run") }
        try await eventually("\(instance) stood still") {
            let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")
            return threads.allSatisfy { thread in
                // proc(5): the state follows the name in parentheses. A thread that has ended counts as suspended.
                FileManager.default.contents(atPath: "/proc/\(pid)/task/\(thread)/stat")
                    .map { String(decoding: $0, as: UTF8.self).contains(") T ") } ?? true
            }
        }
    }

    /// Resumes a process.
    package func resume(_ instance: String) throws { try send(SIGCONT, to: instance) }

    /// Kills one process without a clean shutdown, and waits until the launcher has replaced it.
    package func killAndReplace(_ instance: String) async throws {
        let former = pids[instance]
        try send(SIGKILL, to: instance)
        try await eventually("\(instance) was started again") { pids[instance] != former }
    }

    /// Stops one process, and waits until the launcher has replaced it.
    package func stopAndReplace(_ instance: String) async throws {
        let former = pids[instance]
        try send(SIGTERM, to: instance)
        try await eventually("\(instance) was started again") { pids[instance] != former }
    }

    /// Waits until the mesh is ready. The listener may not exist yet.
    package func untilReady() async throws {
        try await eventually("the mesh responded") { (try? await client.get("/readyz"))?.status == 200 }
    }

    /// Kills the launcher itself, so that it cannot stop the other processes.
    package func killLauncher() { launcher.send(SIGKILL) }

    /// Stops the mesh.
    /// - Returns: how the launcher ended.
    @discardableResult
    package func stop() async throws -> RunningProgram.End {
        launcher.send(SIGTERM)
        return try await launcher.ending()
    }

    /// The processes of any mesh in a directory, including the launcher.
    package static func processes(in directory: TemporaryDirectory) throws -> [Int32] {
        let entries = try FileManager.default.contentsOfDirectory(atPath: "/proc")
        return entries.compactMap { Int32($0) }.filter { pid in
            // Processes start and end meanwhile: one that cannot be read no longer exists.
            guard let environment = FileManager.default.contents(atPath: "/proc/\(pid)/environ"),
                let arguments = FileManager.default.contents(atPath: "/proc/\(pid)/cmdline")
            else { return false }
            let data = Data(dataDirectory(in: directory).utf8)
            return environment.range(of: data) != nil || arguments.range(of: data) != nil
        }
    }
}
