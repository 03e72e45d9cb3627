import Contracts
import Foundation
import MasterKey
import SQL
import ServiceRuntime
import Settings
import Storage
import TestSupport
import Testing

@testable import LatchkeyProgram

/// A temporary directory, deleted with its owner.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/latchkey-test-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }  // Remaining files in /tmp do no harm.

    func permissions(of name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path + "/" + name)[.posixPermissions] as? Int
    }
}

struct DataDirectoryTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The message of `LauncherError` for the directory at `path`, or nil if it can be created.
    private func refusal(_ path: String) -> String? {
        do throws(LauncherError) {
            let directory = try DataDirectory(path)
            _ = consume directory
            return nil
        } catch {
            return error.messages.joined(separator: " ")
        }
    }

    @Test func missingDirectoryIsCreatedPrivately() throws {
        #expect(refusal(folder.path + "/data") == nil)
        #expect(try folder.permissions(of: "data") == 0o700)
    }

    @Test func missingParentIsNamed() {
        #expect(refusal(folder.path + "/no/data")?.contains("cannot be made: No such file or directory") == true)
    }

    @Test(arguments: [0o750, 0o701, 0o770, 0o704])
    func accessibleDirectoryIsRefused(permissions: Int) throws {
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: folder.path)
        #expect(refusal(folder.path)?.contains("chmod 700 \(folder.path)") == true)
    }

    /// A directory for each service, whose users enter theirs: root's commands take it, the launcher does not.
    @Test(
        arguments: [
            (0o755, 0o700, nil), (0o711, 0o700, nil), (0o700, 0o700, nil), (0o775, 0o700, "chmod 755 DATA"),
            (0o757, 0o700, "chmod 755 DATA"), (0o755, 0o750, "chmod 700 DATA/identity"),
            (0o755, 0o701, "chmod 700 DATA/identity"),
        ] as [(Int, Int, String?)])
    func directoryForEachServiceIsPrivate(mode: Int, own: Int, remedy: String?) throws {
        try FileManager.default.createDirectory(
            atPath: folder.path + "/identity", withIntermediateDirectories: false, attributes: [.posixPermissions: own])
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.path)
        #expect(DataDirectory.place(of: .identity, in: folder.path) == folder.path + "/identity")
        #expect(DataDirectory.place(of: .notifier, in: folder.path) == folder.path)
        #expect(refusal(folder.path) != nil)
        var refused: String?
        do throws(LauncherError) {
            _ = try DataDirectory.existing(folder.path)
        } catch {
            refused = error.messages.joined()
        }
        let path = try #require(realpath(folder.path, nil).map { String(cString: $0) })
        #expect((refused == nil) == (remedy == nil))
        if let remedy { #expect(refused?.contains(remedy.replacing("DATA", with: path)) == true) }
    }

    @Test func launcherRefusesDirectoryForEachService() throws {
        try FileManager.default.createDirectory(
            atPath: folder.path + "/notifier", withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        #expect(refusal(folder.path)?.contains("Start these units") == true)
    }

    @Test func fileIsRefusedAsDataDirectory() throws {
        try Data().write(to: URL(filePath: folder.path + "/file"))
        #expect(refusal(folder.path + "/file")?.contains("is not a directory") == true)
    }

    @Test func directoryIsLockedForOneLauncher() throws {
        let first = try DataDirectory(folder.path)
        #expect(refusal(folder.path)?.contains("in use by another latchkey") == true)
        _ = consume first
        #expect(refusal(folder.path) == nil)
    }

    @Test func masterKeyIsCreatedOnceAndPrivately() throws {
        let directory = try DataDirectory(folder.path)
        let file = folder.path + "/master.key"
        let key = MasterKey.random()
        #expect(try directory.prepareMasterKey(at: file) { key })
        #expect(try folder.permissions(of: "master.key") == 0o400)
        let isMadeAgain = try directory.prepareMasterKey(at: file) { fatalError("the key is there") }
        #expect(!isMadeAgain)
        #expect(try MasterKeyFile.read(file).text == key.text + "\n")
    }

    @Test func missingKeyOfExistingDatabaseIsNeverReplaced() throws {
        // The notifier's is on a server, or its file is gone too: a note says that there was one.
        for name in ["identity.sqlite", "identity.database", "notifier.database"] {
            try Data().write(to: URL(filePath: folder.path + "/" + name))
        }
        let directory = try DataDirectory(folder.path)
        let file = folder.path + "/master.key"
        let failure = LauncherError.lostMasterKey(
            file, databases: ["identity.sqlite", "the database of notifier"])
        #expect(throws: failure) { try directory.prepareMasterKey(at: file, MasterKey.random) }
        #expect(failure.exitCode == 78)
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    /// Another machine has sealed its databases: a key of its own would cut both off from each other.
    @Test func machineWithoutSharedKeyCreatesNone() async throws {
        let address = try await RunningPostgres.shared().makeDatabase()
        var reader = SettingsReader(Environment(["LATCHKEY_DATABASE_URL": address]), of: .latchkey)
        let store = StorageSettings(.identity, from: &reader, dataDirectory: folder.path)
        let shared = SharedDatabases(stores: [store], log: Log(instance: "test", write: { _ in }))
        #expect(try await shared.inUse() == [])
        let database = try await store.open()
        try await database.migrate([SQLMigration(1, "notes", "CREATE TABLE notes (id TEXT PRIMARY KEY)")])
        await database.close()
        let found = try await shared.inUse()
        #expect(found == ["the database of identity in \(store.location)"])
        let directory = try DataDirectory(folder.path)
        let file = folder.path + "/master.key"
        let beginsAnew = directory.beginsAnew(masterKeyFile: file)
        #expect(beginsAnew)
        #expect(throws: LauncherError.lostMasterKey(file, databases: found)) {
            try directory.prepareMasterKey(at: file, sharedDatabases: found, MasterKey.random)
        }
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test func readableMasterKeyIsRefused() throws {
        let directory = try DataDirectory(folder.path)
        let file = folder.path + "/master.key"
        _ = try directory.prepareMasterKey(at: file, MasterKey.random)
        try FileManager.default.setAttributes([.posixPermissions: 0o440], ofItemAtPath: file)
        #expect(throws: MasterKeyError.readableByOthers(file)) {
            try directory.prepareMasterKey(at: file, MasterKey.random)
        }
    }

    @Test func socketsAreInDirectoryWithShortPath() throws {
        let directory = try DataDirectory(folder.path)
        let sockets = try directory.prepareSockets()
        #expect(sockets.endpoint(broker: 1) == "ipc://\(directory.path)/run/broker.1.sock")
        #expect(try folder.permissions(of: "run") == 0o700)
    }

    @Test func longPathMovesSocketsToPrivateDirectory() throws {
        let directory = try DataDirectory(folder.path + "/" + String(repeating: "d", count: 90))
        let sockets = try directory.prepareSockets()
        let endpoint = sockets.endpoint(broker: 64)
        #expect(endpoint.utf8.count <= "ipc://".utf8.count + 107)
        #expect(!endpoint.contains("ddd"))
        let path = sockets.path
        #expect(FileManager.default.fileExists(atPath: path))
        _ = consume sockets
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func longestSocketPathIsAccepted() {
        let longest = 107 - "/broker.64.sock".utf8.count
        #expect(SocketDirectory.fits("/" + String(repeating: "d", count: longest - 1)))
        #expect(!SocketDirectory.fits("/" + String(repeating: "d", count: longest)))
    }
}

struct ListenAddressCheckTests {
    @Test(arguments: ["127.0.0.1:0", "[::1]:0", "localhost:0"])
    func freeAddressGetsItsPort(text: String) throws {
        let address = try #require(HostPort(text))
        // More than the kernel would choose without a repetition, if it could repeat one.
        let ports = try ListenAddressCheck.resolve(Array(repeating: address, count: 150)).map(\.port)
        #expect(ports.allSatisfy { $0 != 0 } && Set(ports).count == ports.count)
    }

    /// As the gateway listens: IPv6 only on `::`.
    @Test func bothFamiliesHaveTheSamePort() throws {
        // Another test may get a port before it is listened on again.
        let isPossible = try (0..<10).contains { _ in
            let port = try #require(ListenAddressCheck.resolve([HostPort(host: "0.0.0.0", port: 0)]).first).port
            let addresses = ["0.0.0.0", "::"].map { HostPort(host: $0, port: port) }
            return (try? ListenAddressCheck.resolve(addresses)) == addresses
        }
        #expect(isPossible)
    }

    @Test func portInUseIsNamed() throws {
        let taken = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(taken) }
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { general in
                #expect(bind(taken, general, length) == 0 && listen(taken, 1) == 0)
                #expect(getsockname(taken, general, &length) == 0)
            }
        }
        let address = HostPort(host: "127.0.0.1", port: UInt16(bigEndian: name.sin_port))
        let failure = #expect(throws: LauncherError.self) { try ListenAddressCheck.resolve([address]) }
        #expect(failure?.messages.first?.contains("Cannot listen on \(address): Address already in use") == true)
        #expect(failure?.exitCode == 1)
    }

    @Test func hostNameIsRefused() throws {
        #expect(throws: LauncherError.self) { try ListenAddressCheck.resolve([HostPort(host: "example.com", port: 0)]) }
    }
}
