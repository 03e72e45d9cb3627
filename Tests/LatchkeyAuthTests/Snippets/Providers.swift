import Foundation
import LatchkeyAuth

/// Signing in with identity providers.
@MainActor
final class Providers {
    let screen = Screen()
    var currentNonce: String?
    var microsoftProvider: OAuthProvider?
    lazy var provider = OAuthProvider(providerID: "github.com")

    // Snippet: tokens of Google
    func google(idToken: String, accessToken: String) {
        guard let clientID = LatchkeyApp.app()?.options.clientID else { return }
        let credential = GoogleAuthProvider.credential(withIDToken: idToken, accessToken: accessToken)
        Auth.auth().signIn(with: credential) { result, error in print(clientID, result as Any, error as Any) }
    }

    // Snippet: tokens of Facebook
    func facebook(tokenString: String, idTokenString: String) {
        let credential = FacebookAuthProvider.credential(withAccessToken: tokenString)
        let nonce = randomNonceString()
        let limited = OAuthProvider.credential(
            withProviderID: "facebook.com", idToken: idTokenString, rawNonce: nonce)
        let same = OAuthProvider.credential(
            providerID: .facebook, idToken: idTokenString, rawNonce: nonce)
        print(credential.provider, limited.idToken ?? "", same.provider, sha256(nonce))
    }

    // Snippet: tokens of Apple
    func apple(idTokenString: String, fullName: PersonNameComponents?) {
        guard let nonce = currentNonce else { return }
        let credential = OAuthProvider.appleCredential(
            withIDToken: idTokenString, rawNonce: nonce, fullName: fullName)
        Auth.auth().signIn(with: credential) { (authResult, error) in
            if error != nil { return }
            print(authResult?.user.displayName ?? "")
        }
        let other = OAuthProvider.credential(
            providerID: AuthProviderID.apple, idToken: idTokenString, rawNonce: nonce, accessToken: nil)
        Auth.auth().currentUser?.reauthenticate(with: other) { authResult, error in
            print(authResult as Any, error as Any)
        }
    }

    // Snippet: revoke the tokens of Apple
    func revoke(appleAuthCode: Data, user: User?) {
        guard let authCodeString = String(data: appleAuthCode, encoding: .utf8) else { return }
        Task {
            do {
                try await Auth.auth().revokeToken(withAuthorizationCode: authCodeString)
                try await user?.delete()
            } catch {
                self.screen.showMessagePrompt(error.localizedDescription)
            }
        }
    }

    // Snippet: a page of GitHub
    func gitHub() {
        provider.customParameters = ["allow_signup": "false"]
        provider.scopes = ["user:email"]
        provider.getCredentialWith(nil) { credential, error in
            if error != nil { return }
            if let credential {
                Auth.auth().signIn(with: credential) { authResult, error in
                    guard let oauthCredential = authResult?.credential as? OAuthCredential else { return }
                    print(oauthCredential.accessToken ?? "", oauthCredential.idToken ?? "", error as Any)
                }
            }
        }
        print(GitHubAuthProvider.credential(withToken: "token").provider)
    }

    // Snippet: a page of Microsoft
    func microsoft() async throws {
        microsoftProvider = OAuthProvider(providerID: "microsoft.com")
        microsoftProvider?.customParameters = ["prompt": "consent", "login_hint": "user@example.com"]
        microsoftProvider?.scopes = ["mail.read", "calendars.read"]
        guard let provider = microsoftProvider else { return }
        let credential = try await provider.credential(with: nil)
        try await Auth.auth().signIn(with: credential)
        Auth.auth().currentUser?.link(with: credential) { result, error in print(result as Any, error as Any) }
    }

    // Snippet: tokens of OpenID Connect
    func openID(appleIDToken: String, rawNonce: String) {
        let credential = OAuthProvider.credential(
            withProviderID: "oidc.example-provider", idToken: appleIDToken, rawNonce: rawNonce)
        let typed = OAuthProvider.credential(
            providerID: .custom("oidc.example-provider"), idToken: appleIDToken, rawNonce: rawNonce)
        let access = OAuthProvider.credential(providerID: .gitHub, accessToken: "token")
        let both = OAuthProvider.credential(providerID: .google, idToken: appleIDToken, accessToken: "token")
        print(credential, typed, access, both, AuthProviderID.email.rawValue)
        let provider = OAuthProvider.provider(providerID: "oidc.example-provider", auth: Auth.auth())
        let google = OAuthProvider.provider(providerID: .google)
        print(provider.providerID, google.providerID)
    }

    // Snippet: any provider with a page
    func page(of provider: FederatedAuthProvider) async throws {
        try await Auth.auth().signIn(with: provider, uiDelegate: nil)
        Auth.auth().signIn(with: provider, uiDelegate: nil) { result, error in print(result as Any, error as Any) }
        try await Auth.auth().currentUser?.link(with: provider, uiDelegate: nil)
        try await Auth.auth().currentUser?.reauthenticate(with: provider, uiDelegate: nil)
    }

    // Snippet: Game Center
    func gameCenter() {
        GameCenterAuthProvider.getCredential { (credential, error) in
            if error != nil { return }
            if let credential {
                Auth.auth().signIn(with: credential) { user, error in print(user as Any, error as Any) }
            }
        }
    }

    // Snippet: the list of providers
    func names() -> [String] {
        [
            EmailAuthProviderID, PhoneAuthProviderID, GoogleAuthProviderID, FacebookAuthProviderID,
            GitHubAuthProviderID, GameCenterAuthProviderID, GoogleAuthProvider.id,
        ]
    }
}
