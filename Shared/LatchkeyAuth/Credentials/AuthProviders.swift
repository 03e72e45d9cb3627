/// Credentials with an e-mail address.
public enum EmailAuthProvider {
    /// `password`.
    public static let id = "password"

    /// An address and a password.
    public static func credential(withEmail email: String, password: String) -> AuthCredential {
        AuthCredential(provider: id, .password(email: email, password: password))
    }

    /// An address and the link that the server has sent to it.
    public static func credential(withEmail email: String, link: String) -> AuthCredential {
        AuthCredential(provider: id, .emailLink(email: email, link: link))
    }

    /// The digits that ``Auth/sendSignInCode(toEmail:)`` has sent, with the verification ID that it returned.
    public static func credential(withVerificationID verificationID: String, emailCode: String) -> AuthCredential {
        AuthCredential(provider: id, .emailCode(emailCode, verificationID: verificationID))
    }
}

/// Credentials of Facebook Login (classic). For Limited Login, see
/// ``OAuthProvider/credential(withProviderID:idToken:rawNonce:)``.
public enum FacebookAuthProvider {
    /// `facebook.com`.
    public static let id = "facebook.com"

    /// An access token of Facebook's library.
    public static func credential(withAccessToken accessToken: String) -> AuthCredential {
        OAuthCredential(provider: id, ProviderTokens(accessToken: accessToken))
    }
}

/// Credentials of Google.
public enum GoogleAuthProvider {
    /// `google.com`.
    public static let id = "google.com"

    /// The tokens of Google's library.
    public static func credential(withIDToken idToken: String, accessToken: String) -> AuthCredential {
        OAuthCredential(provider: id, ProviderTokens(idToken: idToken, accessToken: accessToken))
    }
}

/// Credentials of GitHub.
public enum GitHubAuthProvider {
    /// `github.com`.
    public static let id = "github.com"

    /// An OAuth access token of GitHub.
    public static func credential(withToken token: String) -> AuthCredential {
        OAuthCredential(provider: id, ProviderTokens(accessToken: token))
    }
}
