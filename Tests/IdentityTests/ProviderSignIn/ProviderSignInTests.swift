import Contracts
import JSON
import SQL
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

extension IdentityFixture {
    static func person(
        _ subject: String = "sub", email: String? = "ada@example.com", verified: Bool = true,
        authoritative: Bool = false, provider: String = "oidc.company", attributes: String? = nil
    ) -> ProviderIdentity {
        ProviderIdentity(
            providerID: provider, subject: subject, email: email, isEmailVerified: verified,
            isEmailAuthoritative: authoritative, displayName: "Ada", photoURL: "https://img.example/a.png",
            attributes: attributes)
    }

    /// The request that federation sends for a verified response.
    func signInByProvider(
        _ identity: ProviderIdentity = person(), linkIDToken: Secret<String>? = nil, createsAccount: Bool = true,
        in realm: Realm = realm, idempotencyKey: String? = nil
    ) async throws -> Identity.ProviderSignInReply {
        try await send(
            Identity.SignInWithProvider(
                realm: realm, identity: identity, linkIDToken: linkIDToken, createsAccount: createsAccount,
                client: ClientContext(ipAddress: "192.0.2.1")), idempotencyKey: idempotencyKey)
    }

    /// An administrator links an identity.
    func link(_ id: AccountID, _ identity: ProviderIdentity = person()) async throws {
        _ = try await change(id, .init(link: identity.link))
    }

    func providerSession(
        _ identity: ProviderIdentity = person(), linkIDToken: Secret<String>? = nil, in realm: Realm = realm
    ) async throws -> Identity.ProviderSignInReply.Session {
        try #require(try await signInByProvider(identity, linkIDToken: linkIDToken, in: realm).session)
    }
}

/// REST 2.4. Serialized: each test uses several connections of the server.
@Suite(.serialized) struct ProviderSignInTests {
    private static func firebase(_ tokens: TokenSet) throws -> JSONValue? {
        try OwnAccountTests.claims(tokens)["firebase"]
    }

    // MARK: Signing in

    @Test(arguments: StoreEngine.allCases)
    func newIdentityCreatesAccountAndSignsInAgain(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let first = try await fixture.providerSession()
        #expect(first.isNewAccount && !first.isEmailRecycled)
        #expect(first.account.email == EmailAddress("ada@example.com") && first.account.emailVerified)
        #expect(first.account.displayName == "Ada" && first.account.photoURL == "https://img.example/a.png")
        let claims = try OwnAccountTests.claims(first.tokens)
        #expect(claims["email_verified"] == .bool(true) && claims["name"] == .string("Ada"))
        #expect(claims["firebase"]?["sign_in_provider"] == .string("oidc.company"))
        #expect(
            claims["firebase"]?["identities"]
                == .object([
                    "email": .array([.string("ada@example.com")]), "oidc.company": .array([.string("sub")]),
                ]))
        #expect(claims["firebase"]?["sign_in_attributes"] == nil)
        fixture.clock.advance(by: .seconds(60))
        // The identity is the subject: another address at the provider changes the entry only.
        let again = try await fixture.providerSession(IdentityFixture.person(email: "new@example.com"))
        #expect(!again.isNewAccount && again.account.id == first.account.id)
        #expect(again.account.lastSignInAt == fixture.clock.now)
        let stored = try await fixture.lookUp(again.tokens.idToken)
        #expect(stored.email == EmailAddress("ada@example.com") && stored.emailVerified)
        #expect(stored.providers == [IdentityFixture.person(email: "new@example.com").link])
        #expect(
            try OwnAccountTests.claims(again.tokens)["auth_time"] == .integer(fixture.clock.now.timestamp.seconds))
        _ = try await fixture.refresh(first.tokens.refreshToken)
        #expect(fixture.published.all.isEmpty)
        let actions = try await fixture.auditActions().filter { $0.hasPrefix("account.") || $0.hasPrefix("session.") }
        #expect(actions == ["account.created", "session.created"])
    }

    @Test func repeatedCallReturnsSameSession() async throws {
        let fixture = try await IdentityFixture()
        let first = try #require(try await fixture.signInByProvider(idempotencyKey: "k").session)
        let second = try #require(try await fixture.signInByProvider(idempotencyKey: "k").session)
        #expect(first.isNewAccount && second.isNewAccount && first.account == second.account)
        #expect(first.tokens.refreshToken == second.tokens.refreshToken)
    }

    @Test(arguments: StoreEngine.allCases)
    func identityCreatesOneAccountUnderConcurrency(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let sessions = try await withThrowingTaskGroup { group in
            for _ in 0..<50 { group.addTask { try await fixture.providerSession() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(sessions.map(\.account.id)).count == 1)
        #expect(sessions.count(where: \.isNewAccount) == 1)
        #expect(Set(sessions.map { $0.tokens.refreshToken.reveal() }).count == 50)
        #expect(try await fixture.auditActions().count { $0 == "account.created" } == 1)
    }

    /// Several identities with one address: one creates the account, and the others have to confirm.
    @Test(arguments: StoreEngine.allCases)
    func addressCreatesOneAccountUnderConcurrency(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let replies = try await withThrowingTaskGroup { group in
            for number in 0..<12 {
                group.addTask { try await fixture.signInByProvider(IdentityFixture.person("sub-\(number)")) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(replies.count { $0.session != nil } == 1)
        #expect(replies.count { $0.confirmation?.verifiedProviders == ["oidc.company"] } == 11)
    }

    /// Every caller has an own account, and all link one identity.
    @Test(arguments: StoreEngine.allCases)
    func identityIsLinkedOnceUnderConcurrency(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        var tokens: [TokenSet] = []
        for _ in 0..<12 {
            tokens.append(try await fixture.send(Identity.SignUp(realm: IdentityFixture.realm)).tokens)
        }
        let replies = try await withThrowingTaskGroup { group in
            for tokens in tokens {
                group.addTask {
                    try await fixture.signInByProvider(
                        IdentityFixture.person(email: nil), linkIDToken: tokens.idToken)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(replies.count { $0.session != nil } == 1)
        #expect(replies.count { $0.conflict == .identityLinked } == 11)
    }

    // MARK: Existing accounts

    @Test(arguments: StoreEngine.allCases)
    func authoritativeProviderJoinsVerifiedAccount(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let made = try await fixture.signUp()
        _ = try await fixture.change(made.account.id, .init(emailVerified: true))
        let google = IdentityFixture.person(authoritative: true, provider: "google.com")
        let joined = try await fixture.providerSession(google)
        #expect(!joined.isNewAccount && !joined.isEmailRecycled && joined.account.id == made.account.id)
        #expect(joined.account.hasPassword && joined.account.providers == [google.link])
        _ = try await fixture.signIn()
        _ = try await fixture.refresh(made.tokens.refreshToken)
        #expect(fixture.published.all.isEmpty)
        #expect(try await fixture.auditActions().contains("account.provider-linked"))
    }

    @Test(arguments: [false, true])
    func otherProviderNeedsConfirmation(isVerified: Bool) async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        let reply = try await fixture.signInByProvider(IdentityFixture.person(verified: isVerified))
        #expect(reply.session == nil && reply.pending == nil && reply.conflict == nil)
        #expect(
            reply.confirmation
                == .init(
                    accountID: made.account.id, email: EmailAddress("ada@example.com")!,
                    verifiedProviders: ["password"]))
        let stored = try await fixture.lookUp(made.tokens.idToken)
        #expect(stored.providers.isEmpty && stored.displayName == nil && !stored.emailVerified)
        // The user signs in with the password, and links the identity then.
        let linked = try await fixture.providerSession(
            IdentityFixture.person(verified: isVerified), linkIDToken: made.tokens.idToken)
        #expect(linked.account.id == made.account.id)
        #expect(try await fixture.providerSession().account.id == made.account.id)
    }

    @Test func duplicateEmailsCreateSeparateAccounts() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        try await fixture.configure { $0.signIn?.allowDuplicateEmails = true }
        for authoritative in [false, true] {
            let identity = IdentityFixture.person("sub-\(authoritative)", authoritative: authoritative)
            let session = try await fixture.providerSession(identity)
            #expect(session.isNewAccount && session.account.id != made.account.id)
            #expect(session.account.email == nil && session.account.providers.first?.email == "ada@example.com")
            #expect(try OwnAccountTests.claims(session.tokens)["email"] == nil)
            #expect(try await fixture.providerSession(identity).account.id == session.account.id)
        }
        _ = try await fixture.signIn()
    }

    @Test func disabledAccountIsRefused() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.providerSession()
        _ = try await fixture.change(made.account.id, .init(disabled: true))
        await #expect(throws: ServiceError(.accountDisabled)) { try await fixture.signInByProvider() }
    }

    @Test func unknownIdentityIsRefusedWithoutSignUp() async throws {
        let fixture = try await IdentityFixture()
        await #expect(throws: ServiceError(.accountNotFound)) {
            try await fixture.signInByProvider(createsAccount: false)
        }
        try await fixture.configure { $0.client?.permissions = .init() }
        try await fixture.configure { $0.client?.permissions?.disabledUserSignup = true }
        await #expect(throws: ServiceError(.adminOnlyOperation)) { try await fixture.signInByProvider() }
        await #expect(throws: ServiceError.invalidProviderIdentity) {
            try await fixture.signInByProvider(IdentityFixture.person(provider: "custom"))
        }
    }

    // MARK: Linking

    @Test(arguments: StoreEngine.allCases)
    func linkedIdentitySignsIn(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let made = try await fixture.signUp()
        let signedInAt = fixture.clock.now.timestamp.seconds
        fixture.clock.advance(by: .seconds(200))
        let person = IdentityFixture.person(email: "work@example.com")
        let linked = try await fixture.providerSession(person, linkIDToken: made.tokens.idToken)
        #expect(!linked.isNewAccount && linked.account.id == made.account.id)
        #expect(linked.account.email == EmailAddress("ada@example.com") && linked.account.providers == [person.link])
        let claims = try OwnAccountTests.claims(linked.tokens)
        #expect(claims["firebase"]?["sign_in_provider"] == .string("oidc.company"))
        // The session continues, and no other ends.
        #expect(claims["auth_time"] == .integer(signedInAt))
        _ = try await fixture.refresh(made.tokens.refreshToken)
        #expect(fixture.published.all.isEmpty)
        #expect(try await fixture.providerSession(person).account.id == made.account.id)
        _ = try await fixture.signIn()
        // A known identity is a new sign-in, which a link requires after five minutes.
        fixture.clock.advance(by: .seconds(101))
        await #expect(throws: ServiceError(.recentSignInRequired)) {
            try await fixture.signInByProvider(
                IdentityFixture.person(provider: "github.com"), linkIDToken: linked.tokens.idToken)
        }
        let again = try await fixture.providerSession(person, linkIDToken: linked.tokens.idToken)
        _ = try await fixture.providerSession(
            IdentityFixture.person(email: nil, provider: "github.com"), linkIDToken: again.tokens.idToken)
    }

    @Test func linkUpgradesAnonymousAccount() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.send(Identity.SignUp(realm: IdentityFixture.realm))
        fixture.clock.advance(by: .seconds(1000))
        let linked = try await fixture.providerSession(linkIDToken: made.tokens.idToken)
        #expect(linked.account.id == made.account.id && linked.account.email == EmailAddress("ada@example.com"))
        #expect(linked.account.emailVerified)
        let claims = try OwnAccountTests.claims(linked.tokens)
        #expect(claims["provider_id"] == nil)
        #expect(claims["auth_time"] == .integer(fixture.clock.now.timestamp.seconds))
    }

    @Test func conflictChangesNothing() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUp("bob@example.com")
        let owner = try await fixture.providerSession()
        let made = try await fixture.signUp("eve@example.com")
        let identity = try await fixture.signInByProvider(linkIDToken: made.tokens.idToken)
        #expect(identity.conflict == .identityLinked && identity.session == nil)
        let address = try await fixture.signInByProvider(
            IdentityFixture.person("other", email: "BOB@example.com"), linkIDToken: made.tokens.idToken)
        #expect(address.conflict == .emailExists && address.session == nil)
        #expect(try await fixture.lookUp(made.tokens.idToken).providers.isEmpty)
        #expect(try await fixture.lookUp(owner.tokens.idToken).id == owner.account.id)
    }

    @Test func lastProviderCanBeUnlinked() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.providerSession()
        let changed = try await fixture.changeOwn(made.tokens, .init(removals: [.provider("oidc.company")]))
        #expect(changed.account.providers.isEmpty)
        _ = try await fixture.lookUp(changed.tokens.idToken)
        // The identity is unknown again, and its address belongs to the account.
        #expect(try await fixture.signInByProvider().confirmation?.accountID == made.account.id)
    }

    @Test func administratorAndCallerSeeProviders() async throws {
        let fixture = try await IdentityFixture()
        try await fixture.showsEmails()
        let made = try await fixture.providerSession()
        let criterion = Identity.FindAccounts.Criterion.provider(id: "oidc.company", accountID: "sub")
        let found = try await fixture.send(
            Identity.FindAccounts(realm: IdentityFixture.realm, criteria: [criterion])
        ).accounts
        #expect(found.map(\.id) == [made.account.id] && found.first?.providers == [IdentityFixture.person().link])
        let methods = try await fixture.send(
            Identity.FindSignInMethods(realm: IdentityFixture.realm, email: "ada@example.com")
        ).methods
        #expect(methods?.providers == ["oidc.company"] && methods?.hasPassword == false)
        // An administrator's link signs in.
        let bob = try await fixture.signUp("bob@example.com")
        _ = try await fixture.change(
            bob.account.id, .init(link: ProviderLink(providerID: "github.com", providerAccountID: "7")))
        let signedIn = try await fixture.providerSession(
            IdentityFixture.person("7", email: "any@example.com", provider: "github.com"))
        #expect(signedIn.account.id == bob.account.id)
    }

    /// An account is found by its address, and by one that it has at a provider.
    @Test(arguments: StoreEngine.allCases)
    func providerAddressFindsSignInMethods(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        try await fixture.showsEmails()
        func methods(_ email: String) async throws -> Identity.FindSignInMethods.Methods? {
            try await fixture.send(Identity.FindSignInMethods(realm: IdentityFixture.realm, email: email)).methods
        }
        let ada = try await fixture.signUp()
        func link(_ id: AccountID, _ provider: String, _ email: String) async throws {
            let link = ProviderLink(providerID: provider, providerAccountID: id.rawValue, email: email)
            _ = try await fixture.change(id, .init(link: link))
        }
        try await link(ada.account.id, "github.com", "Ada@Work.example")
        let found = Identity.FindSignInMethods.Methods(
            isRegistered: true, hasPassword: true, hasEmailLink: false, providers: ["github.com"])
        #expect(try await methods("ada@example.com") == found)
        #expect(try await methods("ada@work.example") == found)
        #expect(try await methods("ADA@WORK.example") == found)
        let none = Identity.FindSignInMethods.Methods(
            isRegistered: false, hasPassword: false, hasEmailLink: false, providers: [])
        #expect(try await methods("bob@work.example") == none)
        // The account whose own address it is comes first.
        let bob = try await fixture.signUp("bob@example.com")
        try await link(bob.account.id, "google.com", "ada@example.com")
        #expect(try await methods("ada@example.com") == found)
        // Where several accounts may have one address, providers are no methods of it.
        try await fixture.configure { $0.signIn?.allowDuplicateEmails = true }
        var passwords = found
        passwords.providers = []
        #expect(try await methods("ada@work.example") == passwords)
        // A removed link finds nothing any more.
        _ = try await fixture.change(ada.account.id, .init(removals: [.provider("github.com")]))
        #expect(try await methods("ada@work.example") == none)
    }

    // MARK: Tenants

    @Test(arguments: StoreEngine.allCases)
    func tenantsAreSeparateRealms(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let tenant = try await fixture.makeTenant()
        let outside = try await fixture.providerSession()
        let inside = try await fixture.providerSession(in: tenant)
        #expect(inside.isNewAccount && inside.account.id != outside.account.id)
        #expect(inside.account.email == outside.account.email)
        #expect(try Self.firebase(inside.tokens)?["tenant"] == .string(tenant.tenant?.rawValue ?? ""))
        #expect(try await fixture.providerSession(in: tenant).account.id == inside.account.id)
        // Providers of the two realms may have the same ID, and be different ones.
        let other = IdentityFixture.person("other", email: nil)
        await #expect(throws: ServiceError(.tenantMismatch)) {
            try await fixture.signInByProvider(other, linkIDToken: inside.tokens.idToken)
        }
        await #expect(throws: ServiceError(.tenantMismatch)) {
            try await fixture.signInByProvider(other, linkIDToken: outside.tokens.idToken, in: tenant)
        }
        await #expect(throws: ServiceError(.tenantNotFound)) {
            try await fixture.signInByProvider(
                in: Realm(project: IdentityFixture.realm.project, tenant: TenantID("none")))
        }
    }
}
