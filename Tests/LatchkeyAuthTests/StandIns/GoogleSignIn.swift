@_exported import UIKit

public final class GIDToken: Sendable {
    public var tokenString: String { "" }
}

public final class GIDGoogleUser: Sendable {
    public var idToken: GIDToken? { nil }
    public var accessToken: GIDToken { GIDToken() }
}

public final class GIDSignInResult: Sendable {
    public var user: GIDGoogleUser { GIDGoogleUser() }
}

@MainActor public final class GIDSignIn {
    public static let sharedInstance = GIDSignIn()
    public func signIn(withPresenting: UIViewController) async throws -> GIDSignInResult { GIDSignInResult() }
}
