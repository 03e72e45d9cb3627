/// The ID of an identity provider or another way to sign in.
public struct AuthProviderID: Hashable, Sendable {
    /// Such as `apple.com` or `oidc.example`.
    public let rawValue: String

    private init(rawValue: String) { self.rawValue = rawValue }

    /// `apple.com`.
    public static let apple = AuthProviderID(rawValue: "apple.com")
    /// `password`.
    public static let email = AuthProviderID(rawValue: EmailAuthProvider.id)
    /// `facebook.com`.
    public static let facebook = AuthProviderID(rawValue: FacebookAuthProvider.id)
    /// `gc.apple.com`.
    public static let gameCenter = AuthProviderID(rawValue: GameCenterAuthProvider.id)
    /// `github.com`.
    public static let gitHub = AuthProviderID(rawValue: GitHubAuthProvider.id)
    /// `google.com`.
    public static let google = AuthProviderID(rawValue: GoogleAuthProvider.id)
    /// `phone`.
    public static let phone = AuthProviderID(rawValue: PhoneAuthProvider.id)
    /// Any other one, such as `linkedin.com`, `oidc.example` or `saml.example`.
    public static func custom(_ value: String) -> AuthProviderID { AuthProviderID(rawValue: value) }
}
