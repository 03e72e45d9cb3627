internal import Bus
internal import Contracts
internal import UserFiles
internal import Vocabulary

/// Sends the users of a file to identity, in batches of which a few are under way at a time. The memory does not depend
/// on the size of the file, except for eight bytes for each user, which reveal repeated ids.
struct UserImport: Sendable {
    struct Options: Sendable {
        var realm: Realm
        var format: UserFileFormat
        /// Of hashes without an algorithm of their own.
        var algorithm: PasswordHashAlgorithm?
        var allowsOverwrite: Bool
        /// Records that an earlier run has imported: they are read but not sent.
        var completedRecords = 0
    }

    /// What the file had.
    struct Summary: Equatable, Sendable {
        var imported = 0
        var refused = 0
        /// Accounts that existed and were kept.
        var kept = 0
        var skipped = 0
        /// Imported users that lack each part.
        var omissions: [ImportOmission: Int] = [:]
    }

    /// The results while the import runs.
    struct Events: Sendable {
        /// One line for each refused record.
        var refused: @Sendable (String) -> Void = { _ in }
        /// Every record up to this number is imported or refused.
        var completed: @Sendable (_ recordNumber: Int) throws -> Void = { _ in }
        /// - Parameter users: those that are imported or refused.
        var advanced: @Sendable (_ users: Int, _ bytesRead: Int) -> Void = { _, _ in }
    }

    static let maximumBatchesUnderWay = 4
    /// Bytes of the file in one batch. As a bus message they stay below its limit of 1 MiB.
    static let maximumBatchBytes = 256 << 10

    let options: Options
    let send:
        @Sendable (Identity.ImportAccounts, _ idempotencyKey: String) async throws -> Identity.ImportAccounts.Reply
    /// The next bytes of the file; empty at its end.
    let read: @Sendable () async throws -> [UInt8]
    let events: Events
    let pause: @Sendable (Duration) async throws -> Void

    /// - Throws: `UserTransferError`, and the errors of `read` and of `events`. Batches under way are completed before.
    func run() async throws -> Summary {
        var progress = Progress()
        var readError: (any Error)?
        try await withThrowingTaskGroup(of: BatchResult.self) { group in
            var batches = BatchBuilder(self)
            do {
                try await readAll(into: &batches, &group, &progress)
            } catch {
                readError = error
            }
            while let result = try await group.next() { try finish(result, &progress) }
        }
        if let readError { throw readError }
        return progress.summary
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
            throw UserTransferError.file(error)
        }
        if let batch = batches.end() { try await submit(batch, &group, &progress) }
    }

    private func add(
        _ record: UserFileRecord, to batches: inout BatchBuilder, _ progress: inout Progress
    ) throws -> [Batch] {
        let isNew = record.localID.map { progress.knownIDs.insert($0.hashValue).inserted } ?? true
        guard record.position.number > options.completedRecords else {
            progress.summary.skipped += 1
            return []
        }
        let entry: UserFileEntry
        switch record.content {
        case .failure(.missingHashAlgorithm): throw UserTransferError.missingHashAlgorithm(record.position)
        case .failure(let error):
            refuse(record, error.message, &progress)
            return batches.skip(record.position)
        case .success(let success): entry = success
        }
        guard isNew else {
            refuse(record, "an earlier record of the file has the same localId", &progress)
            return batches.skip(record.position)
        }
        guard entry.tenant == nil || entry.tenant == options.realm.tenant else {
            refuse(record, "it belongs to a tenant: import the users of each tenant with --tenant", &progress)
            return batches.skip(record.position)
        }
        return batches.add(entry, record)
    }

    private func refuse(_ record: UserFileRecord, _ reason: String, _ progress: inout Progress) {
        refuse(record.position, record.localID, reason, &progress)
    }

    private func refuse(
        _ position: RecordPosition, _ localID: String?, _ reason: String, _ progress: inout Progress
    ) {
        progress.summary.refused += 1
        let name = localID.nilIfEmpty.map { " (\($0))" } ?? ""
        events.refused("record \(position.number)\(name): \(reason)")
    }

    // MARK: Sending

    private func submit(
        _ batch: Batch, _ group: inout ThrowingTaskGroup<BatchResult, any Error>, _ progress: inout Progress
    ) async throws {
        if progress.underWay == Self.maximumBatchesUnderWay, let result = try await group.next() {
            try finish(result, &progress)
        }
        progress.underWay += 1
        group.addTask { BatchResult(batch: batch, rejections: try await rejections(of: batch.rows[...])) }
    }

    /// Sends a part of a batch, again if the mesh is overloaded or a process restarts. A part that is too large for the
    /// bus is divided.
    private func rejections(of rows: ArraySlice<Row>) async throws -> [Rejection] {
        guard let first = rows.first else { return [] }
        let request = Identity.ImportAccounts(
            realm: options.realm, accounts: rows.map(\.entry.account), algorithm: options.algorithm,
            allowsOverwrite: options.allowsOverwrite)
        let key = RequestID.random().description
        var attempt = 0
        while true {
            do {
                let reply = try await send(request, key)
                return reply.rejections.compactMap { rejection in
                    // The index comes from another process: one out of range is ignored.
                    guard rejection.rowIndex >= 0, let row = rows.dropFirst(rejection.rowIndex).first else {
                        return nil
                    }
                    return Rejection(row: row, error: rejection.reason)
                }
            } catch let error as WireError {
                switch error.code {
                case .overloaded, .unavailable, .deadlineExceeded:
                    guard attempt < Self.pauses.count else { throw UserTransferError.refused(error) }
                    try await pause(Self.pauses[attempt])
                    attempt += 1
                case .invalidRequest:
                    guard rows.count > 1 else { return [Rejection(row: first, error: error)] }
                    let half = rows.startIndex + rows.count / 2
                    return try await rejections(of: rows[..<half]) + rejections(of: rows[half...])
                default: throw UserTransferError.refused(error)  // Of a closed list of eighty, most cannot happen.
                }
            }
        }
    }

    /// Between the attempts of a batch: a process that ended has restarted by then.
    private static let pauses: [Duration] = [
        .milliseconds(200), .milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(8),
    ]

    private func finish(_ result: BatchResult, _ progress: inout Progress) throws {
        progress.underWay -= 1
        let rejected = Set(result.rejections.map(\.row.position.number))
        for rejection in result.rejections {
            if rejection.error.code == .accountIDExists, !options.allowsOverwrite {
                progress.summary.kept += 1
                continue
            }
            let reason = rejection.error.code.rawValue + (rejection.error.message.map { ": \($0)" } ?? "")
            refuse(rejection.row.position, rejection.row.entry.account.id.rawValue, reason, &progress)
        }
        for row in result.batch.rows where !rejected.contains(row.position.number) {
            progress.summary.imported += 1
            for omission in row.entry.omissions { progress.summary.omissions[omission, default: 0] += 1 }
        }
        let summary = progress.summary
        events.advanced(summary.imported + summary.refused + summary.kept, progress.bytesRead)
        if let number = progress.completedRecords(with: result.batch) { try events.completed(number) }
    }
}

// MARK: - Values

extension UserImport {
    struct Row: Sendable {
        var position: RecordPosition
        var entry: UserFileEntry
    }

    /// Consecutive records of the file.
    struct Batch: Sendable {
        /// From 0, without gaps.
        var number: Int
        var rows: [Row]
        /// Of the last record, refused ones included.
        var lastRecord: Int
    }

    fileprivate struct Rejection: Sendable {
        var row: Row
        var error: WireError
    }

    fileprivate struct BatchResult: Sendable {
        var batch: Batch
        var rejections: [Rejection]
    }

    fileprivate struct Progress {
        var summary = Summary()
        var underWay = 0
        var bytesRead = 0
        /// Hashes of the ids so far.
        var knownIDs: Set<Int> = []
        /// The last records of batches that were completed before an earlier one, by number.
        private var completedAhead: [Int: Int] = [:]
        private var nextBatch = 0

        /// - Returns: the last record of the batches that are completed without a gap; nil if it did not change.
        mutating func completedRecords(with batch: Batch) -> Int? {
            completedAhead[batch.number] = batch.lastRecord
            var last: Int?
            while let record = completedAhead.removeValue(forKey: nextBatch) {
                last = record
                nextBatch += 1
            }
            return last
        }
    }

    /// Collects rows until a batch is full.
    private struct BatchBuilder {
        private let maximumRows = Identity.ImportAccounts.maximumCount
        private var number = 0
        private var rows: [Row] = []
        private var lastRecord: Int?
        private var startOffset = 0

        init(_: UserImport) {}

        mutating func add(_ entry: UserFileEntry, _ record: UserFileRecord) -> [Batch] {
            var full: [Batch] = []
            if record.position.byteOffset - startOffset > UserImport.maximumBatchBytes, let batch = end() {
                full.append(batch)
            }
            if rows.isEmpty { startOffset = record.position.byteOffset }
            rows.append(Row(position: record.position, entry: entry))
            lastRecord = record.position.number
            if rows.count == maximumRows, let batch = end() { full.append(batch) }
            return full
        }

        /// Counts a record that is not sent.
        mutating func skip(_ position: RecordPosition) -> [Batch] {
            lastRecord = position.number
            return []
        }

        /// The rows since the last batch.
        mutating func end() -> Batch? {
            guard let last = lastRecord else { return nil }
            defer {
                number += 1
                rows.removeAll(keepingCapacity: true)
                lastRecord = nil
            }
            return Batch(number: number, rows: rows, lastRecord: last)
        }
    }
}
