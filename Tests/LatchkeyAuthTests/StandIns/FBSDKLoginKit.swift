@_exported import Foundation

public struct LoginConfiguration: Sendable {
    public enum Tracking: Sendable { case enabled, limited }
    public init?(permissions: Set<String>, tracking: Tracking, nonce: String) {}
}

public enum LoginResult: Sendable {
    case success(granted: Set<String>, declined: Set<String>, token: String?), cancelled
}

@MainActor public final class LoginManager {
    public init() {}
    public func logIn(configuration: LoginConfiguration, completion: @escaping @MainActor (LoginResult) -> Void) {}
}

@MainActor public final class AccessToken {
    public static var current: AccessToken?
    public var tokenString: String { "" }
}

@MainActor public final class AuthenticationToken {
    public static var current: AuthenticationToken?
    public var tokenString: String { "" }
}
