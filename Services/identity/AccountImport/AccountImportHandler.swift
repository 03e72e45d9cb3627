import Bus
import Contracts
import Vocabulary

/// Adds accounts of another system, for administrators (REST 4.3).
struct AccountImportHandler: IdentityComponent {
    let context: IdentityContext

    func importAccounts(
        _ request: Identity.ImportAccounts, _ call: BusCall
    ) async throws -> Identity.ImportAccounts.Reply {
        _ = try await projects.projectForAdministration(request.realm, traceID: call.trace.traceID)
        guard request.accounts.count <= Identity.ImportAccounts.maximumCount else {
            throw ServiceError(.invalidRequest, "at most \(Identity.ImportAccounts.maximumCount) accounts")
        }
        try request.algorithm?.checkBounds()
        var results: [Result<PreparedImport, ServiceError>] = []
        for account in request.accounts {
            results.append(try await prepared(account, request.algorithm, by: call.deadline))
        }
        let isDryRun = request.isDryRun ?? false
        let result = try await store.importAccounts(
            results, in: request.realm, allowsOverwrite: request.allowsOverwrite, isDryRun: isDryRun,
            audit: AuditEntry(
                .accountsImported, .administrator, request.realm, request.client, call, about: nil, at: now()),
            idempotency: store.idempotentCall(for: call, at: now()))
        if !result.replaced.isEmpty, !isDryRun { publish(.sessionsRevoked(request.realm, nil)) }
        return .init(
            rejections: result.rejections, replacedCount: result.replaced.isEmpty ? nil : result.replaced.count)
    }

    /// - Returns: why the account is rejected, if it is.
    /// - Throws: `overloaded`, which ends the whole import.
    private func prepared(
        _ account: Identity.ImportedAccount, _ algorithm: PasswordHashAlgorithm?, by deadline: Moment
    ) async throws -> Result<PreparedImport, ServiceError> {
        do throws(ServiceError) {
            try account.check(account.algorithm ?? algorithm, maximumBcryptCost: context.importBcryptCost)
        } catch {
            return .failure(error)
        }
        var account = account
        account.profile.secondFactors = account.profile.secondFactors.map { entries in
            entries.map { entry in
                var entry = entry
                entry.id = entry.id ?? FactorID(randomBytes: randomBytes)
                return entry
            }
        }
        if let text = account.profile.password?.reveal() {
            // The password rules are for new passwords; this one is in use.
            guard let password = Password(text) else {
                return .failure(.passwordPolicyViolated([.atMost(characters: Password.maximumBytes)]))
            }
            account.profile.password = nil
            return .success(
                PreparedImport(imported: account, passwordRecord: try await hasher.record(of: password, by: deadline)))
        }
        guard let hash = account.passwordHash, let algorithm = account.algorithm ?? algorithm else {
            return .success(PreparedImport(imported: account))
        }
        let password = ImportedPassword(
            algorithm: algorithm, salt: account.salt ?? OctetString([]),
            hash: OctetString(algorithm.bytes(ofHash: hash.bytes)))
        let record: String
        do {
            record = try hasher.record(of: password)
        } catch let error as ServiceError {
            return .failure(error)
        }
        return .success(
            PreparedImport(
                imported: account, passwordRecord: record,
                hashMilliseconds: try await hasher.oldHashMilliseconds(of: record)))
    }
}
