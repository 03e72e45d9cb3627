import Foundation

/// What a completed sign-in is for.
enum SignInPurpose: Sendable {
    case signIn
    /// Renews the session of this user.
    case reauthentication(User)
    /// The server added the credential to the account of this user.
    case link(User)
}

extension Auth {
    /// Sends a sign-in and completes it.
    func signIn<Request: AuthRequest>(
        _ request: Request, providerID: String?, purpose: SignInPurpose = .signIn
    ) async throws -> AuthDataResult where Request.Response == SignInResponse {
        try await complete(try await server.send(request), providerID: providerID, purpose: purpose)
    }

    /// Turns the response of a sign-in into its result.
    /// - Parameter providerID: of the first factor, if the response does not name it.
    /// - Throws: `secondFactorRequired` with the resolver; the soft errors of `accounts:signInWithIdp` (REST 2.4).
    func complete(
        _ response: SignInResponse, providerID: String?, purpose: SignInPurpose
    ) async throws -> AuthDataResult {
        if response.needConfirmation == true {
            throw AuthErrorCode(.accountExistsWithDifferentCredential, userInfo: response.collision)
        }
        if let message = response.errorMessage {
            let error = AuthErrorCode(serverMessage: message)
            throw AuthErrorCode(error.code, userInfo: error.userInfo.merging(response.collision) { $1 })
        }
        if let proof = response.temporaryProof, let phoneNumber = response.phoneNumber, response.idToken == nil {
            let credential = PhoneAuthCredential(.temporaryProof(proof, phoneNumber: phoneNumber))
            throw AuthErrorCode(
                .credentialAlreadyInUse, userInfo: [AuthErrorUserInfoUpdatedCredentialKey: credential])
        }
        if let pendingCredential = response.mfaPendingCredential {
            let resolver = MultiFactorResolver(
                pendingCredential, response, providerID: providerID, purpose: purpose, auth: self)
            throw AuthErrorCode(
                .secondFactorRequired, userInfo: [AuthErrorUserInfoMultiFactorResolverKey: resolver])
        }
        guard let tokens = response.tokens(at: clock.now()) else { throw AuthErrorCode(.internalError) }
        return try await complete(tokens, response, providerID: providerID, purpose: purpose)
    }

    /// Completes a sign-in whose tokens are there.
    func complete(
        _ tokens: SessionTokens, _ response: SignInResponse, providerID: String?, purpose: SignInPurpose
    ) async throws -> AuthDataResult {
        let user: User
        switch purpose {
        case .signIn:
            user = User(try await account(idToken: tokens.idToken), tokens, auth: self)
            try beginSession(of: user)
        case .reauthentication(let known):
            let account = try await account(idToken: tokens.idToken)
            guard account.localId == known.uid else { throw AuthErrorCode(.userMismatch) }
            user = known
            try user.replace(account, tokens)
        case .link(let known):
            if let localId = response.localId, localId != known.uid { throw AuthErrorCode(.userMismatch) }
            user = known
            // First: the change may have ended the former tokens, and the next request can fail.
            user.adopt(tokens)
            try await user.reload()
        }
        return AuthDataResult(
            user: user, additionalUserInfo: AdditionalUserInfo(response, providerID: providerID),
            credential: OAuthCredential(response))
    }

    /// Looks the account of an ID token up.
    func account(idToken: String) async throws -> AccountRecord {
        guard let account = try await server.send(LookupRequest(idToken: idToken)).users?.first else {
            throw AuthErrorCode(.userNotFound)
        }
        return account
    }
}

extension SignInResponse {
    /// The credential that can be linked later, and the address of the existing account.
    fileprivate var collision: [String: any Sendable] {
        var userInfo: [String: any Sendable] = [:]
        userInfo[AuthErrorUserInfoEmailKey] = email
        userInfo[AuthErrorUserInfoUpdatedCredentialKey] = OAuthCredential(self)
        return userInfo
    }
}
