import Contracts
import SQL
import Vocabulary

/// The keys of projects for pushes.
enum APNsKeyTable: String, SQLTableDescription {
    case project, environment
    case apnsKeyID = "apns_key_id"
    case bundleID = "bundle_id"
    case keyID = "key_id"
    case teamID = "team_id"
    case createdAt = "created_at"
    /// PKCS #8, DER.
    case sealedPrivateKey = "sealed_private_key"

    static let table = "apns_keys"
    static let key = [apnsKeyID]
    static let expiry = SQLExpiry<Self>.never

    private static let latestFirst = "ORDER BY created_at DESC, apns_key_id DESC"

    static let insertion = insert("ON CONFLICT (project, bundle_id, environment, key_id) DO NOTHING")
    static let removal = delete(where: [apnsKeyID, project])
    static let ofProject = select(where: [project], latestFirst)
    /// The argument is the environment of the device.
    static let forPush = select(
        where: [project, bundleID], "AND environment IN ('BOTH', $1) \(latestFirst) LIMIT 1")
}

extension Notifier.APNsKey.Environment: SQLConvertible {}

extension Notifier.APNsKey {
    var record: SQLRecord<APNsKeyTable> {
        [
            .apnsKeyID: id, .project: project, .bundleID: bundleID, .environment: environment, .keyID: keyID,
            .teamID: teamID, .createdAt: createdAt,
        ]
    }

    init(_ row: SQLTableRow<APNsKeyTable>) throws(SQLError) {
        self.init(
            id: try row.get(.apnsKeyID), project: try row.get(.project), bundleID: try row.get(.bundleID),
            environment: try row.get(.environment), keyID: try row.get(.keyID), teamID: try row.get(.teamID),
            createdAt: try row.get(.createdAt))
    }
}
