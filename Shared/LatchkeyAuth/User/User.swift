public import Foundation

/// A signed-in user. The object stays the same for the whole session, and its properties follow the account.
public final class User: Sendable {
    let auth: Auth
    /// The name of the passkey whose enrollment has begun.
    let passkeyName = Locked<String?>(nil)
    private let state: Locked<State>

    private struct State {
        var account: AccountRecord
        var tokens: SessionTokens
        /// The refresh that runs now, for all callers.
        var refresh: Task<SessionTokens, any Error>?
    }

    init(_ account: AccountRecord, _ tokens: SessionTokens, auth: Auth) {
        self.auth = auth
        state = Locked(State(account: account, tokens: tokens))
    }

    var account: AccountRecord { state.withLock { $0.account } }
    var tokens: SessionTokens { state.withLock { $0.tokens } }

    // MARK: - Properties

    /// The ID of the account.
    public var uid: String { account.localId }
    /// `latchkey`, as each entry of ``providerData`` has the ID of its provider.
    public var providerID: String { "latchkey" }
    /// The e-mail address.
    public var email: String? { account.email }
    /// Whether the user has verified the e-mail address.
    public var isEmailVerified: Bool { account.emailVerified ?? false }
    /// The name to show.
    public var displayName: String? { account.displayName }
    /// The picture to show.
    public var photoURL: URL? { account.photoUrl.flatMap(URL.init(string:)) }
    /// The phone number with which the user signs in; never that of a second factor.
    public var phoneNumber: String? { account.phoneNumber }
    /// The tenant of the account.
    public var tenantID: String? { account.tenantId }
    /// The refresh token. A program that knows it acts as the user.
    public var refreshToken: String? { tokens.refreshToken }
    /// Whether the account has neither an address nor a credential.
    public var isAnonymous: Bool {
        let account = account
        return (account.providerUserInfo ?? []).isEmpty && (account.passkeyInfo ?? []).isEmpty && account.email == nil
            && (try? IDTokenPayload(tokens.idToken))?.firebaseText("sign_in_provider") == "anonymous"
    }
    /// The credentials with which the user can sign in.
    public var providerData: [UserInfo] { (account.providerUserInfo ?? []).map(UserInfo.init) }
    /// When the account was created and used.
    public var metadata: UserMetadata { UserMetadata(account) }
    /// The second factors.
    public var multiFactor: MultiFactor { MultiFactor(user: self) }

    // MARK: - Tokens

    /// An ID token for a backend. It is valid for at least five minutes.
    /// - Throws: as ``getIDTokenResult(forcingRefresh:)``.
    public func getIDToken(forcingRefresh: Bool = false) async throws -> String {
        try await currentTokens(forcingRefresh: forcingRefresh).idToken
    }

    /// The form with a completion handler.
    public func getIDTokenForcingRefresh(
        _ forceRefresh: Bool, completion: (@MainActor @Sendable (String?, (any Error)?) -> Void)?
    ) {
        run(completion) { try await self.getIDToken(forcingRefresh: forceRefresh) }
    }

    /// An ID token and its claims.
    /// - Throws: `userTokenExpired`, `userDisabled` or `userNotFound` if the session has ended: the user is signed out
    ///   then; `networkError`.
    public func getIDTokenResult(forcingRefresh: Bool = false) async throws -> IDTokenResult {
        try IDTokenResult(token: try await currentTokens(forcingRefresh: forcingRefresh).idToken)
    }

    /// The form with a completion handler.
    public func getIDTokenResult(
        forcingRefresh: Bool = false, completion: (@MainActor @Sendable (IDTokenResult?, (any Error)?) -> Void)?
    ) {
        run(completion) { try await self.getIDTokenResult(forcingRefresh: forcingRefresh) }
    }

    /// One refresh serves all callers that wait for it. A caller that is cancelled does not cancel it for the others.
    private func currentTokens(forcingRefresh: Bool) async throws -> SessionTokens {
        let now = auth.clock.now()
        let refresh: Task<SessionTokens, any Error>? = state.withLock { state in
            if let running = state.refresh { return running }
            guard forcingRefresh || !state.tokens.isFresh(at: now) else { return nil }
            let used = state.tokens.refreshToken
            let refresh = Task { try await self.refresh(used) }
            state.refresh = refresh
            return refresh
        }
        guard let refresh else { return tokens }
        return try await refresh.value
    }

    private func refresh(_ refreshToken: String) async throws -> SessionTokens {
        defer { state.withLock { $0.refresh = nil } }
        return try await endingSession {
            let response = try await auth.server.send(RefreshRequest(refreshToken: refreshToken))
            guard
                let new = SessionTokens(
                    idToken: response.idToken, refreshToken: response.refreshToken, expiresIn: response.expiresIn,
                    at: auth.clock.now())
            else { throw AuthErrorCode(.internalError) }
            // A sign-in of the same user that was completed meanwhile has newer tokens.
            let isNewest = state.withLock { state in
                let isNewest = state.tokens.refreshToken == refreshToken
                if isNewest { state.tokens = new }
                return isNewest
            }
            if isNewest { try auth.userChanged(self, isNewToken: true) }
            return tokens
        }
    }

    // MARK: - Changes

    /// Replaces the account and the tokens after a change on the server.
    func replace(_ account: AccountRecord, _ tokens: SessionTokens) throws(AuthErrorCode) {
        state.withLock { state in
            state.account = account
            state.tokens = tokens
        }
        try auth.userChanged(self, isNewToken: true)
    }

    /// Reads the account again.
    /// - Throws: `userTokenExpired`, `invalidUserToken`, `userDisabled` or `userNotFound` if the session has ended:
    ///   the user is signed out then; `networkError`.
    public func reload() async throws {
        let account = try await withIDToken { try await self.auth.account(idToken: $0) }
        state.withLock { $0.account = account }
        try auth.userChanged(self, isNewToken: false)
    }

    /// Sends a request with an ID token of the user. A session that has ended signs the user out.
    func withIDToken<Value>(_ call: (String) async throws -> Value) async throws -> Value {
        let idToken = try await getIDToken()
        return try await endingSession { try await call(idToken) }
    }

    /// Sends a request that changes the account, takes the tokens of its response over, and reads the account again.
    func change<Request: AuthRequest>(_ request: (_ idToken: String) -> Request) async throws
    where Request.Response == SignInResponse {
        let response = try await withIDToken { try await self.auth.server.send(request($0)) }
        guard let tokens = response.tokens(at: auth.clock.now()) else { return try await reload() }
        try replace(try await auth.account(idToken: tokens.idToken), tokens)
    }

    private func endingSession<Value>(_ call: () async throws -> Value) async throws -> Value {
        do {
            return try await call()
        } catch let error as AuthErrorCode where error.endsSession {
            try auth.sessionEnded(of: self)
            throw error
        }
    }
}

extension User: Hashable {
    /// Whether both are the same session.
    public static func == (one: User, other: User) -> Bool { one === other }
    /// Hashes the identity of the session.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
