import Foundation
import LatchkeyAuth

/// Second factors.
@MainActor
final class SecondFactors {
    let screen = Screen()

    // Snippet: enroll a phone
    func enroll(phoneNumber: String, verificationCode: String) {
        guard let user = Auth.auth().currentUser else { return }
        user.multiFactor.getSessionWithCompletion({ (session, error) in
            PhoneAuthProvider.provider().verifyPhoneNumber(
                phoneNumber, uiDelegate: nil, multiFactorSession: session
            ) { (verificationId, error) in
                let credential = PhoneAuthProvider.provider().credential(
                    withVerificationID: verificationId!, verificationCode: verificationCode)
                let assertion = PhoneMultiFactorGenerator.assertion(with: credential)
                user.multiFactor.enroll(with: assertion, displayName: "phone") { (error) in
                    print(error as Any)
                }
            }
        })
    }

    // Snippet: sign in with a phone as second factor
    func signIn(email: String, password: String, verificationCode: String) {
        Auth.auth().signIn(withEmail: email, password: password) { (result, error) in
            let authError = error as NSError?
            if authError?.code == AuthErrorCode.secondFactorRequired.rawValue {
                // The documentation casts so: the key has a value of this type with this code.
                let resolver =
                    authError!.userInfo[AuthErrorUserInfoMultiFactorResolverKey] as! MultiFactorResolver
                // The documentation casts so: the account has phones only.
                let hint = resolver.hints[0] as! PhoneMultiFactorInfo
                PhoneAuthProvider.provider().verifyPhoneNumber(
                    with: hint, uiDelegate: nil, multiFactorSession: resolver.session
                ) { (verificationId, error) in
                    let credential = PhoneAuthProvider.provider().credential(
                        withVerificationID: verificationId!, verificationCode: verificationCode)
                    let assertion = PhoneMultiFactorGenerator.assertion(with: credential)
                    resolver.resolveSignIn(with: assertion) { (authResult, error) in
                        self.screen.showMessagePrompt(authResult?.user.uid ?? error!.localizedDescription)
                    }
                }
            }
        }
    }

    // Snippet: an authenticator app
    func enrollApp(code: String) async throws {
        guard let user = Auth.auth().currentUser else { return }
        let mfaSession = try await user.multiFactor.session()
        let totpSecret = try await TOTPMultiFactorGenerator.generateSecret(with: mfaSession)
        let otpAuthUri = totpSecret.generateQRCodeURL(
            withAccountName: user.email ?? "default account", issuer: "Your App Name")
        totpSecret.openInOTPApp(withQRCodeURL: otpAuthUri)
        let assertion = TOTPMultiFactorGenerator.assertionForEnrollment(
            with: totpSecret, oneTimePassword: code)
        try await user.multiFactor.enroll(with: assertion, displayName: "TOTP")
        print(totpSecret.sharedSecretKey())
    }

    // Snippet: sign in with an authenticator app
    func resolve(_ error: NSError, code: String) async throws {
        let mfaKey = AuthErrorUserInfoMultiFactorResolverKey
        guard let resolver = error.userInfo[mfaKey] as? MultiFactorResolver else { return }
        let hint = resolver.hints.first { $0.factorID == TOTPMultiFactorID }
        guard let hint else { return }
        let assertion = TOTPMultiFactorGenerator.assertionForSignIn(
            withEnrollmentID: hint.uid, oneTimePassword: code)
        try await resolver.resolveSignIn(with: assertion)
    }

    // Snippet: remove a second factor
    func unenroll() {
        guard let user = Auth.auth().currentUser, let info = user.multiFactor.enrolledFactors.first else { return }
        user.multiFactor.unenroll(with: info) { error in
            if let error = error as NSError?, error.code == AuthErrorCode.invalidUserToken.rawValue {
                self.screen.showMessagePrompt("signed out")
            }
        }
        user.multiFactor.unenroll(withFactorUID: info.uid) { error in print(error as Any) }
    }
}
