import Foundation

/// A sign-in whose first factor is verified. It is complete after ``resolveSignIn(with:)``.
///
/// ``AuthErrorCode/secondFactorRequired`` carries it in `userInfo`, under
/// ``AuthErrorUserInfoMultiFactorResolverKey``. It is valid for about ten minutes, for authenticator apps five.
public final class MultiFactorResolver: Sendable {
    /// The second factors of the account, with masked phone numbers.
    public let hints: [MultiFactorInfo]
    /// The pending sign-in, for ``PhoneAuthProvider/verifyPhoneNumber(with:uiDelegate:multiFactorSession:)``.
    public let session: MultiFactorSession
    /// The `Auth` in which the user signs in.
    public let auth: Auth
    /// The number of recovery codes that the user has left; nil for an account without recovery codes.
    public let recoveryCodesLeft: Int?

    private let pending: Secret<PendingSignIn>
    private let providerID: String?
    private let purpose: SignInPurpose

    private struct PendingSignIn: Sendable {
        let pendingCredential: String
        let firstFactor: SignInResponse
        /// In which the sign-in has begun.
        let tenantID: String?
    }

    init(
        _ pendingCredential: String, _ firstFactor: SignInResponse, providerID: String?, purpose: SignInPurpose,
        auth: Auth
    ) {
        let tenantID = auth.tenantID
        pending = Secret(
            PendingSignIn(pendingCredential: pendingCredential, firstFactor: firstFactor, tenantID: tenantID))
        self.providerID = providerID
        self.purpose = purpose
        self.auth = auth
        hints = (firstFactor.mfaInfo ?? []).map(MultiFactorInfo.info)
        session = MultiFactorSession(.signIn(pendingCredential: pendingCredential, tenantID: tenantID), auth: auth)
        recoveryCodesLeft = firstFactor.recoveryCodesInfo?.left
    }

    /// Completes the sign-in.
    /// - Returns: the user, with what the identity provider of the first factor returned.
    /// - Throws: `invalidVerificationCode`, `sessionExpired`, `invalidMultiFactorSession`, `multiFactorInfoNotFound`,
    ///   `quotaExceeded`, `userDisabled`.
    @discardableResult
    public func resolveSignIn(with assertion: MultiFactorAssertion) async throws -> AuthDataResult {
        let pending = pending.reveal()
        let response = try await response(to: assertion, pending)
        guard let tokens = response.tokens(at: auth.clock.now()) else { throw AuthErrorCode(.internalError) }
        return try await auth.complete(tokens, pending.firstFactor, providerID: providerID, purpose: purpose)
    }

    private func response(
        to assertion: MultiFactorAssertion, _ pending: PendingSignIn
    ) async throws -> SignInResponse {
        switch assertion.content {
        case .phone(.code(let code, let verificationID)):
            return try await auth.server.send(
                FinalizeSignInRequest(
                    mfaPendingCredential: pending.pendingCredential,
                    phoneVerificationInfo: PhoneVerificationInfo(sessionInfo: verificationID, code: code),
                    tenantId: pending.tenantID))
        case .totpSignIn(let enrollmentID, let oneTimePassword):
            return try await auth.server.send(
                FinalizeSignInRequest(
                    mfaPendingCredential: pending.pendingCredential, mfaEnrollmentId: enrollmentID,
                    totpVerificationInfo: .init(verificationCode: oneTimePassword), tenantId: pending.tenantID))
        case .recoveryCode(let code):
            return try await auth.server.send(
                RecoveryCodeSignInRequest(
                    mfaPendingCredential: pending.pendingCredential, recoveryCode: code, tenantId: pending.tenantID))
        case .phone(.temporaryProof), .totpEnrollment:
            throw AuthErrorCode(.invalidMultiFactorSession)
        }
    }

    /// The form with a completion handler.
    public func resolveSignIn(with assertion: MultiFactorAssertion, completion: AuthDataResultCompletion? = nil) {
        run(completion) { try await self.resolveSignIn(with: assertion) }
    }
}
