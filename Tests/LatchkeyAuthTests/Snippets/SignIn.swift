import Foundation
import LatchkeyAuth

/// Signing in with a password, a link, a token, or nothing.
@MainActor
final class SignIn {
    let screen = Screen()

    // Snippet: sign-up with a password
    func createUser(email: String, password: String) {
        Auth.auth().createUser(withEmail: email, password: password) { authResult, error in
            guard let user = authResult?.user, error == nil else {
                self.screen.showMessagePrompt(error!.localizedDescription)
                return
            }
            print("\(user.email!) created")
        }
    }

    // Snippet: sign-in with a password
    func signIn(email: String, password: String) {
        Auth.auth().signIn(withEmail: email, password: password) { [weak self] authResult, error in
            guard let strongSelf = self else { return }
            if let error = error {
                strongSelf.screen.showMessagePrompt(error.localizedDescription)
                return
            }
            print(authResult?.additionalUserInfo?.isNewUser == true, authResult?.additionalUserInfo?.profile ?? [:])
        }
    }

    // Snippet: the same with await
    func signInAsync(email: String, password: String) async {
        do {
            let authDataResult = try await Auth.auth().signIn(withEmail: email, password: password)
            let user = authDataResult.user
            print("Signed in as user \(user.uid), with email: \(user.email ?? "")")
            try await Auth.auth().createUser(withEmail: email, password: password)
        } catch {
            print(error.localizedDescription)
        }
    }

    // Snippet: a link by e-mail
    func sendLink(email: String) {
        let actionCodeSettings = ActionCodeSettings()
        actionCodeSettings.url = URL(string: "https://www.example.com")
        actionCodeSettings.handleCodeInApp = true
        actionCodeSettings.setIOSBundleID(Bundle.main.bundleIdentifier!)
        actionCodeSettings.setAndroidPackageName(
            "com.example.android", installIfNotAvailable: false, minimumVersion: "12")
        actionCodeSettings.linkDomain = "links.example.com"
        Auth.auth().sendSignInLink(toEmail: email, actionCodeSettings: actionCodeSettings) { error in
            if let error = error {
                self.screen.showMessagePrompt(error.localizedDescription)
                return
            }
            UserDefaults.standard.set(email, forKey: "Email")
        }
    }

    // Snippet: sign-in with the link
    func signIn(email: String, link: String) {
        if Auth.auth().isSignIn(withEmailLink: link) {
            Auth.auth().signIn(withEmail: email, link: link) { user, error in print(user as Any, error as Any) }
        }
    }

    // Snippet: link an account with the e-mail link
    func link(email: String, link: String) {
        let credential = EmailAuthProvider.credential(withEmail: email, link: link)
        Auth.auth().currentUser?.link(with: credential) { authData, error in
            if error != nil { return }
            print(authData?.user.uid ?? "")
        }
    }

    // Snippet: the link of an e-mail
    func read(link: String) {
        guard let actionCodeURL = ActionCodeURL(link: link) else { return }
        print(actionCodeURL.code, actionCodeURL.continueURL as Any, actionCodeURL.languageCode ?? "")
        if actionCodeURL.operation == .emailLink { print(actionCodeURL.apiKey ?? "") }
    }

    // Snippet: without a credential
    func signInAnonymously() {
        Auth.auth().signInAnonymously { authResult, error in
            guard let user = authResult?.user else { return }
            let isAnonymous = user.isAnonymous
            let uid = user.uid
            print(isAnonymous, uid, error as Any)
        }
    }

    // Snippet: with the token of a backend
    func signIn(customToken: String?) {
        Auth.auth().signIn(withCustomToken: customToken ?? "") { user, error in
            print(user as Any, error as Any)
        }
    }

    // Snippet: a phone number
    func phone(phoneNumber: String, verificationCode: String) {
        PhoneAuthProvider.provider()
            .verifyPhoneNumber(phoneNumber, uiDelegate: nil) { verificationID, error in
                if let error = error {
                    self.screen.showMessagePrompt(error.localizedDescription)
                    return
                }
                UserDefaults.standard.set(verificationID, forKey: "authVerificationID")
            }
        let verificationID = UserDefaults.standard.string(forKey: "authVerificationID")
        let credential = PhoneAuthProvider.provider().credential(
            withVerificationID: verificationID!,
            verificationCode: verificationCode
        )
        Auth.auth().signIn(with: credential) { authResult, error in
            print(authResult as Any, error as Any)
        }
        Auth.auth().currentUser?.updatePhoneNumber(credential) { error in print(error as Any) }
    }

    // Snippet: a phone number in a test
    func phoneInTest() {
        Auth.auth().settings?.isAppVerificationDisabledForTesting = true
        Auth.auth().settings!.isAppVerificationDisabledForTesting = false
    }

    // Snippet: link and unlink
    func link(credential: AuthCredential) {
        let user = Auth.auth().currentUser
        user?.link(with: credential) { authResult, error in
            print(authResult as Any, error as Any)
        }
        user?.unlink(fromProvider: FacebookAuthProviderID) { user, error in
            print(user as Any, error as Any)
        }
    }
}
