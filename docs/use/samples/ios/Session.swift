import AuthenticationServices
import LatchkeyAuth
import SwiftUI

/// The user of the application, and the calls of the pages. Each call shows its error as a message.
@MainActor @Observable
final class Session {
    private let auth: Auth
    private let passkeys = PasskeySheet()
    private(set) var user: User?
    private(set) var secondFactor: SecondFactorStep?
    private(set) var message: String?
    private(set) var isBusy = false

    init(auth: Auth) {
        self.auth = auth
        user = auth.currentUser
    }

    /// Follows sign-ins and sign-outs, as long as the application shows a window.
    func follow() async {
        for await user in auth.authStateChanges {
            self.user = user
            if user != nil { secondFactor = nil }
        }
    }

    // MARK: - Sign-in

    func signIn(email: String, password: String) {
        run { try await $0.auth.signIn(withEmail: email, password: password) }
    }

    func createAccount(email: String, password: String) {
        run { session in
            let result = try await session.auth.createUser(withEmail: email, password: password)
            try await result.user.sendEmailVerification()
        }
    }

    func signInWithPasskey() {
        run { session in
            let request = try await session.auth.startPasskeySignIn()
            guard case .signIn(let credential) = try await session.passkeys.perform(request) else { return }
            try await session.auth.finalizePasskeySignIn(withPlatformCredential: credential)
        }
    }

    /// Every way that the project offers. The application is registered with this address:
    /// `latchkey apps add Shop --kind ios --redirect com.example.shop:/signed-in`.
    func signInOnPage(clientID: String) {
        guard let redirectURL = URL(string: "com.example.shop:/signed-in") else { return }
        run { try await $0.auth.signIn(withHostedPage: HostedPage(clientID: clientID, redirectURL: redirectURL)) }
    }

    func resetPassword(email: String) {
        run { session in
            try await session.auth.sendPasswordReset(withEmail: email)
            session.message = "Look into your inbox."
        }
    }

    // MARK: - The second factor

    func complete(_ step: SecondFactorStep, code: String) {
        run { _ in try await step.complete(code: code) }
    }

    // MARK: - The account

    func addPasskey() {
        run { session in
            guard let user = session.user else { return }
            let request = try await user.startPasskeyEnrollment(withName: "My phone")
            guard case .registration(let credential) = try await session.passkeys.perform(request) else { return }
            try await user.finalizePasskeyEnrollment(withPlatformCredential: credential)
        }
    }

    func signOut() {
        run { try $0.auth.signOut() }
    }

    /// Runs a call, and shows its error.
    private func run(_ call: @escaping @MainActor (Session) async throws -> Void) {
        isBusy = true
        message = nil
        Task {
            do {
                try await call(self)
            } catch AuthErrorCode.webContextCancelled {
                // The user has closed the page.
            } catch let error as AuthErrorCode where error.code == .secondFactorRequired {
                secondFactor = await SecondFactorStep(error)
            } catch {
                message = error.localizedDescription
            }
            isBusy = false
        }
    }
}

/// A sign-in that waits for a code.
@MainActor
final class SecondFactorStep {
    private let resolver: MultiFactorResolver
    private let hint: MultiFactorInfo
    private var verificationID: String?
    /// The name of the phone or the app.
    var name: String { hint.displayName ?? hint.factorID }

    /// Sends the code to a phone. Nil for an account without a factor that this application knows.
    init?(_ error: AuthErrorCode) async {
        guard let resolver = error.userInfo[AuthErrors.userInfoMultiFactorResolverKey] as? MultiFactorResolver,
            let hint = resolver.hints.first
        else { return nil }
        self.resolver = resolver
        self.hint = hint
        if let phone = hint as? PhoneMultiFactorInfo {
            // Without the code, the step fails with `invalidVerificationID`, and the user begins anew.
            verificationID = try? await PhoneAuthProvider.provider(auth: resolver.auth).verifyPhoneNumber(
                with: phone, multiFactorSession: resolver.session)
        }
    }

    func complete(code: String) async throws {
        if hint is PhoneMultiFactorInfo {
            let credential = PhoneAuthProvider.provider(auth: resolver.auth).credential(
                withVerificationID: verificationID ?? "", verificationCode: code)
            try await resolver.resolveSignIn(with: PhoneMultiFactorGenerator.assertion(with: credential))
        } else {
            try await resolver.resolveSignIn(
                with: TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: hint.uid, oneTimePassword: code))
        }
    }
}

/// Shows the sheet of the system for a passkey.
@MainActor
final class PasskeySheet: NSObject, ASAuthorizationControllerDelegate {
    enum Credential {
        case signIn(ASAuthorizationPlatformPublicKeyCredentialAssertion)
        case registration(ASAuthorizationPlatformPublicKeyCredentialRegistration)
    }

    private var continuation: CheckedContinuation<Credential?, any Error>?

    /// - Returns: nil for a credential of another kind.
    func perform(_ request: ASAuthorizationRequest) async throws -> Credential? {
        let controller = ASAuthorizationController(authorizationRequests: [request])
        controller.delegate = self
        return try await withCheckedThrowingContinuation { continuation in
            self.continuation = continuation
            controller.performRequests()
        }
    }

    func authorizationController(
        controller: ASAuthorizationController, didCompleteWithAuthorization authorization: ASAuthorization
    ) {
        switch authorization.credential {
        case let assertion as ASAuthorizationPlatformPublicKeyCredentialAssertion: finish(.signIn(assertion))
        case let registration as ASAuthorizationPlatformPublicKeyCredentialRegistration:
            finish(.registration(registration))
        default: finish(nil)
        }
    }

    func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error) {
        continuation?.resume(throwing: error)
        continuation = nil
    }

    private func finish(_ credential: Credential?) {
        continuation?.resume(returning: credential)
        continuation = nil
    }
}
