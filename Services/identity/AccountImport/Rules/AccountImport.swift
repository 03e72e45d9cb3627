import Contracts
import Vocabulary

/// An account of another system, checked and with its password record, before the database is read.
struct PreparedImport: Sendable {
    var imported: Identity.ImportedAccount
    /// Absent: the account has no password.
    var passwordRecord: String?
    /// The time of a comparison with the record of an imported password.
    var hashMilliseconds: Int64?
}

extension StoredAccount {
    /// The account to store.
    /// - Parameter current: the account with the same ID, which is replaced. Its passkeys and TOTP factors stay: an
    ///   import must not remove what another system cannot export.
    /// - Throws: the errors of an administrator's changes, `invalidAccountID`, `timeOutOfRange`, `invalidDisplayName`,
    ///   `passkeyLimitExceeded`.
    init(
        _ prepared: PreparedImport, replacing current: StoredAccount?, in realm: Realm, at now: Moment
    ) throws(ServiceError) {
        let imported = prepared.imported
        self.init(id: imported.id, in: realm, at: now)
        if let current {
            keepHistory(of: current)
            account.secondFactors = current.account.secondFactors.filter { !$0.isPhone }
            account.passkeys = current.account.passkeys
            account.validSince = current.account.validSince
            account.createdAt = current.account.createdAt
        }
        try add(imported.totpFactors ?? [], at: now)
        try add(imported.passkeys ?? [])
        var profile = imported.profile
        // The list is checked also when the record has no phone factor.
        if imported.totpFactors?.isEmpty == false { profile.secondFactors = profile.secondFactors ?? [] }
        let (validSince, kept) = (profile.validSince, account.secondFactors)
        profile.secondFactors = profile.secondFactors.map { entries in
            kept.map { .init(id: $0.id, kind: .totp) } + entries
        }
        // Set last: the other changes end sessions at `now`.
        profile.validSince = nil
        try apply(profile, passwordRecord: nil, at: now)
        for link in imported.links { try apply(.init(link: link), passwordRecord: nil, at: now) }
        passwordRecord = prepared.passwordRecord
        importedHashMilliseconds = prepared.hashMilliseconds
        account.passwordChangedAt =
            prepared.passwordRecord == nil ? nil : try imported.passwordChangedAt?.checked() ?? now
        account.emailLinkSignIn = imported.emailLinkSignIn && account.email != nil
        account.initialEmail = nil
        // A move to another server does not restore an account.
        if let dueAt = imported.deletionDueAt { account.deletionDueAt = try dueAt.checked() }
        if current != nil { endEarlierSessions(at: now) }
        if validSince != nil { try apply(.init(validSince: validSince), passwordRecord: nil, at: now) }
    }

    /// Lists factors whose secrets mfa-totp has. The rest of the list is checked with the profile.
    /// - Throws: `invalidFactorID`, `timeOutOfRange`.
    private mutating func add(_ factors: [Identity.ImportedTOTPFactor], at now: Moment) throws(ServiceError) {
        for (position, factor) in factors.enumerated() {
            guard factor.id.isAcceptable else { throw ServiceError(.invalidFactorID) }
            let former = account.secondFactors.first { $0.id == factor.id }
            account.secondFactors.removeAll { $0.id == factor.id }
            account.secondFactors.append(
                SecondFactor(
                    id: factor.id, kind: .totp,
                    displayName: try SecondFactorList.checkedName(factor.displayName)
                        ?? former?.displayName,
                    enrolledAt: try factor.enrolledAt?.checked() ?? former?.enrolledAt ?? now + .milliseconds(position)
                ))
        }
    }
}

extension StoredAccount {
    /// Lists passkeys whose public keys the passkey service has.
    /// - Throws: `invalidDisplayName`, `timeOutOfRange`, `passkeyLimitExceeded`.
    private mutating func add(_ passkeys: [AccountPasskey]) throws(ServiceError) {
        for passkey in passkeys {
            var passkey = passkey
            passkey.name = try AccountPasskey.checkedName(passkey.name)
            passkey.createdAt = try passkey.createdAt.checked()
            passkey.lastUsedAt = try passkey.lastUsedAt?.checked()
            account.passkeys.removeAll { $0.credentialID == passkey.credentialID }
            account.passkeys.append(passkey)
        }
        guard account.passkeys.count <= PasskeyEnrollment.limit else { throw ServiceError(.passkeyLimitExceeded) }
    }
}

extension Identity.ImportedAccount {
    /// Checks what needs no database.
    /// - Throws: `missingAccountID`, `invalidAccountID`, `invalidPasswordHash`.
    func check(_ algorithm: PasswordHashAlgorithm?, maximumBcryptCost: Int) throws(ServiceError) {
        guard !id.rawValue.isEmpty else { throw ServiceError(.missingAccountID) }
        guard id.isAcceptable else { throw ServiceError(.invalidAccountID) }
        guard let passwordHash else { return }
        guard profile.password == nil else {
            throw ServiceError(.invalidPasswordHash, "rawPassword and passwordHash exclude each other")
        }
        guard let algorithm else {
            throw ServiceError(.invalidPasswordHashAlgorithm, "passwordHash needs hashAlgorithm")
        }
        // That of the request was checked with the request.
        try self.algorithm?.checkBounds()
        try algorithm.check(
            salt: salt?.bytes ?? [], hash: algorithm.bytes(ofHash: passwordHash.bytes),
            maximumBcryptCost: maximumBcryptCost)
    }
}
