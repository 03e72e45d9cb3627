public import Foundation

/// Signs users in, and keeps the session of the one who is signed in.
///
/// ```swift
/// let result = try await Auth.auth().signIn(withEmail: "ada@example.org", password: password)
/// let token = try await result.user.getIDToken()
/// ```
///
/// Every call has an `async` form and a form with a completion handler, which runs on the main actor. A call throws
/// ``AuthErrorCode``, or `CancellationError` if its task was cancelled.
public final class Auth: Sendable {
    let server: AuthServer
    let store: SessionStore
    let clock: AuthClock
    let listeners = AuthListeners()
    let browserVisit = BrowserVisit()
    let pushInbox = PushInbox()
    /// App verification, and other behavior that a test changes.
    public let settings = AuthSettings()
    private let current: Locked<User?>

    init(options: LatchkeyOptions, storage: SessionStorage, transport: HTTPTransport, clock: AuthClock) {
        server = AuthServer(
            options: options, transport: transport, clock: clock, settings: Locked(ServerSettings()))
        store = SessionStore(storage)
        self.clock = clock
        current = Locked(nil)
        let stored = store.load()
        server.deviceToken.withLock { $0 = stored.deviceToken }
        guard let session = stored.session else { return }
        current.withLock { $0 = User(session.account, session.tokens, auth: self) }
        server.settings.withLock { $0.tenantID = session.account.tenantId }
    }

    /// The `Auth` of the default application.
    ///
    /// Ends the process before ``LatchkeyApp/configure(_:persistence:)``: there is no server to speak to.
    public static func auth() -> Auth {
        guard let app = LatchkeyApp.app() else {
            preconditionFailure("Call LatchkeyApp.configure before Auth.auth().")
        }
        return app.auth
    }

    /// The `Auth` of an application.
    public static func auth(app: LatchkeyApp) -> Auth { app.auth }

    // MARK: - The server

    /// Sends all further calls to the public listener at this URL, such as `https://auth.example.org`.
    public func useServer(_ url: URL) {
        server.settings.withLock { $0.serverURL = url }
    }

    /// Sends all further calls to a server in dev mode, over HTTP, and switches app verification off.
    public func useEmulator(withHost host: String, port: Int) {
        var components = URLComponents()
        components.scheme = "http"
        components.host = host
        components.port = port
        guard let url = components.url else {
            preconditionFailure("\(host) is not a host name.")
        }
        useServer(url)
        settings.isAppVerificationDisabledForTesting = true
    }

    /// The tenant in which the next user signs in; nil for the project itself.
    public var tenantID: String? {
        get { server.settings.withLock { $0.tenantID } }
        set { server.settings.withLock { $0.tenantID = newValue } }
    }

    /// The language of e-mails, SMS and pages, as a language tag (BCP 47); nil for that of the project.
    public var languageCode: String? {
        get { server.settings.withLock { $0.languageCode } }
        set { server.settings.withLock { $0.languageCode = newValue } }
    }

    /// Sets ``languageCode`` to the first preferred language of the device.
    public func useAppLanguage() {
        languageCode = Locale.preferredLanguages.first
    }

    // MARK: - The current user

    /// The user who is signed in.
    public var currentUser: User? { current.withLock { $0 } }

    /// Makes a user the current one, such as one of another `Auth` of the same project.
    /// - Throws: `tenantIDMismatch`, `keychainError`.
    public func updateCurrentUser(_ user: User) async throws {
        guard user.tenantID == tenantID else { throw AuthErrorCode(.tenantIDMismatch) }
        try setCurrentUser(user.auth === self ? user : User(user.account, user.tokens, auth: self))
    }

    /// Removes the session from this device. Tokens that other devices hold stay valid.
    /// - Throws: `keychainError`.
    public func signOut() throws(AuthErrorCode) {
        try setCurrentUser(nil)
    }

    func setCurrentUser(_ user: User?) throws(AuthErrorCode) {
        let former = current.withLock { current in
            let former = current
            current = user
            return former
        }
        try storeState()
        listeners.sendTokenChange(user, of: self)
        if former !== user { listeners.sendStateChange(user, of: self) }
    }

    /// Stores a change of a user, if it is the current one, and informs the listeners of its ID token.
    func userChanged(_ user: User, isNewToken: Bool) throws(AuthErrorCode) {
        guard currentUser === user else { return }
        try storeState()
        if isNewToken { listeners.sendTokenChange(user, of: self) }
    }

    /// Ends a session that the server does not accept any more.
    func sessionEnded(of user: User) throws(AuthErrorCode) {
        guard currentUser === user else { return }
        try setCurrentUser(nil)
    }

    private func storeState() throws(AuthErrorCode) {
        try store.save {
            StoredState(
                session: currentUser.map { StoredState.Session(account: $0.account, tokens: $0.tokens) },
                deviceToken: server.deviceToken.withLock { $0 })
        }
    }
}

/// Behavior that a test changes.
public final class AuthSettings: Sendable {
    private let isDisabled = Locked(false)

    /// Requests SMS codes without a credential of the application. The server accepts that in dev mode only, or for
    /// its test phone numbers.
    public var isAppVerificationDisabledForTesting: Bool {
        get { isDisabled.withLock { $0 } }
        set { isDisabled.withLock { $0 = newValue } }
    }
}
