package import Contracts
import Crypto
import DatabaseService
package import MasterKey
package import SQL
import ServiceRuntime
package import Vocabulary

/// Fills the database of identity with accounts for measurements: `latchkey bench fill`. An import is a hundred times slower,
/// because it treats each account as if it could be hostile.
package enum AccountFilling {
    /// What accounts with an address and no provider sign in with.
    static let password = "a password of the bench"
    /// Accounts of one transaction.
    static let batch = 2000

    /// Adds the accounts that are missing, in batches. It continues where an interrupted one has stopped.
    /// - Parameters:
    ///   - count: accounts in all.
    ///   - now: the end of the month in which they signed up.
    ///   - factors: stores the authenticator apps of a batch, before the accounts list them.
    ///   - added: called for each batch with the number of accounts that are there.
    /// - Returns: the number of accounts that were missing.
    /// - Throws: `AccountFillingError.noProject`; `SQLError`, `MasterKeyError`, `CryptoError`; the error of `factors`.
    package static func run(
        _ count: Int, in realm: Realm, _ database: any SQLDatabase, keys: ReloadingMasterKeyRing, at now: Moment,
        factors: @Sendable ([MFATOTP.ImportedFactor]) async throws -> Void, added: @Sendable (Int) -> Void
    ) async throws -> Int {
        let store = try await IdentityStore(database, keys: keys)
        guard try await store.project(realm.project) != nil else { throw AccountFillingError.noProject(realm.project) }
        let hasher = PasswordHasher(
            threads: 1, maximumWaiting: 1, pepper: store.pepper, now: { now }, randomBytes: Random.bytes)
        guard let password = Password(password) else { preconditionFailure("it is short") }
        let maker = SampleMaker(
            realm: realm, passwordRecord: try await hasher.record(of: password, by: now + .seconds(60)),
            span: .init(end: now, count: count), tables: try await store.read { try $0.tables() }, store: store)
        let first = try await store.firstMissingSample(maker)
        added(first)
        var next = first
        var batch = maker.batch(from: first)
        while batch.count > 0 {
            let written = batch
            let end = next + written.count
            // While the engine writes a batch, the following one is made.
            async let following = maker.batch(from: end)
            try await factors(written.factors)
            try await store.insert(written)
            next = end
            added(end)
            batch = await following
        }
        return count - first
    }
}

package enum AccountFillingError: ExitError, Equatable {
    case noProject(ProjectID)

    package var messages: [String] {
        switch self {
        case .noProject(let project): ["There is no project \(project). The first request that names it makes it."]
        }
    }
}

/// Makes batches.
private struct SampleMaker: Sendable {
    let realm: Realm
    let passwordRecord: String
    let span: SampleAccount.Span
    let tables: [SQLTable]
    let store: IdentityStore

    func account(_ number: Int) -> SampleAccount {
        SampleAccount(number, in: realm, passwordRecord: passwordRecord, span: span)
    }

    func batch(from first: Int) -> SampleBatch {
        var batch = SampleBatch(tables)
        for number in first..<min(first + AccountFilling.batch, max(first, span.count)) {
            batch.append(account(number), store)
        }
        return batch
    }
}

/// The rows of some accounts.
private struct SampleBatch: Sendable {
    private(set) var count = 0
    private(set) var factors: [MFATOTP.ImportedFactor] = []
    private(set) var entries: [AuditEntry] = []
    /// Without rows.
    let audit: WholeRows<AuditLogTable>
    private var accounts: WholeRows<AccountTable>
    private var links: WholeRows<ProviderLinkTable>
    private var secondFactors: WholeRows<SecondFactorTable>
    private var sessions: WholeRows<SessionTable>
    private var clients: WholeRows<KnownClientTable>

    init(_ tables: [SQLTable]) {
        audit = WholeRows(tables)
        accounts = WholeRows(tables)
        links = WholeRows(tables)
        secondFactors = WholeRows(tables)
        sessions = WholeRows(tables)
        clients = WholeRows(tables)
    }

    mutating func append(_ sample: SampleAccount, _ store: IdentityStore) {
        let account = sample.stored.account
        count += 1
        accounts.append(sample.stored.columns)
        for (position, link) in account.providers.enumerated() {
            links.append(
                SQLRecord(account.id, in: account.realm) + link.columns + [
                    .position: position, .linkedAt: sample.stored.linkTimes[link.providerID],
                ])
        }
        for factor in account.secondFactors {
            secondFactors.append(SQLRecord(account.id, in: account.realm) + factor.columns)
            if factor.kind == .totp {
                factors.append(
                    .init(
                        accountID: account.id, factorID: factor.id, secret: Secret(OctetString(SampleAccount.secret))))
            }
        }
        for session in sample.sessions { sessions.append(session.columns) }
        for digest in store.digests(of: sample.client) {
            clients.append(
                SQLRecord(account.id, in: account.realm) + [.clientDigest: digest, .lastSeenAt: account.createdAt])
        }
        entries += sample.entries
    }

    /// All but the audit log.
    func insert(into transaction: borrowing SQLTransaction) throws(SQLError) {
        try accounts.insert(into: transaction)
        try links.insert(into: transaction)
        try secondFactors.insert(into: transaction)
        try sessions.insert(into: transaction)
        try clients.insert(into: transaction)
    }
}

extension IdentityStore {
    /// The number of the first sample account that is not there: those before it are.
    fileprivate func firstMissingSample(_ maker: SampleMaker) async throws -> Int {
        var (first, last) = (0, maker.span.count)
        while first < last {
            let middle = first + (last - first) / 2
            let id = maker.account(middle).stored.account.id
            let isThere = try await read { transaction in
                try transaction.firstRow(AccountTable.idByKey, SQLRecord(id, in: maker.realm)) != nil
            }
            if isThere { first = middle + 1 } else { last = middle }
        }
        return first
    }

    /// Inserts a batch, and links its audit records in the same transaction: a million of them would otherwise wait for the
    /// linking of a running process.
    fileprivate func insert(_ batch: SampleBatch) async throws {
        let known = try await knownAuditEnd()
        let kept = try await write { [self] transaction in
            try batch.insert(into: transaction)
            let former = try transaction.lastAuditLink()
            let row = try transaction.firstRow(AuditLogTable.lastSequence)
            var (last, sequence) = (former, try row?.get(.sequence) as Int64? ?? 0)
            var audit = batch.audit
            for entry in batch.entries {
                let record = entry.record
                last = last.next(record)
                sequence = sequence.addingSaturated(1)
                let chained: SQLRecord<AuditLogTable> = [
                    .sequence: sequence, .link: last.number, .chain: last.chain,
                ]
                audit.append(record.columns + chained)
            }
            try audit.insertNumbered(into: transaction)
            return try anchor(last, after: former, known: known, at: batch.entries.last?.at, transaction)
        }
        if let kept { try await keep(kept) }
    }
}
