public import Foundation

/// A signed-in user. The object stays the same for the whole session, and its properties follow the account.
public final class User: UserInfo {
    let auth: Auth
    /// The name of the passkey whose enrollment has begun.
    let passkeyName = Locked<String?>(nil)
    private let state: Locked<State>

    private struct State {
        var account: AccountRecord
        var tokens: SessionTokens
        /// The refresh that runs now, for all callers.
        var refresh: Task<SessionTokens, any Error>?
        /// The calls that run now and can replace the tokens.
        var runningReplacements = 0
        /// Whether the server did not accept the tokens any more.
        var areTokensRejected = false
        /// The lookups that were begun. Each has a number, so that a late response does not replace a newer one.
        var lookups = 0
        /// The number of the lookup that `account` comes from.
        var newestLookup = 0
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
    public var providerData: [any UserInfo] { (account.providerUserInfo ?? []).map(ProviderUserInfo.init) }
    /// When the account was created and used.
    public var metadata: UserMetadata { UserMetadata(account) }
    /// The second factors.
    public var multiFactor: MultiFactor { MultiFactor(user: self) }

    // MARK: - Tokens

    /// An ID token for a backend. It is valid for at least five minutes. A session that the device cannot store stays
    /// usable until the process ends.
    /// - Throws: as ``getIDTokenResult(forcingRefresh:)``.
    public func getIDToken(forcingRefresh: Bool = false) async throws -> String {
        try await currentTokens(forcingRefresh: forcingRefresh).idToken
    }

    /// The form of ``getIDToken(forcingRefresh:)`` with a completion handler.
    public func getIDToken(completion: (@MainActor @Sendable (String?, (any Error)?) -> Void)?) {
        getIDTokenForcingRefresh(false, completion: completion)
    }

    /// The form of ``getIDToken(forcingRefresh:)`` with a completion handler.
    public func getIDTokenForcingRefresh(
        _ forceRefresh: Bool, completion: (@MainActor @Sendable (String?, (any Error)?) -> Void)?
    ) {
        run(completion) { try await self.getIDToken(forcingRefresh: forceRefresh) }
    }

    /// An ID token and its claims.
    /// - Throws: `userTokenExpired`, `userDisabled` or `userNotFound` if the session has ended: the user is signed out
    ///   then; `networkError`.
    public func getIDTokenResult(forcingRefresh: Bool = false) async throws -> AuthTokenResult {
        try AuthTokenResult(token: try await currentTokens(forcingRefresh: forcingRefresh).idToken)
    }

    /// The form with a completion handler.
    public func getIDTokenResult(
        forcingRefresh: Bool = false, completion: (@MainActor @Sendable (AuthTokenResult?, (any Error)?) -> Void)?
    ) {
        run(completion) { try await self.getIDTokenResult(forcingRefresh: forcingRefresh) }
    }

    /// The same as ``getIDToken(forcingRefresh:)``.
    public func idTokenForcingRefresh(_ forceRefresh: Bool) async throws -> String {
        try await getIDToken(forcingRefresh: forceRefresh)
    }

    /// The same as ``getIDTokenResult(forcingRefresh:)``.
    public func idTokenResult(forcingRefresh: Bool = false) async throws -> AuthTokenResult {
        try await getIDTokenResult(forcingRefresh: forcingRefresh)
    }

    /// One refresh serves all callers that wait for it. A caller that is cancelled does not cancel it for the others.
    private func currentTokens(forcingRefresh: Bool) async throws -> SessionTokens {
        let now = auth.clock.now()
        let refresh: Task<SessionTokens, any Error>? = state.withLock { state in
            if let running = state.refresh { return running }
            let used = state.tokens
            guard forcingRefresh || !used.isFresh(at: now) else { return nil }
            let refresh = Task { try await self.refresh(used) }
            state.refresh = refresh
            return refresh
        }
        guard let refresh else { return tokens }
        return try await refresh.valueOrCancellation
    }

    private func refresh(_ used: SessionTokens) async throws -> SessionTokens {
        defer { state.withLock { $0.refresh = nil } }
        do {
            let response = try await auth.server.send(RefreshRequest(refreshToken: used.refreshToken))
            guard
                let new = SessionTokens(
                    idToken: response.idToken, refreshToken: response.refreshToken, expiresIn: response.expiresIn,
                    at: auth.clock.now())
            else { throw AuthErrorCode(.internalError) }
            return adopt(new, replacing: used)
        } catch let error as AuthErrorCode where error.endsSession {
            guard tokens == used else { return tokens }
            tokensRejected(used)
            throw error
        }
    }

    // MARK: - Changes

    /// Uses the tokens of a response from now on. That the device cannot store them is no error: they are valid.
    func adopt(_ tokens: SessionTokens) {
        state.withLock { state in
            state.tokens = tokens
            state.areTokensRejected = false
        }
        // `try?`: the next change of the user stores them, or throws.
        try? auth.userChanged(self, isNewToken: true)
    }

    /// The same for a refresh of `used`, unless another call has replaced those: its tokens are newer.
    /// - Returns: the newest tokens.
    private func adopt(_ new: SessionTokens, replacing used: SessionTokens) -> SessionTokens {
        let isNewest = state.withLock { state in
            let isNewest = state.tokens == used
            if isNewest { state.tokens = new }
            return isNewest
        }
        // `try?`: see above.
        if isNewest { try? auth.userChanged(self, isNewToken: true) }
        return tokens
    }

    /// Replaces the account and the tokens after a further sign-in.
    /// - Throws: `keychainError`. The change has taken effect then.
    func replace(_ account: AccountRecord, _ tokens: SessionTokens) throws(AuthErrorCode) {
        state.withLock { state in
            state.account = account
            state.tokens = tokens
            state.areTokensRejected = false
        }
        try auth.userChanged(self, isNewToken: true)
    }

    /// Reads the account again.
    /// - Throws: `userTokenExpired`, `invalidUserToken`, `userDisabled` or `userNotFound` if the session has ended:
    ///   the user is signed out then; `networkError`; `keychainError` if the device cannot store the session.
    public func reload() async throws {
        let number = state.withLock { state in
            state.lookups += 1
            return state.lookups
        }
        let account = try await withIDToken { try await self.auth.account(idToken: $0) }
        guard account.localId == uid else { throw AuthErrorCode(.userMismatch) }
        state.withLock { state in
            guard number > state.newestLookup else { return }
            state.newestLookup = number
            state.account = account
        }
        try auth.userChanged(self, isNewToken: false)
    }

    /// Sends a request with an ID token of the user. A session that has ended signs the user out.
    /// - Parameter call: sends one request. It is repeated with newer tokens, if there are any, after the server did
    ///   not accept the first ones.
    func withIDToken<Value>(_ call: (String) async throws -> Value) async throws -> Value {
        var used = try await currentTokens(forcingRefresh: false)
        do {
            do {
                return try await call(used.idToken)
            } catch let error as AuthErrorCode where error.endsSession {
                guard tokens != used else { throw error }
                used = tokens
                return try await call(used.idToken)
            }
        } catch let error as AuthErrorCode where error.endsSession {
            tokensRejected(used)
            throw error
        }
    }

    /// Runs a call whose response can replace the tokens. The server may have ended the former ones before its response
    /// arrives: until then, their rejection in another call does not end the session.
    func replacingTokens<Value>(_ call: () async throws -> Value) async throws -> Value {
        state.withLock { $0.runningReplacements += 1 }
        defer {
            let isSessionEnded = state.withLock { state in
                state.runningReplacements -= 1
                return state.runningReplacements == 0 && state.areTokensRejected
            }
            if isSessionEnded { auth.sessionEnded(of: self) }
        }
        return try await call()
    }

    private func tokensRejected(_ used: SessionTokens) {
        let isSessionEnded = state.withLock { state in
            guard state.tokens == used else { return false }
            state.areTokensRejected = true
            return state.runningReplacements == 0
        }
        if isSessionEnded { auth.sessionEnded(of: self) }
    }

    /// Sends a request that changes the account, takes the tokens of its response over, and reads the account again.
    func change<Request: AuthRequest>(_ request: (_ idToken: String) -> Request) async throws
    where Request.Response == SignInResponse {
        try await replacingTokens {
            let response = try await withIDToken { try await self.auth.server.send(request($0)) }
            if let tokens = response.tokens(at: auth.clock.now()) { adopt(tokens) }
        }
        try await reload()
    }
}

extension User: Hashable {
    /// Whether both are the same session.
    public static func == (one: User, other: User) -> Bool { one === other }
    /// Hashes the identity of the session.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
