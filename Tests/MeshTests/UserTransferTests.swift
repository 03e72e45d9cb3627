import Crypto
import Foundation
import HTTPClient
import JSON
import TestSupport
import Testing

extension MeshTests {
    /// `latchkey users` with a running mesh.
    @Suite struct UserTransferTests {
        private func users(_ mesh: RunningMesh, _ arguments: String...) async throws -> (RunningProgram.End, String) {
            let command = try RunningProgram(
                "latchkey", ["users"] + arguments + ["--data", mesh.dataDirectory, "--dev"], in: mesh.directory)
            let end = try await command.ending()
            return (end, command.output + command.errors)
        }

        private func path(_ mesh: RunningMesh, _ name: String) -> String { mesh.directory.appending(name) }

        private func signIn(_ mesh: RunningMesh, _ email: String, _ password: String) async throws -> Int {
            try await mesh.client.call(
                "signInWithPassword",
                ["email": .string(email), "password": .string(password), "returnSecureToken": .bool(true)]
            ).status
        }

        /// SHA-256 of `salt` and `secret-1`, as another system has computed it.
        private static let hash = "rCHSz0XRxp7cLB1YOsDSLa7W8Ki33k8yYh5zqkUiyJ0="

        @Test func usersMoveOutAndInAgain() async throws {
            try await withMesh(["--only", "gateway,identity"]) { mesh in
                let person = TestUser()
                #expect(try await mesh.client.signUp(person).status == 200)
                let (file, copy) = (path(mesh, "users.jsonl"), path(mesh, "again.jsonl"))
                let exported = try await users(mesh, "export", file, "--with-hashes")
                #expect(exported.0 == .code(0) && exported.1.contains("exported 1 users"))
                let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
                #expect(mode == 0o600)
                let repeated = try await users(mesh, "export", file)
                #expect(repeated.0 == .code(1) && repeated.1.contains("exists"))

                for _ in 1...2 {
                    let imported = try await users(mesh, "import", file)
                    #expect(imported.0 == .code(0) && imported.1.contains("imported 1 users"))
                }
                #expect(try await signIn(mesh, person.email, person.password) == 200)
                #expect(try await users(mesh, "export", copy, "--with-hashes").0 == .code(0))
                let hashes = try [file, copy].map { path in
                    try String(contentsOfFile: path, encoding: .utf8).firstMatch(of: /"passwordHash":"([^"]*)"/)?.1
                }
                #expect(hashes.first == hashes.last && hashes.allSatisfy { $0?.hasPrefix("$argon2id$") == true })
            }
        }

        @Test func cutFileOfFirebaseIsResumed() async throws {
            try await withMesh(["--only", "gateway,identity"]) { mesh in
                let file = path(mesh, "users.json")
                let records = (1...300).map { #"{"localId":"u\#($0)","email":"u\#($0)@example.com"}"# }
                let text = "{\"users\": [\n" + records.joined(separator: ",\n") + "\n]}"
                try String(text.dropLast(10)).write(toFile: file, atomically: true, encoding: .utf8)
                let cut = try await users(mesh, "import", file)
                #expect(cut.0 == .code(65))
                #expect(cut.1.contains("The file ends inside record 300, at byte "))
                try text.write(toFile: file, atomically: true, encoding: .utf8)
                let resumed = try await users(mesh, "import", file, "--resume")
                #expect(resumed.0 == .code(0))
                #expect(resumed.1.contains("continuing after record 299") && resumed.1.contains("imported 300 users"))
                #expect(!FileManager.default.fileExists(atPath: file + ".import-state"))
                let again = try await users(mesh, "import", file, "--keep-existing")
                #expect(again.0 == .code(0) && again.1.contains("300 existed already and were kept"))
            }
        }

        @Test func refusedRecordsAreNamed() async throws {
            try await withMesh(["--only", "gateway,identity"]) { mesh in
                let file = path(mesh, "users.json")
                let claims = String(repeating: "x", count: 1000)
                try """
                {"users": [{"localId": "good"}, {"localId": "bad", "customAttributes": "{\\"sub\\":\\"x\\"}"},
                {"localId": "large", "customAttributes": "{\\"a\\":\\"\(claims)\\"}"}, {"localId": "good"},
                {"localId": "other", "tenantId": "t"}]}
                """.write(toFile: file, atomically: true, encoding: .utf8)
                let (end, text) = try await users(mesh, "import", file)
                #expect(end == .code(1))
                for line in [
                    "refused record 2 (bad): reservedClaim", "refused record 3 (large): customClaimsTooLarge",
                    "refused record 4 (good): an earlier record", "refused record 5 (other): it belongs to a tenant",
                    "imported 1 users", "4 records were refused.",
                ] {
                    #expect(text.contains(line), "\(line)")
                }
            }
        }

        /// A dry run changes nothing, the import enrolls the factor, and a second import has the same result.
        @Test func secretsOfAFileBecomeFactors() async throws {
            try await withMesh(["--only", "gateway,identity,mfa-totp"]) { mesh in
                let (file, plan) = (path(mesh, "users.jsonl"), path(mesh, "plan.json"))
                let secret = Base32.encode(Array("an older secret".utf8))
                let app = AuthenticatorApp(secret: secret, directory: mesh.directory)
                try """
                {"localId":"ada","email":"ada@example.com","emailVerified":true,"passwordHash":"{SHA256}9+fDbkWOgOa2osZ9Cp7Am9cY2t17+o1r9uetUm5Gwvc=",\
                "mfaInfo":[{"displayName":"App","totpInfo":{"sharedSecretKey":"an older secret","secretEncoding":"text"}}]}
                {"localId":"eve","mfaInfo":[{"totpInfo":{}}]}
                """.write(toFile: file, atomically: true, encoding: .utf8)
                let dry = try await users(mesh, "import", file, "--dry-run", "--summary", plan)
                #expect(dry.0 == .code(0) && dry.1.contains("would import 2 users"), "\(dry.1)")
                #expect(dry.1.contains("1 have a TOTP factor, but sign-ins do not ask for it"))
                try await mesh.client.switchTOTPOn(5)
                #expect(dry.1.contains("incomplete record 2 (eve): without TOTP factor"))
                let text = try String(contentsOfFile: plan, encoding: .utf8)
                #expect(text.contains(#""dryRun":true,"imported":2,"incomplete":{"totp":1}"#), "\(text)")
                #expect(try await signIn(mesh, "ada@example.com", "secret-1") == 400)
                for _ in 1...2 {
                    let imported = try await users(mesh, "import", file)
                    #expect(imported.0 == .code(0) && imported.1.contains("imported 2 users"), "\(imported.1)")
                    #expect(!imported.1.contains("do not ask for it"))
                }
                let pending = try await mesh.client.call(
                    "signInWithPassword",
                    [
                        "email": .string("ada@example.com"), "password": .string("secret-1"),
                        "returnSecureToken": .bool(true),
                    ])
                guard case .array(let factors)? = try pending.json["mfaInfo"],
                    case .string(let factor)? = factors.first?["mfaEnrollmentId"]
                else { throw RunningMesh.Failure(pending.summary) }
                let finished = try await mesh.client.send(
                    .post, "/identitytoolkit.googleapis.com/v2/accounts/mfaSignIn:finalize?key=any",
                    .object([
                        "mfaPendingCredential": .string(try pending.text("mfaPendingCredential")),
                        "mfaEnrollmentId": .string(factor),
                        "totpVerificationInfo": .object(["verificationCode": .string(try await app.code(0))]),
                    ]))
                #expect(finished.status == 200, "\(finished.summary)")
            }
        }

        /// Second factors and passkeys work on another installation. Without the passphrase the file says nothing, and a
        /// changed byte is noticed.
        @Test(arguments: MeshEngine.allCases)
        func secretsMoveToAnotherInstallation(engine: MeshEngine) async throws {
            let services = ["--only", "gateway,identity,mfa-totp,passkey"]
            let directory = try TemporaryDirectory()
            let (file, plain) = (directory.appending("users.jsonl"), directory.appending("plain.jsonl"))
            let passphrase = try Self.secretFile("a long passphrase of an operator\n", in: directory, "passphrase")
            let sealing = ["--with-secrets", "--passphrase-file", passphrase]
            var device = try SoftwareAuthenticator(origin: "https://localhost")
            let old = try await engine.settings()
            let (person, app) = try await Self.moved(services, old) { mesh in
                try await mesh.client.switchTOTPOn()
                let person = try await mesh.client.verifiedPerson()
                let tokens = try Tokens(await mesh.client.signIn(person))
                _ = try Tokens(await mesh.client.enroll(&device, tokens.idToken))
                let app = try await mesh.client.enrolledApp(of: person, in: directory)
                let hashes = ["--with-hashes", "--with-pepper"]
                let exported = try await Self.run(mesh, old, ["export", file, "--json"] + hashes + sealing)
                #expect(exported.end == .code(0), "\(exported.errors)")
                #expect(exported.output.contains(#""incomplete":{},"users":1"#), "\(exported.output)")
                #expect(try await Self.run(mesh, old, ["export", plain, "--with-hashes"]).end == .code(0))
                return (person, app)
            }
            let sealed = try Data(contentsOf: URL(filePath: file))
            for secret in [person.email, app.secret] { #expect(sealed.range(of: Data(secret.utf8)) == nil) }
            #expect(try !String(contentsOfFile: plain, encoding: .utf8).contains(app.secret))

            let new = try await engine.settings()
            try await withMesh(services, environment: new) { mesh in
                try await mesh.client.switchTOTPOn()
                let wrong = try Self.secretFile("another passphrase", in: directory, "wrong")
                var damaged = sealed
                damaged[damaged.count - 40] ^= 1
                let broken = directory.appending("broken.jsonl")
                try damaged.write(to: URL(filePath: broken))
                for (path, words, code, sentence) in [
                    (file, wrong, 1, "The passphrase does not open"), (broken, passphrase, 65, "was changed or cut"),
                    (plain, passphrase, 64, "is not sealed: --passphrase-file has no effect"),
                ] as [(String, String, Int32, String)] {
                    let refused = try await Self.run(mesh, new, ["import", path, "--passphrase-file", words])
                    #expect(refused.end == .code(code) && refused.errors.contains(sentence), "\(refused.errors)")
                }
                #expect(try await mesh.client.signIn(person).status == 400)
                let imported = try await Self.run(mesh, new, ["import", file, "--passphrase-file", passphrase])
                #expect(imported.end == .code(0), "\(imported.errors)")
                #expect(imported.output == "imported 1 users\n", "\(imported.output)")
                let finished = try await mesh.client.signIn(person, app, try await app.code(0))
                #expect(finished.status == 200, "\(finished.summary)")
                _ = try Tokens(await mesh.client.signIn(&device))
            }
        }

        private static func secretFile(
            _ text: String, in directory: TemporaryDirectory, _ name: String
        ) throws -> String {
            let path = directory.appending(name)
            try #require(
                FileManager.default.createFile(
                    atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600]))
            return path
        }

        private static func moved<Result>(
            _ services: [String], _ settings: [String: String], _ body: (RunningMesh) async throws -> Result
        ) async throws -> Result {
            var result: Result?
            try await withMesh(services, environment: settings) { result = try await body($0) }
            return try #require(result)
        }

        private static func run(
            _ mesh: RunningMesh, _ settings: [String: String], _ arguments: [String]
        ) async throws -> (end: RunningProgram.End, output: String, errors: String) {
            let command = try RunningProgram(
                "latchkey", ["users"] + arguments + ["--data", mesh.dataDirectory, "--dev"], environment: settings,
                in: mesh.directory)
            return (try await command.ending(), command.output, command.errors)
        }

        @Test(
            arguments: [
                (["export", "u.json", "--with-secrets"], "--with-secrets requires the format jsonl."),
                (
                    ["export", "u.jsonl", "--passphrase-file", "p"],
                    "--passphrase-file has no effect without --with-secrets."
                ),
                (
                    ["export", "-", "--format", "jsonl", "--json"],
                    "--json requires a file: standard output has the users."
                ),
            ] as [([String], String)])
        func optionWithoutEffectIsRefused(arguments: [String], sentence: String) async throws {
            let directory = try TemporaryDirectory()
            let command = try RunningProgram("latchkey", ["users"] + arguments + ["--dev"], in: directory)
            #expect(try await command.ending() == .code(64))
            #expect(command.errors.contains(sentence), "\(command.errors)")
        }

        @Test func devMeshKeepsUsersInAFile() async throws {
            let directory = try TemporaryDirectory()
            let file = directory.appending("users.jsonl")
            try #"{"localId":"seeded","email":"seeded@example.com"}"#.write(
                toFile: file, atomically: true, encoding: .utf8)
            let options = ["--only", "gateway,identity", "--seed", file, "--export-on-exit", file]
            let person = TestUser()
            try await withMesh(options) { mesh in
                let status = try await mesh.client.signUp(person).status
                #expect(status == 200)
            }
            let text = try String(contentsOfFile: file, encoding: .utf8)
            #expect(text.contains("seeded@example.com") && text.contains(person.email))
            #expect(text.contains("latchkeyPepper"))
            // The next mesh has another database and another pepper.
            try await withMesh(options) { mesh in
                let status = try await signIn(mesh, person.email, person.password)
                #expect(status == 200)
            }
        }

        @Test func invalidArgumentsAreNamed() async throws {
            try await withMesh(["--only", "gateway,identity"]) { mesh in
                let file = path(mesh, "users.json")
                try #"{"users":[{"localId":"a","passwordHash":"\#(Self.hash)"}]}"#.write(
                    toFile: file, atomically: true, encoding: .utf8)
                for (arguments, code, sentence) in [
                    ([], 65, "Record 1 has a password hash, and nothing names its algorithm."),
                    (["--hash-algo", "SCRYPT"], 64, "The hash algorithm requires --hash-key."),
                    (["--rounds", "8"], 64, "--rounds requires --hash-algo."),
                    (["--hash-algo", "PBKDF2_SHA256", "--rounds", "2000001"], 1, "rounds must be 1 to 2000000"),
                    (
                        ["--tenant", "absent", "--hash-algo", "SHA256", "--rounds", "1"], 1,
                        "The project has no such tenant."
                    ),
                ] as [([String], Int32, String)] {
                    let command = try RunningProgram(
                        "latchkey", ["users", "import", file, "--data", mesh.dataDirectory, "--dev"] + arguments,
                        in: mesh.directory)
                    #expect(try await command.ending() == .code(code))
                    #expect(command.errors.contains(sentence), "\(command.errors)")
                }
            }
        }
    }
}
