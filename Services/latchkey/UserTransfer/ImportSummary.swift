import Contracts
import UserFiles
import Vocabulary

/// A record that was refused, or imported without a part.
struct ImportIssue: Codable, Equatable, Sendable {
    enum Result: String, Codable, Sendable { case refused, incomplete }

    /// From 1.
    var record: Int
    var localId: String?
    var result: Result
    /// What is missing of an incomplete record: an `ImportOmission`.
    var lacks: String?
    var reason: String

    enum Kind { case refused, incomplete(ImportOmission) }

    init(_ position: RecordPosition, _ localID: String?, _ kind: Kind, _ reason: String) {
        record = position.number
        localId = localID.nilIfEmpty
        self.reason = reason
        switch kind {
        case .refused: result = .refused
        case .incomplete(let omission):
            result = .incomplete
            lacks = omission.rawValue
        }
    }

    /// `record 3 (uid): reason`
    var text: String { "record \(record)\(localId.map { " (\($0))" } ?? ""): \(reason)" }

    /// The line on the terminal. Parts that whole files lack are counted only.
    var line: String? {
        switch result {
        case .refused: "refused \(text)"
        case .incomplete: lacks.flatMap(ImportOmission.init)?.endsProtection == true ? "incomplete \(text)" : nil
        }
    }
}

/// What an import did, or would do.
struct ImportSummary: Codable, Equatable, Sendable {
    /// Accounts that existed and were replaced are among them.
    var imported = 0
    var replaced = 0
    var refused = 0
    /// Accounts that existed and were kept.
    var kept = 0
    /// Imported users with a TOTP factor.
    var protected = 0
    /// Imported users that lack each part, by `ImportOmission`.
    var omissions: [String: Int] = [:]
    var refusedRecords: [ImportIssue] = []
    var incompleteRecords: [ImportIssue] = []

    /// The limit of each of the two lists. Further records are counted only.
    static let maximumListedRecords = 10_000

    var users: Int { imported + refused + kept }

    /// Counts and lists a refused record; lists an incomplete one.
    mutating func add(_ issue: ImportIssue) {
        switch issue.result {
        case .refused:
            refused += 1
            if refusedRecords.count < Self.maximumListedRecords { refusedRecords.append(issue) }
        case .incomplete:
            if incompleteRecords.count < Self.maximumListedRecords { incompleteRecords.append(issue) }
        }
    }

    /// Adds what later records did.
    mutating func add(_ later: ImportSummary) {
        imported += later.imported
        replaced += later.replaced
        refused += later.refused
        kept += later.kept
        protected += later.protected
        omissions.merge(later.omissions, uniquingKeysWith: +)
        refusedRecords += later.refusedRecords.prefix(Self.maximumListedRecords - refusedRecords.count)
        incompleteRecords += later.incompleteRecords.prefix(Self.maximumListedRecords - incompleteRecords.count)
    }

    /// The lines at the end of the command.
    /// - Parameter asksForTOTP: whether sign-ins of the destination ask for TOTP factors.
    func lines(isDryRun: Bool, asksForTOTP: Bool) -> [String] {
        var lines = ["\(isDryRun ? "would import" : "imported") \(imported) users"]
        let exist = isDryRun ? "exist and would be" : "existed already and were"
        if replaced > 0 { lines.append("\(replaced) of them \(exist) replaced") }
        if kept > 0 { lines.append("\(kept) \(exist) kept") }
        for omission in ImportOmission.allCases {
            guard let count = omissions[omission.rawValue] else { continue }
            lines.append("\(count) \(isDryRun ? "would come" : "came") without \(omission.missingPart)")
        }
        if protected > 0, !asksForTOTP {
            lines.append(
                "\(protected) have a TOTP factor, but sign-ins do not ask for it: enable TOTP in the configuration")
        }
        return lines
    }
}

/// How far an import came.
struct ImportProgress: Codable, Equatable, Sendable {
    /// Every record up to this one is imported or refused.
    var records = 0
    /// The summary of these records.
    var summary = ImportSummary()
}

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

extension ImportOmission {
    /// The end of the sentence "1 came without …".
    var missingPart: String {
        switch self {
        case .totp: "TOTP factor, whose secret the file does not have: enroll a new one"
        case .totpParameters: "TOTP factor, which is not of SHA-1, six digits and 30 s: enroll a new one"
        case .totpSecret: "TOTP factor, whose secret is malformed or shorter than 80 bits: enroll a new one"
        case .passkeys: "passkeys, whose keys the file does not have: register new ones"
        case .takenPasskeys: "passkeys, which another account has or whose keys are malformed: register new ones"
        case .otherHash: "password: the hash has a version other than 0, without parameters"
        case .redactedHash: "password: the file was exported without the right to read hashes"
        }
    }

    /// Whether the user signs in without a second factor that protected the account before.
    fileprivate var endsProtection: Bool {
        switch self {
        case .totp, .totpParameters, .totpSecret: true
        case .passkeys, .takenPasskeys, .otherHash, .redactedHash: false
        }
    }
}
