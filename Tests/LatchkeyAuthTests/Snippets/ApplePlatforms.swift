import AuthenticationServices
import Foundation
import LatchkeyAuth

/// A view controller that shows pages.
final class SettingsController: UIViewController, AuthUIDelegate {
    // Snippet: a view controller as the delegate of pages
    func signIn() {
        PhoneAuthProvider.provider().verifyPhoneNumber("+15105551234", uiDelegate: self) { verificationID, error in
            print(verificationID ?? "", error as Any)
        }
    }
}

/// A view controller with passkeys.
final class PasskeyController: UIViewController, ASAuthorizationControllerDelegate {
    // Snippet: create a passkey
    func create() async throws {
        guard let user = Auth.auth().currentUser else { return }
        let request = try await user.startPasskeyEnrollment(withName: "My phone")
        let controller = ASAuthorizationController(authorizationRequests: [request])
        controller.delegate = self
        controller.performRequests()
    }

    // Snippet: sign in with a passkey
    func signIn() async throws {
        let request = try await Auth.auth().startPasskeySignIn()
        let controller = ASAuthorizationController(authorizationRequests: [request])
        controller.delegate = self
        controller.performRequests()
    }

    // Snippet: what the user chose
    func authorizationController(
        controller: ASAuthorizationController, didCompleteWithAuthorization authorization: ASAuthorization
    ) {
        switch authorization.credential {
        case let registration as ASAuthorizationPlatformPublicKeyCredentialRegistration:
            Auth.auth().currentUser?.finalizePasskeyEnrollment(withPlatformCredential: registration) { _, error in
                print(error as Any)
            }
        case let assertion as ASAuthorizationPlatformPublicKeyCredentialAssertion:
            Auth.auth().finalizePasskeySignIn(withPlatformCredential: assertion) { result, error in
                print(result?.user.uid ?? "", error as Any)
            }
        default: break
        }
    }

    func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error) {
        print(error.localizedDescription)
    }
}
