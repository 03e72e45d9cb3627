import Foundation
import LatchkeyAdmin
import LatchkeyAuth

/// The guide to TOTP as second factor: enrollment, sign-in, unenrollment.
@MainActor
struct TOTPGuide {
    let screen: GuideScreen

    // MARK: - Configuration

    /// Offers authenticator apps to the users of the project, in a backend.
    static func enable(in auth: AdminAuth, adjacentIntervals: Int) async throws {
        try await auth.projectConfigManager().updateProjectConfig(
            multiFactorConfig: MultiFactorConfig(
                providerConfigs: [
                    .init(
                        state: .enabled,
                        totpProviderConfig: .init(
                            adjacentIntervals: adjacentIntervals))
                ]))
    }

    // MARK: - Enrollment

    /// - Parameter showSecret: receives the key and the URL that an authenticator app reads.
    func enroll(_ currentUser: User, showSecret: (_ secret: String, _ otpAuthUri: String) -> Void) async throws {
        guard let mfaSession = try? await currentUser.multiFactor.session() else { return }
        guard let totpSecret = try? await TOTPMultiFactorGenerator.generateSecret(with: mfaSession) else { return }
        let secret = totpSecret.sharedSecretKey()
        let otpAuthUri = totpSecret.generateQRCodeURL(
            withAccountName: currentUser.email ?? "default account",
            issuer: "Your App Name")
        totpSecret.openInOTPApp(withQRCodeURL: otpAuthUri)
        showSecret(secret, otpAuthUri)

        let verificationCode = try await screen.text(after: "Code of the app")
        let multiFactorAssertion = TOTPMultiFactorGenerator.assertionForEnrollment(
            with: totpSecret,
            oneTimePassword: verificationCode)
        do {
            try await currentUser.multiFactor.enroll(
                with: multiFactorAssertion,
                displayName: "TOTP")
        } catch {
            screen.showMessagePrompt("The code is wrong or has expired.")
            throw error
        }
    }

    func enroll(
        _ currentUser: User, showSecret: @escaping @MainActor (_ secret: String, _ otpAuthUri: String) -> Void,
        completion: @escaping AuthCompletion
    ) {
        currentUser.multiFactor.getSessionWithCompletion { mfaSession, error in
            guard let mfaSession else { return completion(error) }
            TOTPMultiFactorGenerator.generateSecret(with: mfaSession) { totpSecret, error in
                guard let totpSecret else { return completion(error) }
                let otpAuthUri = totpSecret.generateQRCodeURL(
                    withAccountName: currentUser.email ?? "default account",
                    issuer: "Your App Name")
                showSecret(totpSecret.sharedSecretKey(), otpAuthUri)
                screen.showTextInputPrompt(withMessage: "Code of the app") { _, verificationCode in
                    let multiFactorAssertion = TOTPMultiFactorGenerator.assertionForEnrollment(
                        with: totpSecret,
                        oneTimePassword: verificationCode ?? "")
                    currentUser.multiFactor.enroll(with: multiFactorAssertion, displayName: "TOTP") { error in
                        completion(error)
                    }
                }
            }
        }
    }

    // MARK: - Sign-in

    /// - Parameter select: the index of the factor that the user chooses by its name.
    func signIn(
        email: String, password: String, select: ([String?]) -> Int
    ) async throws -> AuthDataResult? {
        do {
            let authResult = try await Auth.auth().signIn(withEmail: email, password: password)
            return authResult
        } catch let error as AuthErrorCode where error.code == .secondFactorRequired {
            let mfaKey = AuthErrorUserInfoMultiFactorResolverKey
            guard let resolver = error.userInfo[mfaKey] as? MultiFactorResolver else { return nil }
            let enrolledFactors = resolver.hints.map(\.displayName)
            let selectedIndex = select(enrolledFactors)
            let multiFactorInfo = resolver.hints[selectedIndex]
            switch multiFactorInfo.factorID {
            case TOTPMultiFactorID:
                let otpFromAuthenticator = try await screen.text(after: "Code of the app")
                let assertion = TOTPMultiFactorGenerator.assertionForSignIn(
                    withEnrollmentID: multiFactorInfo.uid,
                    oneTimePassword: otpFromAuthenticator)
                do {
                    let authResult = try await resolver.resolveSignIn(with: assertion)
                    return authResult
                } catch {
                    screen.showMessagePrompt("The code is wrong or has expired.")
                    throw error
                }
            default:
                return nil
            }
        } catch {
            throw error
        }
    }

    func signIn(
        email: String, password: String, select: @escaping @MainActor ([String?]) -> Int,
        completion: @escaping AuthDataResultCompletion
    ) {
        Auth.auth().signIn(withEmail: email, password: password) { authResult, error in
            guard let error = error as? AuthErrorCode, error.code == .secondFactorRequired,
                let resolver = error.userInfo[AuthErrorUserInfoMultiFactorResolverKey] as? MultiFactorResolver
            else { return completion(authResult, error) }
            let multiFactorInfo = resolver.hints[select(resolver.hints.map(\.displayName))]
            guard multiFactorInfo.factorID == TOTPMultiFactorID else {
                return completion(nil, UnexpectedFactorError())
            }
            screen.showTextInputPrompt(withMessage: "Code of the app") { _, otpFromAuthenticator in
                let assertion = TOTPMultiFactorGenerator.assertionForSignIn(
                    withEnrollmentID: multiFactorInfo.uid,
                    oneTimePassword: otpFromAuthenticator ?? "")
                resolver.resolveSignIn(with: assertion) { authResult, error in
                    completion(authResult, error)
                }
            }
        }
    }

    // MARK: - Unenrollment

    /// - Returns: whether the user stays signed in.
    func unenroll(select: ([MultiFactorInfo]) -> Int) async throws -> Bool {
        guard let currentUser = Auth.auth().currentUser else { return false }
        let selectedIndex = select(currentUser.multiFactor.enrolledFactors)
        let multiFactorInfo = currentUser.multiFactor.enrolledFactors[selectedIndex]
        do {
            try await currentUser.multiFactor.unenroll(with: multiFactorInfo)
            return true
        } catch let error as AuthErrorCode where error.code == .invalidUserToken {
            return false
        }
    }

    func unenroll(
        select: ([MultiFactorInfo]) -> Int, completion: @escaping @MainActor @Sendable (Bool?, (any Error)?) -> Void
    ) {
        guard let currentUser = Auth.auth().currentUser else { return completion(false, nil) }
        let factors = currentUser.multiFactor.enrolledFactors
        currentUser.multiFactor.unenroll(with: factors[select(factors)]) { error in
            let authError = error as NSError?
            if authError?.code == AuthErrorCode.invalidUserToken.rawValue { return completion(false, nil) }
            completion(true, error)
        }
    }
}
