import Contracts
import JSON
import SQL
import Vocabulary

extension IdentityStore {
    /// The latest changes, the newest first.
    func configurationRevisions(of realm: Realm) async throws -> [Identity.ConfigurationRevision] {
        try await read { transaction in
            let limit = Int64(Identity.ListConfigurationRevisions.maximumCount)
            return try transaction.rows(ConfigurationRevisionTable.latest, SQLRecord(realm), limit).map { row in
                .init(revision: try row.get(.revision), at: try row.get(.changedAt), actor: try row.get(.actor))
            }
        }
    }

    /// The configuration before and after a change; without both, the change is not kept.
    func configurationChange(
        _ revision: Int64, of realm: Realm
    ) async throws -> Identity.ReadConfigurationRevision.Reply {
        try await read { transaction in
            guard let before = try transaction.configuration(of: realm, at: revision.subtractingSaturated(1)),
                let after = try transaction.configuration(of: realm, at: revision)
            else { return .init() }
            return .init(before: before, after: after)
        }
    }
}

extension SQLTransaction {
    fileprivate borrowing func configuration(
        of realm: Realm, at revision: Int64
    ) throws -> Identity.ConfigurationSnapshot? {
        let row = try firstRow(ConfigurationRevisionTable.byKey, SQLRecord(realm) + [.revision: revision])
        return try row.map { row in
            realm.tenant == nil
                ? .project(try row.getJSON(.configuration)) : .tenant(try row.getJSON(.configuration))
        }
    }

    /// Keeps a configuration and the one before it, and no more than `ListConfigurationRevisions.maximumCount` changes.
    /// - Parameters:
    ///   - revision: of `configuration`.
    ///   - previous: without secrets, as `configuration`.
    borrowing func saveRevision(
        _ revision: Int64, of realm: Realm, _ configuration: some Encodable, after previous: some Encodable,
        audit: AuditEntry
    ) throws {
        func record(_ revision: Int64, _ value: some Encodable) throws -> SQLRecord<ConfigurationRevisionTable> {
            SQLRecord(realm) + [.revision: revision, .configuration: try WireJSON.text(value)]
        }
        try execute(
            ConfigurationRevisionTable.insertionIfAbsent,
            try record(revision.subtractingSaturated(1), previous) + [.changedAt: nil, .actor: nil])
        try execute(
            ConfigurationRevisionTable.insertionIfAbsent,
            try record(revision, configuration) + [.changedAt: audit.at, .actor: audit.actor.text])
        // One more than the changes: the configuration before the oldest.
        let last = revision.subtractingSaturated(Int64(Identity.ListConfigurationRevisions.maximumCount) + 1)
        try execute(ConfigurationRevisionTable.deletionOfOld, SQLRecord(realm) + [.revision: last])
    }
}
