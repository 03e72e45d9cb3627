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
    private let stores: SessionStores
    let clock: AuthClock
    let listeners = AuthListeners()
    let browserVisit = BrowserVisit()
    let pushInbox = PushInbox()
    private let behavior = AuthSettings()
    private let application = Locked(WeakApp())
    private let current: Locked<User?>
    /// Held during a change of the session: memory, storage and listeners see the changes in one order.
    private let changing = Locked(())

    private struct WeakApp {
        weak var app: LatchkeyApp?
    }

    /// - Parameter groupStorage: the storage of a group of applications, for ``useUserAccessGroup(_:)``.
    init(
        options: LatchkeyOptions, storage: SessionStorage, transport: HTTPTransport, clock: AuthClock,
        groupStorage: @escaping @Sendable (String) -> SessionStorage? = { _ in nil }
    ) {
        server = AuthServer(
            options: options, transport: transport, clock: clock, settings: Locked(ServerSettings()))
        stores = SessionStores(own: SessionStore(storage: storage), ofGroup: groupStorage)
        self.clock = clock
        current = Locked(nil)
        let stored = stores.current.load()
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

    /// The application of this object; nil after it was replaced or released.
    public internal(set) var app: LatchkeyApp? {
        get { application.withLock { $0.app } }
        set { application.withLock { $0.app = newValue } }
    }

    /// App verification, and other behavior that a test changes. Never nil.
    public var settings: AuthSettings? { behavior }

    // MARK: - The server

    /// Sends all further calls to the public listener at this URL, such as `https://auth.example.org`.
    ///
    /// Calls throw `internalError` if the URL is neither of HTTPS nor of this computer: passwords and tokens would be
    /// readable on the network. ``useEmulator(withHost:port:)`` allows HTTP.
    public func useServer(_ url: URL) {
        server.settings.withLock { settings in
            settings.serverURL = url
            settings.allowsHTTP = false
        }
    }

    /// Sends all further calls to a server in dev mode, over HTTP, and switches app verification off.
    /// - Parameters:
    ///   - host: a name or an IP address; an IPv6 address with or without brackets.
    ///   - port: of the server.
    public func useEmulator(withHost host: String, port: Int) {
        var components = URLComponents()
        components.scheme = "http"
        components.host = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        components.port = port
        guard let url = components.url else {
            preconditionFailure("\(host) is not a host name.")
        }
        server.settings.withLock { settings in
            settings.serverURL = url
            settings.allowsHTTP = true
        }
        behavior.isAppVerificationDisabledForTesting = true
    }

    /// The host whose pages users see: another name of the server, such as `login.example.org`. With nil it is that of
    /// the URL of the server. The project must list it in its authorized domains.
    public var customAuthDomain: String? {
        get { server.settings.withLock { $0.customAuthDomain } }
        set { server.settings.withLock { $0.customAuthDomain = newValue } }
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
    /// - Throws: `tenantIDMismatch`; `keychainError` for a session that cannot be stored: the former user stays.
    public func updateCurrentUser(_ user: User) async throws {
        guard user.tenantID == tenantID else { throw AuthErrorCode(.tenantIDMismatch) }
        try beginSession(of: user.auth === self ? user : User(user.account, user.tokens, auth: self))
    }

    /// The form with a completion handler. Without a user, the error is `nullUser`.
    public func updateCurrentUser(_ user: User?, completion: AuthCompletion? = nil) {
        run(completion) {
            guard let user else { throw AuthErrorCode(.nullUser) }
            try await self.updateCurrentUser(user)
        }
    }

    /// Removes the session from this device. Tokens that other devices hold stay valid.
    /// - Throws: `keychainError` if the session is still stored. The user is signed out, but would be signed in again
    ///   at the next start: call it again.
    public func signOut() throws(AuthErrorCode) {
        try changing.withLock { _ throws(AuthErrorCode) in
            setCurrent(nil)
            try stores.current.save(storedState)
        }
    }

    // MARK: - The session of a group of applications

    /// The group of applications whose session this object uses; nil for that of this application.
    public var userAccessGroup: String? { stores.group }

    /// Uses the session that a group of applications shares from now on, or with nil that of this application again.
    /// The user of that session becomes the current one. The former session stays stored.
    /// - Parameter accessGroup: a Keychain access group of the entitlements, with the team ID.
    /// - Throws: `keychainError` where there is no Keychain.
    public func useUserAccessGroup(_ accessGroup: String?) throws {
        try changing.withLock { _ in
            let store = try stores.store(ofGroup: accessGroup)
            stores.use(store, ofGroup: accessGroup)
            setCurrent(user(in: store))
        }
    }

    /// The user whose session a group of applications shares, without making it the current one.
    /// - Parameter accessGroup: as in ``useUserAccessGroup(_:)``.
    /// - Throws: `keychainError` where there is no Keychain.
    public func getStoredUser(forAccessGroup accessGroup: String?) throws -> User? {
        user(in: try stores.store(ofGroup: accessGroup))
    }

    private func user(in store: SessionStore) -> User? {
        store.load().session.map { User($0.account, $0.tokens, auth: self) }
    }

    // MARK: - Changes of the session

    /// Makes a user the current one. A session that cannot be stored does not begin: the former user stays.
    /// - Throws: `keychainError`.
    func beginSession(of user: User) throws(AuthErrorCode) {
        try changing.withLock { _ throws(AuthErrorCode) in
            try stores.current.save(storedState(of: user))
            setCurrent(user)
        }
    }

    /// Stores a change of a user, if it is the current one, and informs the listeners of its ID token.
    /// - Throws: `keychainError`. The change has taken effect then, and the listeners are informed.
    func userChanged(_ user: User, isNewToken: Bool) throws(AuthErrorCode) {
        try changing.withLock { _ throws(AuthErrorCode) in
            guard currentUser === user else { return }
            if isNewToken { listeners.send(user, of: self, to: [.token]) }
            try stores.current.save(storedState)
        }
    }

    /// Ends a session that the server does not accept any more, if it is the current one.
    func sessionEnded(of user: User) {
        changing.withLock { _ in
            guard currentUser === user else { return }
            setCurrent(nil)
            // `try?`: a session that stays stored is worthless. The first call after the next start ends it again.
            try? stores.current.save(storedState)
        }
    }

    /// Registers a listener. No change comes between its first call and the following ones.
    func addListener(
        _ subject: AuthListeners.Subject, _ listener: @escaping AuthListener
    ) -> ListenerHandle {
        changing.withLock { _ in listeners.add(subject, listener, current: currentUser, of: self) }
    }

    private func setCurrent(_ user: User?) {
        let former = current.withLock { current in
            defer { current = user }
            return current
        }
        guard former !== user else { return }
        listeners.send(user, of: self, to: former?.uid == user?.uid ? [.token] : [.user, .token])
    }

    private var storedState: StoredState { storedState(of: currentUser) }

    private func storedState(of user: User?) -> StoredState {
        StoredState(
            session: user.map { StoredState.Session(account: $0.account, tokens: $0.tokens) },
            deviceToken: server.deviceToken.withLock { $0 })
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
