public import Foundation

extension User {
    /// Sends an e-mail with which the user verifies the address.
    /// - Throws: `unauthorizedDomain`, `tooManyRequests`, and as ``reload()``.
    public func sendEmailVerification(with actionCodeSettings: ActionCodeSettings? = nil) async throws {
        try await sendActionCode(.verifyEmail, newEmail: nil, actionCodeSettings)
    }

    /// Sends an e-mail to a new address. The account changes to it when the user follows the link.
    /// - Throws: `invalidEmail`, `emailAlreadyInUse`, `requiresRecentLogin`, and as ``reload()``.
    public func sendEmailVerification(
        beforeUpdatingEmail newEmail: String, actionCodeSettings: ActionCodeSettings? = nil
    ) async throws {
        try await sendActionCode(.verifyAndChangeEmail, newEmail: newEmail, actionCodeSettings)
    }

    private func sendActionCode(
        _ kind: SendActionCodeRequest.Kind, newEmail: String?, _ settings: ActionCodeSettings?
    ) async throws {
        try await withIDToken { idToken in
            _ = try await self.auth.server.send(
                SendActionCodeRequest(
                    kind, newEmail: newEmail, idToken: idToken, settings: settings, tenantId: self.tenantID))
        }
    }

    /// Changes the password. Other sessions of the user end.
    /// - Throws: `weakPassword`, `passwordDoesNotMeetRequirements`, `requiresRecentLogin`, and as ``reload()``.
    public func updatePassword(to password: String) async throws {
        try await change { UpdateAccountRequest(idToken: $0, password: password, tenantId: self.tenantID) }
    }

    /// Everything that the server has stored about the account, as a JSON document for the user.
    /// - Throws: `requiresRecentLogin`, and as ``reload()``.
    public func downloadAccount() async throws -> Data {
        let document = try await withIDToken { idToken in
            try await self.auth.server.send(DownloadAccountRequest(idToken: idToken, tenantId: self.tenantID))
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(document)
    }

    /// Deletes the account, and signs the user out.
    /// - Throws: `requiresRecentLogin`, `adminRestrictedOperation`, and as ``reload()``.
    public func delete() async throws {
        try await withIDToken { idToken in
            _ = try await self.auth.server.send(DeleteAccountRequest(idToken: idToken, tenantId: self.tenantID))
        }
        auth.sessionEnded(of: self)
    }

    /// Changes name and picture with ``UserProfileChangeRequest/commitChanges()``.
    public func createProfileChangeRequest() -> UserProfileChangeRequest { UserProfileChangeRequest(self) }

    // MARK: - Credentials

    /// Renews the session with a credential of the same user. Sensitive operations need a sign-in of the last five
    /// minutes.
    /// - Throws: `userMismatch` for another user, and as ``Auth/signIn(with:)-(AuthCredential)``.
    @discardableResult
    public func reauthenticate(with credential: AuthCredential) async throws -> AuthDataResult {
        do {
            let response = try await auth.response(
                to: credential, idToken: nil, use: .reauthentication, tenantID: tenantID)
            if let localId = response.localId, localId != uid { throw AuthErrorCode(.userMismatch) }
            return try await auth.complete(
                response, providerID: credential.provider, purpose: .reauthentication(self))
        } catch let error as AuthErrorCode where error.code == .userNotFound {
            throw AuthErrorCode(.userMismatch)
        }
    }

    /// Adds a credential to the account, with which the user can then sign in.
    /// - Throws: `providerAlreadyLinked`, `credentialAlreadyInUse`, `emailAlreadyInUse`, `requiresRecentLogin`, and as
    ///   ``Auth/signIn(with:)-(AuthCredential)``.
    @discardableResult
    public func link(with credential: AuthCredential) async throws -> AuthDataResult {
        guard !providerData.contains(where: { $0.providerID == credential.provider }) else {
            throw AuthErrorCode(.providerAlreadyLinked)
        }
        return try await addCredential(credential, use: .link)
    }

    /// Replaces the phone number with which the user signs in.
    /// - Throws: `invalidVerificationCode`, `credentialAlreadyInUse`, `requiresRecentLogin`, and as ``reload()``.
    public func updatePhoneNumber(_ credential: PhoneAuthCredential) async throws {
        _ = try await addCredential(credential, use: .phoneNumberChange)
    }

    private func addCredential(_ credential: AuthCredential, use: Auth.CredentialUse) async throws -> AuthDataResult {
        try await replacingTokens {
            let response = try await withIDToken {
                try await self.auth.response(to: credential, idToken: $0, use: use, tenantID: self.tenantID)
            }
            return try await auth.complete(response, providerID: credential.provider, purpose: .link(self))
        }
    }

    /// Removes a credential from the account.
    /// - Throws: `noSuchProvider`, and as ``reload()``.
    @discardableResult
    public func unlink(fromProvider provider: String) async throws -> User {
        guard providerData.contains(where: { $0.providerID == provider }) else {
            throw AuthErrorCode(.noSuchProvider)
        }
        try await change {
            UpdateAccountRequest(idToken: $0, deleteProvider: [provider], tenantId: self.tenantID)
        }
        return self
    }
}

/// A change of the name and the picture of a user.
public final class UserProfileChangeRequest: Sendable {
    private struct Change {
        var displayName: String??
        var photoURL: URL??
    }

    private let user: User
    private let change = Locked(Change())

    init(_ user: User) { self.user = user }

    /// The new name; nil removes the name. Without an assignment it stays.
    public var displayName: String? {
        get { change.withLock { $0.displayName } ?? user.displayName }
        set { change.withLock { $0.displayName = .some(newValue) } }
    }

    /// The new picture; nil removes the picture. Without an assignment it stays.
    public var photoURL: URL? {
        get { change.withLock { $0.photoURL } ?? user.photoURL }
        set { change.withLock { $0.photoURL = .some(newValue) } }
    }

    /// Sends the change.
    /// - Throws: as ``User/reload()``.
    public func commitChanges() async throws {
        let change = change.withLock { $0 }
        let removed = [
            change.displayName == .some(nil) ? "DISPLAY_NAME" : nil, change.photoURL == .some(nil) ? "PHOTO_URL" : nil,
        ].compactMap { $0 }
        try await user.change {
            UpdateAccountRequest(
                idToken: $0, displayName: change.displayName ?? nil,
                photoUrl: (change.photoURL ?? nil)?.absoluteString, deleteAttribute: removed.isEmpty ? nil : removed,
                tenantId: user.tenantID)
        }
    }

    /// The form with a completion handler.
    public func commitChanges(completion: AuthCompletion? = nil) {
        run(completion) { try await self.commitChanges() }
    }
}
