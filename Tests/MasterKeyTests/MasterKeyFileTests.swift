import Foundation
import MasterKey
import ServiceRuntime
import Settings
import TestSupport
import Testing

struct MasterKeyFileTests {
    private let file: KeyFile

    init() throws { file = try KeyFile(MasterKeyRing(.named("1a2b3c4d"))) }

    @Test func replacedKeyFileStaysPrivate() throws {
        try file.replace(with: MasterKeyRing(.named("9f8e7d6c"), former: [.named("1a2b3c4d")]))
        #expect(try MasterKeyFile.read(file.path).ids == ["9f8e7d6c", "1a2b3c4d"])
        #expect(try file.permissions() == 0o400)
        #expect(try FileManager.default.contentsOfDirectory(atPath: file.directory.path) == ["master.key"])
    }

    /// A process that was killed between two steps leaves such a file behind.
    @Test func unfinishedKeyFileIsIgnored() throws {
        try Data("1a2b".utf8).write(to: URL(filePath: file.path + ".new"))
        #expect(try MasterKeyFile.read(file.path).ids == ["1a2b3c4d"])
        try file.replace(with: MasterKeyRing(.named("9f8e7d6c")))
        #expect(try MasterKeyFile.read(file.path).ids == ["9f8e7d6c"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: file.directory.path) == ["master.key"])
    }

    @Test func symbolicLinkIsKept() throws {
        let link = file.directory.appending("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file.path)
        try MasterKeyFile.replace(link, with: MasterKeyRing(.named("9f8e7d6c")))
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == file.path)
        #expect(try MasterKeyFile.read(file.path).ids == ["9f8e7d6c"])
    }

    @Test func unwritableFileIsNamed() throws {
        let fault = #expect(throws: MasterKeyError.self) {
            try MasterKeyFile.replace("/proc/version", with: MasterKeyRing(.random()))
        }
        #expect(fault?.messages.count == 1)
        #expect(fault?.messages[0].hasPrefix("The master key /proc/version cannot be replaced: ") == true)
    }

    @Test func newFileNeverReplacesKey() throws {
        #expect(throws: MasterKeyError.self) { try MasterKeyFile.write(MasterKeyRing(.random()), to: file.path) }
        #expect(try MasterKeyFile.read(file.path).ids == ["1a2b3c4d"])
    }

    @Test func missingFolderIsNamed() throws {
        let path = file.directory.appending("no/master.key")
        #expect(throws: MasterKeyError.writeFailed(path, reason: "No such file or directory")) {
            try MasterKeyFile.write(MasterKeyRing(.random()), to: path)
        }
        #expect(throws: MasterKeyError.unreadable(path, reason: "No such file or directory")) {
            try MasterKeyFile.replace(path, with: MasterKeyRing(.random()))
        }
    }

    @Test(arguments: [
        ("no key", "holds no master key."),
        (MasterKey.named("1a2b3c4d").text + "\nrubbish", "holds no master key as entry 2."),
        (
            MasterKey.named("1a2b3c4d").text + "\n" + MasterKey.named("1a2b3c4d").text,
            "holds the master key 1a2b3c4d twice."
        ),
        (String(repeating: "0", count: 5000), "holds more than 16 master keys."),
    ])
    func errorIsOneSentence(text: String, problem: String) throws {
        try file.write(text)
        let fault = #expect(throws: MasterKeyError.self) { try MasterKeyFile.read(file.path) }
        #expect(fault?.messages == ["\(file.path) \(problem) Restore it from your backup."])
        #expect(fault?.exitCode == 78)
    }

    @Test(arguments: [0o440, 0o404, 0o600 | 0o020])
    func accessibleFileIsRefused(permissions: Int) throws {
        try file.write(MasterKey.random().text, permissions: permissions)
        #expect(throws: MasterKeyError.readableByOthers(file.path)) { try MasterKeyFile.read(file.path) }
    }
}

struct MasterKeySettingsTests {
    private func place(_ variables: [String: String]) throws -> MasterKeySource {
        var reader = SettingsReader(Environment(variables), of: .latchkey)
        let settings = MasterKeySettings(from: &reader)
        try reader.finish()
        return settings.place(dataDirectory: "/data")
    }

    @Test func keyFileIsInDataDirectoryByDefault() throws {
        #expect(try place([:]).name == "/data/master.key")
        #expect(try place(["LATCHKEY_MASTER_KEY_FILE": "/etc/key"]).name == "/etc/key")
    }

    @Test func variableContainsKeys() throws {
        let text = MasterKey.named("1a2b3c4d").text + " " + MasterKey.named("9f8e7d6c").text
        let place = try place(["LATCHKEY_MASTER_KEY": text])
        #expect(place.name == "LATCHKEY_MASTER_KEY")
        #expect(try ReloadingMasterKeyRing(place).ring.ids == ["1a2b3c4d", "9f8e7d6c"])
    }

    @Test func fileAndVariableTogetherAreRefused() throws {
        let faults = #expect(throws: SettingsError.self) {
            try place(["LATCHKEY_MASTER_KEY": MasterKey.random().text, "LATCHKEY_MASTER_KEY_FILE": "/etc/key"])
        }
        #expect(
            faults?.messages == [
                "LATCHKEY_MASTER_KEY is set, and so is LATCHKEY_MASTER_KEY_FILE. Remove one of them."
            ])
    }

    @Test func malformedVariableIsNotShown() throws {
        let faults = #expect(throws: SettingsError.self) { try place(["LATCHKEY_MASTER_KEY": "1a2b3c4d:nearly"]) }
        #expect(faults?.messages.count == 1)
        #expect(faults?.messages[0].hasPrefix("LATCHKEY_MASTER_KEY holds something which is not") == true)
        #expect(faults?.messages[0].contains("nearly") == false)
    }
}
