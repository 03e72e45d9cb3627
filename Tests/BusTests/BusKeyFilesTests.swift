import Bus
import Foundation
import ServiceRuntime
import TestSupport
import Testing
import ZeroMQ

/// The directory of `LATCHKEY_BUS_KEYS`: who reads what of it, and what a change of the table does.
@Suite struct BusKeyFilesTests {
    private let directory = TemporaryPlace()
    private let own: CurveKeyPair
    private let other: CurveKeyPair

    init() throws {
        own = try .random()
        other = try .random()
        try directory.write(BusKeyFile.text(own, of: "identity"), to: "identity.key", mode: 0o600)
        try directory.write(Self.table(["identity-a": own]), to: BusKeyFiles.tableName, mode: 0o644)
    }

    private static func table(_ peers: [String: CurveKeyPair]) -> String {
        peers.sorted { $0.key < $1.key }.map { name, pair in
            "[[peer]]\nname = \"\(name)\"\npublic-key = \"\(pair.publicKey.text)\"\nserves = [\"identity\"]\n"
        }.joined()
    }

    private func files() throws(BusKeyError) -> BusKeyFiles { try BusKeyFiles(of: "identity", in: directory.path) }

    @Test func keyAndTableAreRead() throws {
        let files = try files()
        #expect(files.keys.own.publicKey == own.publicKey)
        #expect(files.keys.table.count == 1)
        #expect(try files.name(of: "identity").rawValue == "identity-a")
    }

    @Test(arguments: [0o644, 0o604, 0o666]) func keyThatOthersCanReadIsRefused(mode: Int) throws {
        try directory.write(BusKeyFile.text(own, of: "identity"), to: "identity.key", mode: mode)
        let error = #expect(throws: BusKeyError.self) { try files() }
        guard case .key = error else { throw Unexpected("\(String(describing: error))") }
    }

    @Test(arguments: ["", "\n", "# nothing\n", "short\n", String(repeating: ",", count: 40)])
    func fileWithoutKeyIsRefused(text: String) throws {
        try directory.write(text, to: "identity.key", mode: 0o600)
        let error = #expect(throws: BusKeyError.self) { try files() }
        guard case .key = error else { throw Unexpected("\(String(describing: error))") }
    }

    @Test(arguments: [0o664, 0o646]) func tableThatOthersCanWriteIsRefused(mode: Int) throws {
        try directory.write(Self.table(["identity-a": own]), to: BusKeyFiles.tableName, mode: mode)
        let error = #expect(throws: BusKeyError.self) { try files() }
        guard case .table = error else { throw Unexpected("\(String(describing: error))") }
    }

    @Test func keyThatTheTableDoesNotListIsRefused() throws {
        try directory.write(Self.table(["other": other]), to: BusKeyFiles.tableName, mode: 0o644)
        #expect(throws: BusKeyError.unlisted(directory.file("identity.key"), own.publicKey)) { try files() }
    }

    /// The old table stays in use while the new one has a mistake, which is reported once.
    @Test func changedTableIsReadAgain() throws {
        let files = try files()
        #expect(try !files.refresh())
        try directory.write(
            Self.table(["identity-a": own, "identity-b": other]), to: BusKeyFiles.tableName, mode: 0o644)
        #expect(try files.refresh())
        #expect(files.keys.table.peer(with: other.publicKey)?.name.rawValue == "identity-b")
        try directory.write("[[peer]\n", to: BusKeyFiles.tableName, mode: 0o644)
        #expect(throws: BusKeyError.self) { try files.refresh() }
        #expect(try !files.refresh())
        #expect(files.keys.table.count == 2)
        try directory.write(Self.table(["identity-a": own]), to: BusKeyFiles.tableName, mode: 0o644)
        #expect(try files.refresh())
        #expect(files.keys.table.peer(with: other.publicKey) == nil)
    }
}

/// A directory with files of given modes.
private struct TemporaryPlace {
    private let directory = try? TemporaryDirectory()
    var path: String { directory?.appending("bus") ?? "" }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    func write(_ text: String, to name: String, mode: Int) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        // As an editor does: another file in its place.
        let new = file("\(name).new")
        try Data(text.utf8).write(to: URL(filePath: new))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: new)
        guard rename(new, file(name)) == 0 else { throw Unexpected("rename: \(errno)") }
    }
}

private struct Unexpected: Error {
    let text: String
    init(_ text: String) { self.text = text }
}
