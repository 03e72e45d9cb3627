import Contracts
import SQL
import Vocabulary

/// A sign-in on a device that may be remembered.
struct PreparedRememberedSignIn: Sendable {
    var credential: PendingCredential
    /// Of the browser, for any account.
    var secrets: [DeviceSecret]
    /// As the project sets it, at least 1.
    var days: Int
    var policy: SessionPolicy
    /// The session to open, for the account of the credential.
    var session: Session
    var refreshToken: RefreshToken
    /// The responses of the blocking functions that this sign-in has called.
    var responses: BlockingFunctionResponses
    var notice: SignInNotice
    /// Stored with the session.
    var mails: @Sendable (_ before: Account, _ after: Account) -> [NewEmail]
    var audit: AuditEntry
}

extension IdentityStore {
    /// Stores a device, in the place of those that the same browser had for the account.
    /// - Throws: `accountNotFound`, `accountDisabled`, `sessionExpired` where the session has ended, and errors of
    ///   `authorize`.
    func remember(
        _ device: RememberedDevice, inPlaceOf former: [DeviceSecret], ofOwner principal: Principal, audit: AuditEntry,
        authorize: @Sendable @escaping (StoredAccount) throws -> Void
    ) async throws {
        try await write { transaction in
            try authorize(try transaction.owner(principal, signedInAs: device.signInID))
            let account = SQLRecord<RememberedDeviceTable>(principal.accountID, in: principal.realm)
            for secret in former {
                try transaction.execute(RememberedDeviceTable.removal, account + [.secretHash: secret.hash])
            }
            try transaction.execute(RememberedDeviceTable.insertion, account + device.columns)
            try transaction.execute(
                RememberedDeviceTable.trimming, account, RememberedDevice.maximumPerAccount)
            try transaction.append(audit)
        }
    }

    /// Redeems a credential and opens a session, if a secret is one of a remembered device of its account.
    /// - Throws: those of `pendingSignIn`; `secondFactorRequired`, after which the credential is valid.
    func signIn(_ signIn: PreparedRememberedSignIn) async throws -> OpenedSession {
        try await write { [self] transaction in
            let now = signIn.session.createdAt
            let (pending, stored) = try transaction.pendingSignIn(
                signIn.credential, in: signIn.session.realm, at: now)
            let account = SQLRecord<RememberedDeviceTable>(pending.accountID, in: pending.realm)
            let devices = try signIn.secrets.compactMap { secret in
                try transaction.firstRow(RememberedDeviceTable.byKey, account + [.secretHash: secret.hash])
                    .map { try RememberedDevice($0) }
            }
            guard let device = devices.first(where: { $0.isValid(days: signIn.days, at: now) }) else {
                throw ServiceError(.secondFactorRequired)
            }
            var session = signIn.session
            session.authentication = try signIn.policy.authenticationContext(
                for: .init(
                    operation: .rememberedDeviceSignIn, stored: stored, authentication: session.authentication))
            try transaction.execute(
                RememberedDeviceTable.use,
                account + [
                    .secretHash: device.secretHash, .device: session.device, .signInID: session.id.bytes,
                    .lastUsedAt: now,
                ])
            try transaction.append(signIn.audit)
            let opened = try transaction.redeem(
                pending, opening: session, signIn.refreshToken, of: stored, signIn.responses, signIn.notice)
            try enqueue(signIn.mails(stored.account, opened.account), transaction)
            return opened
        }
    }

    /// The last used one first, also those that have expired.
    /// - Throws: as `activeSessions(ofOwner:)`.
    func rememberedDevices(
        ofOwner principal: Principal, signedInAs signIn: SessionID?
    ) async throws -> [RememberedDevice] {
        try await read { transaction in
            _ = try transaction.owner(principal, signedInAs: signIn)
            return try transaction.rememberedDevices(of: principal.accountID, in: principal.realm)
        }
    }

    /// Forgets a device, if it is remembered.
    /// - Throws: as `rememberedDevices(ofOwner:)`.
    func forgetDevice(
        _ secretHash: [UInt8], ofOwner principal: Principal, signedInAs signIn: SessionID?, audit: AuditEntry
    ) async throws {
        try await write { transaction in
            _ = try transaction.owner(principal, signedInAs: signIn)
            try transaction.execute(
                RememberedDeviceTable.removal,
                SQLRecord(principal.accountID, in: principal.realm) + [.secretHash: secretHash])
            if transaction.changes > 0 { try transaction.append(audit) }
        }
    }
}

// MARK: - Rows

extension SQLTransaction {
    borrowing func rememberedDevices(of id: AccountID, in realm: Realm) throws -> [RememberedDevice] {
        try rows(RememberedDeviceTable.ofAccount, SQLRecord(id, in: realm)).map { try RememberedDevice($0) }
    }

    /// Forgets every device of an account.
    borrowing func forgetDevices(of id: AccountID, in realm: Realm) throws {
        try execute(RememberedDeviceTable.removalOfAccount, SQLRecord(id, in: realm))
    }

    /// Forgets the device that signed in last with this session: somebody who may not trust it has ended the session.
    borrowing func forgetDevice(signedInAs signIn: SessionID, of id: AccountID, in realm: Realm) throws {
        try execute(
            RememberedDeviceTable.removalOfSignIn, SQLRecord(id, in: realm) + [.signInID: signIn.bytes])
    }

    /// Forgets the devices of all other sessions.
    borrowing func forgetDevices(exceptOf signIn: SessionID, of id: AccountID, in realm: Realm) throws {
        try execute(RememberedDeviceTable.removalOfOthers, SQLRecord(id, in: realm), signIn.bytes)
    }
}
