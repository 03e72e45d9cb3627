import Foundation

extension Auth {
    /// Creates an account with a password, and signs its user in.
    /// - Throws: `emailAlreadyInUse`, `invalidEmail`, `weakPassword`, `passwordDoesNotMeetRequirements`,
    ///   `operationNotAllowed`, `adminRestrictedOperation`, `tooManyRequests`.
    @discardableResult
    public func createUser(withEmail email: String, password: String) async throws -> AuthDataResult {
        try await signUp(
            SignUpRequest(email: email, password: password, tenantId: tenantID), providerID: EmailAuthProvider.id)
    }

    /// Signs a user in with a password.
    /// - Throws: `invalidCredential` (or `wrongPassword` and `userNotFound` in projects without e-mail privacy),
    ///   `wrongPassword` for an empty password, `invalidEmail`, `userDisabled`, `operationNotAllowed`,
    ///   `tooManyRequests`, `secondFactorRequired`.
    @discardableResult
    public func signIn(withEmail email: String, password: String) async throws -> AuthDataResult {
        try await signIn(with: EmailAuthProvider.credential(withEmail: email, password: password))
    }

    /// Signs a user in with the link that ``sendSignInLink(toEmail:actionCodeSettings:)`` has sent.
    /// - Throws: `invalidActionCode`, `expiredActionCode`, `invalidEmail` for the address of another user,
    ///   `userDisabled`, `operationNotAllowed`, `secondFactorRequired`.
    @discardableResult
    public func signIn(withEmail email: String, link: String) async throws -> AuthDataResult {
        try await signIn(with: EmailAuthProvider.credential(withEmail: email, link: link))
    }

    /// Whether a link signs a user in.
    public func isSignIn(withEmailLink link: String) -> Bool { ActionCodeURL(link: link)?.operation == .emailLink }

    /// Signs in without a credential. An anonymous user who is signed in already stays.
    /// - Throws: `adminRestrictedOperation`, `tooManyRequests`.
    @discardableResult
    public func signInAnonymously() async throws -> AuthDataResult {
        if let user = currentUser, user.isAnonymous {
            return AuthDataResult(
                user: user, additionalUserInfo: AdditionalUserInfo(SignInResponse(), providerID: nil), credential: nil)
        }
        return try await signUp(SignUpRequest(tenantId: tenantID), providerID: nil)
    }

    /// Creates an account. The response does not say that it is new.
    private func signUp(_ request: SignUpRequest, providerID: String?) async throws -> AuthDataResult {
        var response = try await server.send(request)
        response.isNewUser = true
        return try await complete(response, providerID: providerID, purpose: .signIn)
    }

    /// Signs a user in with a token that a backend has signed with a service account.
    /// - Throws: `invalidCustomToken`, `customTokenMismatch`, `tenantIDMismatch`, `userDisabled`.
    @discardableResult
    public func signIn(withCustomToken token: String) async throws -> AuthDataResult {
        try await signIn(CustomTokenSignInRequest(token: token, tenantId: tenantID), providerID: nil)
    }

    /// Signs a user in with a credential. Each of them creates the account if there is none, but a password.
    /// - Throws: `invalidCredential`, `accountExistsWithDifferentCredential`, `missingOrInvalidNonce`,
    ///   `invalidVerificationCode`, `sessionExpired`, `operationNotAllowed`, `userDisabled`, `tooManyRequests`,
    ///   `secondFactorRequired`.
    @discardableResult
    public func signIn(with credential: AuthCredential) async throws -> AuthDataResult {
        try await complete(
            try await response(to: credential, idToken: nil, use: .signIn, tenantID: tenantID),
            providerID: credential.provider, purpose: .signIn)
    }

    /// What a credential is sent for.
    enum CredentialUse: Sendable {
        case signIn
        case reauthentication
        case link
        /// Replaces the phone number of the account.
        case phoneNumberChange
    }

    /// Sends a credential.
    /// - Parameters:
    ///   - idToken: of the user whose account it is for, unless it is a sign-in.
    ///   - tenantId: of that user, or the one to sign in to.
    func response(
        to credential: AuthCredential, idToken: String?, use: CredentialUse, tenantID tenantId: String?
    ) async throws -> SignInResponse {
        switch credential.content {
        case .password(let email, let password):
            guard use != .link else {
                return try await server.send(
                    SignUpRequest(email: email, password: password, idToken: idToken, tenantId: tenantId))
            }
            // No account has it, and the server would count the attempt.
            guard !password.isEmpty else { throw AuthErrorCode(.wrongPassword) }
            return try await server.send(
                PasswordSignInRequest(email: email, password: password, tenantId: tenantId))
        case .emailLink(let email, let link):
            guard let url = ActionCodeURL(link: link), url.operation == .emailLink else {
                throw AuthErrorCode(.invalidActionCode)
            }
            return try await server.send(
                EmailLinkSignInRequest(
                    email: email, oobCode: url.code, idToken: idToken, tenantId: url.tenantID ?? tenantId))
        case .emailCode(let code, let verificationID):
            return try await server.send(
                EmailCodeSignInRequest(
                    sessionInfo: verificationID, code: code, idToken: idToken, tenantId: tenantId))
        case .phone(let content):
            return try await server.send(
                PhoneSignInRequest(content, operation: use.phoneOperation, idToken: idToken, tenantId: tenantId))
        case .gameCenter(let identity):
            return try await server.send(
                GameCenterSignInRequest(identity, idToken: idToken, tenantId: tenantId))
        case .identityProvider(let content):
            return try await server.send(
                ProviderSignInRequest(
                    provider: credential.provider, content, idToken: idToken, autoCreate: use != .reauthentication,
                    tenantId: tenantId))
        }
    }
}

extension Auth.CredentialUse {
    fileprivate var phoneOperation: PhoneSignInRequest.Operation {
        switch self {
        case .signIn: .signUpOrIn
        case .reauthentication: .reauthentication
        case .link: .link
        case .phoneNumberChange: .update
        }
    }
}

// MARK: - With a completion handler

extension Auth {
    /// The form with a completion handler.
    public func createUser(withEmail email: String, password: String, completion: AuthDataResultCompletion? = nil) {
        run(completion) { try await self.createUser(withEmail: email, password: password) }
    }

    /// The form with a completion handler.
    public func signIn(withEmail email: String, password: String, completion: AuthDataResultCompletion? = nil) {
        run(completion) { try await self.signIn(withEmail: email, password: password) }
    }

    /// The form with a completion handler.
    public func signIn(withEmail email: String, link: String, completion: AuthDataResultCompletion? = nil) {
        run(completion) { try await self.signIn(withEmail: email, link: link) }
    }

    /// The form with a completion handler.
    public func signInAnonymously(completion: AuthDataResultCompletion? = nil) {
        run(completion) { try await self.signInAnonymously() }
    }

    /// The form with a completion handler.
    public func signIn(withCustomToken token: String, completion: AuthDataResultCompletion? = nil) {
        run(completion) { try await self.signIn(withCustomToken: token) }
    }

    /// The form with a completion handler.
    public func signIn(with credential: AuthCredential, completion: AuthDataResultCompletion? = nil) {
        run(completion) { try await self.signIn(with: credential) }
    }
}
