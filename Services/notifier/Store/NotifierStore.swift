import Contracts
import Crypto
import FoundationEssentials
package import MasterKey
package import SQL
import Vocabulary

/// What the notifier keeps, in its own database. One method is one transaction.
package struct NotifierStore: Sendable {
    private let database: any SQLDatabase
    /// Seals what must not be readable in a copy of the file: links are keys to accounts.
    private let sealingKey: SealingKey
    private let digestKey: [UInt8]

    /// Opens the store and brings its tables up to date.
    /// - Throws: `CryptoError.notAuthentic` when what waits was sealed under another master key: to go on would be to lose
    ///   it.
    package init(_ database: any SQLDatabase, masterKey: MasterKey) async throws {
        self.database = database
        guard let sealingKey = SealingKey(masterKey.key(for: "notifier sealing")) else {
            preconditionFailure("a derived key has 32 bytes")
        }
        self.sealingKey = sealingKey
        digestKey = masterKey.key(for: "notifier digests")
        try await database.migrate(NotifierMigrations.all)
        try await database.read { transaction in
            let row = try transaction.firstRow("SELECT message_id, sealed_request FROM outbox LIMIT 1")
            guard let row else { return }
            _ = try sealingKey.open(
                row.get("sealed_request"), binding: Self.binding("outbox", MessageID(row.get("message_id"))))
        }
    }

    package func close() async {
        await database.close()
    }

    func read<Result: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Result
    ) async throws -> Result {
        do {
            return try await database.read(body)
        } catch SQLError.overloaded {
            throw NotifierError.overloaded
        }
    }

    func write<Result: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Result
    ) async throws -> Result {
        do {
            return try await database.write(body)
        } catch SQLError.overloaded {
            throw NotifierError.overloaded
        }
    }

    /// A keyed hash: what it is made of may be guessable, an address for one.
    func digest(_ bytes: [UInt8]) -> [UInt8] { HMAC.sha256(key: digestKey, message: bytes) }

    func seal(_ value: some Encodable, in table: String, _ id: MessageID) throws -> [UInt8] {
        try sealingKey.seal(Array(WireJSON.encode(value)), binding: Self.binding(table, id))
    }

    func open<Value: Decodable>(
        _ type: Value.Type, _ sealed: [UInt8], in table: String, _ id: MessageID
    ) throws -> Value {
        let bytes = try sealingKey.open(sealed, binding: Self.binding(table, id))
        return try WireJSON.decodeUnchecked(type, from: Data(bytes))
    }

    /// Ties what is sealed to its row.
    private static func binding(_ table: String, _ id: MessageID) -> [UInt8] { Array("\(table)/\(id)".utf8) }
}

extension Realm {
    /// How the tenant stands in a row: a project's own users have the empty one.
    var tenantColumn: String { tenant?.rawValue ?? "" }

    init(_ row: SQLRow) throws {
        let tenant: String = try row.get("tenant")
        self.init(project: ProjectID(try row.get("project")), tenant: tenant.isEmpty ? nil : TenantID(tenant))
    }
}

/// A row that this program did not write like that.
struct UnreadableRow: Error {}
