import Contracts
import Crypto
import FoundationEssentials
import JSON
package import MasterKey
package import SQL
import Vocabulary

/// The database of the notifier. One method is one transaction.
package final class NotifierStore: Sendable {
    let database: any SQLDatabase
    /// Seals the messages, so that a copy of the database contains no link to an account.
    let sealingKeys: SealingKeys
    /// The sealed columns, which `SealingMaintenance` keeps under the current master key.
    package let sealedRecords: SealedRecords
    let webhookPositions: WebhookPositions
    private let digestKey: [UInt8]

    private static let sealedRequest = SealedColumn(OutboxTable.sealedRequest)
    private static let sealedMessage = SealedColumn(InboxTable.sealedMessage)

    /// Opens the store and migrates its tables.
    /// - Throws: `MasterKeyError.unknownKey` or `CryptoError.authenticationFailed` when the database was sealed under
    ///   other keys: to continue would lose the queued messages.
    package init(_ database: any SQLDatabase, keys: ReloadingMasterKeyRing) async throws {
        self.database = database
        webhookPositions = WebhookPositions(database)
        sealingKeys = SealingKeys(keys, of: .notifier)
        sealedRecords = SealedRecords(
            database, keys: sealingKeys, columns: [Self.sealedRequest, Self.sealedMessage, Self.sealedWebhookSecrets])
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

    /// A keyed hash, because its input may be guessable, for example an address.
    func digest(_ bytes: [UInt8]) -> [UInt8] { HMAC.sha256(key: digestKey, message: bytes) }

    /// Only in the body of a transaction: it may read the master-key file.
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
