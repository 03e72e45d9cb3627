import UserFiles
import Vocabulary

/// The file of `--summary`.
struct ImportSummaryFile: Encodable {
    var project: String
    var tenant: String?
    var dryRun: Bool
    var imported: Int
    var replaced: Int
    var kept: Int
    var refused: Int
    var incomplete: [String: Int]
    var refusedRecords: [ImportIssue]
    var incompleteRecords: [ImportIssue]
    /// Records that the lists do not have, because they are too long.
    var unlistedRecords: Int

    init(_ summary: ImportSummary, into realm: Realm, isDryRun: Bool) {
        project = realm.project.rawValue
        tenant = realm.tenant?.rawValue
        dryRun = isDryRun
        imported = summary.imported
        replaced = summary.replaced
        kept = summary.kept
        refused = summary.refused
        incomplete = summary.omissions
        refusedRecords = summary.refusedRecords
        incompleteRecords = summary.incompleteRecords
        unlistedRecords =
            summary.refused + summary.omissions.values.reduce(0, +) - refusedRecords.count - incompleteRecords.count
    }
}
