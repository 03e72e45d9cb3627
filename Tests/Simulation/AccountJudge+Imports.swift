// Parts of services are no interfaces: a release build has them only for tests.
#if DEBUG || TESTABLE

    import Contracts
    import SQL
    import TestSupport
    import Vocabulary

    /// What was promised about imported accounts and signing keys.
    extension AccountJudge {
        struct ImportedAccount: Hashable {
            let realm: Realm
            let id: String
        }

        /// One account of an import.
        struct ImportedRow {
            let account: ImportedAccount
            let email: String
            /// Of `imports`.
            fileprivate let write: Int
            /// An import before this one has been acknowledged. Nobody deletes imported accounts.
            fileprivate let mustExist: Bool

            var id: String { account.id }
        }

        func beginImport(_ id: String, _ email: String, in realm: Realm) -> ImportedRow {
            let (now, account) = (world.time.steady, ImportedAccount(realm: realm, id: id))
            let mustExist = imports[account].map { !$0.mayBe(nil, from: now, to: now) } ?? false
            let write = imports[account, default: .init(nil)].begin(email, at: now)
            return ImportedRow(account: account, email: email, write: write, mustExist: mustExist)
        }

        func importFails(_ rows: [ImportedRow], _ outcome: RequestOutcome) {
            for row in rows { imports[row.account]?.end(row.write, outcome, at: world.time.steady) }
        }

        func importIsDone(
            _ rows: [ImportedRow], _ rejections: [Contracts.Identity.ImportAccounts.Rejection], allowsOverwrite: Bool,
            _ span: Span
        ) {
            let reasons = Dictionary(rejections.map { ($0.rowIndex, $0.reason.code) }) { first, _ in first }
            for (index, row) in rows.enumerated() {
                let outcome: RequestOutcome = reasons[index] == nil ? .acknowledged : .refused
                imports[row.account]?.end(row.write, outcome, at: span.ended)
            }
            for (index, row) in rows.enumerated() {
                if let reason = reasons[index] {
                    isRejected(row, reason, allowsOverwrite: allowsOverwrite, span)
                } else {
                    isImported(row, allowsOverwrite: allowsOverwrite, span)
                }
            }
        }

        private func isImported(_ row: ImportedRow, allowsOverwrite: Bool, _ span: Span) {
            if row.mustExist, !allowsOverwrite { world.report("an import replaces \(row.id), and must not") }
            if others(row).contains(where: { $0.mustBe(row.email, from: span.began, to: span.ended) }) {
                world.report("an import gives \(row.id) the address of another account")
            }
        }

        private func isRejected(_ row: ImportedRow, _ reason: WireError.Code, allowsOverwrite: Bool, _ span: Span) {
            let mayExist = imports[row.account]?.possible(from: span.began, to: span.ended).contains { $0 != nil }
            let mayBeTaken = others(row).contains { $0.mayBe(row.email, from: span.began, to: span.ended) }
            let hasCause =
                reason == .accountIDExists && !allowsOverwrite && mayExist == true
                || reason == .emailExists && mayBeTaken
            if !hasCause { world.report("an import rejects \(row.id) without a cause: \(reason.rawValue)") }
        }

        private func others(_ row: ImportedRow) -> [AccountHistory<String?>] {
            imports.filter { $0.key.realm == row.account.realm && $0.key.id != row.id }.map(\.value)
        }

        func keyIsRevoked(_ id: SigningKeyID) { revokedKeys.insert(id) }

        /// After the faults.
        func keysArePublished(_ ids: [SigningKeyID], for purpose: Contracts.Identity.ListSigningKeys.Purpose) {
            if ids.isEmpty { world.report("there is no key of the purpose \(purpose)") }
            if !revokedKeys.isDisjoint(with: ids) { world.report("a key of the purpose \(purpose) was revoked") }
        }

        /// After the faults: what was imported is stored, and an address has one account.
        func requireImports() {
            do {
                let twice = try identity.rows(
                    """
                    SELECT 1 FROM accounts WHERE email_folded IS NOT NULL GROUP BY project, tenant, email_folded
                    HAVING count(*) > 1
                    """)
                if !twice.isEmpty { world.report("\(twice.count) addresses have two accounts") }
                let now = world.time.steady
                for (account, history) in imports {
                    let row = try identity.rows(
                        "SELECT email FROM accounts WHERE account_id = $1 AND tenant = $2", .text(account.id),
                        .text(account.realm.tenant?.rawValue ?? "")
                    ).first
                    let email: String? = try row?.get("email")
                    if !history.mayBe(email, from: now, to: now) {
                        world.report("\(account.id) has the address \(email ?? "of nobody"), which it cannot have")
                    }
                }
            } catch {
                world.report("the imported accounts cannot be read: \(error)")
            }
        }
    }

#endif
