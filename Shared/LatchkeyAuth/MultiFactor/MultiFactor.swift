import Foundation

/// The second factors of a user.
public final class MultiFactor: Sendable {
    private let user: User

    init(user: User) { self.user = user }

    /// The second factors that the account has.
    public var enrolledFactors: [MultiFactorInfo] { (user.account.mfaInfo ?? []).map(MultiFactorInfo.info) }

    /// A session to enroll a second factor.
    /// - Throws: as ``User/getIDTokenResult(forcingRefresh:)``.
    public func session() async throws -> MultiFactorSession {
        _ = try await user.getIDToken()
        return MultiFactorSession(.enrollment(user), auth: user.auth)
    }

    /// Completes an enrollment. Other sessions of the user end if the factor is a phone.
    /// - Parameters:
    ///   - assertion: of a code that the phone or the app shows now.
    ///   - displayName: shown to the user at the next sign-in. Authenticator apps require one.
    /// - Throws: `invalidVerificationCode`, `sessionExpired`, `invalidVerificationID`, `secondFactorAlreadyEnrolled`,
    ///   `maximumSecondFactorCountExceeded`, and as ``User/reload()``.
    public func enroll(with assertion: MultiFactorAssertion, displayName: String?) async throws {
        let request: (String) -> FinalizeEnrollmentRequest
        switch assertion.content {
        case .phone(.code(let code, let verificationID)):
            let info = PhoneVerificationInfo(sessionInfo: verificationID, code: code)
            request = { .init(idToken: $0, displayName: displayName, phoneVerificationInfo: info) }
        case .totpEnrollment(let secret, let oneTimePassword):
            let info = FinalizeEnrollmentRequest.TOTPInfo(
                sessionInfo: secret.session.sessionInfo, verificationCode: oneTimePassword)
            request = { .init(idToken: $0, displayName: displayName, totpVerificationInfo: info) }
        case .phone(.temporaryProof), .totpSignIn, .recoveryCode:
            throw AuthErrorCode(.invalidMultiFactorSession)
        }
        try await user.change { idToken in
            var request = request(idToken)
            request.tenantId = user.tenantID
            return request
        }
    }

    /// Removes a second factor.
    /// - Throws: as ``unenroll(withFactorUID:)``.
    public func unenroll(with factorInfo: MultiFactorInfo) async throws {
        try await unenroll(withFactorUID: factorInfo.uid)
    }

    /// Removes a second factor. All other sessions of the user end.
    /// - Throws: `invalidUserToken` after the factor was removed, if it was that of this session and others remain: the
    ///   user is signed out and must sign in again; `requiresRecentLogin`, `multiFactorInfoNotFound`.
    public func unenroll(withFactorUID factorUID: String) async throws {
        let hasNewTokens = try await user.replacingTokens {
            let response = try await user.withIDToken { idToken in
                try await self.user.auth.server.send(
                    WithdrawEnrollmentRequest(
                        idToken: idToken, mfaEnrollmentId: factorUID, tenantId: self.user.tenantID))
            }
            let tokens = response.tokens(at: user.auth.clock.now())
            if let tokens { user.adopt(tokens) }
            return tokens != nil
        }
        do {
            // An ID token of this second stays valid, as the server compares seconds. The refresh token does not.
            if !hasNewTokens { _ = try await user.getIDToken(forcingRefresh: true) }
            try await user.reload()
        } catch let error as AuthErrorCode where error.code == .userTokenExpired {
            throw AuthErrorCode(.invalidUserToken, userInfo: error.userInfo.filter { $0.key.contains("Server") })
        }
    }

    // MARK: - Recovery codes

    /// Replaces the recovery codes of the user, which Latchkey adds to the second factors.
    /// - Returns: the codes. The server keeps only hashes: show them once.
    /// - Throws: `requiresRecentLogin`, and as ``User/reload()``.
    public func generateRecoveryCodes() async throws -> [String] {
        try await user.withIDToken { idToken in
            try await self.user.auth.server.send(
                GenerateRecoveryCodesRequest(idToken: idToken, tenantId: self.user.tenantID)
            ).recoveryCodes
        }
    }

    /// The number of recovery codes that the user has not used.
    /// - Throws: as ``User/reload()``.
    public func recoveryCodesLeft() async throws -> Int {
        try await user.withIDToken { idToken in
            try await self.user.auth.server.send(
                CountRecoveryCodesRequest(idToken: idToken, tenantId: self.user.tenantID)
            ).recoveryCodesLeft
        }
    }
}

// MARK: - With a completion handler

extension MultiFactor {
    /// The form of ``session()`` with a completion handler.
    public func getSessionWithCompletion(
        _ completion: (@MainActor @Sendable (MultiFactorSession?, (any Error)?) -> Void)?
    ) {
        run(completion) { try await self.session() }
    }

    /// The form of ``enroll(with:displayName:)`` with a completion handler.
    public func enroll(
        with assertion: MultiFactorAssertion, displayName: String?, completion: AuthCompletion?
    ) {
        run(completion) { try await self.enroll(with: assertion, displayName: displayName) }
    }

    /// The form of ``unenroll(with:)`` with a completion handler.
    public func unenroll(with factorInfo: MultiFactorInfo, completion: AuthCompletion?) {
        run(completion) { try await self.unenroll(with: factorInfo) }
    }

    /// The form of ``unenroll(withFactorUID:)`` with a completion handler.
    public func unenroll(withFactorUID factorUID: String, completion: AuthCompletion?) {
        run(completion) { try await self.unenroll(withFactorUID: factorUID) }
    }
}
