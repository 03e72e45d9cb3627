// swift-format-ignore-file: AlwaysUseLowerCamelCase
// The names are those that applications know from Firebase Authentication.

/// `password`.
public let EmailAuthProviderID = EmailAuthProvider.id
/// `phone`.
public let PhoneAuthProviderID = PhoneAuthProvider.id
/// `facebook.com`.
public let FacebookAuthProviderID = FacebookAuthProvider.id
/// `google.com`.
public let GoogleAuthProviderID = GoogleAuthProvider.id
/// `github.com`.
public let GitHubAuthProviderID = GitHubAuthProvider.id
/// `gc.apple.com`.
public let GameCenterAuthProviderID = GameCenterAuthProvider.id

/// A password, among the methods of ``Auth/fetchSignInMethods(forEmail:)``.
public let EmailPasswordAuthSignInMethod = "password"
/// A link by e-mail, among the methods of ``Auth/fetchSignInMethods(forEmail:)``.
public let EmailLinkAuthSignInMethod = "emailLink"
/// `phone`.
public let PhoneAuthSignInMethod = PhoneAuthProvider.id
/// `facebook.com`.
public let FacebookAuthSignInMethod = FacebookAuthProvider.id
/// `google.com`.
public let GoogleAuthSignInMethod = GoogleAuthProvider.id
/// `github.com`.
public let GitHubAuthSignInMethod = GitHubAuthProvider.id
/// `gc.apple.com`.
public let GameCenterAuthSignInMethod = GameCenterAuthProvider.id
