import Foundation
import LatchkeyAuth

/// The guide to Facebook Login, classic and limited.
@MainActor
final class FacebookGuide {
    let screen: GuideScreen
    let isMFAEnabled = true
    /// The nonce of the Limited Login that runs.
    private var currentNonce: String?

    init(screen: GuideScreen) { self.screen = screen }

    // MARK: - Classic

    /// - Parameter tokenString: the access token of Facebook's library.
    func classicCredential(tokenString: String) -> AuthCredential {
        let credential =
            FacebookAuthProvider
            .credential(withAccessToken: tokenString)
        return credential
    }

    // MARK: - Limited

    /// - Returns: the nonce for Facebook's library.
    func setupLoginButton() -> String {
        let nonce = randomNonceString()
        currentNonce = nonce
        return sha256(nonce)
    }

    /// - Parameter idTokenString: the ID token of Facebook's library.
    func limitedCredential(idTokenString: String?) -> AuthCredential {
        let nonce = currentNonce
        let credential = OAuthProvider.credential(
            withProviderID: "facebook.com",
            IDToken: idTokenString,
            rawNonce: nonce)
        return credential
    }

    // MARK: - Sign-in

    func signIn(with credential: AuthCredential, completion: @escaping AuthDataResultCompletion) {
        Auth.auth().signIn(with: credential) { authResult, error in
            if let error = error {
                let authError = error as NSError
                if self.isMFAEnabled, authError.code == AuthErrorCode.secondFactorRequired.rawValue {
                    // The key has a value of this type with this code.
                    let resolver =
                        authError
                        .userInfo[AuthErrorUserInfoMultiFactorResolverKey] as! MultiFactorResolver
                    var displayNameString = ""
                    for tmpFactorInfo in resolver.hints {
                        displayNameString += tmpFactorInfo.displayName ?? ""
                        displayNameString += " "
                    }
                    self.screen.showTextInputPrompt(
                        withMessage: "Select factor to sign in\n\(displayNameString)",
                        completionBlock: { userPressedOK, displayName in
                            var selectedHint: PhoneMultiFactorInfo?
                            for tmpFactorInfo in resolver.hints {
                                if displayName == tmpFactorInfo.displayName {
                                    selectedHint = tmpFactorInfo as? PhoneMultiFactorInfo
                                }
                            }
                            PhoneAuthProvider.provider()
                                .verifyPhoneNumber(
                                    with: selectedHint!, uiDelegate: nil,
                                    multiFactorSession:
                                        resolver
                                        .session
                                ) { verificationID, error in
                                    if error != nil {
                                        completion(nil, error)
                                    } else {
                                        self.screen.showTextInputPrompt(
                                            withMessage: "Verification code for \(selectedHint?.displayName ?? "")",
                                            completionBlock: { userPressedOK, verificationCode in
                                                let credential: PhoneAuthCredential? =
                                                    PhoneAuthProvider.provider()
                                                    .credential(
                                                        withVerificationID: verificationID!,
                                                        verificationCode: verificationCode!)
                                                let assertion: MultiFactorAssertion? =
                                                    PhoneMultiFactorGenerator
                                                    .assertion(with: credential!)
                                                resolver.resolveSignIn(with: assertion!) { authResult, error in
                                                    if error != nil {
                                                        completion(nil, error)
                                                    } else {
                                                        completion(authResult, nil)
                                                    }
                                                }
                                            }
                                        )
                                    }
                                }
                        }
                    )
                } else {
                    self.screen.showMessagePrompt(error.localizedDescription)
                    completion(nil, error)
                    return
                }
                return
            }
            completion(authResult, nil)
        }
    }

    func signIn(with credential: AuthCredential) async throws -> AuthDataResult {
        do {
            return try await Auth.auth().signIn(with: credential)
        } catch let error as AuthErrorCode where error.code == .secondFactorRequired {
            guard let resolver = error.userInfo[AuthErrorUserInfoMultiFactorResolverKey] as? MultiFactorResolver
            else { throw error }
            let names = resolver.hints.map { $0.displayName ?? "" }.joined(separator: " ")
            let displayName = try await screen.text(after: "Select factor to sign in\n\(names)")
            guard
                let selectedHint = resolver.hints.first(where: { $0.displayName == displayName })
                    as? PhoneMultiFactorInfo
            else { throw UnexpectedFactorError() }
            let verificationID = try await PhoneAuthProvider.provider()
                .verifyPhoneNumber(with: selectedHint, uiDelegate: nil, multiFactorSession: resolver.session)
            let credential = PhoneAuthProvider.provider()
                .credential(
                    withVerificationID: verificationID,
                    verificationCode: try await screen.text(after: "Verification code for \(displayName)"))
            return try await resolver.resolveSignIn(with: PhoneMultiFactorGenerator.assertion(with: credential))
        } catch {
            screen.showMessagePrompt(error.localizedDescription)
            throw error
        }
    }
}
