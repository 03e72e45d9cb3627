import Foundation
import LatchkeyAuth

/// Managing users.
@MainActor
struct Users {
    let screen = Screen()

    // Snippet: the current user
    func showCurrentUser() {
        if Auth.auth().currentUser != nil {
            screen.showMessagePrompt("signed in")
        } else {
            screen.showMessagePrompt("signed out")
        }
        let user = Auth.auth().currentUser
        if let user = user {
            let uid = user.uid
            let email = user.email
            let photoURL = user.photoURL
            var multiFactorString = "MultiFactor: "
            for info in user.multiFactor.enrolledFactors {
                multiFactorString += info.displayName ?? "[DispayName]"
                multiFactorString += " "
            }
            print(uid, email ?? "", photoURL?.absoluteString ?? "", multiFactorString, user.isAnonymous)
        }
    }

    // Snippet: what providers say about a user
    func showProviders() {
        let userInfo = Auth.auth().currentUser?.providerData[0]
        print(userInfo?.providerID ?? "", userInfo?.uid ?? "", userInfo?.displayName ?? "")
        let all: [UserInfo] = Auth.auth().currentUser?.providerData ?? []
        for info in all where info.providerID == EmailAuthProvider.id { print(info.email ?? "") }
        if let info = all.first(where: { $0.providerID == GoogleAuthProviderID }) { print(info.photoURL as Any) }
        let account: UserInfo? = Auth.auth().currentUser
        print(account?.phoneNumber ?? "")
    }

    // Snippet: name and picture
    func changeProfile(displayName: String) {
        let changeRequest = Auth.auth().currentUser?.createProfileChangeRequest()
        changeRequest?.displayName = displayName
        changeRequest?.photoURL = URL(string: "https://example.com/jane-q-user/profile.jpg")
        changeRequest?.commitChanges { error in
            if let error = error { print(error.localizedDescription) }
        }
    }

    // Snippet: verification by e-mail
    func verify() {
        Auth.auth().languageCode = "fr"
        Auth.auth().useAppLanguage()
        Auth.auth().currentUser?.sendEmailVerification { error in
            print(error as Any)
        }
        let user = Auth.auth().currentUser
        let actionCodeSettings = ActionCodeSettings()
        actionCodeSettings.url = URL(string: "https://www.example.com/?email=\(user?.email ?? "")")
        user?.sendEmailVerification(with: actionCodeSettings) { error in
            if error != nil { return }
        }
    }

    // Snippet: a new address
    func changeAddress(email: String) {
        Auth.auth().currentUser?.sendEmailVerification(beforeUpdatingEmail: email) { error in
            print(error as Any)
        }
    }

    // Snippet: a new address at once
    @available(*, deprecated)
    func changeAddressAtOnce(email: String) async throws {
        Auth.auth().currentUser?.updateEmail(to: email) { error in
            print(error as Any)
        }
        try await Auth.auth().currentUser?.updateEmail(to: email)
    }

    // Snippet: a new password
    func changePassword(password: String) {
        Auth.auth().currentUser?.updatePassword(to: password) { error in
            print(error as Any)
        }
    }

    // Snippet: a forgotten password
    func resetPassword(email: String, code: String, password: String) {
        Auth.auth().sendPasswordReset(withEmail: email) { error in
            print(error as Any)
        }
        Auth.auth().verifyPasswordResetCode(code) { email, error in print(email ?? "", error as Any) }
        Auth.auth().confirmPasswordReset(withCode: code, newPassword: password) { error in print(error as Any) }
        Auth.auth().checkActionCode(code) { info, error in
            guard let info, error == nil else { return }
            if info.operation == .passwordReset { print(info.email, info.previousEmail ?? "") }
            switch info.operation {
            case ActionCodeOperation.verifyEmail, .recoverEmail: break
            default: break
            }
        }
        Auth.auth().applyActionCode(code) { error in print(error as Any) }
    }

    // Snippet: deletion
    func delete() {
        let user = Auth.auth().currentUser
        user?.delete { error in
            if let error = error {
                print(error.localizedDescription)
            } else {
                print("deleted")
            }
        }
    }

    // Snippet: reauthentication
    func reauthenticate(email: String, password: String) {
        let user = Auth.auth().currentUser
        var credential: AuthCredential
        credential = EmailAuthProvider.credential(withEmail: email, password: password)
        user?.reauthenticate(with: credential) { _, error in
            if error != nil { return }
        }
    }

    // Snippet: a token for a backend
    func token() async throws {
        let currentUser = Auth.auth().currentUser
        currentUser?.getIDTokenForcingRefresh(true) { idToken, error in
            if error != nil { return }
            print(idToken ?? "")
        }
        currentUser?.getIDToken { token, error in print(token ?? "", error as Any) }
        print(try await currentUser?.getIDToken() ?? "")
        print(try await currentUser?.getIDToken(forcingRefresh: true) ?? "")
        print(try await currentUser?.idTokenForcingRefresh(true) ?? "")
    }

    // Snippet: custom claims
    func claims() async throws {
        Auth.auth().currentUser?.getIDTokenResult(completion: { (result, error) in
            guard let admin = result?.claims["admin"] as? NSNumber else { return }
            print(admin.boolValue, error as Any)
        })
        Auth.auth().currentUser?.getIDTokenResult(forcingRefresh: true) { result, _ in
            let second: String = result?.signInSecondFactor ?? ""
            print(second, result?.signInProvider ?? "", result?.expirationDate ?? Date())
        }
        let result: AuthTokenResult? = try await Auth.auth().currentUser?.getIDTokenResult(forcingRefresh: false)
        let again = try await Auth.auth().currentUser?.idTokenResult(forcingRefresh: true)
        print(result?.token ?? "", again?.claims["role"] as? String ?? "", result?.authDate as Any)
    }

    // Snippet: sign-out
    func signOut() {
        let firebaseAuth = Auth.auth()
        do {
            try firebaseAuth.signOut()
        } catch let signOutError as NSError {
            print("Error signing out: %@", signOutError)
        }
        try? Auth.auth().signOut()
    }

    // Snippet: when the account was used
    func metadata() async throws {
        let metadata = Auth.auth().currentUser?.metadata
        print(metadata?.lastSignInDate as Any, metadata?.creationDate as Any)
        try await Auth.auth().currentUser?.reload()
    }

    // Snippet: ways to sign in of an address
    @available(*, deprecated)
    func methods(email: String) async throws {
        Auth.auth().fetchSignInMethods(forEmail: email) { methods, _ in
            if methods?.contains(EmailPasswordAuthSignInMethod) == true { print("password") }
            if methods?.contains(EmailLinkAuthSignInMethod) == true { print("link") }
        }
        let methods = try await Auth.auth().fetchSignInMethods(forEmail: email)
        print(methods.contains(GoogleAuthSignInMethod), methods.contains(FacebookAuthSignInMethod))
    }

    // Snippet: a session that applications share
    func share() {
        do {
            try Auth.auth().useUserAccessGroup("TEAMID.com.example.group1")
        } catch let error as NSError {
            print("Error changing user access group: %@", error)
        }
        var tempUser: User?
        do {
            try tempUser = Auth.auth().getStoredUser(forAccessGroup: "TEAMID.com.example.group1")
        } catch let error as NSError {
            print("Error getting stored user: %@", error)
        }
        if let tempUser { Auth.auth().updateCurrentUser(tempUser) { error in print(error as Any) } }
        print(Auth.auth().userAccessGroup ?? "")
    }

    // Snippet: tenants
    func tenant() async throws {
        let auth = Auth.auth()
        auth.tenantID = "tenant-1"
        let result = try await auth.signIn(withEmail: "ada@example.org", password: "correct horse")
        print(result.user.tenantID ?? "", auth.tenantID ?? "")
    }

    // Snippet: a domain of one's own
    func domain() {
        Auth.auth().customAuthDomain = "login.example.org"
    }
}
