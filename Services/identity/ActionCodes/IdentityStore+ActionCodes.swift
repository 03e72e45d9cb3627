import Contracts
import Crypto
import MasterKey
import SQL
import Vocabulary

/// A code to be stored.
struct NewActionCode: Sendable {
    /// Of the text in its link; for digits that of their session.
    var hash: [UInt8]
    var code: ActionCode
    /// The code is for this account only; nil: for the account that has the address.
    var owner: AccountID?
    /// The link, or the `ReadableEmailCode`. Stored sealed for test tools; nil outside dev mode.
    var readable: String?
}

/// Who requested a code, as the quotas count it.
struct EmailSender: Equatable, Sendable {
    /// Nil when it is unknown or not counted.
    var network: ClientNetwork?
    /// Codes of the project per day; nil for no limit.
    var perProject: Int?
}

extension ActionCode {
    /// The address that gets the e-mail.
    var recipient: EmailAddress { newEmail ?? email }
}

extension NewActionCode {
    /// What is stored for an address that gets no e-mail.
    fileprivate var decoy: NewActionCode {
        var decoy = self
        if code.digits != nil { (decoy.code.digits, decoy.readable) = (.decoy, nil) }
        return decoy
    }
}

extension Account {
    /// Whether its owner has proven that the address is theirs.
    func proves(_ address: EmailAddress) -> Bool {
        emailVerified && email?.folded == address.folded
    }
}

extension IdentityStore {
    // MARK: Issuing

    /// Stores a code for the account of its address. It replaces older codes of the same purpose and address, and of
    /// the same factor or passkey: a second enrollment must not void the link that reverts the first.
    ///
    /// With `hidesAccounts`, an address without an account causes the same work: a code that is deleted again, or whose
    /// digits no code matches, and an e-mail that is never sent. The same happens while the project's quota has only the
    /// reserve left and the address is not verified: a refusal would reveal which addresses are.
    /// - Parameters:
    ///   - sender: who is counted; nil for an administrator, who is not.
    ///   - mail: to store with the code; may run more than once. It gets the account, if there is one.
    /// - Returns: the account; nil if there is none, and then only a code for a sign-in is kept.
    /// - Throws: `resetLimitExceeded`, `tooManyAttempts`, `quotaExceeded`, `emailExists`.
    func issue(
        _ new: NewActionCode, from sender: EmailSender?, hidesAccounts: Bool, audit: AuditEntry,
        mail: @Sendable @escaping (Account?, _ isDecoy: Bool) -> PendingEmail?
    ) async throws -> Account? {
        let result: Result<Account?, ServiceError> = try await write { [self] transaction in
            let code = new.code
            var audit = audit
            // The account of an ID token is known to the client. Any other lookup follows the counts.
            let owner = try new.owner.flatMap { try transaction.account($0, in: code.realm)?.account }
            if let sender, let error = try count(code, owner, from: sender, transaction) {
                audit.outcome = .rateLimited
                try transaction.append(audit)
                return .failure(error)
            }
            let account =
                try new.owner == nil ? transaction.account(email: code.email, in: code.realm)?.account : owner
            // Returned, not thrown, so that the count is stored.
            if code.purpose == .verifyAndChangeEmail, let newEmail = code.newEmail, account != nil,
                try transaction.account(email: newEmail, in: code.realm) != nil
            {
                return .failure(ServiceError(.emailExists))
            }
            let isProven = account?.proves(code.recipient) ?? false
            var exhausted: Moment?
            if let sender, !isProven {
                exhausted = try exhaustedPart(of: sender, code, transaction)
                if let exhausted, !hidesAccounts {
                    audit.outcome = .rateLimited
                    try transaction.append(audit)
                    return .failure(.limited(by: .emailsPerProject, until: exhausted))
                }
            }
            audit.accountID = account?.id
            let isUnknown = account == nil && code.purpose != .emailSignIn
            audit.outcome = isUnknown ? .refused : exhausted == nil ? .succeeded : .rateLimited
            try transaction.append(audit)
            let isDecoy = audit.outcome != .succeeded
            if sender != nil {
                try countSent(
                    isDecoy ? 0 : 1, toUnproven: !isProven, in: code.realm, at: code.createdAt, transaction)
            }
            guard !isDecoy || hidesAccounts else { return .success(nil) }
            if let account, Moment(account.validSince).isAhead(of: code.createdAt),
                var stored = try transaction.account(account.id, in: code.realm)
            {
                try transaction.boundRevocation(of: &stored, at: code.createdAt)
            }
            try insert(isDecoy ? new.decoy : new, accountID: account?.id, transaction)
            // The session of digits stays: wrong digits have the same error for every address.
            if hidesAccounts, code.digits == nil {
                // The same statement for every address; for one that gets the e-mail it deletes nothing.
                try transaction.execute(ActionCodeTable.removalOfCode, [.codeHash: isDecoy ? new.hash : []])
            }
            if let mail = mail(account, isDecoy) { try enqueue(mail, transaction) }
            return .success(account)
        }
        return try result.get()
    }

    /// Counts an e-mail against the quotas of its recipient, of the client's network and of the account.
    /// - Parameter owner: the account of the ID token; nil for a request without one.
    /// - Returns: the error, if a quota is exhausted; then nothing more was counted.
    private func count(
        _ code: ActionCode, _ owner: Account?, from sender: EmailSender, _ transaction: borrowing SQLTransaction
    ) throws -> ServiceError? {
        func reserve(_ subject: String, _ bytes: [UInt8], _ limit: Int, in realm: Realm) throws -> Moment? {
            try transaction.reserve(
                digest(Array(subject.utf8) + bytes), limit, within: EmailQuota.addressWindow,
                in: realm, at: code.createdAt)
        }
        func refusal(_ until: Moment) -> ServiceError {
            .limited(by: code.purpose == .passwordReset ? .passwordResetsPerAddress : .emailsPerAddress, until: until)
        }
        let project = Realm(project: code.realm.project)
        let recipient = code.recipient.folded
        let isProven = owner?.proves(code.recipient) ?? false
        if let owner, !isProven, !owner.emailVerified,
            let until = try reserve(
                "account/", Array(owner.id.rawValue.utf8), EmailQuota.perUnverifiedAccount, in: code.realm)
        {
            return .limited(by: .emailsPerAccount, until: until)
        }
        for (network, factor) in isProven ? [] : sender.network?.counted ?? [] {
            if let until = try reserve("network/", network.bytes, EmailQuota.perNetwork * factor, in: project) {
                return .limited(by: .emailsPerNetwork, until: until)
            }
        }
        // The holder of an ID token cannot use up the quota that the network has for requests without one.
        if owner == nil, let network = sender.network {
            let subject = "network/\(network.bytes.count)/\(recipient)/"
            if let until = try reserve(subject, network.bytes, EmailQuota.perAddressAndNetwork, in: code.realm) {
                return refusal(until)
            }
        }
        let address = "\(code.purpose.rawValue)/\(recipient)"
        if let until = try reserve(address, [], EmailQuota.perAddress, in: code.realm) { return refusal(until) }
        // Before any lookup of an address: the error is the same for every address.
        guard let limit = sender.perProject else { return nil }
        return try transaction.quota(sentInProject, in: project, at: code.createdAt).isFull(
            limit, within: EmailQuota.projectWindow, at: code.createdAt
        ).map { .limited(by: .emailsPerProject, until: $0) }
    }

    /// - Returns: when the project's quota permits the next e-mail to an unproven address, if it does not now.
    private func exhaustedPart(
        of sender: EmailSender, _ code: ActionCode, _ transaction: borrowing SQLTransaction
    ) throws -> Moment? {
        guard let limit = sender.perProject else { return nil }
        return try transaction.quota(
            sentToUnproven, in: Realm(project: code.realm.project), at: code.createdAt
        ).isFull(EmailQuota.unprovenPart(of: limit), within: EmailQuota.projectWindow, at: code.createdAt)
    }

    /// Counts an e-mail against the quota of its project if it was sent. For one that was not sent, or to a verified
    /// address, it takes the same time.
    private func countSent(
        _ number: Int, toUnproven isUnproven: Bool, in realm: Realm, at now: Moment,
        _ transaction: borrowing SQLTransaction
    ) throws {
        let project = Realm(project: realm.project)
        for (subject, number) in [(sentInProject, number), (sentToUnproven, isUnproven ? number : 0)] {
            var quota = try transaction.quota(subject, in: project, at: now)
            quota.beginWindowIfOver(EmailQuota.projectWindow, at: now)
            quota.count = quota.count.addingSaturated(number)
            try transaction.upsert(quota, subject, in: project)
        }
    }

    /// Counts a notice to an address that its account has not proven.
    /// - Returns: whether the quota of the account permits it.
    func reserveNotice(
        of id: AccountID, in realm: Realm, at now: Moment, _ transaction: borrowing SQLTransaction
    ) throws -> Bool {
        try transaction.reserve(
            digest(Array("notices/\(id.rawValue)".utf8)), EmailQuota.perUnverifiedAccount,
            within: EmailQuota.addressWindow, in: realm, at: now) == nil
    }

    /// Counts a notice that an identity of a provider was refused, so that its user cannot send them without limit.
    /// - Returns: whether the owner gets one: one a day for each provider.
    func reserveRefusalNotice(
        of id: AccountID, _ providerID: String, in realm: Realm, at now: Moment,
        _ transaction: borrowing SQLTransaction
    ) throws -> Bool {
        try transaction.reserve(
            digest(Array("refused identity/\(providerID)/\(id.rawValue)".utf8)), 1, within: EmailQuota.projectWindow,
            in: realm, at: now) == nil
    }

    /// Counts a notice about a sign-in against the quotas of its account and of its project, of which the last quarter is
    /// a reserve for what users request.
    /// - Returns: whether the quotas permit it.
    func reserveSignInNotice(
        to account: Account, within perProject: Int?, at now: Moment, _ transaction: borrowing SQLTransaction
    ) throws -> Bool {
        let realm = account.realm
        if let perProject {
            let sent = try transaction.quota(sentInProject, in: Realm(project: realm.project), at: now)
            let limit = EmailQuota.unprovenPart(of: perProject)
            guard sent.isFull(limit, within: EmailQuota.projectWindow, at: now) == nil else { return false }
        }
        guard
            try transaction.reserve(
                digest(Array("sign-in notices/\(account.id.rawValue)".utf8)), EmailQuota.signInNoticesPerAccount,
                within: EmailQuota.addressWindow, in: realm, at: now) == nil
        else { return false }
        let isProven = account.email.map(account.proves) ?? false
        try countSent(1, toUnproven: !isProven, in: realm, at: now, transaction)
        return true
    }

    private var sentInProject: [UInt8] { digest(Array("project".utf8)) }
    private var sentToUnproven: [UInt8] { digest(Array("project/unproven".utf8)) }

    func insert(
        _ new: NewActionCode, accountID: AccountID?, _ transaction: borrowing SQLTransaction
    ) throws {
        let code = new.code
        try transaction.execute(
            ActionCodeTable.removalOfFormer,
            SQLRecord(code.realm) + [
                .purpose: code.purpose.rawValue, .emailFolded: code.email.folded,
                .factorID: code.factorID?.rawValue ?? "", .credentialID: code.credentialID?.description ?? "",
            ])
        let sealedLink = try new.readable.map { text in
            try sealingKeys.seal(Array(text.utf8), binding: Self.sealedLink.binding(.blob(new.hash)))
        }
        try transaction.execute(
            ActionCodeTable.insertion,
            code.columns + [.codeHash: new.hash, .accountID: accountID, .sealedLink: sealedLink])
    }

    // MARK: Reading

    /// A code with its account, if it has one.
    /// - Throws: `invalidActionCode` for an unknown code, or one of another realm.
    func actionCode(_ text: ActionCode.Text, in realm: Realm) async throws -> (code: ActionCode, stored: StoredAccount?)
    {
        try await read { transaction in
            let code = try transaction.actionCode(text, in: realm)
            return (code, try code.accountID.flatMap { try transaction.account($0, in: realm) })
        }
    }

    /// The codes of a realm that test tools may read, oldest first.
    /// - Parameter statement: `withLinks` or `withDigits`.
    func readableActionCodes(
        _ statement: SQLStatement<ActionCodeTable>, in realm: Realm, at now: Moment, limit: Int
    ) async throws -> [(code: ActionCode, readable: String)] {
        try await read { [sealingKeys] transaction in
            let rows = try transaction.rows(statement, SQLRecord(realm), now, limit)
            return try rows.reversed().map { row in
                let readable = try sealingKeys.open(
                    try row.get(.sealedLink), binding: Self.sealedLink.binding(.blob(try row.get(.codeHash))))
                return (try ActionCode(row), String(decoding: readable, as: UTF8.self))
            }
        }
    }

    // MARK: Redeeming

    /// Checks a code, calls `change` for its account, and deletes the code, in one transaction: only one of several
    /// concurrent uses succeeds. `change` must be pure: it may run more than once. `mails` are stored with it.
    /// - Throws: `invalidActionCode`, `expiredActionCode`, `accountDisabled`, what `change` throws, `emailExists`.
    func redeem<Reply: Codable & Sendable>(
        _ text: ActionCode.Text, for purposes: Set<ActionCode.Purpose>, in realm: Realm, at now: Moment,
        audit: AuditEntry, idempotency: IdempotentCall?,
        mails: @Sendable @escaping (ActionCode, _ before: StoredAccount, _ after: StoredAccount) throws -> [NewEmail],
        _ change: @Sendable @escaping (ActionCode, inout StoredAccount) throws -> Reply
    ) async throws -> ChangeResult<Reply> {
        try await write(idempotency: idempotency) { [self] transaction in
            let code = try transaction.actionCode(text, in: realm)
            guard purposes.contains(code.purpose), let id = code.accountID,
                let before = try transaction.account(id, in: realm)
            else { throw ServiceError(.invalidActionCode) }
            try code.validate(before.account, at: now)
            var after = before
            let reply = try change(code, &after)
            let revocation = try transaction.update(after, insteadOf: before, at: now)
            if code.purpose == .recoverEmail {
                try transaction.applyRevocation(
                    .emailRecovered(code.email, bySequence: try transaction.sequence(of: text)), on: after.account)
            }
            try transaction.deleteActionCode(text.hash)
            try transaction.deleteActionCodes(code.purpose.revokedByUse, of: id, in: realm)
            // After the deletion of the codes that the use voids: an undo code of this change must stay.
            try enqueue(try mails(code, before, after), transaction)
            if code.purpose == .passwordReset {
                // Attempts at the former password do not count against the new one.
                try clearAttempts(of: code.email, in: realm, transaction)
            }
            var audit = audit
            audit.action = code.purpose.auditAction
            audit.actor = .account(id)
            audit.accountID = id
            try transaction.append(audit)
            return ChangeResult(reply: reply, revokesSessions: revocation.requiresEvent)
        }
    }

    /// Redeems a verification code to reject the verification: checks it, calls `change` for its account, and voids the
    /// codes of the account, in one transaction: every one if the address is that of the account, and those that would
    /// change its address if it is to get the address. `change` must be pure: it may run more than once.
    /// - Throws: `invalidActionCode`, `expiredActionCode`, `accountDisabled`, what `change` throws.
    func rejectVerification<Reply: Codable & Sendable>(
        _ text: ActionCode.Text, in realm: Realm, at now: Moment, audit: AuditEntry, idempotency: IdempotentCall?,
        _ change: @Sendable @escaping (ActionCode, inout StoredAccount) throws -> Reply
    ) async throws -> ChangeResult<Reply> {
        try await write(idempotency: idempotency) { transaction in
            let code = try transaction.actionCode(text, in: realm)
            let voided: [ActionCode.Purpose]
            switch code.purpose {
            case .verifyEmail: voided = ActionCode.Purpose.allCases
            case .verifyAndChangeEmail: voided = [.verifyAndChangeEmail]
            case .passwordReset, .emailSignIn, .recoverEmail, .revertSecondFactorAddition, .revertPasskeyAddition:
                throw ServiceError(.invalidActionCode)
            }
            guard let id = code.accountID, let before = try transaction.account(id, in: realm) else {
                throw ServiceError(.invalidActionCode)
            }
            try code.validate(before.account, at: now)
            var after = before
            let reply = try change(code, &after)
            let revocation = try transaction.update(after, insteadOf: before, at: now)
            try transaction.deleteActionCodes(voided, of: id, in: realm)
            var audit = audit
            audit.accountID = id
            try transaction.append(audit)
            return ChangeResult(reply: reply, revokesSessions: revocation.requiresEvent)
        }
    }
}

extension ActionCode.Purpose {
    fileprivate var auditAction: AuditEntry.Action {
        switch self {
        case .passwordReset: .passwordReset
        case .emailSignIn: .signIn
        case .verifyEmail: .emailVerified
        case .verifyAndChangeEmail: .emailChanged
        case .recoverEmail: .emailRecovered
        case .revertSecondFactorAddition: .factorReverted
        case .revertPasskeyAddition: .passkeyReverted
        }
    }
}

// MARK: - Rows

extension SQLTransaction {
    borrowing func actionCode(_ text: ActionCode.Text, in realm: Realm) throws -> ActionCode {
        guard let row = try firstRow(ActionCodeTable.byCode, SQLRecord(realm) + [.codeHash: text.hash]) else {
            throw ServiceError(.invalidActionCode)
        }
        let code = try ActionCode(row)
        guard code.digits == nil else { throw ServiceError(.invalidActionCode) }
        return code
    }

    /// The order in which codes were issued.
    fileprivate borrowing func sequence(of text: ActionCode.Text) throws -> Int64 {
        guard let row = try firstRow(ActionCodeTable.sequenceOfCode, [.codeHash: text.hash]) else {
            throw ServiceError(.invalidActionCode)
        }
        return try row.get(.sequence)
    }

    /// Deletes the undo codes of an account that a change of it has made void.
    borrowing func applyRevocation(_ revocation: UndoRevocation, on account: Account) throws {
        for purpose in ActionCode.Purpose.undoing {
            let found = try rows(
                ActionCodeTable.ofAccount,
                SQLRecord(account.id, in: account.realm) + [.purpose: purpose.rawValue])
            for row in found {
                let undo = UndoCode(code: try ActionCode(row), sequence: try row.get(.sequence))
                guard revocation.voids(undo) else { continue }
                try execute(ActionCodeTable.removal, [.sequence: undo.sequence])
            }
        }
    }

    borrowing func deleteActionCode(_ hash: [UInt8]) throws {
        try execute(ActionCodeTable.removalOfCode, [.codeHash: hash])
    }

    /// Deletes the codes of an account that a change of it has made void.
    borrowing func deleteActionCodes(_ purposes: [ActionCode.Purpose], of id: AccountID, in realm: Realm) throws {
        for purpose in purposes {
            try execute(
                ActionCodeTable.removalOfAccount, SQLRecord(id, in: realm) + [.purpose: purpose.rawValue])
        }
    }

    borrowing func reserve(
        _ subject: [UInt8], _ limit: Int, within window: Duration, in realm: Realm, at now: Moment
    ) throws -> Moment? {
        var quota = try quota(subject, in: realm, at: now)
        if let until = quota.reserve(limit, within: window, at: now) { return until }
        try upsert(quota, subject, in: realm)
        return nil
    }

    borrowing func quota(_ subject: [UInt8], in realm: Realm, at now: Moment) throws -> EmailQuota {
        try firstRow(SendingQuotaTable.ofSubject, SQLRecord(realm) + [.subjectDigest: subject])
            .map { try EmailQuota($0) } ?? .empty(at: now)
    }

    fileprivate borrowing func upsert(_ quota: EmailQuota, _ subject: [UInt8], in realm: Realm) throws {
        try execute(
            SendingQuotaTable.replacement,
            SQLRecord(realm) + [
                .subjectDigest: subject, .count: quota.count, .windowBeganAt: quota.windowBeganAt,
            ])
    }
}
