import Contracts
import Testing
import Vocabulary

@testable import IdentityService

/// Security rule FE20: each removal of a sign-in method and each link, by each kind of session. A session that was
/// opened long ago, or before the factor was enrolled, neither empties an account nor adds a method to an empty one.
@Suite struct SignInMethodChangeTests {
    private static let now = Moment(milliseconds: 1_700_000_000_000)
    private static let address = EmailAddress("ada@example.com")
    private static let number = PhoneNumber("+12025550101")
    private static let factor = SecondFactor(id: FactorID("t"), kind: .totp, displayName: nil, enrolledAt: now)
    private static let policy = SessionPolicy(requestedMethods: [.totp])

    /// What is removed. Each is the only method of its account.
    enum Method: CaseIterable {
        case password, emailLink, email, phone, provider, everyProvider, passkey

        fileprivate var removals: [Identity.AccountChanges.Removal] {
            switch self {
            case .password: [.password]
            case .emailLink: [.emailSignIn]
            case .email: [.email]
            case .phone: [.phoneNumber]
            case .provider: [.provider("oidc.a")]
            case .everyProvider: [.providers]
            case .passkey: [.passkey(PasskeyTests.id(1))]
            }
        }

        fileprivate var signInProvider: String {
            switch self {
            case .password, .emailLink, .email: "password"
            case .phone: "phone"
            case .provider, .everyProvider: "oidc.a"
            case .passkey: "passkey"
            }
        }

        fileprivate func account(hasFactor: Bool) -> StoredAccount {
            var stored = StoredAccount(id: AccountID("ada"), in: IdentityFixture.realm, at: now - .seconds(100_000))
            switch self {
            case .password, .email:
                stored.account.email = address
                stored.passwordRecord = "record"
            case .emailLink:
                stored.account.email = address
                stored.account.emailLinkSignIn = true
            case .phone: stored.account.phoneNumber = number
            case .provider, .everyProvider:
                stored.account.providers = [ProviderLink(providerID: "oidc.a", providerAccountID: "sub")]
            case .passkey: stored.account.passkeys = [PasskeyTests.passkey(1)]
            }
            if hasFactor { stored.account.secondFactors = [factor] }
            return stored
        }
    }

    enum Link: CaseIterable { case password, emailLink, phone, provider, passkey }

    enum Session: CaseIterable {
        case fresh, stale
        /// A session of a minute ago; the factor was enrolled after it.
        case preFactor
        /// With the factor.
        case freshWithFactor, staleWithFactor
        /// Opened before the account got its first method.
        case anonymous

        fileprivate var accountHasFactor: Bool {
            switch self {
            case .fresh, .stale, .anonymous: false
            case .preFactor, .freshWithFactor, .staleWithFactor: true
            }
        }

        fileprivate func authentication(_ provider: String) -> AuthenticationContext {
            let age: Int64 =
                switch self {
                case .fresh, .preFactor, .freshWithFactor: 60
                case .stale, .staleWithFactor, .anonymous: 301
                }
            let factor: AuthenticationContext.Factor? =
                switch self {
                case .freshWithFactor, .staleWithFactor:
                    .init(kind: "totp", id: SignInMethodChangeTests.factor.id)
                case .fresh, .stale, .preFactor, .anonymous: nil
                }
            return AuthenticationContext(
                authenticatedAt: Timestamp(seconds: now.timestamp.seconds - age),
                signInProvider: self == .anonymous ? "anonymous" : provider, secondFactor: factor)
        }

        /// A change of sign-in methods in this session.
        fileprivate var error: ServiceError? {
            switch self {
            case .fresh, .freshWithFactor: nil
            case .stale, .staleWithFactor, .anonymous: ServiceError(.recentSignInRequired)
            case .preFactor: ServiceError(.secondFactorRequired)
            }
        }
    }

    private static func principal(_ authentication: AuthenticationContext) -> Principal {
        Principal(
            accountID: AccountID("ada"), realm: IdentityFixture.realm, issuedAt: authentication.authenticatedAt,
            authenticatedAt: authentication.authenticatedAt, signInProvider: authentication.signInProvider)
    }

    private static func ownerChange(
        _ changes: Identity.OwnAccountChanges, _ authentication: AuthenticationContext, isLinking: Bool = false
    ) -> OwnerChange {
        OwnerChange(
            changes: changes, principal: principal(authentication), presented: authentication,
            policy: .init(allowsPasswords: true, wantsNewEmailVerified: false, sessions: policy), now: now,
            isLinking: isLinking)
    }

    private static func error(of body: () throws -> Void) -> ServiceError? {
        do {
            try body()
            return nil
        } catch { return error as? ServiceError }
    }

    @Test(arguments: Method.allCases, Session.allCases)
    func removalNeedsRecentSignInAndFactor(method: Method, session: Session) throws {
        var stored = method.account(hasFactor: session.accountHasFactor)
        let before = stored
        let change = Self.ownerChange(
            .init(removals: method.removals), session.authentication(method.signInProvider))
        let error = Self.error { try change.apply(to: &stored, passwordRecord: nil) }
        #expect(error == session.error)
        #expect((stored == before) == (error != nil))
    }

    /// The account has no method any more: its own old session, one of before the factor, and an anonymous one of long
    /// ago do not make it theirs.
    @Test(arguments: Method.allCases, Link.allCases)
    func emptyAccountIsNotAnonymous(method: Method, link: Link) throws {
        for session in Session.allCases {
            var stored = method.account(hasFactor: session.accountHasFactor)
            let remover: Session = session.accountHasFactor ? .freshWithFactor : .fresh
            for removals in [method.removals, [.emailSignIn]] {
                let change = Self.ownerChange(
                    .init(removals: removals), remover.authentication(method.signInProvider))
                stored.account.validSince = Timestamp(seconds: 0)  // As if no removal ended sessions.
                try change.apply(to: &stored, passwordRecord: nil)
            }
            #expect(stored.account.email == nil && stored.account.providers.isEmpty && stored.account.passkeys.isEmpty)
            stored.account.validSince = Timestamp(seconds: 0)
            // What a database returns after it was stored.
            let read = StoredAccount(
                account: stored.account, passwordRecord: nil, hasHadSignInMethod: stored.hasHadSignInMethod)
            let authentication = session.authentication(method.signInProvider)
            #expect(
                Self.error { try Self.link(link, to: read, authentication) } == session.error, "\(session)")
        }
    }

    /// An anonymous user can still get every first method, however old the session is.
    @Test(arguments: Link.allCases) func anonymousUserGetsFirstMethodAtAnyTime(link: Link) throws {
        let stored = StoredAccount(id: AccountID("ada"), in: IdentityFixture.realm, at: Self.now - .seconds(100_000))
        #expect(Self.error { try Self.link(link, to: stored, Session.anonymous.authentication("")) } == nil)
        #expect(
            Self.error { try Self.link(link, to: stored, Session.stale.authentication("custom")) }
                == ServiceError(.recentSignInRequired))
    }

    /// Decides as the handlers and stores do.
    private static func link(
        _ link: Link, to stored: StoredAccount, _ authentication: AuthenticationContext
    ) throws {
        let principal = principal(authentication)
        func decide(_ operation: SessionOperation, _ after: StoredAccount) throws {
            _ = try policy.authenticationContext(
                for: .init(
                    operation: operation, stored: after, authentication: authentication, presented: authentication,
                    upgradesAnonymous: stored.isAnonymousUser(of: authentication.signInProvider)))
        }
        switch link {
        case .password:
            var account = stored
            try ownerChange(
                .init(email: "eve@example.com", password: Secret("x")), authentication, isLinking: true
            ).apply(to: &account, passwordRecord: "record")
        case .emailLink:
            try stored.requireRecentSignIn(of: principal, at: now)
            try decide(.emailLinkAddition, stored)
        case .phone:
            let rules = PhoneSignIn(
                number: try #require(number), intent: .link, principal: principal, usesTemporaryProof: false,
                allowsSelfSignUp: true, now: now)
            guard
                case .open(let opening) = try rules.decide(
                    currentOwner: nil, requestingAccount: stored, newAccount: stored)
            else { return }
            try decide(opening.operation, opening.account)
        case .provider:
            let rules = ProviderSignIn(
                identity: ProviderSignInRulesTests.identity(), principal: principal, createsAccount: true,
                allowsSelfSignUp: true, allowsDuplicateEmails: false, now: now)
            guard
                case .open(let opening) = try rules.decide(
                    identityOwner: nil, emailOwner: nil, requestingAccount: stored, newAccount: stored)
            else { return }
            try decide(opening.operation, opening.account)
        case .passkey:
            try stored.requireRecentSignIn(of: principal, at: now)
            try PasskeyEnrollment(
                principal: principal, presented: authentication, isUserVerified: true, now: now
            ).check(stored, policy)
        }
    }
}
