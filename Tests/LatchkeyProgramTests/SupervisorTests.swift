import Contracts
import Foundation
import ServiceRuntime
import Testing

@testable import LatchkeyProgram

/// The supervisor with real processes: shell scripts under the names of the executables. Serialized, because only one
/// thread may start processes at a time.
@Suite(.serialized)
struct SupervisorTests {
    private let folder: TemporaryFolder
    private let lines: AsyncStream<String>
    private let inbox: AsyncStream<String>.Continuation

    init() throws {
        folder = try TemporaryFolder()
        (lines, inbox) = AsyncStream.makeStream()
    }

    private func script(_ name: String, _ text: String, shell: String = "/bin/sh") throws {
        let path = folder.path + "/" + name
        try Data("#!\(shell)\n\(text)\n".utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
    }

    /// A supervisor of one broker and one identity; its lines and theirs go to `lines`.
    private func supervisor(limits: SupervisorState.Limits = .init()) throws -> Supervisor {
        let environment = Environment(["LATCHKEY_DEV": "1", "LATCHKEY_ONLY": "identity", "PATH": "/usr/bin:/bin"])
        let plan = MeshPlan(
            try UpSettings(environment), environment, dataDirectory: folder.path, masterKeyFile: "k",
            brokers: ["ipc:///b"])
        return Supervisor(
            plan, executable: { [folder] in .init(path: folder.path + "/" + $0.rawValue) }, limits: limits,
            log: Log(instance: "latchkey", write: { [inbox] in inbox.yield($0) }), printLine: { _ in }, untilReady: {})
    }

    /// Waits for a line that contains all these words.
    private func line(with words: String...) async -> String? {
        await lines.first { line in words.allSatisfy(line.contains) }
    }

    private static let runUntilTerminated =
        "trap 'echo stopped; exit 0' TERM; echo started; while :; do sleep 0.05; done"

    @Test func processesRunUntilStopped() async throws {
        try script("broker", Self.runUntilTerminated)
        try script("identity", Self.runUntilTerminated)
        let supervisor = try supervisor()
        async let running: Void = supervisor.run()
        for _ in 0..<2 { #expect(await line(with: "process.output", "started") != nil) }
        await supervisor.beginShutdown()
        #expect(await line(with: "identity.1", "stopped") != nil)
        #expect(await line(with: "broker.1", "stopped") != nil)
        try await running
    }

    /// A process can be asked to read its files again before it handles the signal, and does not end by it.
    @Test func requestToReadFilesAgainEndsNoProcess() async throws {
        // Other shells accept every signal when they start.
        for name in ["broker", "identity"] { try script(name, Self.runUntilTerminated, shell: "/bin/bash") }
        let supervisor = try supervisor()
        async let running: Void = supervisor.run()
        for _ in 0..<2 { #expect(await line(with: "process.output", "started") != nil) }
        supervisor.reload()
        await supervisor.beginShutdown()
        #expect(await line(with: "identity.1", "stopped") != nil)
        #expect(await line(with: "broker.1", "stopped") != nil)
        try await running
    }

    @Test func killedProcessIsRestarted() async throws {
        try script("broker", Self.runUntilTerminated)
        try script(
            "identity",
            "[ -e \(folder.path)/second ] || { touch \(folder.path)/second; kill -9 $$; }; \(Self.runUntilTerminated)")
        let supervisor = try supervisor()
        async let running: Void = supervisor.run()
        #expect(await line(with: "process.exited", "identity.1", "signal 9", "restartInMilliseconds=0") != nil)
        #expect(await line(with: "identity.1", "process.output", "started") != nil)
        await supervisor.beginShutdown()
        try await running
    }

    @Test func processThatRefusesSettingsEndsMeshWithItsMessage() async throws {
        try script("broker", Self.runUntilTerminated)
        try script("identity", "echo 'LATCHKEY_X is not set.' >&2; exit 78")
        let supervisor = try supervisor()
        let failure = await #expect(throws: LauncherError.self) { try await supervisor.run() }
        #expect(failure == .refused(instance: "identity.1", sentences: ["LATCHKEY_X is not set."]))
        #expect(failure?.exitCode == 78)
    }

    @Test func processThatNeverStartsEndsMesh() async throws {
        try script("broker", Self.runUntilTerminated)
        try script("identity", "echo no disk; exit 1")
        var limits = SupervisorState.Limits()
        limits.initialBackoff = .milliseconds(1)
        let supervisor = try supervisor(limits: limits)
        let failure = await #expect(throws: LauncherError.self) { try await supervisor.run() }
        #expect(failure?.messages.last == "no disk")
    }

    @Test func processThatIgnoresStopIsKilled() async throws {
        try script("broker", "trap '' TERM; echo started; while :; do sleep 0.05; done")
        try script("identity", "trap '' TERM; echo started; while :; do sleep 0.05; done")
        var limits = SupervisorState.Limits()
        limits.stopTimeout = .milliseconds(50)
        let supervisor = try supervisor(limits: limits)
        async let running: Void = supervisor.run()
        for _ in 0..<2 { #expect(await line(with: "process.output", "started") != nil) }
        await supervisor.beginShutdown()
        #expect(await line(with: "process.killed") != nil)
        try await running
    }

    @Test func childGetsItsNameAndNoOtherSecrets() async throws {
        try script("broker", Self.runUntilTerminated)
        try script("identity", "echo $LATCHKEY_INSTANCE $LATCHKEY_LIFELINE; exec sleep 1000")
        let supervisor = try supervisor()
        async let running: Void = supervisor.run()
        #expect(await line(with: "identity.1", "\"identity.1 stdin\"") != nil)
        await supervisor.beginShutdown()
        try await running
    }

    /// A process whose launcher is killed reads the end of its standard input. Here only the pipe is closed.
    @Test func childDetectsExitOfLauncher() async throws {
        try script("broker", "read nothing; echo the launcher is gone")
        let (ends, inbox) = AsyncStream.makeStream(of: ProcessExit.self)
        let lifeline = try Lifeline()
        let child = try ChildProcess(
            .init(executable: ProcessExecutable(path: folder.path + "/broker"), environment: []), lifeline: lifeline)
        child.watch(line: { [inbox = self.inbox] in inbox.yield($0) }, end: { inbox.yield($0) })
        _ = consume lifeline
        #expect(await line(with: "the launcher is gone") != nil)
        #expect(await ends.first { _ in true } == .code(0))
    }
}
