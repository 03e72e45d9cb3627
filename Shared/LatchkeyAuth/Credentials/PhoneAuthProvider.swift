import Foundation

/// Sends codes to phones: to sign in with a phone number, and for second factors.
public final class PhoneAuthProvider: Sendable {
    /// `phone`.
    public static let id = "phone"

    let auth: Auth

    init(auth: Auth) { self.auth = auth }

    /// The provider of the default application.
    public static func provider() -> PhoneAuthProvider { PhoneAuthProvider(auth: .auth()) }

    /// The provider of a project.
    public static func provider(auth: Auth) -> PhoneAuthProvider { PhoneAuthProvider(auth: auth) }

    /// A verification ID and the code that the user has received.
    public func credential(withVerificationID verificationID: String, verificationCode: String) -> PhoneAuthCredential {
        PhoneAuthCredential(.code(verificationCode, verificationID: verificationID))
    }

    /// Sends a code to a phone: to sign in, or with a session of ``MultiFactor/session()`` to enroll the phone.
    /// - Parameters:
    ///   - phoneNumber: E.164, such as `+15105551234`.
    ///   - uiDelegate: shows the page of a reCAPTCHA, if the server requires one.
    ///   - multiFactorSession: nil to sign in.
    /// - Returns: the verification ID for ``credential(withVerificationID:verificationCode:)``.
    /// - Throws: `missingPhoneNumber`, `invalidPhoneNumber`, `quotaExceeded`, `tooManyRequests`, errors of app
    ///   verification; for an enrollment also `unverifiedEmail`, `secondFactorAlreadyEnrolled`,
    ///   `maximumSecondFactorCountExceeded`, `unsupportedFirstFactor`.
    @discardableResult
    public func verifyPhoneNumber(
        _ phoneNumber: String, uiDelegate: (any AuthUIDelegate)? = nil, multiFactorSession: MultiFactorSession? = nil
    ) async throws -> String {
        guard !phoneNumber.isEmpty else { throw AuthErrorCode(.missingPhoneNumber) }
        return try await auth.withAppCredential(uiDelegate) { [auth] credential in
            switch multiFactorSession?.content {
            case nil:
                try await auth.server.send(
                    SendVerificationCodeRequest(phoneNumber: phoneNumber, credential, tenantId: auth.tenantID)
                ).sessionInfo
            case .enrollment(let user):
                try await user.withIDToken { idToken in
                    try await auth.server.send(
                        StartPhoneEnrollmentRequest(idToken: idToken, phoneNumber: phoneNumber, credential)
                    ).phoneSessionInfo.sessionInfo
                }
            case .signIn: throw AuthErrorCode(.invalidMultiFactorSession)
            }
        }
    }

    /// Sends a code to the phone of a second factor, to complete a sign-in.
    /// - Parameters:
    ///   - multiFactorInfo: one of ``MultiFactorResolver/hints``.
    ///   - uiDelegate: shows the page of a reCAPTCHA, if the server requires one.
    ///   - multiFactorSession: ``MultiFactorResolver/session``.
    /// - Throws: `missingMultiFactorSession`, `invalidMultiFactorSession`, `multiFactorInfoNotFound`, `quotaExceeded`,
    ///   `tooManyRequests`, errors of app verification.
    @discardableResult
    public func verifyPhoneNumber(
        with multiFactorInfo: PhoneMultiFactorInfo, uiDelegate: (any AuthUIDelegate)? = nil,
        multiFactorSession: MultiFactorSession?
    ) async throws -> String {
        guard let session = multiFactorSession else { throw AuthErrorCode(.missingMultiFactorSession) }
        guard case .signIn(let pendingCredential, let tenantID) = session.content else {
            throw AuthErrorCode(.invalidMultiFactorSession)
        }
        // The request goes to the server that issued the pending credential.
        let auth = session.auth
        return try await auth.withAppCredential(uiDelegate) { credential in
            try await auth.server.send(
                StartPhoneSignInRequest(
                    mfaPendingCredential: pendingCredential, mfaEnrollmentId: multiFactorInfo.uid, credential,
                    tenantId: tenantID)
            ).phoneResponseInfo.sessionInfo
        }
    }
}

// MARK: - With a completion handler

extension PhoneAuthProvider {
    /// Receives a verification ID.
    public typealias VerificationCompletion = @MainActor @Sendable (String?, (any Error)?) -> Void

    /// The form with a completion handler, to sign in.
    public func verifyPhoneNumber(
        _ phoneNumber: String, uiDelegate: (any AuthUIDelegate)?, completion: VerificationCompletion?
    ) {
        verifyPhoneNumber(phoneNumber, uiDelegate: uiDelegate, multiFactorSession: nil, completion: completion)
    }

    /// The form with a completion handler, to sign in or to enroll.
    public func verifyPhoneNumber(
        _ phoneNumber: String, uiDelegate: (any AuthUIDelegate)?, multiFactorSession: MultiFactorSession?,
        completion: VerificationCompletion?
    ) {
        run(completion) {
            try await self.verifyPhoneNumber(
                phoneNumber, uiDelegate: uiDelegate, multiFactorSession: multiFactorSession)
        }
    }

    /// The form with a completion handler, to complete a sign-in.
    public func verifyPhoneNumber(
        with multiFactorInfo: PhoneMultiFactorInfo, uiDelegate: (any AuthUIDelegate)?,
        multiFactorSession: MultiFactorSession?, completion: VerificationCompletion?
    ) {
        run(completion) {
            try await self.verifyPhoneNumber(
                with: multiFactorInfo, uiDelegate: uiDelegate, multiFactorSession: multiFactorSession)
        }
    }
}
