import Foundation
import HTTPClient
import SQL
import SQLite
import TestSupport
import Testing

extension MeshTests {
    /// A mesh that cannot start reports the reason and the remedy in plain sentences, and leaves no process running.
    @Suite struct StartupFailureTests {
        /// If several processes refuse the same setting, the first one is named. With these arguments it is identity.
        private static let identityAlone = ["--dev", "--only", "gateway,identity"]

        /// Such a mesh was announced as ready before it ended, if its gateway was faster than the service.
        @Test(arguments: [
            ("LATCHKEY_SMS_PROVIDER", "pigeon", "notifier"), ("LATCHKEY_PASSKEY_RP_ID", "com", "passkey"),
            ("LATCHKEY_REFRESH_GRACE", "soon", "identity"),
        ])
        func meshWithARefusedSettingIsNeverReady(setting: String, value: String, service: String) async throws {
            let failure = try await FailedStart(["--dev"], environment: [setting: value])
            #expect(failure.end == .code(78))
            #expect(failure.sentences.first == "latchkey: \(service).1 cannot run as it is set up:")
            #expect(failure.sentences.last?.hasPrefix("latchkey: \(service): \(setting) ") == true)
        }

        @Test func addressInUseIsReported() async throws {
            let listener = try LoopbackListener()
            let failure = try await FailedStart(["--dev", "--listen", "127.0.0.1:\(listener.port)"])
            #expect(failure.end == .code(1))
            #expect(
                failure.sentences == [
                    "latchkey: Cannot listen on 127.0.0.1:\(listener.port): Address already in use. Stop what uses it, "
                        + "or choose another address with --listen."
                ])
        }

        /// With less memory than a mesh needs, the launcher ends with a sentence, before it has made anything.
        @Test(arguments: [16, 24, 32, 48, 64, 96, 128]) func tooLittleMemoryIsReported(megabytes: Int) async throws {
            let directory = try TemporaryDirectory()
            let data = RunningMesh.dataDirectory(in: directory)
            let launcher = RunningProgram.buildDirectory + "/latchkey"
            let command = try RunningProgram(
                "/usr/bin/prlimit",
                [
                    "--data=\(megabytes << 20)", launcher, "up", "--dev", "--data", data, "--listen", "127.0.0.1:0",
                ], in: directory)
            #expect(try await command.ending() == .code(71))
            #expect(
                command.errors == """
                    latchkey: The system does not give 128 MiB of memory, which each process of the mesh needs. \
                    RLIMIT_DATA is \(megabytes) MiB: raise it (LimitDATA of a unit, or ulimit -d).

                    """)
            #expect(!FileManager.default.fileExists(atPath: data))
        }

        @Test func fileAsDataDirectoryIsReported() async throws {
            let directory = try TemporaryDirectory()
            let data = RunningMesh.dataDirectory(in: directory)
            try Data().write(to: URL(filePath: data))
            let failure = try await FailedStart(["--dev"], in: directory)
            #expect(failure.end == .code(78))
            #expect(failure.sentences == ["latchkey: \(data) is not a directory. Name another one with --data."])
        }

        @Test func missingParentOfDataDirectoryIsReported() async throws {
            let failure = try await FailedStart(["--dev", "--data", "/proc/no/such/place"])
            #expect(failure.end == .code(78))
            #expect(
                failure.sentences == [
                    "latchkey: /proc/no/such/place cannot be made: No such file or directory. Name another data "
                        + "directory with --data."
                ])
        }

        @Test func accessibleDataDirectoryIsReported() async throws {
            let directory = try TemporaryDirectory()
            let data = RunningMesh.dataDirectory(in: directory)
            try FileManager.default.createDirectory(
                atPath: data, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o750])
            let failure = try await FailedStart(["--dev"], in: directory)
            #expect(failure.end == .code(78))
            #expect(
                failure.sentences == [
                    "latchkey: \(data) can be reached by other users of this machine. Run: chmod 700 \(data)."
                ])
        }

        @Test func lockedDataDirectoryIsReported() async throws {
            try await withMesh(["--only", "gateway,identity"]) { mesh in
                let second = try RunningProgram(
                    "latchkey", ["up", "--dev", "--data", mesh.dataDirectory, "--listen", "127.0.0.1:0"],
                    in: mesh.directory)
                #expect(try await second.ending() == .code(1))
                #expect(second.errors.contains("\(mesh.dataDirectory) is in use by another latchkey. Stop that one"))
                #expect(try await mesh.client.get("/readyz").status == 200)
            }
        }

        @Test func readableMasterKeyIsReported() async throws {
            let former = try await StoppedMesh(on: .sqlite)
            try FileManager.default.setAttributes([.posixPermissions: 0o440], ofItemAtPath: former.masterKeyFile)
            let failure = try await FailedStart(["--dev"], in: former.directory)
            #expect(failure.end == .code(78))
            #expect(
                failure.sentences == [
                    "latchkey: The master key \(former.masterKeyFile) can be read by others. Run `chmod 400 "
                        + "\(former.masterKeyFile)`."
                ])
        }

        @Test(arguments: MeshEngine.allCases)
        func missingMasterKeyIsReported(engine: MeshEngine) async throws {
            let former = try await StoppedMesh(on: engine)
            try FileManager.default.removeItem(atPath: former.masterKeyFile)
            let failure = try await FailedStart(Self.identityAlone, environment: former.settings, in: former.directory)
            #expect(failure.end == .code(78))
            let database =
                switch engine {
                case .sqlite: "identity.sqlite"
                case .postgres: "the database of identity"
                }
            #expect(
                failure.sentences == [
                    "latchkey: \(former.masterKeyFile) is missing, and \(database) can only be read with it. Put the key "
                        + "file back from your backup, or let LATCHKEY_MASTER_KEY_FILE name it; a new key would open "
                        + "nothing."
                ])
            #expect(!FileManager.default.fileExists(atPath: former.masterKeyFile))
        }

        /// Another machine uses the database: with a key of its own, this one would seal what the other cannot open.
        @Test func missingSharedMasterKeyIsReported() async throws {
            let database = try await MeshEngine.postgres.settings()
            try await withMesh(["--only", "gateway,identity"], environment: database) { _ in
                let failure = try await FailedStart(Self.identityAlone, environment: database)
                #expect(failure.end == .code(78))
                #expect(failure.sentences.count == 1)
                #expect(
                    failure.sentences.first?.contains(" is missing, and the database of identity in postgres://")
                        == true)
            }
        }

        @Test func malformedMasterKeyIsReported() async throws {
            let former = try await StoppedMesh(on: .sqlite)
            try former.replaceMasterKey(with: Data("no key\n".utf8))
            let failure = try await FailedStart(["--dev"], in: former.directory)
            #expect(failure.end == .code(78))
            #expect(
                failure.sentences == [
                    "latchkey: \(former.masterKeyFile) holds no master key. Restore it from your backup."
                ])
        }

        @Test(arguments: MeshEngine.allCases)
        func masterKeyOfAnotherMeshIsReported(engine: MeshEngine) async throws {
            let former = try await StoppedMesh(on: engine)
            let key = try String(contentsOfFile: former.masterKeyFile, encoding: .utf8).prefix(8)
            let other = try await StoppedMesh(on: .sqlite)
            try former.replaceMasterKey(with: Data(contentsOf: URL(filePath: other.masterKeyFile)))
            let failure = try await FailedStart(Self.identityAlone, environment: former.settings, in: former.directory)
            #expect(failure.end == .code(78))
            #expect(
                failure.sentences == [
                    "latchkey: identity.1 cannot run as it is set up:",
                    "latchkey: identity: The database was sealed under master key \(key), which "
                        + "\(former.masterKeyFile) does not hold. Put the key file back from your backup, or let "
                        + "LATCHKEY_MASTER_KEY_FILE name the right one.",
                ])
            // A rotation would wait for the process that did not start.
            guard engine == .sqlite else { return }
            let database = try SQLiteDatabase(.file(former.data + "/identity.sqlite"))
            #expect(try await database.read { try $0.rows("SELECT instance FROM ring_holders") }.isEmpty)
            await database.close()
        }

        @Test func malformedDatabaseIsReported() async throws {
            let former = try await StoppedMesh(on: .sqlite)
            let database = former.data + "/identity.sqlite"
            try Data("This is not a database, however long one looks at it.".utf8).write(to: URL(filePath: database))
            let failure = try await FailedStart(["--dev"], in: former.directory)
            #expect(failure.end == .code(78))
            #expect(
                failure.sentenceOfIdentity
                    == "The file \(database) is not a SQLite database. Restore it from your backup, "
                    + "or let LATCHKEY_DATA name another place.")
        }

        /// A mesh that had data does not start without them.
        @Test(arguments: MeshEngine.allCases)
        func missingDatabaseIsReported(engine: MeshEngine) async throws {
            let former = try await StoppedMesh(on: engine)
            var settings = former.settings
            switch engine {
            case .sqlite: try FileManager.default.removeItem(atPath: former.data + "/identity.sqlite")
            case .postgres: settings = try await engine.settings()
            }
            let failure = try await FailedStart(["--dev"], environment: settings, in: former.directory)
            #expect(failure.end == .code(78))
            let note = former.data + "/identity.database"
            #expect(failure.sentenceOfIdentity?.hasPrefix("There is no data in the database ") == true)
            #expect(
                failure.sentenceOfIdentity?.contains("that \(former.setting) names, but there was when \(note)") == true
            )
            #expect(!FileManager.default.fileExists(atPath: former.data + "/identity.sqlite"))
        }

        @Test(arguments: MeshEngine.allCases)
        func newerSchemaIsReported(engine: MeshEngine) async throws {
            let former = try await StoppedMesh(on: engine)
            let later = Self.laterSchema
            switch engine {
            case .sqlite:
                let database = try SQLiteDatabase(.file(former.data + "/identity.sqlite"))
                try await database.write { for statement in later { try $0.execute(statement) } }
                await database.close()
            case .postgres:
                let url = try #require(former.settings["LATCHKEY_DATABASE_URL"])
                let name = String(try #require(url.split(separator: "/").last))
                try await RunningPostgres.shared().run(
                    "SET search_path = identity; \(later.joined(separator: "; "))", database: name)
            }
            let failure = try await FailedStart(Self.identityAlone, environment: former.settings, in: former.directory)
            #expect(failure.end == .code(78))
            #expect(
                failure.sentenceOfIdentity?.contains(
                    " has schema version 9999, which needs a program that knows version 9999, and this one knows ")
                    == true)
            #expect(failure.sentenceOfIdentity?.hasSuffix("or let \(former.setting) name another place.") == true)
        }

        /// What a later release writes that has removed something.
        static let laterSchema = [
            "INSERT INTO schema_migrations (version, name, sql, applied_at) VALUES (9999, 'later', '', 0)",
            "UPDATE schema_window SET compatible_since = 9999",
        ]

        @Test(arguments: [
            ("LATCHKEY_DATABASE_URL", "the server refuses the name or the password"),
            ("LATCHKEY_IDENTITY_DATABASE_URL", "the server has no database of this name"),
            ("LATCHKEY_IDENTITY_DATABASE_URL", "the server does not speak TLS, which sslmode asks for"),
        ])
        func refusedDatabaseLoginIsReported(setting: String, reason: String) async throws {
            let server = try await RunningPostgres.shared()
            let address =
                if reason.contains("password") {
                    server.address(of: "postgres", password: "not-it")
                } else if reason.contains("TLS") {
                    server.address(of: "postgres") + "?sslmode=require"
                } else {
                    server.address(of: "nowhere")
                }
            let failure = try await FailedStart(Self.identityAlone, environment: [setting: address])
            #expect(failure.end == .code(78))
            let sentence = try #require(failure.sentenceOfIdentity)
            #expect(
                sentence.contains(" cannot be opened: \(reason). Put the right user, password, host, database and "))
            #expect(sentence.hasSuffix(" into \(setting)."))
            #expect(!failure.sentences.joined().contains("not-it"))
        }

        @Test func malformedDatabaseURLIsReported() async throws {
            let failure = try await FailedStart(
                ["--dev"], environment: ["LATCHKEY_DATABASE_URL": "mysql://ada:hunter2@db/latchkey"])
            #expect(failure.end == .code(78))
            #expect(
                failure.sentences == [
                    "latchkey: LATCHKEY_DATABASE_URL names neither sqlite: nor postgres://. Write it like "
                        + "LATCHKEY_DATABASE_URL=postgres://user:password@host:5432/database."
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

        @Test func settingErrorOfProcessIsReported() async throws {
            let failure = try await FailedStart(["--dev"], environment: ["LATCHKEY_PASSWORD_THREADS": "many"])
            #expect(failure.end == .code(78))
            #expect(
                failure.sentences == [
                    "latchkey: identity.1 cannot run as it is set up:",
                    "latchkey: identity: LATCHKEY_PASSWORD_THREADS is \"many\", which is not a whole number from 1 to "
                        + "256. Write it like LATCHKEY_PASSWORD_THREADS=1.",
                ])
        }

        @Test func devModeListensOnLoopbackOnly() async throws {
            let failure = try await FailedStart(["--dev", "--listen", "0.0.0.0:0"])
            #expect(failure.end == .code(78))
            #expect(failure.sentences.count == 1)
            #expect(
                failure.sentences[0].hasPrefix("latchkey: LATCHKEY_LISTEN is 0.0.0.0:0, which other machines can reach")
            )
            #expect(failure.sentences[0].hasSuffix("Listen on 127.0.0.1, or leave --dev away."))
        }

        @Test func productionRequiresProjectAndPublicURL() async throws {
            let failure = try await FailedStart([])
            #expect(failure.end == .code(78))
            #expect(failure.sentences.count == 2)
            #expect(failure.sentences[0].hasPrefix("latchkey: LATCHKEY_PROJECT is not set. Set it to a project id"))
            #expect(
                failure.sentences[1].hasPrefix("latchkey: LATCHKEY_PUBLIC_URL is not set. Set it to an absolute http"))
        }

        @Test(arguments: [["--nonsense"], ["nonsense"], ["--scale"], ["--dev=1"]])
        func invalidCommandLineIsRefused(arguments: [String]) async throws {
            let failure = try await FailedStart(arguments)
            #expect(failure.end == .code(64))
            #expect(failure.sentences.last == "latchkey: See latchkey up --help.")
        }
    }
}

/// A `latchkey up` that failed and left no process running.
private struct FailedStart {
    let end: RunningProgram.End
    private let errors: String

    /// Its messages for the operator, line by line, without its log.
    var sentences: [String] {
        errors.split(separator: "\n").map(String.init).filter { $0.hasPrefix("latchkey: ") }
    }

    /// The reason that identity reported; nil if another process is the cause.
    var sentenceOfIdentity: String? {
        let beginning = "latchkey: identity: "
        guard sentences.count == 2, let last = sentences.last, last.hasPrefix(beginning) else { return nil }
        return String(last.dropFirst(beginning.count))
    }

    /// - Parameters:
    ///   - environment: already contains the data directory and an address; options override them.
    ///   - directory: the parent of the data directory.
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

/// The files that a stopped mesh leaves behind.
private struct StoppedMesh {
    let directory: TemporaryDirectory
    /// The settings with which it started.
    let settings: [String: String]
    /// The variable that names its database.
    var setting: String { settings.keys.first ?? "LATCHKEY_DATA" }

    init(on engine: MeshEngine) async throws {
        settings = try await engine.settings()
        let mesh = try await RunningMesh(["--only", "gateway,identity"], environment: settings)
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
