package import Vocabulary

extension Identity {
    /// A link of the hash chain over the audit log.
    package struct AuditLogPosition: Codable, Equatable, Sendable {
        /// 1 for the first record of the log.
        package var link: Int64
        /// SHA-256 of the chain up to this link, base64url.
        package var chain: String

        package init(link: Int64, chain: String) {
            self.link = link
            self.chain = chain
        }
    }

    /// Verifies the next records of the audit log against their hash chain and its sealed copies (security rule AU2). A
    /// caller repeats it, each time after the position of the last reply, until the reply says that it is complete.
    /// Records of the last second have no link yet and are not verified.
    package struct VerifyAuditLog: BusRequest {
        package static let operation = Identity.Operation.verifyAuditLog
        package static let retrySemantics = RetrySemantics.idempotent
        /// Records that one request verifies.
        package static let maximumRecords = 2000
        /// Nil to begin with the first record.
        package var after: AuditLogPosition?

        package init(after: AuditLogPosition? = nil) {
            self.after = after
        }

        /// A violation of the log's integrity.
        package enum Violation: String, Codable, Sendable, CaseIterable {
            /// The record of the link is missing.
            case missingRecord
            /// The record differs from the linked one, or is at another position.
            case alteredRecord
            /// The chain up to the link does not match the copy that was sealed at the time.
            case rewrittenChain
            /// A sealed copy of the chain after the last verified link cannot be opened with the master key.
            case unreadableCopy
            /// A sealed copy of the chain is missing: the one up to this link.
            case missingCopy
            /// The last sealed copy of the chain was not confirmed for some minutes.
            case outdatedCopy
        }

        package struct Reply: Codable, Equatable, Sendable {
            /// The last valid link; nil for a log without links.
            package var last: AuditLogPosition?
            /// Whether no link follows, or no valid one.
            package var isComplete: Bool
            package var violation: Violation?
            /// The violated link, if the violation names one.
            package var violatedLink: Int64?

            package init(
                last: AuditLogPosition?, isComplete: Bool, violation: Violation? = nil, violatedLink: Int64? = nil
            ) {
                self.last = last
                self.isComplete = isComplete
                self.violation = violation
                self.violatedLink = violatedLink
            }
        }
    }

    /// One record of the audit log as its row stores it, whichever version wrote it.
    package struct AuditLogRecord: Codable, Equatable, Sendable {
        /// Grows from record to record, with gaps. Nil before the record is stored.
        package var sequence: Int64?
        package var at: Moment
        package var project: String
        /// Empty for a project's own users.
        package var tenant: String
        package var action: String
        package var outcome: String
        package var actor: String
        package var accountID: String?
        package var ipAddress: String?
        package var traceID: String
        /// The number of refused requests in one minute that the record stands for; nil for one action.
        package var count: Int?

        package init(
            sequence: Int64? = nil, at: Moment, project: String, tenant: String, action: String, outcome: String,
            actor: String, accountID: String?, ipAddress: String?, traceID: String, count: Int? = nil
        ) {
            self.sequence = sequence
            self.at = at
            self.project = project
            self.tenant = tenant
            self.action = action
            self.outcome = outcome
            self.actor = actor
            self.accountID = accountID
            self.ipAddress = ipAddress
            self.traceID = traceID
            self.count = count
        }
    }

    /// Records of the audit log, newest first.
    package struct ListAuditRecords: BusRequest {
        package static let operation = Identity.Operation.listAuditRecords
        package static let retrySemantics = RetrySemantics.idempotent
        package static let maximumRecords = 500
        /// Nil for every project.
        package var project: ProjectID?
        /// With an account: its tenant, empty for the project's own users; nil for any. With it, an index is read.
        package var tenant: String?
        /// Nil for every account; with it, `project` is required.
        package var accountID: AccountID?
        /// As the records have it; nil for every actor.
        package var actor: String?
        /// As the records have it; nil for every action.
        package var action: String?
        /// Only records before this sequence number.
        package var before: Int64?
        /// At most `maximumRecords`.
        package var limit: Int

        package init(
            project: ProjectID? = nil, tenant: String? = nil, accountID: AccountID? = nil, actor: String? = nil,
            action: String? = nil, before: Int64? = nil, limit: Int
        ) {
            self.project = project
            self.tenant = tenant
            self.accountID = accountID
            self.actor = actor
            self.action = action
            self.before = before
            self.limit = limit
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var records: [AuditLogRecord]

            package init(records: [AuditLogRecord]) {
                self.records = records
            }
        }
    }

    /// A record of the audit log with its link, so that the export can be verified without the mesh.
    ///
    /// The chain value of a record is SHA-256 over the previous chain value (nothing for the first record) and the fields
    /// milliseconds of `at`, `project`, `tenant`, `action`, `outcome`, `actor`, `accountID`, `ipAddress`, `traceID` and,
    /// if it is present, `count`. Each field is written as its number of bytes in decimal, a colon, its text and a comma;
    /// an absent one is empty.
    package struct LinkedAuditRecord: Codable, Equatable, Sendable {
        /// 1 for the first record of the log.
        package var link: Int64
        /// The chain value, base64url.
        package var chain: String
        /// The chain value of the previous link if old records before this one were deleted; else that of the previous
        /// record counts.
        package var chainBefore: String?
        package var record: AuditLogRecord

        package init(link: Int64, chain: String, chainBefore: String? = nil, record: AuditLogRecord) {
            self.link = link
            self.chain = chain
            self.chainBefore = chainBefore
            self.record = record
        }
    }

    /// Records of the audit log with their links, oldest first. Records of the last second have no link yet and are
    /// omitted.
    package struct ExportAuditRecords: BusRequest {
        package static let operation = Identity.Operation.exportAuditRecords
        package static let retrySemantics = RetrySemantics.idempotent
        package static let maximumRecords = 500
        /// Only records with a later link; 0 for the first request.
        package var afterLink: Int64
        /// At most `maximumRecords`.
        package var limit: Int

        package init(afterLink: Int64 = 0, limit: Int = Self.maximumRecords) {
            self.afterLink = afterLink
            self.limit = limit
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var records: [LinkedAuditRecord]

            package init(records: [LinkedAuditRecord]) {
                self.records = records
            }
        }
    }
}
