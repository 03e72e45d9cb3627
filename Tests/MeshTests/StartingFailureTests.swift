import Foundation
import HTTPClient
import TestSupport
import Testing

extension MeshTests {
    /// A mesh that cannot start says why in plain sentences, with what to do, and leaves nothing running.
    @Suite struct StartingFailureTests {
        @Test func theAddressIsTaken() async throws {
            let listener = try LoopbackListener()
            let failure = try await FailedStart(["--dev", "--listen", "127.0.0.1:\(listener.port)"])
            #expect(failure.end == .code(1))
            #expect(
                failure.sentences == [
                    "latchkey: Cannot listen on 127.0.0.1:\(listener.port): Address already in use. Stop what uses it, "
                        + "or choose another address with --listen."
                ])
        }

        @Test func theDataDirectoryIsAFile() async throws {
            let directory = try TemporaryDirectory()
            let data = RunningMesh.dataDirectory(in: directory)
            try Data().write(to: URL(filePath: data))
            let failure = try await FailedStart(["--dev"], in: directory)
            #expect(failure.end == .code(1))
            #expect(failure.sentences == ["latchkey: \(data) is not a directory. Name another one with --data."])
        }

        @Test func theDataDirectoryHasNoParent() async throws {
            let failure = try await FailedStart(["--dev", "--data", "/proc/no/such/place"])
            #expect(failure.end == .code(1))
            #expect(
                failure.sentences == [
                    "latchkey: /proc/no/such/place cannot be made: No such file or directory. Name another data "
                        + "directory with --data."
                ])
        }

        @Test func theDataDirectoryIsOpenToOthers() async throws {
            let directory = try TemporaryDirectory()
            let data = RunningMesh.dataDirectory(in: directory)
            try FileManager.default.createDirectory(
                atPath: data, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o750])
            let failure = try await FailedStart(["--dev"], in: directory)
            #expect(failure.end == .code(1))
            #expect(
                failure.sentences == [
                    "latchkey: \(data) can be reached by other users of this machine. Run: chmod 700 \(data)."
                ])
        }

        @Test func anotherMeshHasTheDataDirectory() async throws {
            try await withMesh(["--only", "gateway,identity"]) { mesh in
                let second = try RunningProgram(
                    "latchkey", ["up", "--dev", "--data", mesh.dataDirectory, "--listen", "127.0.0.1:0"],
                    in: mesh.directory)
                #expect(try await second.ending() == .code(1))
                #expect(second.errors.contains("\(mesh.dataDirectory) is in use by another latchkey. Stop that one"))
                #expect(try await mesh.client.get("/readyz").status == 200)
            }
        }

        @Test func theMasterKeyIsOpenToOthers() async throws {
            let former = try await StoppedMesh()
            try FileManager.default.setAttributes([.posixPermissions: 0o440], ofItemAtPath: former.masterKeyFile)
            let failure = try await FailedStart(["--dev"], in: former.directory)
            #expect(failure.end == .code(78))
            #expect(
                failure.sentences == [
                    "latchkey: The master key \(former.masterKeyFile) can be read by others. Run `chmod 400 "
                        + "\(former.masterKeyFile)`."
                ])
        }

        @Test func theMasterKeyIsLost() async throws {
            let former = try await StoppedMesh()
            try FileManager.default.removeItem(atPath: former.masterKeyFile)
            let failure = try await FailedStart(["--dev"], in: former.directory)
            #expect(failure.end == .code(78))
            #expect(
                failure.sentences == [
                    "latchkey: \(former.masterKeyFile) is missing, and identity.sqlite can only be read with it. Put "
                        + "the key file back from your backup, or let LATCHKEY_MASTER_KEY_FILE name it; a new key would "
                        + "open nothing."
                ])
            #expect(!FileManager.default.fileExists(atPath: former.masterKeyFile))
        }

        @Test func theMasterKeyIsNoKey() async throws {
            let former = try await StoppedMesh()
            try former.replaceMasterKey(with: Data("no key\n".utf8))
            let failure = try await FailedStart(["--dev"], in: former.directory)
            #expect(failure.end == .code(78))
            #expect(
                failure.sentences == [
                    "latchkey: \(former.masterKeyFile) holds no master key. Restore it from your backup."
                ])
        }

        @Test func theMasterKeyIsAnotherMeshs() async throws {
            let former = try await StoppedMesh()
            let key = try String(contentsOfFile: former.masterKeyFile, encoding: .utf8).prefix(8)
            let other = try await StoppedMesh()
            try former.replaceMasterKey(with: Data(contentsOf: URL(filePath: other.masterKeyFile)))
            let failure = try await FailedStart(["--dev"], in: former.directory)
            #expect(failure.end == .code(78))
            #expect(
                failure.sentences == [
                    "latchkey: identity.1 cannot run as it is set up:",
                    "latchkey: identity: The database was sealed under master key \(key), which "
                        + "\(former.masterKeyFile) does not hold. Put the key file back from your backup, or let "
                        + "LATCHKEY_MASTER_KEY_FILE name the right one.",
                ])
        }

        @Test func theDatabaseIsNone() async throws {
            let former = try await StoppedMesh()
            let database = former.data + "/identity.sqlite"
            try Data("This is not a database, however long one looks at it.".utf8).write(to: URL(filePath: database))
            let failure = try await FailedStart(["--dev"], in: former.directory)
            #expect(failure.end == .code(78))
            #expect(
                failure.sentences == [
                    "latchkey: identity.1 cannot run as it is set up:",
                    "latchkey: identity: The database cannot be used: the file \(database) is not a SQLite database: "
                        + "restore it from a backup.",
                ])
        }

        @Test func everyMalformedSettingIsNamedAtOnce() async throws {
            let failure = try await FailedStart(
                ["--dev", "--scale", "notifiers=4", "--only", "identify"],
                environment: ["LATCHKEY_LISTEN": "nowhere", "LATCHKEY_LOG": "loud", "LATCHKEY_PROJECT": "no project"])
            #expect(failure.end == .code(78))
            let named = ["LATCHKEY_LISTEN", "LATCHKEY_PROJECT", "LATCHKEY_SCALE", "LATCHKEY_ONLY", "LATCHKEY_LOG"]
            #expect(failure.sentences.count == named.count)
            for (sentence, name) in zip(failure.sentences, named) {
                #expect(sentence.hasPrefix("latchkey: \(name) is \""))
                #expect(sentence.contains("Write it like \(name)="))
            }
        }

        @Test func aSettingOfOneProcessIsNamedInItsWords() async throws {
            let failure = try await FailedStart(["--dev"], environment: ["LATCHKEY_PASSWORD_THREADS": "many"])
            #expect(failure.end == .code(78))
            #expect(
                failure.sentences == [
                    "latchkey: identity.1 cannot run as it is set up:",
                    "latchkey: identity: LATCHKEY_PASSWORD_THREADS is \"many\", which is not a whole number from 1 to "
                        + "256. Write it like LATCHKEY_PASSWORD_THREADS=1.",
                ])
        }

        @Test func developmentModeListensOnLoopbackOnly() async throws {
            let failure = try await FailedStart(["--dev", "--listen", "0.0.0.0:0"])
            #expect(failure.end == .code(78))
            #expect(failure.sentences.count == 1)
            #expect(failure.sentences[0].hasPrefix("latchkey: LATCHKEY_LISTEN is 0.0.0.0:0, which others can reach"))
            #expect(failure.sentences[0].hasSuffix("Listen on 127.0.0.1, or leave --dev away."))
        }

        @Test func productionWantsAProject() async throws {
            let failure = try await FailedStart([])
            #expect(failure.end == .code(78))
            #expect(failure.sentences.count == 1)
            #expect(failure.sentences[0].hasPrefix("latchkey: LATCHKEY_PROJECT is not set. Set it to a project id"))
        }

        @Test(arguments: [["--nonsense"], ["nonsense"], ["--scale"], ["--dev=1"]])
        func aCommandLineThatNobodyCanFollow(arguments: [String]) async throws {
            let failure = try await FailedStart(arguments)
            #expect(failure.end == .code(64))
            #expect(failure.sentences.last == "latchkey: See latchkey help.")
        }
    }
}

/// A `latchkey up` that came to nothing, and left nothing running.
private struct FailedStart {
    let end: RunningProgram.End
    private let errors: String

    /// What it said to its operator, line by line, without its log.
    var sentences: [String] {
        errors.split(separator: "\n").map(String.init).filter { $0.hasPrefix("latchkey: ") }
    }

    /// - Parameters:
    ///   - environment: the data directory and an address are in it already; options win over them.
    ///   - directory: where the data directory is, or will be.
    init(
        _ arguments: [String], environment: [String: String] = [:], in directory: TemporaryDirectory? = nil
    ) async throws {
        let directory = try directory ?? TemporaryDirectory()
        let places = ["LATCHKEY_DATA": RunningMesh.dataDirectory(in: directory), "LATCHKEY_LISTEN": "127.0.0.1:0"]
        let launcher = try RunningProgram(
            "latchkey", ["up"] + arguments, environment: places.merging(environment) { $1 }, in: directory)
        end = try await launcher.ending()
        errors = launcher.errors
        #expect(!launcher.output.contains("ready"))
        for word in ["Fatal error", "Stack dump", "crashed"] { #expect(!errors.contains(word)) }
        #expect(try RunningMesh.processes(in: directory) == [])
    }
}

/// What a mesh leaves behind.
private struct StoppedMesh {
    let directory: TemporaryDirectory

    init() async throws {
        let mesh = try await RunningMesh(["--only", "gateway,identity"])
        #expect(try await mesh.stop() == .code(0))
        directory = mesh.directory
    }

    var data: String { RunningMesh.dataDirectory(in: directory) }
    var masterKeyFile: String { data + "/master.key" }

    func replaceMasterKey(with content: Data) throws {
        try FileManager.default.removeItem(atPath: masterKeyFile)
        try content.write(to: URL(filePath: masterKeyFile))
        try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: masterKeyFile)
    }
}
