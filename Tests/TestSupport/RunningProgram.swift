import Blocking
import Foundation
import Glibc
import Synchronization

/// A program in a separate process. Its output goes to files, which can be read while it runs and afterwards, so that
/// no test blocks in a read.
package final class RunningProgram: Sendable {
    package enum End: Equatable, Sendable {
        case code(Int32)
        case signal(Int32)
    }

    package let pid: Int32
    /// The write end of its standard input. The kernel closes it when the tests end for any reason, and `latchkey` then
    /// stops.
    private let lifeline: Int32
    /// Kept alive: its last owner deletes it.
    private let folder: TemporaryDirectory
    private let outputFile: String
    private let errorFile: String
    private let ending = Ending()

    private final class Ending: Sendable {
        let end = Mutex<End?>(nil)
    }

    /// - Parameters:
    ///   - name: an executable of this project, from the build directory of this test; or the path of another program.
    ///   - environment: added to that of the tests, from which `LATCHKEY_` variables are removed.
    ///   - folder: the working directory, which also gets the output.
    package init(
        _ name: String, _ arguments: [String], environment: [String: String] = [:], in folder: TemporaryDirectory
    ) throws {
        self.folder = folder
        let id = UUID().uuidString
        let executable = name.hasPrefix("/") ? name : Self.buildDirectory + "/" + name
        let program = executable.split(separator: "/").last.map(String.init) ?? executable
        outputFile = folder.appending("\(program)-\(id).out")
        errorFile = folder.appending("\(program)-\(id).err")
        for file in [outputFile, errorFile] { try Data().write(to: URL(filePath: file)) }
        let variables = ProcessInfo.processInfo.environment
            .filter { !$0.key.hasPrefix("LATCHKEY_") }
            .merging(["LATCHKEY_LIFELINE": "stdin"]) { $1 }
            .merging(environment) { $1 }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw StartError(program: program, code: errno) }
        lifeline = ends[1]
        defer { close(ends[0]) }
        do {
            pid = try Self.spawn(
                executable, arguments, variables.map { "\($0)=\($1)" }, in: folder.path, input: ends[0],
                output: outputFile, errors: errorFile)
        } catch {
            close(ends[1])
            throw error
        }
        DedicatedThread.start(label: "waitpid") { [ending, pid] in
            var status: Int32 = 0
            while waitpid(pid, &status, 0) < 0, errno == EINTR {}
            // wait(2): the low seven bits are the signal, if one ended it; the next byte is the exit code.
            let signal = status & 0x7f
            ending.end.withLock { $0 = signal == 0 ? .code(status >> 8 & 0xff) : .signal(signal) }
        }
    }

    deinit {
        // The result is not needed: the descriptor is open.
        close(lifeline)
    }

    /// Higher than any descriptor of the tests.
    private static let highestDescriptor: Int32 = 8192

    private struct StartError: Error {
        var program: String
        var code: Int32
    }

    /// Foundation's `Process` reads beyond its list of open files, which sometimes crashes the tests; it also passes on
    /// the blocked signals of Swift's threads.
    private static func spawn(
        _ executable: String, _ arguments: [String], _ variables: [String], in directory: String, input: Int32,
        output: String, errors: String
    ) throws -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_APPEND, 0)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors, O_WRONLY | O_APPEND, 0)
        // An inherited copy would keep other descriptors open: a connection that a test closes, the lifeline of another
        // program.
        for descriptor in 3..<highestDescriptor where fcntl(descriptor, F_GETFD) >= 0 {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))

        // env(1) changes the directory and executes the program.
        let command = ["/usr/bin/env", "-C", directory, executable] + arguments
        let argumentPointers = command.map { strdup($0) } + [nil]
        let variablePointers = variables.map { strdup($0) } + [nil]
        defer { for pointer in argumentPointers + variablePointers { free(pointer) } }
        var pid: pid_t = 0
        let code = posix_spawn(&pid, command[0], &actions, &attributes, argumentPointers, variablePointers)
        guard code == 0 else { throw StartError(program: executable, code: code) }
        return pid
    }

    /// The directory of the executables of this build, which contains the tests.
    package static let buildDirectory = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().path(percentEncoded: false)

    /// Nil while it runs.
    package var end: End? { ending.end.withLock { $0 } }

    /// The complete standard output so far.
    package var output: String { Self.text(of: outputFile) }

    /// The complete standard error so far.
    package var errors: String { Self.text(of: errorFile) }

    package func send(_ signal: Int32) {
        guard end == nil else { return }
        kill(pid, signal)
    }

    /// Waits for its end. After the timeout it is killed.
    package func ending() async throws -> End {
        do {
            return try await waitFor("process \(pid) ended") { end }
        } catch {
            send(SIGKILL)
            throw error
        }
    }

    private static func text(of file: String) -> String {
        guard let bytes = FileManager.default.contents(atPath: file) else {
            preconditionFailure("\(file) is gone while its program is looked at")
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
