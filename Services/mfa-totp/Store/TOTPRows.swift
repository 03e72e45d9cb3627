import SQL
import Vocabulary

/// How values stand in rows.

extension TOTPAccountKey {
    /// Of project, tenant and account.
    var values: [SQLValue] {
        [.text(realm.project.rawValue), .text(realm.tenant?.rawValue ?? ""), .text(accountID.rawValue)]
    }
}

extension TOTPFactorKey {
    /// Of the primary key of every table.
    var values: [SQLValue] { owner.values + [.text(id.rawValue)] }

    init(_ row: SQLRow) throws {
        let tenant: String = try row.get("tenant")
        let realm = Realm(
            project: ProjectID(try row.get("project")), tenant: tenant.isEmpty ? nil : TenantID(tenant))
        self.init(
            owner: TOTPAccountKey(realm: realm, accountID: AccountID(try row.get("account_id"))),
            id: FactorID(try row.get("factor_id")))
    }
}

extension TOTPEnrollment {
    var key: TOTPFactorKey { TOTPFactorKey(owner: owner, id: factorID) }

    init(_ row: SQLRow, of owner: TOTPAccountKey) throws {
        guard let state = State(rawValue: try row.get("state")) else { throw RowDecodingError() }
        self.init(
            owner: owner, factorID: FactorID(try row.get("factor_id")),
            createdAt: Moment(milliseconds: try row.get("created_at")), failedAttempts: try row.get("tries"),
            state: state)
        if let request: [UInt8] = try row.getIfPresent("request_digest") {
            let leasedUntil: Int64 = try row.getIfPresent("leased_until") ?? 0
            proof = Proof(request: request, leasedUntil: Moment(milliseconds: leasedUntil))
        }
    }
}

extension TOTPFactor {
    init(_ row: SQLRow) throws {
        let times: String = try row.get("failure_times")
        self.init(
            lastStep: try row.get("last_step"), acceptedAt: Moment(milliseconds: try row.get("accepted_at")),
            failureTimes: try times.pieces(at: " ").filter({ !$0.isEmpty }).map { text in
                guard let milliseconds = Int64(text) else { throw RowDecodingError() }
                return Moment(milliseconds: milliseconds)
            }, consecutiveFailures: try row.get("failures_in_a_row"))
    }

    /// Milliseconds with blanks between them.
    fileprivate var failureTimesText: String {
        failureTimes.map { String($0.milliseconds) }.joined(separator: " ")
    }
}

extension SQLTransaction {
    borrowing func save(_ enrollment: TOTPEnrollment) throws {
        try execute(
            """
            UPDATE enrollments SET tries = $5, state = $6, request_digest = $7, leased_until = $8
            WHERE project = $1 AND tenant = $2 AND account_id = $3 AND factor_id = $4
            """,
            parameters: enrollment.key.values + [
                .integer(Int64(enrollment.failedAttempts)), .text(enrollment.state.rawValue),
                SQLValue(enrollment.proof?.request), SQLValue(enrollment.proof?.leasedUntil.milliseconds),
            ])
    }

    borrowing func insert(_ factor: TOTPFactor, _ key: TOTPFactorKey, sealed: [UInt8]) throws {
        try execute(
            """
            INSERT INTO factors (project, tenant, account_id, factor_id, sealed_secret, last_step, accepted_at,
                failure_times, failures_in_a_row)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            """,
            parameters: key.values + [
                .blob(sealed), .integer(factor.lastStep), .integer(factor.acceptedAt.milliseconds),
                .text(factor.failureTimesText), .integer(Int64(factor.consecutiveFailures)),
            ])
    }

    /// - Parameter step: the last step that was accepted when the factor was read. Nobody else can have moved it since.
    borrowing func save(_ factor: TOTPFactor, _ key: TOTPFactorKey, after step: Int64) throws {
        try execute(
            """
            UPDATE factors SET last_step = $5, accepted_at = $6, failure_times = $7, failures_in_a_row = $8
            WHERE project = $1 AND tenant = $2 AND account_id = $3 AND factor_id = $4 AND last_step = $9
            """,
            parameters: key.values + [
                .integer(factor.lastStep), .integer(factor.acceptedAt.milliseconds), .text(factor.failureTimesText),
                .integer(Int64(factor.consecutiveFailures)), .integer(step),
            ])
        guard changes == 1 else { throw SQLError.transactionAborted }
    }
}

/// A row that this program did not write like that.
struct RowDecodingError: Error {}
