import Contracts
import Vocabulary

/// A sign-in whose first factor was verified and whose second factor is missing (tokens 8, security rules section 9).
/// It is not a session: it gives no access to the account.
struct PendingSignIn: Equatable, Sendable {
    static let lifetime = Duration.seconds(600)

    /// The hash of the credential.
    var credentialHash: [UInt8]
    var realm: Realm
    var accountID: AccountID
    /// The authentication context of the first factor; the session inherits it.
    var authentication: AuthenticationContext
    /// The identity that was the first factor, without its attributes; nil for other first factors.
    var identity: ProviderIdentity?
    var createdAt: Moment

    /// - Parameter tenant: that the request names; nil if it names none.
    /// - Throws: `tenantMismatch`.
    func checkTenant(_ tenant: TenantID?) throws(ServiceError) {
        guard tenant == nil || tenant == realm.tenant else { throw ServiceError(.tenantMismatch) }
    }

    /// - Throws: `pendingCredentialExpired`.
    func checkAge(at now: Moment) throws(ServiceError) {
        guard createdAt.beginsWindow(of: Self.lifetime, containing: now) else {
            throw ServiceError(.pendingCredentialExpired)
        }
    }

    /// The authentication context of the session that the verified factor opens.
    func authenticationContext(with factor: AuthenticationContext.Factor, at now: Moment) -> AuthenticationContext {
        var authentication = authentication
        authentication.authenticatedAt = now.timestamp
        authentication.secondFactor = factor
        return authentication
    }
}

/// An opaque `mfaPendingCredential` of 256 bits.
struct PendingCredential: OpaqueCredential {
    static let version: UInt8 = 2

    var secret: [UInt8]
}

/// Both results of a verified first factor, prepared before the transaction that decides between them.
struct PreparedSignIn: Sendable {
    var session: Session
    var refreshToken: RefreshToken
    var pending: PendingSignIn
    var credential: PendingCredential
    /// The responses of the blocking functions that this sign-in has called.
    var responses = BlockingFunctionResponses(events: [])
    /// About the session, if it is opened; nil in tests of the store.
    var notice: SignInNotice?

    init(
        for accountID: AccountID, in realm: Realm, authentication: AuthenticationContext,
        clientAddress: String? = nil, device: String? = nil, notice: SignInNotice? = nil, at now: Moment,
        randomBytes: (_ count: Int) -> [UInt8]
    ) {
        self.notice = notice
        (session, refreshToken) = Session.open(
            for: accountID, in: realm, authentication: authentication, clientAddress: clientAddress, device: device,
            at: now, randomBytes: randomBytes)
        credential = PendingCredential(secret: randomBytes(PendingCredential.secretBytes))
        pending = PendingSignIn(
            credentialHash: credential.hash, realm: realm, accountID: accountID, authentication: authentication,
            createdAt: now)
    }

    func with(_ responses: BlockingFunctionResponses) -> Self {
        var prepared = self
        prepared.responses = responses
        return prepared
    }
}
