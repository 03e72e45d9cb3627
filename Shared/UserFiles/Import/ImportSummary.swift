package import Contracts
package import Vocabulary

/// Why a record was refused, or what it lacks.
package enum ImportIssueCause: Equatable, Sendable {
    /// With what is wrong, in English.
    case malformed(String)
    case repeatedID
    /// The import is into a project's own users.
    case ofTenant
    /// The file has users of two tenants: this record's, and that of earlier ones.
    case ofTwoTenants(TenantID, TenantID)
    /// With the detail of the service, in English.
    case refused(WireError.Code, detail: String?)
    case incomplete(ImportOmission)

    /// As the command prints it.
    var reason: String {
        switch self {
        case .malformed(let detail): detail
        case .repeatedID: "an earlier record of the file has the same localId"
        case .ofTenant: "it belongs to a tenant: import the users of each tenant with --tenant"
        case .ofTwoTenants(let tenant, let first):
            "it belongs to tenant \(tenant.rawValue), and earlier records belong to \(first.rawValue)"
        case .refused(let code, let detail): code.rawValue + (detail.map { ": \($0)" } ?? "")
        case .incomplete(let omission): "without \(omission.missingPart)"
        }
    }
}

/// A record that was refused, or imported without a part.
package struct ImportIssue: Codable, Equatable, Sendable {
    package enum Result: String, Codable, Sendable { case refused, incomplete }

    /// From 1.
    package var record: Int
    package var localId: String?
    package var result: Result
    /// What is missing of an incomplete record: an `ImportOmission`.
    package var lacks: String?
    package var reason: String
    /// Why, for pages in other languages. Not in files: nil for an issue that an earlier run has written.
    package var cause: ImportIssueCause?

    private enum CodingKeys: CodingKey { case record, localId, result, lacks, reason }

    init(_ position: RecordPosition, _ localID: String?, _ cause: ImportIssueCause) {
        record = position.number
        localId = localID.nilIfEmpty
        reason = cause.reason
        self.cause = cause
        switch cause {
        case .malformed, .repeatedID, .ofTenant, .ofTwoTenants, .refused: result = .refused
        case .incomplete(let omission):
            result = .incomplete
            lacks = omission.rawValue
        }
    }

    /// `record 3 (uid): reason`
    package var text: String { "record \(record)\(localId.map { " (\($0))" } ?? ""): \(reason)" }

    /// The line on the terminal. Parts that whole files lack are counted only.
    package var line: String? {
        switch result {
        case .refused: "refused \(text)"
        case .incomplete: lacks.flatMap(ImportOmission.init)?.endsProtection == true ? "incomplete \(text)" : nil
        }
    }
}

/// What an import did, or would do.
package struct ImportSummary: Codable, Equatable, Sendable {
    /// Accounts that existed and were replaced are among them.
    package var imported = 0
    package var replaced = 0
    package var refused = 0
    /// Accounts that existed and were kept.
    package var kept = 0
    /// Imported users with a TOTP factor.
    package var protected = 0
    /// Imported users that lack each part, by `ImportOmission`.
    package var omissions: [String: Int] = [:]
    package var refusedRecords: [ImportIssue] = []
    package var incompleteRecords: [ImportIssue] = []

    package init(
        imported: Int = 0, replaced: Int = 0, refused: Int = 0, kept: Int = 0, protected: Int = 0,
        omissions: [String: Int] = [:], refusedRecords: [ImportIssue] = [], incompleteRecords: [ImportIssue] = []
    ) {
        self.imported = imported
        self.replaced = replaced
        self.refused = refused
        self.kept = kept
        self.protected = protected
        self.omissions = omissions
        self.refusedRecords = refusedRecords
        self.incompleteRecords = incompleteRecords
    }

    /// The limit of each of the two lists. Further records are counted only.
    package static let maximumListedRecords = 10_000

    package var users: Int { imported + refused + kept }

    /// Counts and lists a refused record; lists an incomplete one.
    package mutating func add(_ issue: ImportIssue) {
        switch issue.result {
        case .refused:
            refused += 1
            if refusedRecords.count < Self.maximumListedRecords { refusedRecords.append(issue) }
        case .incomplete:
            if incompleteRecords.count < Self.maximumListedRecords { incompleteRecords.append(issue) }
        }
    }

    /// Adds what later records did.
    package mutating func add(_ later: ImportSummary) {
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
    package func lines(isDryRun: Bool, asksForTOTP: Bool) -> [String] {
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
package struct ImportProgress: Codable, Equatable, Sendable {
    /// Every record up to this one is imported or refused.
    package var records = 0
    /// The summary of these records.
    package var summary = ImportSummary()

    package init(records: Int = 0, summary: ImportSummary = ImportSummary()) {
        self.records = records
        self.summary = summary
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
