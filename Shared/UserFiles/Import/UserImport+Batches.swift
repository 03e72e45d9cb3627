import Contracts
import Crypto
import Vocabulary

extension UserImport {
    struct Row: Sendable {
        var position: RecordPosition
        var account: Identity.ImportedAccount
        var factors: [MFATOTP.ImportedFactor]
        var passkeys: [Passkey.ImportedCredential]
        var omissions: Set<ImportOmission>

        init(_ entry: UserFileEntry, at position: RecordPosition) {
            self.position = position
            account = entry.account
            omissions = entry.omissions
            var listed: [Identity.ImportedTOTPFactor] = []
            factors = []
            for (number, factor) in entry.totpFactors.enumerated() {
                let id = factor.id ?? Self.factorID(of: account.id, number)
                listed.append(.init(id: id, displayName: factor.displayName, enrolledAt: factor.enrolledAt))
                factors.append(.init(accountID: account.id, factorID: id, secret: factor.secret))
            }
            account.totpFactors = listed.nilIfEmpty
            passkeys = entry.passkeys.map { passkey in
                .init(accountID: entry.account.id, passkey: passkey.passkey, publicKey: passkey.publicKey)
            }
        }

        /// The account to send, with the passkeys whose public keys are stored.
        func account(without refused: Set<PasskeyID>) -> Identity.ImportedAccount {
            var account = account
            account.passkeys = passkeys.filter { !refused.contains(PasskeyID($0)) }.map(\.passkey).nilIfEmpty
            return account
        }

        /// The same in every import of a file, so that a second one replaces the factor of the first.
        private static func factorID(of account: AccountID, _ number: Int) -> FactorID {
            let digest = SHA2.sha256(Array("imported TOTP factor \(number) of \(account.rawValue)".utf8))
            return FactorID(RandomUUID.text(of: Array(digest.prefix(16))))
        }
    }

    /// Consecutive records of the file.
    struct Batch: Sendable {
        /// From 0, without gaps.
        var number: Int
        var rows: [Row]
        /// The refusals of its records that are not sent.
        var refusals: ImportSummary
        /// The position of the last record, refused ones included.
        var lastRecord: Int
    }

    struct PasskeyID: Hashable, Sendable {
        var account: AccountID
        var credential: CredentialID

        init(_ imported: Passkey.ImportedCredential) {
            account = imported.accountID
            credential = imported.passkey.credentialID
        }
    }

    /// Collects rows until a batch is full.
    struct BatchBuilder {
        private let maximumRows = Identity.ImportAccounts.maximumCount
        private var number = 0
        private var rows: [Row] = []
        private var refusals = ImportSummary()
        private var lastRecord: Int?
        private var startOffset = 0

        init(_: UserImport) {}

        mutating func add(_ entry: UserFileEntry, _ record: UserFileRecord) -> [Batch] {
            var full: [Batch] = []
            if record.position.byteOffset - startOffset > UserImport.maximumBatchBytes, let batch = end() {
                full.append(batch)
            }
            if rows.isEmpty { startOffset = record.position.byteOffset }
            rows.append(Row(entry, at: record.position))
            lastRecord = record.position.number
            if rows.count == maximumRows, let batch = end() { full.append(batch) }
            return full
        }

        /// Counts a record that is not sent.
        mutating func skip(_ position: RecordPosition, _ issue: ImportIssue) {
            lastRecord = position.number
            refusals.add(issue)
        }

        /// The rows since the last batch.
        mutating func end() -> Batch? {
            guard let last = lastRecord else { return nil }
            defer {
                number += 1
                rows.removeAll(keepingCapacity: true)
                refusals = ImportSummary()
                lastRecord = nil
            }
            return Batch(number: number, rows: rows, refusals: refusals, lastRecord: last)
        }
    }
}
