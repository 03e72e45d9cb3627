import Bus
package import Contracts
package import Vocabulary

/// Why the rest of an import was not done.
package enum UserImportError: Error, Equatable, Sendable {
    case file(UserFileError)
    case missingHashAlgorithm(RecordPosition)
    case refused(ServiceError)
}

/// Sends the users of a file to identity, in batches of which a few are under way at a time. The memory does not depend
/// on the size of the file, except for eight bytes for each user, which reveal repeated ids.
package struct UserImport: Sendable {
    package struct Options: Sendable {
        package var realm: Realm
        package var format: UserFileFormat
        /// The algorithm of hashes without an algorithm of their own.
        package var algorithm: PasswordHashAlgorithm?
        package var allowsOverwrite: Bool
        /// Whether identity only tells what it would do, and no secret is sent.
        package var isDryRun = false
        /// What an earlier run has done: its records are read but not sent.
        package var earlier = ImportProgress()

        package init(
            realm: Realm, format: UserFileFormat, algorithm: PasswordHashAlgorithm? = nil, allowsOverwrite: Bool,
            isDryRun: Bool = false, earlier: ImportProgress = ImportProgress()
        ) {
            self.realm = realm
            self.format = format
            self.algorithm = algorithm
            self.allowsOverwrite = allowsOverwrite
            self.isDryRun = isDryRun
            self.earlier = earlier
        }
    }

    /// The results while the import runs.
    package struct Events: Sendable {
        /// A record that is refused, or imported without a part.
        package var issue: @Sendable (ImportIssue) -> Void = { _ in }
        /// Every record up to a number is imported or refused.
        package var completed: @Sendable (ImportProgress) throws -> Void = { _ in }
        /// - Parameter users: those that are imported or refused.
        package var advanced: @Sendable (_ users: Int, _ bytesRead: Int) -> Void = { _, _ in }

        package init(
            issue: @escaping @Sendable (ImportIssue) -> Void = { _ in },
            completed: @escaping @Sendable (ImportProgress) throws -> Void = { _ in },
            advanced: @escaping @Sendable (_ users: Int, _ bytesRead: Int) -> Void = { _, _ in }
        ) {
            self.issue = issue
            self.completed = completed
            self.advanced = advanced
        }
    }

    static let maximumBatchesUnderWay = 4
    /// Bytes of the file in one batch. As a bus message they stay below its limit of 1 MiB.
    static let maximumBatchBytes = 256 << 10

    let options: Options
    let send:
        @Sendable (Identity.ImportAccounts, _ idempotencyKey: String) async throws -> Identity.ImportAccounts.Reply
    let sendFactors: @Sendable (MFATOTP.ImportFactors) async throws -> MFATOTP.ImportFactors.Reply
    let sendPasskeys: @Sendable (Passkey.ImportCredentials) async throws -> Passkey.ImportCredentials.Reply
    /// The next bytes of the file; empty at its end.
    let read: @Sendable () async throws -> [UInt8]
    let events: Events
    let retry: BusyRetry

    package init(
        options: Options,
        send:
            @escaping @Sendable (Identity.ImportAccounts, _ idempotencyKey: String) async throws
            -> Identity.ImportAccounts.Reply,
        sendFactors: @escaping @Sendable (MFATOTP.ImportFactors) async throws -> MFATOTP.ImportFactors.Reply,
        sendPasskeys: @escaping @Sendable (Passkey.ImportCredentials) async throws -> Passkey.ImportCredentials.Reply,
        read: @escaping @Sendable () async throws -> [UInt8], events: Events = Events(),
        retry: BusyRetry = BusyRetry()
    ) {
        self.options = options
        self.send = send
        self.sendFactors = sendFactors
        self.sendPasskeys = sendPasskeys
        self.read = read
        self.events = events
        self.retry = retry
    }

    /// - Throws: `UserImportError`, and the errors of `read` and of `events`. Batches under way are completed before.
    package func run() async throws -> ImportSummary {
        var progress = Progress(options.earlier)
        var failure: (any Error)?
        await withThrowingTaskGroup(of: BatchResult.self) { group in
            var batches = BatchBuilder(self)
            do {
                try await readAll(into: &batches, &group, &progress)
            } catch {
                failure = error
            }
            while !group.isEmpty {
                do {
                    if let result = try await group.next() { try finish(result, &progress) }
                } catch {
                    // The other batches under way still count.
                    failure = failure ?? error
                }
            }
        }
        if let failure { throw failure }
        return progress.completed.summary
    }

    // MARK: Reading

    private func readAll(
        into batches: inout BatchBuilder, _ group: inout ThrowingTaskGroup<BatchResult, any Error>,
        _ progress: inout Progress
    ) async throws {
        var reader = UserFileReader(options.format, hashes: options.algorithm)
        do {
            while true {
                let bytes = try await read()
                let records = bytes.isEmpty ? try reader.finish() : try reader.receive(bytes)
                progress.bytesRead += bytes.count
                for record in records {
                    for batch in try add(record, to: &batches, &progress) {
                        try await submit(batch, &group, &progress)
                    }
                }
                if bytes.isEmpty { break }
            }
        } catch let error as UserFileError {
            // What was read before the damage is imported, so that a run with the complete file can resume.
            if let batch = batches.end() { try await submit(batch, &group, &progress) }
            throw UserImportError.file(error)
        }
        if let batch = batches.end() { try await submit(batch, &group, &progress) }
    }

    private func add(
        _ record: UserFileRecord, to batches: inout BatchBuilder, _ progress: inout Progress
    ) throws -> [Batch] {
        let isNew = record.localID.map { progress.knownIDs.insert($0.hashValue).inserted } ?? true
        let refusal: ImportIssueCause
        switch record.content {
        case .failure(.missingHashAlgorithm): throw UserImportError.missingHashAlgorithm(record.position)
        case .failure(let error): refusal = .malformed(error.message)
        case .success(let entry):
            let mismatch = mismatch(of: entry.tenant, &progress)
            if isNew, mismatch == nil {
                guard record.position.number > options.earlier.records else { return [] }
                return batches.add(entry, record)
            }
            refusal = mismatch ?? .repeatedID
        }
        guard record.position.number > options.earlier.records else { return [] }
        let issue = ImportIssue(record.position, record.localID, refusal)
        events.issue(issue)
        batches.skip(record.position, issue)
        return []
    }

    /// Users of one tenant may go into another one, with another ID. But a file of several tenants would mix users that
    /// were apart.
    /// - Returns: why a record of a tenant is refused; nil if it is not.
    private func mismatch(of tenant: TenantID?, _ progress: inout Progress) -> ImportIssueCause? {
        guard let tenant else { return nil }
        guard options.realm.tenant != nil else { return .ofTenant }
        guard let first = progress.sourceTenant else {
            progress.sourceTenant = tenant
            return nil
        }
        return first == tenant ? nil : .ofTwoTenants(tenant, first)
    }

    // MARK: Sending

    private func submit(
        _ batch: Batch, _ group: inout ThrowingTaskGroup<BatchResult, any Error>, _ progress: inout Progress
    ) async throws {
        // A dry run compares each batch with those before it.
        let maximum = options.isDryRun ? 1 : Self.maximumBatchesUnderWay
        if progress.underWay == maximum, let result = try await group.next() { try finish(result, &progress) }
        progress.underWay += 1
        group.addTask { BatchResult(batch: batch, outcome: try await outcome(of: batch.rows[...])) }
    }

    /// Sends a part of a batch. A part that is too large for the bus is divided.
    private func outcome(of rows: ArraySlice<Row>) async throws -> Outcome {
        guard let first = rows.first else { return Outcome() }
        let kept = try await storeSecrets(of: rows)
        let refusedPasskeys = try await storePublicKeys(of: rows)
        let request = Identity.ImportAccounts(
            realm: options.realm, accounts: rows.map { $0.account(without: refusedPasskeys) },
            algorithm: options.algorithm,
            allowsOverwrite: options.allowsOverwrite, isDryRun: options.isDryRun ? true : nil)
        let key = RequestID.random().description
        let reply: Identity.ImportAccounts.Reply
        do {
            reply = try await retry { try await send(request, key) }
        } catch let error as ServiceError where error.code == .invalidRequest {
            guard rows.count > 1 else { return Outcome(rejections: [Rejection(row: first, error: error)]) }
            let half = rows.startIndex + rows.count / 2
            let (left, right) = (try await outcome(of: rows[..<half]), try await outcome(of: rows[half...]))
            return Outcome(
                rejections: left.rejections + right.rejections, replaced: left.replaced + right.replaced,
                refusedPasskeys: left.refusedPasskeys.union(right.refusedPasskeys))
        } catch let error as ServiceError {
            throw UserImportError.refused(error)
        }
        let rejections = reply.rejections.compactMap { rejection -> Rejection? in
            // The index comes from another process: one out of range is ignored.
            guard rejection.rowIndex >= 0, let row = rows.dropFirst(rejection.rowIndex).first else { return nil }
            return Rejection(row: row, error: ServiceError(rejection.reason))
        }
        let rejected = Set(rejections.map(\.row.account.id))
        try await replaceSecrets(kept.filter { !rejected.contains($0.accountID) })
        return Outcome(
            rejections: rejections, replaced: reply.replacedCount ?? 0, refusedPasskeys: refusedPasskeys)
    }

    /// Stores the secrets before identity lists their factors: an account never has a factor without a secret.
    /// - Returns: the factors that exist with another secret. It is replaced only when identity has taken the account.
    private func storeSecrets(of rows: ArraySlice<Row>) async throws -> [MFATOTP.ImportedFactor] {
        let factors = rows.flatMap(\.factors)
        guard !factors.isEmpty, !options.isDryRun else { return [] }
        var kept: [MFATOTP.ImportedFactor] = []
        for part in Self.parts(of: factors, atMost: MFATOTP.ImportFactors.maximumCount) {
            let request = MFATOTP.ImportFactors(realm: options.realm, factors: part, replacesSecrets: false)
            let reply = try await sent { try await sendFactors(request) }
            kept += reply.keptIndices.compactMap { index in index >= 0 ? part.dropFirst(index).first : nil }
        }
        return kept
    }

    /// Stores the public keys before identity lists their passkeys: an account never lists a passkey without one.
    /// - Returns: the passkeys that their accounts do not get.
    private func storePublicKeys(of rows: ArraySlice<Row>) async throws -> Set<PasskeyID> {
        let credentials = rows.flatMap(\.passkeys)
        guard !credentials.isEmpty, !options.isDryRun else { return [] }
        var refused: Set<PasskeyID> = []
        for part in Self.parts(of: credentials, atMost: Passkey.ImportCredentials.maximumCount) {
            let request = Passkey.ImportCredentials(realm: options.realm, credentials: part)
            let reply = try await sent { try await sendPasskeys(request) }
            for index in reply.refusedIndices where index >= 0 {
                if let credential = part.dropFirst(index).first { refused.insert(PasskeyID(credential)) }
            }
        }
        return refused
    }

    private func replaceSecrets(_ factors: [MFATOTP.ImportedFactor]) async throws {
        for part in Self.parts(of: factors, atMost: MFATOTP.ImportFactors.maximumCount) {
            let request = MFATOTP.ImportFactors(realm: options.realm, factors: part, replacesSecrets: true)
            _ = try await sent { try await sendFactors(request) }
        }
    }

    private static func parts<Element>(of elements: [Element], atMost count: Int) -> [[Element]] {
        stride(from: 0, to: elements.count, by: count).map { Array(elements.dropFirst($0).prefix(count)) }
    }

    private func sent<Reply>(_ send: () async throws -> Reply) async throws -> Reply {
        do {
            return try await retry(send)
        } catch let error as ServiceError {
            throw UserImportError.refused(error)
        }
    }

    private func finish(_ result: BatchResult, _ progress: inout Progress) throws {
        progress.underWay -= 1
        var completed = ImportProgress(records: result.batch.lastRecord, summary: result.batch.refusals)
        completed.summary.replaced += result.outcome.replaced
        let rejections = Dictionary(
            result.outcome.rejections.map { ($0.row.position.number, $0.error) }, uniquingKeysWith: { $1 })
        for row in result.batch.rows {
            let error = rejections[row.position.number] ?? (options.isDryRun ? progress.claim(row.account) : nil)
            if let error {
                if error.code == .accountIDExists, !options.allowsOverwrite {
                    completed.summary.kept += 1
                    continue
                }
                report(
                    ImportIssue(
                        row.position, row.account.id.rawValue, .refused(error.code, detail: error.message)),
                    &completed.summary)
                continue
            }
            completed.summary.imported += 1
            if !row.factors.isEmpty { completed.summary.protected += 1 }
            var omissions = row.omissions
            if row.passkeys.contains(where: { result.outcome.refusedPasskeys.contains(PasskeyID($0)) }) {
                omissions.insert(.takenPasskeys)
            }
            for omission in ImportOmission.allCases where omissions.contains(omission) {
                completed.summary.omissions[omission.rawValue, default: 0] += 1
                report(
                    ImportIssue(row.position, row.account.id.rawValue, .incomplete(omission)), &completed.summary)
            }
        }
        progress.users += completed.summary.users
        events.advanced(progress.users, progress.bytesRead)
        if progress.complete(result.batch.number, completed) { try events.completed(progress.completed) }
    }

    private func report(_ issue: ImportIssue, _ summary: inout ImportSummary) {
        summary.add(issue)
        events.issue(issue)
    }
}

// MARK: - Values

extension UserImport {
    fileprivate struct Rejection: Sendable {
        var row: Row
        var error: ServiceError
    }

    fileprivate struct Outcome: Sendable {
        var rejections: [Rejection] = []
        var replaced = 0
        var refusedPasskeys: Set<PasskeyID> = []
    }

    fileprivate struct BatchResult: Sendable {
        var batch: Batch
        var outcome: Outcome
    }

    fileprivate struct Progress {
        /// The batches that are completed without a gap, and the earlier run.
        private(set) var completed: ImportProgress
        /// The users of all completed batches.
        var users: Int
        var underWay = 0
        var bytesRead = 0
        /// The first tenant of which the file has a user.
        var sourceTenant: TenantID?
        /// Hashes of the ids so far.
        var knownIDs: Set<Int> = []
        /// Hashes of what only one account may have, in a dry run.
        private var claims: Set<Int> = []
        /// Batches that were completed before an earlier one, by number.
        private var completedAhead: [Int: ImportProgress] = [:]
        private var nextBatch = 0

        init(_ earlier: ImportProgress) {
            completed = earlier
            users = earlier.summary.users
        }

        /// - Returns: whether there are more completed batches without a gap.
        mutating func complete(_ batch: Int, _ progress: ImportProgress) -> Bool {
            completedAhead[batch] = progress
            var isLonger = false
            while let next = completedAhead.removeValue(forKey: nextBatch) {
                completed.records = next.records
                completed.summary.add(next.summary)
                nextBatch += 1
                isLonger = true
            }
            return isLonger
        }

        /// What identity cannot see in a dry run: an account of an earlier batch is not stored.
        /// - Returns: why the account would be rejected.
        mutating func claim(_ account: Identity.ImportedAccount) -> ServiceError? {
            var claimed: [(key: Int, code: WireError.Code)] = []
            let profile = account.profile
            if let email = profile.email { claimed.append((["e", email.lowercased()].hashValue, .emailExists)) }
            if let number = profile.phoneNumber { claimed.append((["n", number].hashValue, .phoneNumberExists)) }
            for link in account.links {
                claimed.append((["p", link.providerID, link.providerAccountID].hashValue, .providerAccountExists))
            }
            if let taken = claimed.first(where: { claims.contains($0.key) }) { return ServiceError(taken.code) }
            claims.formUnion(claimed.map(\.key))
            return nil
        }
    }
}
