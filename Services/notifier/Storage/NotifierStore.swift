import Contracts
import Crypto
package import DatabaseService
package import MasterKey
package import SQL
import Vocabulary

/// The database of the notifier. One method is one transaction.
package final class NotifierStore: ServiceStore {
    package static let tables = NotifierTables.all
    package static let migrations = NotifierMigrations.all
    package let serviceDatabase: ServiceDatabase
    var database: any SQLDatabase { serviceDatabase.database }
    var sealingKeys: SealingKeys { serviceDatabase.sealingKeys }
    let webhookPositions: WebhookPositions
    private let digestKey: [UInt8]

    private static let sealedRequest = SealedColumn(OutboxTable.sealedRequest)
    private static let sealedMessage = SealedColumn(InboxTable.sealedMessage)

    /// Opens the store and migrates its tables.
    /// - Throws: `MasterKeyError.unknownKey` or `CryptoError.authenticationFailed` when the database was sealed under
    ///   other keys: to continue would lose the queued messages.
    package init(_ database: any SQLDatabase, keys: ReloadingMasterKeyRing) async throws {
        serviceDatabase = try await ServiceDatabase(
            database, of: .notifier, Self.migrations, keys: keys,
            sealing: [
                Self.sealedRequest, Self.sealedMessage, Self.sealedWebhookSecrets, Self.sealedAPNsKeys,
            ])
        webhookPositions = WebhookPositions(database)
        digestKey = try await serviceDatabase.secrets { load in try load("digests") }
    }

    /// A keyed hash, because its input may be guessable, for example an address.
    func digest(_ bytes: [UInt8]) -> [UInt8] { HMAC.sha256(key: digestKey, message: bytes) }

    /// Only in the body of a transaction: it may read the master-key file.
    func seal(_ message: OutgoingMessage, of id: MessageID) throws -> [UInt8] {
        let binding = Self.sealedRequest.binding(.text(id.rawValue))
        return switch message {
        case .email(let request): try sealingKeys.seal(json: request, binding: binding)
        case .sms(let request): try sealingKeys.seal(json: request, binding: binding)
        case .push(let request): try sealingKeys.seal(json: request, binding: binding)
        }
    }

    /// As `seal`.
    func open(request sealed: [UInt8], of message: OutboxMessage) throws -> OutgoingMessage {
        let binding = Self.sealedRequest.binding(.text(message.id.rawValue))
        return switch message.channel {
        case .email: .email(try sealingKeys.open(json: sealed, binding: binding))
        case .sms: .sms(try sealingKeys.open(json: sealed, binding: binding))
        case .push: .push(try sealingKeys.open(json: sealed, binding: binding))
        }
    }

    func seal(_ message: Notifier.InboxMessage) throws -> [UInt8] {
        try sealingKeys.seal(json: message, binding: Self.sealedMessage.binding(.text(message.id.rawValue)))
    }

    func open(message sealed: [UInt8], of id: MessageID) throws -> Notifier.InboxMessage {
        try sealingKeys.open(json: sealed, binding: Self.sealedMessage.binding(.text(id.rawValue)))
    }
}
