public import Foundation

/// How the system offers the credentials of the user.
public enum PasskeySignInStyle: Hashable, Sendable {
    /// Passkeys above the keyboard, while the user types the user name. Start it when the form appears.
    case autoFill
    /// A sheet with the passkeys of this device, and the way to use another device. With a user name, only the
    /// passkeys of this user.
    case modal(userName: String? = nil)
    /// The sheet if this device has a passkey, else nothing: the application then shows its form.
    case silentFallback
    /// A sheet with passkeys, stored passwords, and Sign in with Apple.
    case combined
}

/// What an application requests from the system to sign a user in. ``Auth/credentialRequest(_:)`` creates it.
public struct CredentialRequest: Hashable, Sendable {
    /// A kind of credential.
    public enum Kind: Hashable, CaseIterable, Sendable { case passkey, password, apple }

    /// How the system shows the request.
    public enum Presentation: Hashable, Sendable {
        /// Above the keyboard.
        case autoFill
        /// As a sheet.
        case sheet
        /// As a sheet, if this device has a credential.
        case sheetIfAvailable
    }

    /// The kinds, in the order of the sheet.
    public let kinds: [Kind]
    /// How the system shows the request.
    public let presentation: Presentation
    /// The request for a passkey.
    public let passkey: PasskeyAssertionRequest
    /// Apple receives its SHA-256 (``hashedNonce``). ``CombinedCredential/apple(idToken:rawNonce:fullName:)`` carries
    /// the text itself.
    public let rawNonce: String

    /// The nonce for Sign in with Apple.
    public var hashedNonce: String { sha256(rawNonce) }

    init(_ style: PasskeySignInStyle, _ passkey: PasskeyAssertionRequest, rawNonce: String) {
        self.passkey = passkey
        self.rawNonce = rawNonce
        switch style {
        case .autoFill: (kinds, presentation) = ([.passkey], .autoFill)
        case .modal: (kinds, presentation) = ([.passkey], .sheet)
        case .silentFallback: (kinds, presentation) = ([.passkey], .sheetIfAvailable)
        case .combined: (kinds, presentation) = (Kind.allCases, .sheet)
        }
    }
}

extension PasskeySignInStyle {
    /// The user whose passkeys are allowed; nil for all users.
    var userName: String? {
        switch self {
        case .modal(let userName): userName
        case .autoFill, .silentFallback, .combined: nil
        }
    }
}

/// The credential that the user has chosen in response to a ``CredentialRequest``.
public enum CombinedCredential: Sendable {
    /// A passkey.
    case passkey(PasskeyAssertion)
    /// A stored password.
    case password(email: String, password: String)
    /// Sign in with Apple. Apple sends the name at the first sign-in only.
    case apple(idToken: String, rawNonce: String?, fullName: PersonNameComponents? = nil)
}

extension Auth {
    /// Begins a sign-in with the credentials that the user has on this device. It lasts five minutes: a form that is
    /// shown for longer begins again.
    /// - Throws: as ``passkeyAssertionRequest(forUserName:)``.
    public func credentialRequest(_ style: PasskeySignInStyle) async throws -> CredentialRequest {
        CredentialRequest(
            style, try await passkeyAssertionRequest(forUserName: style.userName), rawNonce: randomNonceString())
    }

    /// Completes a sign-in with the credential that the user has chosen.
    /// - Throws: as ``finalizePasskeySignIn(withPlatformCredential:)``, ``signIn(withEmail:password:)`` and
    ///   ``signIn(with:)``.
    @discardableResult
    public func signIn(with credential: CombinedCredential) async throws -> AuthDataResult {
        switch credential {
        case .passkey(let assertion):
            try await finalizePasskeySignIn(withPlatformCredential: assertion)
        case .password(let email, let password):
            try await signIn(withEmail: email, password: password)
        case .apple(let idToken, let rawNonce, let fullName):
            try await signIn(
                with: OAuthProvider.appleCredential(withIDToken: idToken, rawNonce: rawNonce, fullName: fullName))
        }
    }

    /// The form of ``credentialRequest(_:)`` with a completion handler.
    public func credentialRequest(
        _ style: PasskeySignInStyle,
        completion: @escaping @MainActor @Sendable (CredentialRequest?, (any Error)?) -> Void
    ) {
        run(completion) { try await self.credentialRequest(style) }
    }

    /// The form with a completion handler.
    public func signIn(with credential: CombinedCredential, completion: AuthDataResultCompletion?) {
        run(completion) { try await self.signIn(with: credential) }
    }
}
