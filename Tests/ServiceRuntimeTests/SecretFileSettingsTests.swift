import Contracts
import Foundation
import ServiceRuntime
import Settings
import TestSupport
import Testing

/// Unknown names, and secrets in files.
struct SecretFileSettingsTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func file(_ content: Data, mode: Int = 0o600) throws -> String {
        let path = directory.appending(UUID().uuidString)
        try content.write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    private func sentences(_ variables: [String: String], for process: SettingsProcess = .service(.notifier))
        -> [String]
    {
        let failure = #expect(throws: SettingsError.self) { try Environment(variables).resolved(for: process) }
        #expect(failure?.exitCode == 78)
        return failure?.messages ?? []
    }

    @Test(
        arguments: [
            ("s3cret\n", "s3cret"), ("s3cret", "s3cret"), ("s3cret\n\n", "s3cret\n"), (" s3 cret ", " s3 cret "),
            ("s3cret\r\n", "s3cret\r"), ("\n\n", "\n"),
        ])
    func secretIsContentWithoutOneNewline(content: String, value: String) throws {
        let path = try file(Data(content.utf8))
        let environment = try Environment(["LATCHKEY_SMTP_URL_FILE": path, "PATH": "/bin"])
            .resolved(for: .service(.notifier))
        #expect(environment[.smtpURL] == value)
        #expect(environment["LATCHKEY_SMTP_URL_FILE"] == nil && environment["PATH"] == "/bin")
    }

    @Test(arguments: [0o400, 0o600, 0o440, 0o640])
    func groupReadableFileIsAccepted(mode: Int) throws {
        let path = try file(Data("s3cret".utf8), mode: mode)
        let environment = try Environment(["LATCHKEY_SMTP_URL_FILE": path]).resolved(for: .service(.notifier))
        #expect(environment[.smtpURL] == "s3cret")
    }

    /// systemd gives a credential to the user of a unit with an access control list, which the mode shows as its group.
    @Test(
        arguments: [
            ("/run/credentials/latchkey@identity.service/master.key", 0o007),
            ("/run/credentials/latchkey@identity.service-other/master.key", 0o077), ("/etc/latchkey/master.key", 0o077),
        ] as [(String, mode_t)])
    func groupMayReadPrivateKeyInCredentialsOnly(path: String, forbidden: mode_t) {
        let credentials = "/run/credentials/latchkey@identity.service"
        #expect(SecretFile.Readers.ownerOnly.forbiddenMode(at: path, credentials: credentials) == forbidden)
        #expect(SecretFile.Readers.ownerOnly.forbiddenMode(at: path, credentials: nil) == 0o077)
        #expect(SecretFile.Readers.ownerAndGroup.forbiddenMode(at: path, credentials: credentials) == 0o007)
    }

    @Test func unusableFileIsNamedWithoutContent() throws {
        let open = try file(Data("s3cret".utf8), mode: 0o644)
        let empty = try file(Data("\n".utf8))
        let binary = try file(Data([0x73, 0xff]))
        let folder = directory.path
        for (path, problem) in [
            (open, "which all users can read"), (empty, "which is empty"),
            ("/nowhere", "which cannot be read: No such file or directory"),
            (folder, "which cannot be read: it is not a file"), (binary, "which cannot be read: it is not UTF-8"),
        ] {
            let sentences = sentences(["LATCHKEY_TWILIO_AUTH_TOKEN_FILE": path])
            #expect(sentences.count == 1)
            #expect(
                sentences.first?.hasPrefix("LATCHKEY_TWILIO_AUTH_TOKEN_FILE names \(path), \(problem). ") == true,
                "\(sentences)")
            #expect(sentences.first?.contains("s3cret") == false)
        }
    }

    @Test func secretInVariableAndFileIsRefused() throws {
        let path = try file(Data("s3cret".utf8))
        let variables = ["LATCHKEY_RECAPTCHA_SECRET": "a", "LATCHKEY_RECAPTCHA_SECRET_FILE": path]
        #expect(
            sentences(variables, for: .latchkey) == [
                "LATCHKEY_RECAPTCHA_SECRET is set, and so is LATCHKEY_RECAPTCHA_SECRET_FILE. Remove one of them."
            ])
    }

    /// The process does not open it: another user may run the other process.
    @Test func processReadsOnlyItsOwnFiles() throws {
        let variables = ["LATCHKEY_RECAPTCHA_SECRET_FILE": "/nowhere", "LATCHKEY_DATABASE_URL_FILE": "/nowhere"]
        let environment = try Environment(variables).resolved(for: .service(.gateway))
        #expect(environment["LATCHKEY_RECAPTCHA_SECRET_FILE"] == "/nowhere")
        #expect(sentences(variables, for: .service(.mfaSMS)).count == 2)
    }

    @Test(arguments: SettingsCatalogue.all.filter(\.isResolvedFromFile))
    func everySecretCanBeInFile(setting: Setting) throws {
        let path = try file(Data("s3cret\n".utf8))
        let fileName = try #require(setting.fileName)
        for process in setting.readers {
            #expect(try Environment([fileName: path]).resolved(for: process)[setting] == "s3cret")
        }
    }

    /// Processes read it again after a rotation, so the path stays a setting.
    @Test func masterKeyFileStaysPath() throws {
        let environment = try Environment(["LATCHKEY_MASTER_KEY_FILE": "/k"]).resolved(for: .service(.identity))
        #expect(environment[.masterKeyFile] == "/k" && environment[.masterKey] == nil)
    }

    @Test func unknownNameIsRefusedWithSuggestion() {
        let variables = [
            "LATCHKEY_SMS_PROVDER": "twilio", "LATCHKEY_TWILIO_SECRET_TOKEN": "s3cret", "LATCHKEY_NOTHING": "",
            "LATCHKEY_URL": "of a test suite", "SOMETHING_ELSE": "1",
        ]
        let sentences = sentences(variables)
        #expect(sentences.first == "LATCHKEY_SMS_PROVDER is unknown. Did you mean LATCHKEY_SMS_PROVIDER?")
        #expect(sentences.count == 2 && sentences.last?.hasPrefix("LATCHKEY_TWILIO_SECRET_TOKEN is unknown. ") == true)
        #expect(!sentences.joined().contains("s3cret"))
    }
}
