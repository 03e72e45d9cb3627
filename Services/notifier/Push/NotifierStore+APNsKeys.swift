import Contracts
import DatabaseService
import MasterKey
import SQL
import Vocabulary

/// A key of a project with its private part. Rows do not change, so two values with one id are equal.
struct StoredAPNsKey: Sendable {
    var key: Notifier.APNsKey
    /// PKCS #8, DER.
    var privateKey: Secret<[UInt8]>
}

extension NotifierStore {
    /// The private parts of the keys of projects.
    static let sealedAPNsKeys = SealedColumn(APNsKeyTable.sealedPrivateKey)

    /// - Parameter change: stored until identity has recorded it.
    /// - Returns: the key as it is stored: it is the last added one also if the clock was ahead before.
    /// - Throws: `tooManyAPNsKeys`, `apnsKeyExists`.
    func insert(_ stored: StoredAPNsKey, _ change: NotifierChange) async throws -> Notifier.APNsKey {
        try await database.write { transaction in
            var key = stored.key
            let others = try transaction.rows(APNsKeyTable.ofProject, [.project: key.project])
            guard others.count < Notifier.ListAPNsKeys.maximumCount else { throw ServiceError(.tooManyAPNsKeys) }
            if let latest = try others.first?.get(.createdAt) as Moment? {
                key.createdAt = max(key.createdAt, latest + .milliseconds(1))
            }
            let sealed = try self.sealingKeys.seal(
                stored.privateKey.reveal(), binding: Self.sealedAPNsKeys.binding(.text(key.id.rawValue)))
            try transaction.execute(APNsKeyTable.insertion, key.record + [.sealedPrivateKey: sealed])
            guard transaction.changes == 1 else { throw ServiceError(.apnsKeyExists) }
            try transaction.execute(NotifierChangeTable.insertion, NotifierChangeTable.record(of: change))
            return key
        }
    }

    /// The keys of a project, the last added first.
    func apnsKeys(of project: ProjectID) async throws -> [Notifier.APNsKey] {
        try await database.read { transaction in
            try transaction.rows(APNsKeyTable.ofProject, [.project: project]).map { try Notifier.APNsKey($0) }
        }
    }

    /// - Parameter change: stored until identity has recorded it.
    /// - Throws: `apnsKeyNotFound`.
    func deleteAPNsKey(_ id: APNsKeyID, of project: ProjectID, _ change: NotifierChange) async throws {
        try await database.write { transaction in
            try transaction.execute(APNsKeyTable.removal, [.apnsKeyID: id, .project: project])
            guard transaction.changes == 1 else { throw ServiceError(.apnsKeyNotFound) }
            try transaction.execute(NotifierChangeTable.insertion, NotifierChangeTable.record(of: change))
        }
    }

    /// The key of the project for this push: for its application and the environment of its device, the one that was
    /// added last.
    func apnsKey(for push: Notifier.SendPush) async throws -> StoredAPNsKey? {
        let environment = push.isSandbox ? Notifier.APNsKey.Environment.sandbox : .production
        return try await database.read { transaction in
            let row = try transaction.firstRow(
                APNsKeyTable.forPush, [.project: push.project, .bundleID: push.bundleID], environment)
            return try row.map { row in
                let key = try Notifier.APNsKey(row)
                let privateKey = try self.sealingKeys.open(
                    row.get(.sealedPrivateKey), binding: Self.sealedAPNsKeys.binding(.text(key.id.rawValue)))
                return StoredAPNsKey(key: key, privateKey: Secret(privateKey))
            }
        }
    }
}
