#if os(Linux)
    import Foundation
    import Glibc
    import LatchkeyAuth

    /// `latchkey up --dev` as a process, with a folder of its own. Its standard input is a pipe of this process: the
    /// server stops at its end, for any reason.
    final class ServerProcess: Sendable {
        private let pid: pid_t
        private let input: Int32
        private let folder: URL
        private let ending = Locked<Int32?>(nil)
        private let isInputOpen = Locked(true)

        /// - Throws: an error of the system if the executable cannot be started.
        init(_ executable: URL, _ arguments: [String], _ environment: [String: String]) throws {
            folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-\(UUID().uuidString)")
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            let variables = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("LATCHKEY_") }
                .merging(["LATCHKEY_LIFELINE": "stdin"]) { $1 }.merging(environment) { $1 }
            let words =
                [executable.path, "up", "--dev", "--data", folder.appending(path: "data").path]
                + ["--listen", "127.0.0.1:0"] + arguments
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { throw CocoaError(.fileWriteUnknown) }
            (pid, input) = (try Self.spawn(words, variables, input: ends[0], in: folder), ends[1])
            close(ends[0])
        }

        deinit {
            closeInput()
            // `try?`: files that cannot be deleted must not fail a test.
            try? FileManager.default.removeItem(at: folder)
        }

        private static func spawn(
            _ words: [String], _ variables: [String: String], input: Int32, in folder: URL
        ) throws -> pid_t {
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
            let flags = O_WRONLY | O_CREAT | O_APPEND
            for (descriptor, name) in [(STDOUT_FILENO, "out"), (STDERR_FILENO, "err")] {
                posix_spawn_file_actions_addopen(
                    &actions, descriptor, folder.appending(path: name).path, flags, 0o600)
            }
            // An inherited copy would keep other descriptors open, such as the input of another server. One that is closed
            // meanwhile is no error.
            for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
                guard let descriptor = Int32(name), descriptor > STDERR_FILENO else { continue }
                posix_spawn_file_actions_addclose(&actions, descriptor)
            }
            let argumentPointers = words.map { strdup($0) } + [nil]
            let variablePointers = variables.map { strdup("\($0)=\($1)") } + [nil]
            defer { for pointer in argumentPointers + variablePointers { free(pointer) } }
            var pid: pid_t = 0
            let code = posix_spawn(&pid, words.first ?? "", &actions, nil, argumentPointers, variablePointers)
            guard code == 0 else { throw NSError(domain: NSPOSIXErrorDomain, code: Int(code)) }
            return pid
        }

        /// What the server has written about itself.
        var log: String { text(of: "err") }

        private func text(of name: String) -> String {
            // `try?`: the file is there as soon as the server is.
            (try? String(contentsOf: folder.appending(path: name), encoding: .utf8)) ?? ""
        }

        /// Waits until the server is ready.
        /// - Returns: its URL; nil if it has ended.
        func ready() async throws -> URL? {
            while true {
                // Without the last line, which may be incomplete.
                for line in text(of: "out").split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                where line.hasPrefix("ready ") {
                    return URL(string: String(line.dropFirst("ready ".count)))
                }
                if hasEnded { return nil }
                try await Task.sleep(for: .milliseconds(50))
            }
        }

        /// Ends the server, and waits for its end.
        func stop() async throws {
            closeInput()
            while !hasEnded { try await Task.sleep(for: .milliseconds(50)) }
        }

        private var hasEnded: Bool {
            ending.withLock { ending in
                guard ending == nil else { return true }
                var status: Int32 = 0
                guard waitpid(pid, &status, WNOHANG) != 0 else { return false }
                ending = status
                return true
            }
        }

        private func closeInput() {
            isInputOpen.withLock { isOpen in
                if isOpen { close(input) }
                isOpen = false
            }
        }
    }
#endif
