import Contracts
import Foundation
import MasterKey
import SQL
import SQLite
import TestSupport

/// A key file in its own folder.
struct KeyFile {
    let directory: TemporaryDirectory
    var path: String { directory.appending("master.key") }

    init(_ ring: MasterKeyRing = MasterKeyRing(.random())) throws {
        directory = try TemporaryDirectory()
        try MasterKeyFile.write(ring, to: path)
    }

    func replace(with ring: MasterKeyRing) throws { try MasterKeyFile.replace(path, with: ring) }

    /// Writes the file as an editor would.
    func write(_ text: String, permissions: Int = 0o400) throws {
        let new = directory.appending("edited")
        try Data(text.utf8).write(to: URL(filePath: new))
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: new)
        _ = try? FileManager.default.removeItem(atPath: path)  // `try?`: it may not exist anymore.
        try FileManager.default.moveItem(atPath: new, toPath: path)
    }

    func permissions() throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
}

extension MasterKey {
    static func named(_ id: String, byte: UInt8 = 7) -> MasterKey {
        let digits = String(byte, radix: 16)
        let text = String(repeating: digits.count == 1 ? "0" + digits : digits, count: 32)
        guard let key = MasterKey(text: "\(id):\(text)") else { preconditionFailure("\(id) is no id") }
        return key
    }
}

/// A service with one sealed column in its own database.
struct SealedTestStore {
    static let column = SealedColumn("sealed_text", of: "notes", key: ["owner", "number"])
    static let migration = SQLMigration(
        1, "notes",
        SealedRecords.tables + SealedRecords.inquiryTables + SealedRecords.announcementTable + """
            CREATE TABLE notes (owner TEXT NOT NULL, number INTEGER NOT NULL, sealed_text BLOB,
                PRIMARY KEY (owner, number));
            """)

    let database: any SQLDatabase
    let keys: SealingKeys
    let records: SealedRecords

    init(_ database: any SQLDatabase, _ masterKeys: ReloadingMasterKeyRing) async throws {
        self.database = database
        keys = SealingKeys(masterKeys, of: .notifier)
        records = SealedRecords(database, keys: keys, columns: [Self.column])
        try await database.migrate([Self.migration])
        try await records.declare()
    }

    func write(_ text: String, _ owner: String, _ number: Int) async throws {
        try await database.write { [keys] transaction in
            let key: [SQLValue] = [.text(owner), .integer(Int64(number))]
            let record = try keys.seal(Array(text.utf8), binding: Self.column.binding(key[0], key[1]))
            try transaction.execute(
                """
                INSERT INTO notes (owner, number, sealed_text) VALUES ($1, $2, $3)
                ON CONFLICT (owner, number) DO UPDATE SET sealed_text = excluded.sealed_text
                """, key[0], key[1], .blob(record))
        }
    }

    func read(_ owner: String, _ number: Int) async throws -> String {
        try await database.read { [keys] transaction in
            let key: [SQLValue] = [.text(owner), .integer(Int64(number))]
            guard
                let row = try transaction.firstRow(
                    "SELECT sealed_text FROM notes WHERE owner = $1 AND number = $2", key[0], key[1])
            else { return "" }
            let record: [UInt8] = try row.get("sealed_text")
            return String(
                decoding: try keys.open(record, binding: Self.column.binding(key[0], key[1])), as: UTF8.self)
        }
    }
}
