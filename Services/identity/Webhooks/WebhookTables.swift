import Contracts
import JSON
import SQL
import Vocabulary

/// The webhooks of projects. A deleted one keeps its row until the notifier has deleted it.
enum WebhookTable: String, SQLTableDescription {
    case project, url, revision
    case webhookID = "webhook_id"
    /// Raw values, separated by commas; empty for all.
    case kinds
    case isDisabled = "disabled"
    case createdAt = "created_at"
    /// The revision that the notifier has stored; 0 for none.
    case acceptedRevision = "accepted_revision"
    case isDeleted = "deleted"
    /// JSON of the signing secrets.
    case sealedSecrets = "sealed_secrets"

    static let table = "webhooks"
    static let key = [webhookID]
    static let expiry = SQLExpiry<Self>.deletedBy("IdentityStore.recordAcceptance")

    static let insertion = insert()
    private static let exists = "AND deleted = 0"
    static let byKey = select(where: [webhookID, project], exists)
    static let ofProject = select(where: [project], exists + " ORDER BY created_at, webhook_id")
    static let count = SQLStatement<Self>(
        "SELECT COUNT(*) AS count FROM webhooks WHERE project = :project AND deleted = 0")
    static let receivers = select([webhookID, kinds], where: [project], exists + " AND disabled = 0")
    static let replacement = update([url, kinds, isDisabled, revision, isDeleted, sealedSecrets])
    static let notAccepted = select(
        where: [], "WHERE accepted_revision <> revision ORDER BY webhook_id LIMIT $1")
    static let acceptance = update([acceptedRevision])
    /// The revision is the accepted one.
    static let removalOfDeleted = delete(where: [webhookID, revision], "AND deleted = 1")
}

/// The account events that the notifier has not accepted yet.
enum AccountEventTable: String, TenantDataTable {
    case project, tenant, kind, sequence
    /// JSON.
    case details
    case eventID = "event_id"
    /// Null for a test.
    case accountID = "account_id"
    case occurredAt = "occurred_at"
    /// The webhooks that receive it, separated by commas.
    case webhookIDs = "webhook_ids"

    static let table = "account_events"
    static let key = [eventID]
    static let expiry = SQLExpiry<Self>.deletedBy("IdentityStore.recordAcceptance")

    static let insertion = insert()
    static let first = select(where: [], "ORDER BY sequence, event_id LIMIT $1")
    static let removal = delete()
    static let deletionOfRealm = deleteInRealm()
    static let backlog = SQLStatement<Self>(
        "SELECT COUNT(*) AS count, MIN(occurred_at) AS oldest FROM account_events")
}

/// The last sequence number of each account with an event.
enum AccountEventSequenceTable: String, AccountKeyTable, TenantDataTable {
    case project, tenant
    case accountID = "account_id"
    case lastSequence = "last_sequence"
    case usedAt = "used_at"

    static let table = "account_event_sequences"
    static let key = [project, tenant, accountID]
    /// Long after the clock has passed the number (`AccountEvent.sequence`).
    static let expiry = SQLExpiry.after(Self.usedAt, lifetime: .seconds(7 * 24 * 60 * 60))

    static let last = select([lastSequence])
    static let replacement = upsert()
    static let deletionOfRealm = deleteInRealm()
}

// MARK: - Records and rows

extension AccountEvent.Kind: SQLConvertible {}

extension StoredWebhook {
    /// - Parameter sealed: the signing secrets.
    func columns(sealedSecrets sealed: [UInt8]) -> SQLRecord<WebhookTable> {
        [
            .webhookID: webhook.id, .project: webhook.project, .createdAt: webhook.createdAt,
            .acceptedRevision: acceptedRevision,
        ] + changeableColumns(sealedSecrets: sealed)
    }

    /// The columns that a change can replace.
    func changeableColumns(sealedSecrets sealed: [UInt8]) -> SQLRecord<WebhookTable> {
        [
            .url: webhook.url, .kinds: webhook.kinds.map(\.rawValue).joined(separator: ","),
            .isDisabled: webhook.isDisabled, .revision: webhook.revision, .isDeleted: isDeleted,
            .sealedSecrets: sealed,
        ]
    }

    init(_ row: SQLTableRow<WebhookTable>, secrets: [Notifier.WebhookTarget.SigningSecret]) throws {
        self.init(
            webhook: .init(
                id: try row.get(.webhookID), project: try row.get(.project), url: try row.get(.url),
                kinds: Self.kinds(try row.get(.kinds)), isDisabled: try row.get(.isDisabled),
                createdAt: try row.get(.createdAt), revision: try row.get(.revision)),
            secrets: secrets, acceptedRevision: try row.get(.acceptedRevision), isDeleted: try row.get(.isDeleted))
    }

    /// Reads the column `kinds`. A kind of a later version is left out.
    static func kinds(_ text: String) -> [AccountEvent.Kind] {
        text.pieces(at: ",").compactMap { AccountEvent.Kind(rawValue: String($0)) }
    }
}

extension Notifier.AcceptAccountEvents.Item {
    var columns: SQLRecord<AccountEventTable> {
        get throws {
            SQLRecord(event.realm) + [
                .eventID: event.id, .accountID: event.accountID, .kind: event.kind, .occurredAt: event.occurredAt,
                .sequence: event.sequence,
                .details: try WireJSON.text(event.details),
                .webhookIDs: webhooks.map(\.rawValue).joined(separator: ","),
            ]
        }
    }

    init(_ row: SQLTableRow<AccountEventTable>) throws {
        let webhooks: String = try row.get(.webhookIDs)
        self.init(
            event: AccountEvent(
                id: try row.get(.eventID), kind: try row.get(.kind), realm: try row.realm(),
                accountID: try row.getIfPresent(.accountID), occurredAt: try row.get(.occurredAt),
                sequence: try row.get(.sequence),
                details: try row.getJSON(.details)),
            webhooks: webhooks.pieces(at: ",").map { WebhookID(String($0)) })
    }
}
