import Foundation
import LatchkeyAuth

/// The guide to SMS as second factor: enrollment and sign-in, each in steps and as a whole.
@MainActor
struct SMSGuide {
    let screen: GuideScreen

    // MARK: - Enrollment in steps

    /// Steps 3 and 4: a session, then the code.
    func sendEnrollmentCode(
        _ authResult: AuthDataResult, phoneNumber: String,
        completion: @escaping PhoneAuthProvider.VerificationCompletion
    ) {
        authResult.user.multiFactor.getSessionWithCompletion { (session, error) in
            if let error { return completion(nil, error) }
            PhoneAuthProvider.provider().verifyPhoneNumber(
                phoneNumber,
                uiDelegate: nil,
                multiFactorSession: session
            ) { (verificationId, error) in
                completion(verificationId, error)
            }
        }
    }

    /// Steps 5 to 7: the credential, the assertion, the enrollment.
    func finishEnrollment(
        _ user: User, verificationId: String, verificationCode: String, displayName: String?,
        completion: @escaping AuthCompletion
    ) {
        let credential = PhoneAuthProvider.provider().credential(
            withVerificationID: verificationId,
            verificationCode: verificationCode)
        let assertion = PhoneMultiFactorGenerator.assertion(with: credential)
        user.multiFactor.enroll(with: assertion, displayName: displayName) { (error) in
            completion(error)
        }
    }

    // MARK: - Enrollment as a whole

    func enroll(phoneNumber: String, displayName: String, completion: @escaping AuthCompletion) {
        let user = Auth.auth().currentUser
        user?.multiFactor.getSessionWithCompletion({ (session, error) in
            if let error { return completion(error) }
            PhoneAuthProvider.provider().verifyPhoneNumber(
                phoneNumber,
                uiDelegate: nil,
                multiFactorSession: session
            ) { (verificationId, error) in
                if let error { return completion(error) }
                screen.showTextInputPrompt(withMessage: "Code for \(phoneNumber)") { _, verificationCode in
                    let credential = PhoneAuthProvider.provider().credential(
                        withVerificationID: verificationId!,
                        verificationCode: verificationCode ?? "")
                    let assertion = PhoneMultiFactorGenerator.assertion(with: credential)
                    user?.multiFactor.enroll(with: assertion, displayName: displayName) { (error) in
                        completion(error)
                    }
                }
            }
        })
    }

    func enroll(phoneNumber: String, displayName: String) async throws {
        guard let user = Auth.auth().currentUser else { throw AuthErrorCode(.nullUser) }
        let session = try await user.multiFactor.session()
        let verificationId = try await PhoneAuthProvider.provider().verifyPhoneNumber(
            phoneNumber,
            uiDelegate: nil,
            multiFactorSession: session)
        let credential = PhoneAuthProvider.provider().credential(
            withVerificationID: verificationId,
            verificationCode: try await screen.text(after: "Code for \(phoneNumber)"))
        let assertion = PhoneMultiFactorGenerator.assertion(with: credential)
        try await user.multiFactor.enroll(with: assertion, displayName: displayName)
    }

    // MARK: - Sign-in in steps

    /// Step 1: the first factor.
    func resolver(
        withEmail email: String, password: String,
        completion: @escaping @MainActor @Sendable (MultiFactorResolver?, (any Error)?) -> Void
    ) {
        Auth.auth().signIn(
            withEmail: email,
            password: password
        ) { (result, error) in
            let authError = error as NSError?
            if authError?.code == AuthErrorCode.secondFactorRequired.rawValue {
                // The key has a value of this type with this code.
                let resolver =
                    authError!.userInfo[AuthErrorUserInfoMultiFactorResolverKey] as! MultiFactorResolver
                completion(resolver, nil)
            } else {
                completion(nil, error)
            }
        }
    }

    /// Step 1 with an identity provider as first factor.
    func resolver(
        with provider: OAuthProvider, uiDelegate: any AuthUIDelegate,
        completion: @escaping @MainActor @Sendable (MultiFactorResolver?, (any Error)?) -> Void
    ) {
        provider.getCredentialWith(uiDelegate) { credential, error in
            guard let credential else { return completion(nil, error) }
            Auth.auth().signIn(with: credential) { (result, error) in
                let authError = error as NSError?
                if authError?.code == AuthErrorCode.secondFactorRequired.rawValue {
                    // The key has a value of this type with this code.
                    let resolver =
                        authError!.userInfo[AuthErrorUserInfoMultiFactorResolverKey] as! MultiFactorResolver
                    completion(resolver, nil)
                } else {
                    completion(nil, error)
                }
            }
        }
    }

    /// Steps 2 and 3: the factor of the user's choice, then the code.
    func sendSignInCode(
        _ resolver: MultiFactorResolver, selectedIndex: Int,
        completion: @escaping PhoneAuthProvider.VerificationCompletion
    ) {
        if resolver.hints[selectedIndex].factorID == PhoneMultiFactorID {
            // Each phone is of this type.
            let hint = resolver.hints[selectedIndex] as! PhoneMultiFactorInfo
            PhoneAuthProvider.provider().verifyPhoneNumber(
                with: hint,
                uiDelegate: nil,
                multiFactorSession: resolver.session
            ) { (verificationId, error) in
                completion(verificationId, error)
            }
        } else if resolver.hints[selectedIndex].factorID == TotpMultiFactorID {
            completion(nil, UnexpectedFactorError())
        } else {
            completion(nil, UnexpectedFactorError())
        }
    }

    /// Steps 4 to 6: the credential, the assertion, the sign-in.
    func finishSignIn(
        _ resolver: MultiFactorResolver, verificationId: String?, verificationCodeFromUser: String,
        completion: @escaping AuthDataResultCompletion
    ) {
        let credential = PhoneAuthProvider.provider().credential(
            withVerificationID: verificationId!,
            verificationCode: verificationCodeFromUser)
        let assertion = PhoneMultiFactorGenerator.assertion(with: credential)
        resolver.resolveSignIn(with: assertion) { (authResult, error) in
            completion(authResult, error)
        }
    }

    // MARK: - Sign-in as a whole

    func signIn(
        email: String, password: String, selectedIndex: Int, completion: @escaping AuthDataResultCompletion
    ) {
        Auth.auth().signIn(
            withEmail: email,
            password: password
        ) { (result, error) in
            let authError = error as NSError?
            if authError?.code == AuthErrorCode.secondFactorRequired.rawValue {
                // The key has a value of this type with this code.
                let resolver =
                    authError!.userInfo[AuthErrorUserInfoMultiFactorResolverKey] as! MultiFactorResolver
                // The user has phones only.
                let hint = resolver.hints[selectedIndex] as! PhoneMultiFactorInfo
                PhoneAuthProvider.provider().verifyPhoneNumber(
                    with: hint,
                    uiDelegate: nil,
                    multiFactorSession: resolver.session
                ) { (verificationId, error) in
                    if error != nil {
                        return completion(nil, error)
                    }
                    screen.showTextInputPrompt(withMessage: "Code for \(hint.phoneNumber)") { _, verificationCode in
                        let credential = PhoneAuthProvider.provider().credential(
                            withVerificationID: verificationId!,
                            verificationCode: verificationCode ?? "")
                        let assertion = PhoneMultiFactorGenerator.assertion(with: credential)
                        resolver.resolveSignIn(with: assertion) { (authResult, error) in
                            completion(authResult, error)
                        }
                    }
                }
            } else {
                completion(result, error)
            }
        }
    }

    func signIn(email: String, password: String, selectedIndex: Int) async throws -> AuthDataResult {
        do {
            return try await Auth.auth().signIn(withEmail: email, password: password)
        } catch let error as AuthErrorCode where error.code == .secondFactorRequired {
            return try await resolve(error, selectedIndex: selectedIndex)
        }
    }

    /// The same with an identity provider as first factor.
    func signIn(
        with provider: OAuthProvider, uiDelegate: any AuthUIDelegate, selectedIndex: Int
    ) async throws -> AuthDataResult {
        do {
            let credential = try await provider.getCredentialWith(uiDelegate)
            return try await Auth.auth().signIn(with: credential)
        } catch let error as AuthErrorCode where error.code == .secondFactorRequired {
            return try await resolve(error, selectedIndex: selectedIndex)
        }
    }

    private func resolve(_ error: AuthErrorCode, selectedIndex: Int) async throws -> AuthDataResult {
        guard let resolver = error.userInfo[AuthErrorUserInfoMultiFactorResolverKey] as? MultiFactorResolver,
            let hint = resolver.hints[selectedIndex] as? PhoneMultiFactorInfo
        else { throw UnexpectedFactorError() }
        let verificationId = try await PhoneAuthProvider.provider().verifyPhoneNumber(
            with: hint,
            uiDelegate: nil,
            multiFactorSession: resolver.session)
        let credential = PhoneAuthProvider.provider().credential(
            withVerificationID: verificationId,
            verificationCode: try await screen.text(after: "Code for \(hint.phoneNumber)"))
        return try await resolver.resolveSignIn(with: PhoneMultiFactorGenerator.assertion(with: credential))
    }
}

/// The account has another second factor than the guide expects.
struct UnexpectedFactorError: Error {}
