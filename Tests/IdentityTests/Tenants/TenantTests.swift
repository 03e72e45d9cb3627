import Contracts
import Foundation
import SQL
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// REST 5.2; security rule AD4.
@Suite struct TenantTests {
    private static let project = IdentityFixture.realm.project

    private func signUp(_ fixture: IdentityFixture, _ realm: Realm, _ email: String? = "ada@example.com") async throws
        -> Identity.SignUp.Reply
    {
        try await fixture.send(
            Identity.SignUp(realm: realm, email: email, password: email.map { _ in Secret("correct-horse-9") }))
    }

    // MARK: Administration

    @Test func tenantIsCreatedReadChangedListedAndDeleted() async throws {
        let fixture = try await IdentityFixture()
        let realm = try await fixture.makeTenant()
        let id = try #require(realm.tenant)
        #expect(id.rawValue.hasPrefix("acme-corp-") && id.rawValue.utf8.count == "acme-corp-".utf8.count + 5)
        try await fixture.changeTenant(realm) { $0.enableAnonymousUser = false }
        let read = try await fixture.send(Identity.ReadTenant(project: Self.project, tenant: id))
        #expect(read.revision == 2 && read.configuration.enableAnonymousUser == false)
        #expect(try await list(fixture).tenants == [read])
        _ = try await fixture.send(Identity.DeleteTenant(project: Self.project, tenant: id))
        #expect(try await list(fixture).tenants == [])
        await #expect(throws: ServiceError(.tenantNotFound)) {
            try await fixture.send(Identity.ReadTenant(project: Self.project, tenant: id))
        }
        await #expect(throws: ServiceError(.tenantNotFound)) {
            try await fixture.send(Identity.DeleteTenant(project: Self.project, tenant: id))
        }
        await #expect(throws: ServiceError(.tenantNotFound)) {
            try await fixture.send(
                Identity.ReplaceTenant(
                    project: Self.project, tenant: id, configuration: read.configuration, expectedRevision: 2))
        }
    }

    @Test func staleRevisionIsRefused() async throws {
        let fixture = try await IdentityFixture()
        let id = try #require(try await fixture.makeTenant().tenant)
        let read = try await fixture.send(Identity.ReadTenant(project: Self.project, tenant: id))
        let change = Identity.ReplaceTenant(
            project: Self.project, tenant: id, configuration: read.configuration, expectedRevision: read.revision)
        _ = try await fixture.send(change)
        await #expect(throws: ServiceError(.configurationConflict)) { try await fixture.send(change) }
    }

    private func list(_ fixture: IdentityFixture, after: TenantID? = nil, count: Int = 1000) async throws
        -> Identity.ListTenants.Reply
    {
        try await fixture.send(Identity.ListTenants(project: Self.project, after: after, limit: count))
    }

    @Test func pagesContainEachTenantOnce() async throws {
        let fixture = try await IdentityFixture()
        for _ in 0..<7 { _ = try await fixture.makeTenant() }
        var seen: [TenantID] = []
        var after: TenantID?
        repeat {
            let page = try await list(fixture, after: after, count: 3)
            #expect(page.tenants.count <= 3)
            seen += page.tenants.map(\.id)
            after = page.hasMore ? page.tenants.last?.id : nil
        } while after != nil
        #expect(seen.count == 7 && seen == seen.sorted() && Set(seen).count == 7)
    }

    @Test(
        arguments: [
            ("", ServiceError(.missingDisplayName)), ("abc", ServiceError(.invalidDisplayName)),
            (String(repeating: "a", count: 21), ServiceError(.invalidDisplayName)),
            ("1abc", ServiceError(.invalidDisplayName)),
            ("-abc", ServiceError(.invalidDisplayName)), ("ab cd", ServiceError(.invalidDisplayName)),
            ("äbcd", ServiceError(.invalidDisplayName)),
        ] as [(String, ServiceError)])
    func invalidDisplayNameIsRefused(name: String, error: ServiceError) async throws {
        let fixture = try await IdentityFixture()
        await #expect(throws: error) { try await fixture.makeTenant { $0.displayName = name } }
        let realm = try await fixture.makeTenant()
        await #expect(throws: error) { try await fixture.changeTenant(realm) { $0.displayName = name } }
    }

    @Test(arguments: ["Abcd", "a1-2", String(repeating: "a", count: 20)]) func validDisplayNameIsAccepted(name: String)
        async throws
    {
        _ = try await IdentityFixture().makeTenant { $0.displayName = name }
    }

    /// Email links are a separate method: passwords can be disabled.
    @Test func tenantAllowsEmailLinkWithoutPassword() async throws {
        let fixture = try await IdentityFixture()
        let realm = try await fixture.makeTenant {
            $0.allowPasswordSignup = false
            $0.enableEmailLinkSignin = true
        }
        let code = try #require(
            try await fixture.send(
                Identity.SendActionCode(
                    realm: realm, purpose: .emailSignIn, email: "ada@example.com",
                    settings: .init(continueURL: "http://localhost/"), isByAdministrator: true, returnsLink: true)
            ).code)
        let reply = try await fixture.send(
            Identity.SignInWithEmailLink(realm: realm, email: "ada@example.com", code: code))
        #expect(reply.isNewAccount && reply.tokens != nil)
        await #expect(throws: ServiceError.self) {
            try await fixture.send(
                Identity.SignUp(realm: realm, email: "b@example.com", password: Secret("correct-horse-9")))
        }
        let other = try await fixture.makeTenant {
            $0.allowPasswordSignup = true
            $0.enableEmailLinkSignin = false
        }
        await #expect(throws: ServiceError(.operationNotAllowed)) {
            try await fixture.send(
                Identity.SendActionCode(realm: other, purpose: .emailSignIn, email: "ada@example.com"))
        }
    }

    @Test func displayNameIsOptionalAtCreationAndCannotBeRemoved() async throws {
        let fixture = try await IdentityFixture()
        let unnamed = try await fixture.makeTenant { $0.displayName = nil }
        #expect(unnamed.tenant?.rawValue.hasPrefix("tenant-") == true)
        let named = try await fixture.makeTenant()
        await #expect(throws: ServiceError(.missingDisplayName)) {
            try await fixture.changeTenant(named) { $0.displayName = nil }
        }
    }

    @Test func tenantSettingsFollowProjectRules() async throws {
        let fixture = try await IdentityFixture()
        await #expect(throws: ServiceError(.invalidTestPhoneNumber)) {
            try await fixture.makeTenant { $0.testPhoneNumbers = ["123": "123456"] }
        }
        await #expect(throws: ServiceError(.invalidAdjacentIntervalRange)) {
            try await fixture.makeTenant { configuration in
                var entry = ProjectConfiguration.MultiFactor.ProviderConfig()
                entry.totpProviderConfig = .init()
                entry.totpProviderConfig?.adjacentIntervals = 11
                configuration.mfaConfig = .init()
                configuration.mfaConfig?.providerConfigs = [entry]
            }
        }
    }

    @Test func projectWithoutMultiTenancyRefusesTenants() async throws {
        let fixture = try await IdentityFixture()
        try await fixture.configure { $0.multiTenant = nil }
        await #expect(
            throws: ServiceError(.operationNotAllowed, "multiTenant.allowTenants is not true in the configuration.")
        ) { try await fixture.makeTenant() }
    }

    // MARK: Effects of its settings

    @Test func newTenantHasEveryMethodDisabled() async throws {
        let fixture = try await IdentityFixture()
        let realm = try await fixture.makeTenant { configuration in
            configuration = .init()
            configuration.displayName = "Bare-Tenant"
        }
        await #expect(throws: ServiceError(.operationNotAllowed)) { try await signUp(fixture, realm) }
        await #expect(throws: ServiceError(.adminOnlyOperation)) { try await signUp(fixture, realm, nil) }
        await #expect(throws: ServiceError(.passwordSignInDisabled)) {
            try await fixture.send(
                Identity.SignInWithPassword(realm: realm, email: "a@example.com", password: Secret("x")))
        }
    }

    @Test func disabledTenantAcceptsOnlyAdministrators() async throws {
        let fixture = try await IdentityFixture()
        let realm = try await fixture.makeTenant()
        let made = try await signUp(fixture, realm)
        try await fixture.changeTenant(realm) { $0.disableAuth = true }
        await #expect(throws: ServiceError(.projectDisabled)) { try await signUp(fixture, realm, "b@example.com") }
        await #expect(throws: ServiceError(.projectDisabled)) { try await fixture.refresh(made.tokens.refreshToken) }
        await #expect(throws: ServiceError(.projectDisabled)) {
            try await fixture.send(
                Identity.SignInWithPassword(
                    realm: realm, email: "ada@example.com", password: Secret("correct-horse-9")))
        }
        // Existing sessions are refused too, also if only their token names the tenant.
        for inside in [realm, IdentityFixture.realm] {
            await #expect(throws: ServiceError(.projectDisabled)) {
                try await fixture.send(Identity.LookUpOwnAccount(realm: inside, idToken: made.tokens.idToken))
            }
            await #expect(throws: ServiceError(.projectDisabled)) {
                try await fixture.send(Identity.CreateSessionCookie(realm: inside, idToken: made.tokens.idToken))
            }
            await #expect(throws: ServiceError(.projectDisabled)) {
                try await fixture.send(Identity.VerifyIDToken(realm: inside, idToken: made.tokens.idToken))
            }
            await #expect(throws: ServiceError(.projectDisabled)) {
                try await fixture.send(Identity.CountRecoveryCodes(realm: inside, idToken: made.tokens.idToken))
            }
        }
        #expect(
            try await fixture.send(Identity.FindAccounts(realm: realm, criteria: [.accountID(made.account.id)]))
                .accounts
                .count == 1)
        try await fixture.changeTenant(realm) { $0.disableAuth = false }
        _ = try await fixture.refresh(made.tokens.refreshToken)
    }

    @Test func tenantPolicyTakesPrecedenceOverProjectPolicy() async throws {
        let fixture = try await IdentityFixture()
        var policy = ProjectConfiguration.PasswordPolicy()
        policy.passwordPolicyEnforcementState = .enforce
        var version = ProjectConfiguration.PasswordPolicy.Version()
        version.customStrengthOptions = .init()
        version.customStrengthOptions?.containsUppercaseCharacter = true
        policy.passwordPolicyVersions = [version]
        try await fixture.configure { [policy] in $0.passwordPolicyConfig = policy }
        let inheriting = try await fixture.makeTenant()
        await #expect(throws: ServiceError.passwordPolicyViolated([.uppercase])) {
            try await signUp(fixture, inheriting)
        }
        let own = try await fixture.makeTenant { $0.passwordPolicyConfig = .init() }
        _ = try await signUp(fixture, own)
    }

    // MARK: Propagation to other processes

    @Test func tenantChangeReachesOtherProcesses() async throws {
        let fixture = try await IdentityFixture()
        let realm = try await fixture.makeTenant()
        let elsewhere = ProjectCache(
            store: fixture.store, isDev: true, now: { [clock = fixture.clock] in clock.now },
            instant: { [clock = fixture.clock] in clock.instant })
        for known in [realm, IdentityFixture.realm] {
            #expect(try await elsewhere.project(of: known, traceID: "").configuration.allowsAnonymousSignIn)
        }
        try await fixture.changeTenant(realm) { $0.enableAnonymousUser = false }
        try await fixture.configure { $0.signIn?.anonymous?.enabled = false }
        #expect(try await elsewhere.project(of: realm, traceID: "").configuration.allowsAnonymousSignIn)
        #expect(fixture.published.all.contains(.configurationChanged(realm)))
        await elsewhere.invalidate(realm.project)
        #expect(try await !elsewhere.project(of: realm, traceID: "").configuration.allowsAnonymousSignIn)

        try await fixture.changeTenant(realm) { $0.enableAnonymousUser = true }
        fixture.clock.advance(by: .milliseconds(999))
        #expect(try await !elsewhere.project(of: realm, traceID: "").configuration.allowsAnonymousSignIn)
        fixture.clock.advance(by: .milliseconds(1))
        #expect(try await elsewhere.project(of: realm, traceID: "").configuration.allowsAnonymousSignIn)
    }

    // MARK: Isolation

    private struct TenantData {
        var realm: Realm
        var made: Identity.SignUp.Reply
    }

    /// Tries the credentials of each realm in another one, in random order.
    @Test(arguments: 0..<6 as Range<UInt64>) func credentialsOfOneRealmAreRefusedInAnother(seed: UInt64) async throws {
        let fixture = try await IdentityFixture()
        var random = SeededRandom(seed: seed)
        var holdings: [TenantData] = []
        for realm in [IdentityFixture.realm, try await fixture.makeTenant(), try await fixture.makeTenant()] {
            let email = "ada-\(holdings.count)@example.com"
            holdings.append(TenantData(realm: realm, made: try await signUp(fixture, realm, email)))
        }
        for holding in holdings.shuffled(using: &random) {
            for realm in holdings.map(\.realm).shuffled(using: &random) where realm != holding.realm {
                try await expectRefusal(of: holding, in: realm, fixture)
            }
        }
        for holding in holdings {
            // The session is still valid.
            #expect(try await fixture.refresh(holding.made.tokens.refreshToken).expiresInSeconds == 3600)
        }
    }

    private func expectRefusal(of holding: TenantData, in realm: Realm, _ fixture: IdentityFixture) async throws {
        let (id, token) = (holding.made.account.id, holding.made.tokens.idToken)
        let email = try #require(holding.made.account.email).rawValue
        if realm.tenant != nil {
            await #expect(throws: ServiceError(.tenantMismatch)) {
                try await fixture.send(Identity.LookUpOwnAccount(realm: realm, idToken: token))
            }
            await #expect(throws: ServiceError(.tenantMismatch)) {
                try await fixture.send(Identity.VerifyIDToken(realm: realm, idToken: token))
            }
            await #expect(throws: ServiceError(.tenantMismatch)) {
                try await fixture.send(Identity.DeleteOwnAccount(realm: realm, idToken: token))
            }
            await #expect(throws: ServiceError(.tenantMismatch)) {
                try await fixture.send(Identity.CreateSessionCookie(realm: realm, idToken: token))
            }
            await #expect(throws: ServiceError(.tenantMismatch)) {
                try await fixture.send(
                    Identity.SignUp(
                        realm: realm, email: "new@example.com", password: Secret("correct-horse-9"), linkIDToken: token)
                )
            }
        } else {
            // A request without a tenant uses the tenant of its token.
            let principal = try await fixture.send(Identity.VerifyIDToken(realm: realm, idToken: token)).principal
            #expect(principal.realm == holding.realm)
        }
        await #expect(throws: ServiceError(.invalidCredentials)) {
            try await fixture.send(
                Identity.SignInWithPassword(realm: realm, email: email, password: Secret("correct-horse-9")))
        }
        let criteria: [Identity.FindAccounts.Criterion] = [.accountID(id), .email(email), .initialEmail(email)]
        #expect(try await fixture.send(Identity.FindAccounts(realm: realm, criteria: criteria)).accounts.isEmpty)
        await #expect(throws: ServiceError(.accountNotFound)) {
            try await fixture.send(Identity.UpdateAccount(realm: realm, accountID: id, changes: .init(disabled: true)))
        }
        await #expect(throws: ServiceError(.accountNotFound)) {
            try await fixture.send(Identity.DeleteAccount(realm: realm, accountID: id))
        }
        let elsewhere = Identity.RefreshSession(
            project: ProjectID("other"), refreshToken: holding.made.tokens.refreshToken)
        await #expect(throws: ServiceError(.invalidRefreshToken)) { try await fixture.send(elsewhere) }
    }

    @Test func sameEmailIsAnotherAccountInEachRealm() async throws {
        let fixture = try await IdentityFixture()
        var ids: Set<AccountID> = []
        for realm in [IdentityFixture.realm, try await fixture.makeTenant(), try await fixture.makeTenant()] {
            let made = try await signUp(fixture, realm)
            #expect(made.account.realm == realm)
            ids.insert(made.account.id)
            await #expect(throws: ServiceError(.emailExists)) { try await signUp(fixture, realm) }
        }
        #expect(ids.count == 3)
    }

    @Test func unknownTenantIsRefused() async throws {
        let fixture = try await IdentityFixture()
        let realm = Realm(project: Self.project, tenant: TenantID("nowhere"))
        await #expect(throws: ServiceError(.tenantNotFound)) { try await signUp(fixture, realm) }
        await #expect(throws: ServiceError(.tenantNotFound)) {
            try await fixture.send(Identity.FindAccounts(realm: realm, criteria: []))
        }
        let other = Realm(project: ProjectID("other"), tenant: try await fixture.makeTenant().tenant)
        await #expect(throws: ServiceError(.tenantNotFound)) { try await signUp(fixture, other) }
    }

    // MARK: Deletion

    @Test func deletedTenantIsInvalidAtOnceAndItsAccountsAreDeletedInBatches() async throws {
        let fixture = try await IdentityFixture()
        let realm = try await fixture.makeTenant()
        let made = try await signUp(fixture, realm)
        for _ in 0..<6 { _ = try await signUp(fixture, realm, nil) }
        try await fixture.store.deleteTenant(
            try #require(realm.tenant), of: realm.project, at: fixture.clock.now,
            audit: AuditEntry(
                at: fixture.clock.now, realm: realm, action: .tenantDeleted, actor: .administrator, traceID: "test"),
            idempotency: nil)
        // Before anything was removed, and for a process that has heard nothing.
        await #expect(throws: ServiceError(.accountNotFound)) { try await fixture.refresh(made.tokens.refreshToken) }
        await #expect(throws: ServiceError(.accountNotFound)) {
            try await fixture.send(Identity.LookUpOwnAccount(realm: realm, idToken: made.tokens.idToken))
        }
        await #expect(throws: ServiceError(.tenantNotFound)) { try await signUp(fixture, realm, "late@example.com") }
        var rounds = 0
        while try await fixture.store.deleteTenantData(batch: 3, at: fixture.clock.now) { rounds += 1 }
        #expect(rounds == 4)
        for table in ["accounts", "sessions", "sign_in_attempts", "tenants"] {
            let left: Int64 = try await fixture.store.read { transaction in
                try transaction.firstRow(
                    "SELECT COUNT(*) AS count FROM \(table) WHERE tenant = $1", .text(realm.tenantColumn))?
                    .get("count") ?? -1
            }
            #expect(left == 0, "\(table)")
        }
    }

    @Test func clearingRealmKeepsOtherRealms() async throws {
        let fixture = try await IdentityFixture()
        let realm = try await fixture.makeTenant()
        let (inside, outside) = (try await signUp(fixture, realm), try await signUp(fixture, IdentityFixture.realm))
        while try await fixture.send(Identity.ClearAccounts(realm: realm)).hasMore {}
        await #expect(throws: ServiceError(.invalidRefreshToken)) {
            try await fixture.refresh(inside.tokens.refreshToken)
        }
        _ = try await fixture.refresh(outside.tokens.refreshToken)
        let production = try await IdentityFixture(isDev: false)
        await #expect(throws: ServiceError(.adminOnlyOperation)) {
            try await production.send(Identity.ClearAccounts(realm: IdentityFixture.realm))
        }
    }
}
