internal import Foundation
internal import Synchronization

/// A program as a process of its own. What it writes goes to files, which are there to read while it runs and after, so
/// that no test has to wait in a read.
package final class RunningProgram: Sendable {
    package enum End: Equatable, Sendable {
        case code(Int32)
        case signal(Int32)
    }

    private let process = Process()
    /// Its standard input. The kernel closes it when the tests end, however they end, and `latchkey` then stops.
    private let lifeline = Pipe()
    /// Kept: it goes with its last owner.
    private let folder: TemporaryDirectory
    private let outputFile: String
    private let errorFile: String
    private let ended = Mutex<End?>(nil)

    /// - Parameters:
    ///   - name: one of our executables, from the directory this test was built into; or the path of another's.
    ///   - environment: beside our own, of which it sees nothing named `LATCHKEY_`.
    ///   - folder: where it runs and its output goes.
    package init(
        _ name: String, _ arguments: [String], environment: [String: String] = [:], in folder: TemporaryDirectory
    ) throws {
        self.folder = folder
        let id = UUID().uuidString
        let executable = URL(filePath: name.hasPrefix("/") ? name : Self.buildDirectory + "/" + name)
        outputFile = folder.appending("\(executable.lastPathComponent)-\(id).out")
        errorFile = folder.appending("\(executable.lastPathComponent)-\(id).err")
        process.executableURL = executable
        process.arguments = arguments
        process.currentDirectoryURL = URL(filePath: folder.path)
        process.environment = ProcessInfo.processInfo.environment
            .filter { !$0.key.hasPrefix("LATCHKEY_") }
            .merging(["LATCHKEY_LIFELINE": "stdin"]) { $1 }
            .merging(environment) { $1 }
        process.standardInput = lifeline
        let (output, errors) = (try Self.newFile(outputFile), try Self.newFile(errorFile))
        process.standardOutput = output
        process.standardError = errors
        process.terminationHandler = { [weak self] process in
            let status = process.terminationStatus
            self?.ended.withLock { $0 = process.terminationReason == .exit ? .code(status) : .signal(status) }
        }
        try process.run()
        // It has its own. Foundation would keep ours for as long as the tests run.
        try output.close()
        try errors.close()
    }

    deinit {
        // `try?`: it is open, and nothing follows from the answer.
        try? lifeline.fileHandleForWriting.close()
    }

    /// Where the executables of this build are: the tests are one of them.
    package static let buildDirectory = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().path(percentEncoded: false)

    package var pid: Int32 { process.processIdentifier }

    /// Nil while it runs.
    package var end: End? { ended.withLock { $0 } }

    /// Everything it has written to standard output.
    package var output: String { Self.text(of: outputFile) }

    /// Everything it has written to standard error.
    package var errors: String { Self.text(of: errorFile) }

    package func send(_ signal: Int32) {
        guard end == nil else { return }
        kill(pid, signal)
    }

    /// Waits for its end. One that does not end is killed.
    package func ending() async throws -> End {
        do {
            return try await awaited("process \(pid) ended") { end }
        } catch {
            send(SIGKILL)
            throw error
        }
    }

    private static func newFile(_ path: String) throws -> FileHandle {
        try Data().write(to: URL(filePath: path))
        return try FileHandle(forWritingTo: URL(filePath: path))
    }

    private static func text(of file: String) -> String {
        guard let bytes = FileManager.default.contents(atPath: file) else {
            preconditionFailure("\(file) is gone while its program is looked at")
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
