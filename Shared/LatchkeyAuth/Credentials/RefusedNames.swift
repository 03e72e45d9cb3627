// swift-format-ignore-file: AlwaysUseLowerCamelCase

// Names of Firebase that this library refuses. The compiler names the replacement; the page about moving in lists them.

/// Refused: the application is configured by ``LatchkeyApp``.
@available(*, unavailable, renamed: "LatchkeyApp")
public typealias FirebaseApp = LatchkeyApp

/// Refused: the options are those of ``LatchkeyOptions``.
@available(*, unavailable, renamed: "LatchkeyOptions")
public typealias FirebaseOptions = LatchkeyOptions

/// Refused: there is no provider `twitter.com`.
@available(*, unavailable, message: "Latchkey has no provider twitter.com; remove the line")
public enum TwitterAuthProvider {
    /// Refused with the type.
    public static let id = "twitter.com"

    /// Refused with the type.
    public static func credential(withToken token: String, secret: String) -> AuthCredential {
        OAuthCredential(provider: id, ProviderTokens(accessToken: token, secret: secret))
    }
}

/// Refused: there is no provider `twitter.com`.
@available(*, unavailable, message: "Latchkey has no provider twitter.com; remove the line")
public let TwitterAuthProviderID = "twitter.com"

/// Refused: there is no provider `twitter.com`.
@available(*, unavailable, message: "Latchkey has no provider twitter.com; remove the line")
public let TwitterAuthSignInMethod = "twitter.com"

extension ActionCodeSettings {
    /// Refused: there are no dynamic links.
    @available(*, unavailable, renamed: "linkDomain")
    public var dynamicLinkDomain: String? {
        get { linkDomain }
        set { linkDomain = newValue }
    }
}

extension AuthErrorCode {
    /// Refused: there are no dynamic links.
    @available(*, unavailable, renamed: "invalidHostingLinkDomain")
    public static var invalidDynamicLinkDomain: AuthErrorCode { .invalidHostingLinkDomain }

    /// Refused: there are no dynamic links.
    @available(*, unavailable, renamed: "invalidHostingLinkDomain")
    public static var dynamicLinkNotActivated: AuthErrorCode { .invalidHostingLinkDomain }
}

extension Auth {
    /// Refused: a session stays on its device.
    @available(*, unavailable, message: "Latchkey does not copy sessions to iCloud; remove the line")
    public var shareAuthStateAcrossDevices: Bool {
        get { false }
        set {}
    }

    /// Refused: the library loads nothing before the check of the application.
    @available(*, unavailable, message: "LatchkeyAuth has nothing to load before the check; remove the call")
    public func initializeRecaptchaConfig() async throws {}

    /// Refused: the library loads nothing before the check of the application.
    @available(*, unavailable, message: "LatchkeyAuth has nothing to load before the check; remove the call")
    public func initializeRecaptchaConfig(completion: AuthCompletion?) {}
}
