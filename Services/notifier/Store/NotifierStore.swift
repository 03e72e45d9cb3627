import Contracts
import Crypto
import FoundationEssentials
import JSON
package import MasterKey
package import SQL
import Vocabulary

/// What the notifier keeps, in its own database. One method is one transaction.
package struct NotifierStore: Sendable {
    private let database: any SQLDatabase
    /// Seals what must not be readable in a copy of the database: links are keys to accounts.
    private let sealingKeys: SealingKeys
    /// What is sealed, to be kept under the current master key.
    package let sealedRecords: SealedRecords
    private let digestKey: [UInt8]

    private static let sealedRequest = SealedColumn("sealed_request", of: "outbox", key: ["message_id"])
    private static let sealedMessage = SealedColumn("sealed_message", of: "inbox", key: ["message_id"])

    /// Opens the store and brings its tables up to date.
    /// - Throws: `MasterKeyError.unknownKey` or `CryptoError.authenticationFailed` when it was sealed under other keys:
    ///   to go on would be to lose what waits.
    package init(_ database: any SQLDatabase, keys: ReloadingMasterKeyRing) async throws {
        self.database = database
        sealingKeys = SealingKeys(keys, of: .notifier)
        sealedRecords = SealedRecords(
            database, keys: sealingKeys, columns: [Self.sealedRequest, Self.sealedMessage])
        try await database.migrate(NotifierMigrations.all)
        try await sealedRecords.declare()
        digestKey = try await database.write { [sealingKeys] transaction in
            try ServiceSecrets.loadNewest("digests", in: transaction, sealingKeys) { .random() }.bytes
        }
    }

    package func close() async {
        await database.close()
    }

    func read<Result: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Result
    ) async throws -> Result {
        try await database.read(body)
    }

    func write<Result: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Result
    ) async throws -> Result {
        try await database.write(body)
    }

    /// A keyed hash: what it is made of may be guessable, an address for one.
    func digest(_ bytes: [UInt8]) -> [UInt8] { HMAC.sha256(key: digestKey, message: bytes) }

    /// In the body of a transaction: it may look at the file of the master key.
    func seal(_ message: OutgoingMessage, of id: MessageID) throws -> [UInt8] {
        let json =
            switch message {
            case .email(let request): try WireJSON.encode(request)
            case .sms(let request): try WireJSON.encode(request)
            case .push(let request): try WireJSON.encode(request)
            }
        return try sealingKeys.seal(Array(json), binding: Self.sealedRequest.binding(.text(id.rawValue)))
    }

    /// As `seal`.
    func open(request sealed: [UInt8], of message: OutboxMessage) throws -> OutgoingMessage {
        let binding = Self.sealedRequest.binding(.text(message.id.rawValue))
        let json = Data(try sealingKeys.open(sealed, binding: binding))
        return switch message.channel {
        case .email: .email(try WireJSON.decodeUnchecked(Notifier.SendEmail.self, from: json))
        case .sms: .sms(try WireJSON.decodeUnchecked(Notifier.SendSMS.self, from: json))
        case .push: .push(try WireJSON.decodeUnchecked(Notifier.SendPush.self, from: json))
        }
    }

    func seal(_ message: Notifier.InboxMessage) throws -> [UInt8] {
        try sealingKeys.seal(
            Array(WireJSON.encode(message)), binding: Self.sealedMessage.binding(.text(message.id.rawValue)))
    }

    func open(message sealed: [UInt8], of id: MessageID) throws -> Notifier.InboxMessage {
        let bytes = try sealingKeys.open(sealed, binding: Self.sealedMessage.binding(.text(id.rawValue)))
        return try WireJSON.decodeUnchecked(Notifier.InboxMessage.self, from: Data(bytes))
    }
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
struct RowDecodingError: Error {}
