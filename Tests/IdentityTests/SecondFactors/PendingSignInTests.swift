import Contracts
import Crypto
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// Section 8 of the token reference and section 9 of the security rules.
@Suite struct PendingSignInTests {
    @Test func credentialRoundTripsAndIsNoRefreshToken() {
        let credential = PendingCredential(secret: Array(0..<32))
        #expect(PendingCredential(credential.text) == credential)
        #expect(RefreshToken(credential.text) == nil)
    }

    @Test(arguments: ["", "made-up", "AAAA", String(repeating: "A", count: 44), String(repeating: "A", count: 4000)])
    func malformedTextIsNoCredential(text: String) {
        #expect(PendingCredential(text) == nil)
    }

    @Test func pendingSignInExpiresAfterTenMinutes() throws {
        let now = Moment(milliseconds: 1_700_000_000_000)
        let pending = PreparedSignIn(
            for: AccountID("a"), in: IdentityFixture.realm,
            authentication: AuthenticationContext(authenticatedAt: now.timestamp, signInProvider: "password"), at: now,
            randomBytes: Random.bytes
        ).pending
        try pending.checkAge(at: now + .milliseconds(599_999))
        #expect(throws: ServiceError(.pendingCredentialExpired)) { try pending.checkAge(at: now + .seconds(600)) }
    }

    // MARK: Accounts that require a second factor

    @Test(
        arguments: [
            (.disabled, [.phoneSMS], nil, []), (.disabled, [], nil, []), (.disabled, [], .disabled, []),
            (.enabled, [.phoneSMS], nil, ["phone"]),
            (.mandatory, [.phoneSMS], nil, ["phone"]), (.disabled, [], .enabled, ["totp"]),
            (.disabled, [], .mandatory, ["totp"]), (.enabled, [.phoneSMS], .disabled, ["phone"]),
            (.enabled, [.phoneSMS], .enabled, ["phone", "totp"]),
            (.mandatory, [.phoneSMS], .enabled, ["phone", "totp"]),
            // No provider is listed: every factor is required.
            (.enabled, [], nil, ["phone", "totp"]), (.mandatory, [], nil, ["phone", "totp"]),
            (.enabled, [], .disabled, ["phone", "totp"]), (.mandatory, [], .enabled, ["phone", "totp"]),
        ]
            as [(
                ProjectConfiguration.MultiFactor.State, [ProjectConfiguration.MultiFactor.Provider],
                ProjectConfiguration.MultiFactor.State?, [String]
            )])
    func enabledFactorKindsAreRequired(
        state: ProjectConfiguration.MultiFactor.State, providers: [ProjectConfiguration.MultiFactor.Provider],
        totp: ProjectConfiguration.MultiFactor.State?, requested: [String]
    ) {
        var configuration = ProjectConfiguration()
        configuration.mfa = .init()
        configuration.mfa?.state = state
        // Absent or empty is the same.
        configuration.mfa?.enabledProviders = providers.isEmpty ? nil : providers
        if let totp {
            var entry = ProjectConfiguration.MultiFactor.ProviderConfig()
            entry.state = totp
            entry.totpProviderConfig = .init()
            configuration.mfa?.providerConfigs = [entry]
        }
        let factors = [SecondFactorListTests.phone, SecondFactorListTests.totp]
        #expect(factors.filter { configuration.requiresSecondFactor($0.kind) }.map(\.id.rawValue) == requested)
        configuration.mfa?.enabledProviders = providers
        #expect(factors.filter { configuration.requiresSecondFactor($0.kind) }.map(\.id.rawValue) == requested)
        #expect(
            !ProjectConfiguration().requiresSecondFactor(.totp)
                && !ProjectConfiguration().requiresSecondFactor(factors[0].kind))
    }

    /// Otherwise no account could enroll a mandatory factor.
    @Test(
        arguments: [
            (.disabled, [], nil, []), (.enabled, [], nil, []), (.enabled, [.phoneSMS], nil, [.phone]),
            (.enabled, [], .enabled, [.totp]), (.mandatory, [.phoneSMS], nil, [.phone]),
            (.mandatory, [], .enabled, [.totp]), (.mandatory, [.phoneSMS], .enabled, [.phone, .totp]),
            (.mandatory, [], nil, [.phone, .totp]), (.mandatory, [], .disabled, [.phone, .totp]),
            (.disabled, [], .mandatory, [.totp]),
        ]
            as [(
                ProjectConfiguration.MultiFactor.State, [ProjectConfiguration.MultiFactor.Provider],
                ProjectConfiguration.MultiFactor.State?, [SecondFactor.Method]
            )])
    func enrollableFactorsFollowConfiguration(
        state: ProjectConfiguration.MultiFactor.State, providers: [ProjectConfiguration.MultiFactor.Provider],
        totp: ProjectConfiguration.MultiFactor.State?, methods: [SecondFactor.Method]
    ) {
        var configuration = ProjectConfiguration()
        configuration.mfa = .init()
        configuration.mfa?.state = state
        configuration.mfa?.enabledProviders = providers
        var entry = ProjectConfiguration.MultiFactor.ProviderConfig()
        entry.state = totp
        entry.totpProviderConfig = .init()
        configuration.mfa?.providerConfigs = [entry]
        #expect(SecondFactor.Method.allCases.filter(configuration.isEnabled) == methods)
        #expect(configuration.requiresSecondFactor == (state == .mandatory || totp == .mandatory))
    }

    /// Each operation refuses the credential of another tenant and accepts its own tenant or none.
    @Test func operationsRefuseCredentialOfAnotherTenant() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUpWithFactors()
        let project = IdentityFixture.realm.project
        let other = try #require(try await fixture.makeTenant().tenant)
        let credential = try await Self.credential(fixture)
        await #expect(throws: ServiceError(.tenantMismatch)) {
            try await fixture.send(
                Identity.ResolvePendingSignIn(
                    project: project, tenant: other, pendingCredential: credential, method: .phone))
        }
        await #expect(throws: ServiceError(.tenantMismatch)) {
            try await fixture.send(
                Identity.CompleteSignIn(
                    project: project, tenant: other, pendingCredential: credential, factorID: Self.factorID))
        }
        await #expect(throws: ServiceError(.tenantMismatch)) {
            try await fixture.send(
                Identity.SignInWithRecoveryCode(
                    project: project, tenant: other, pendingCredential: credential, code: Secret("fanr-vqqw-ewhm")))
        }
        _ = try await Self.complete(fixture, credential)
    }

    @Test func pendingSignInIsBoundToItsTenant() throws {
        let now = Moment(milliseconds: 1_700_000_000_000)
        func pending(_ tenant: String?) -> PendingSignIn {
            PreparedSignIn(
                for: AccountID("a"),
                in: Realm(project: ProjectID("demo"), tenant: tenant.map { TenantID($0) }),
                authentication: AuthenticationContext(authenticatedAt: now.timestamp, signInProvider: "password"),
                at: now,
                randomBytes: Random.bytes
            ).pending
        }
        try pending("t").checkTenant(TenantID("t"))
        try pending("t").checkTenant(nil)
        try pending(nil).checkTenant(nil)
        for own in ["t", nil] {
            #expect(throws: ServiceError(.tenantMismatch)) { try pending(own).checkTenant(TenantID("o")) }
        }
    }

    /// Security rule MP1.
    @Test func passwordAloneReturnsNoTokens() async throws {
        let fixture = try await IdentityFixture()
        let account = try await fixture.signUpWithFactors()
        let reply = try await fixture.firstFactor()
        #expect(reply.tokens == nil && reply.secondFactor?.factors == account.secondFactors)
        #expect(reply.account.lastSignInAt == account.lastSignInAt)
        await #expect(throws: ServiceError(.invalidCredentials)) {
            try await fixture.firstFactor("ada@example.com", "wrong")
        }
    }

    @Test func disabledFactorKindIsNotRequired() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUpWithFactors()
        try await fixture.configure { $0.mfa?.state = .disabled }
        _ = try await fixture.signIn()
    }

    @Test func disabledAccountIsReportedBeforeSecondFactor() async throws {
        let fixture = try await IdentityFixture()
        let account = try await fixture.signUpWithFactors()
        _ = try await fixture.change(account.id, .init(disabled: true))
        await #expect(throws: ServiceError(.accountDisabled)) { try await fixture.firstFactor() }
    }

    // MARK: Completion

    static let factorID = FactorID("f-0101")

    static func credential(_ fixture: IdentityFixture) async throws -> Secret<String> {
        try #require(try await fixture.firstFactor().secondFactor).pendingCredential
    }

    static func complete(
        _ fixture: IdentityFixture, _ credential: Secret<String>?, _ factorID: FactorID = factorID,
        project: ProjectID = IdentityFixture.realm.project, idempotencyKey: String? = nil
    ) async throws -> Identity.CompleteSignIn.Reply {
        try await fixture.send(
            Identity.CompleteSignIn(project: project, pendingCredential: credential, factorID: factorID),
            idempotencyKey: idempotencyKey)
    }

    /// Security rule TK10.
    @Test func secondFactorOpensSessionThatNamesIt() async throws {
        let fixture = try await IdentityFixture()
        let account = try await fixture.signUpWithFactors()
        let credential = try await Self.credential(fixture)
        fixture.clock.advance(by: .seconds(60))
        let resolved = try await fixture.send(
            Identity.ResolvePendingSignIn(
                project: IdentityFixture.realm.project, pendingCredential: credential, method: .phone))
        #expect(resolved.accountID == account.id && resolved.realm == IdentityFixture.realm)
        #expect(resolved.factors == account.secondFactors && resolved.hasPasskeys == nil)
        #expect(resolved.startedAt + .seconds(60) == fixture.clock.now)
        let reply = try await Self.complete(fixture, credential)
        let claims = try OwnAccountTests.claims(reply.tokens)
        #expect(claims["firebase"]?["sign_in_second_factor"] == .string("phone"))
        #expect(claims["firebase"]?["second_factor_identifier"] == .string("f-0101"))
        #expect(claims["auth_time"] == .integer(fixture.clock.now.timestamp.seconds))
        #expect(reply.account.lastSignInAt == fixture.clock.now)
        _ = try await fixture.refresh(reply.tokens.refreshToken)
    }

    /// A page offers it beside the factors.
    @Test func pendingSignInTellsOfPasskeys() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUpVerified()
        _ = try await fixture.enroll(PasskeyTests.passkey(1), made.tokens, isUserVerified: false)
        _ = try await fixture.enrollTOTP(made.tokens)
        let resolved = try await fixture.send(
            Identity.ResolvePendingSignIn(
                project: IdentityFixture.realm.project, pendingCredential: try await Self.credential(fixture),
                method: .totp))
        #expect(resolved.hasPasskeys == true)
    }

    /// Security rule MP2.
    @Test func credentialIsRedeemedOnceUnderConcurrency() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUpWithFactors()
        let credential = try await Self.credential(fixture)
        let completed = await withTaskGroup { group in
            for _ in 0..<50 {
                group.addTask {
                    do {
                        _ = try await Self.complete(fixture, credential)
                        return 1
                    } catch {
                        #expect(error as? ServiceError == ServiceError(.invalidPendingCredential))
                        return 0
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(completed == 1)
    }

    @Test func repeatedCallGetsRecordedReply() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUpWithFactors()
        let credential = try await Self.credential(fixture)
        let first = try await Self.complete(fixture, credential, idempotencyKey: "k")
        let second = try await Self.complete(fixture, credential, idempotencyKey: "k")
        #expect(first.tokens.refreshToken == second.tokens.refreshToken)
    }

    @Test func credentialWithFlippedBitIsRefused() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUpWithFactors()
        let credential = try await Self.credential(fixture)
        let bytes = try #require(Base64URL.decode(credential.reveal()))
        for bit in 0..<bytes.count * 8 {
            var flipped = bytes
            flipped[bit / 8] ^= 1 << (bit % 8)
            await #expect(throws: ServiceError(.invalidPendingCredential)) {
                try await Self.complete(fixture, Secret(Base64URL.encode(flipped)))
            }
        }
        _ = try await Self.complete(fixture, credential)
    }

    /// TK3 and MP3: each operation accepts only its own kind of token.
    @Test func otherTokenKindsAreRefused() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp("grace@example.com")
        _ = try await fixture.signUpWithFactors()
        let credential = try await Self.credential(fixture)
        await #expect(throws: ServiceError(.invalidIDToken)) { try await fixture.lookUp(credential) }
        await #expect(throws: ServiceError(.invalidRefreshToken)) { try await fixture.refresh(credential) }
        for other in [made.tokens.idToken, made.tokens.refreshToken] {
            await #expect(throws: ServiceError(.invalidPendingCredential)) { try await Self.complete(fixture, other) }
        }
        await #expect(throws: ServiceError(.invalidPendingCredential)) { try await Self.complete(fixture, nil) }
        await #expect(throws: ServiceError(.invalidPendingCredential)) {
            try await Self.complete(fixture, credential, project: ProjectID("other"))
        }
    }

    /// Security rule MP5.
    @Test func otherOrDisabledFactorIsRefused() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUpWithFactors()
        let credential = try await Self.credential(fixture)
        await #expect(throws: ServiceError(.factorNotFound)) {
            try await Self.complete(fixture, credential, FactorID("another"))
        }
        try await fixture.configure { $0.mfa?.state = .disabled }
        await #expect(throws: ServiceError(.factorNotFound)) { try await Self.complete(fixture, credential) }
        try await fixture.configure { $0.mfa?.state = .enabled }
        _ = try await Self.complete(fixture, credential)
    }

    @Test func credentialExpiresAndIsSwept() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUpWithFactors()
        let credential = try await Self.credential(fixture)
        fixture.clock.advance(by: .seconds(600))
        await #expect(throws: ServiceError(.pendingCredentialExpired)) { try await Self.complete(fixture, credential) }
        fixture.clock.advance(by: .milliseconds(1))
        try await fixture.service.runMaintenance(sweepAt: fixture.clock.now)
        await #expect(throws: ServiceError(.invalidPendingCredential)) { try await Self.complete(fixture, credential) }
    }

    /// MP4: each change, also when it is reverted.
    @Test(
        arguments: [
            (.init(password: Secret("another-horse-9")), true), (.init(email: "grace@example.com"), true),
            (.init(disabled: true), true), (.init(validSince: Timestamp(seconds: 2_000_000_000)), true),
            (.init(secondFactors: []), true),
            (
                .init(secondFactors: [
                    .init(id: factorID, kind: .phone(number: "+12025550101")),
                    .init(id: FactorID("more"), kind: .phone(number: "+12025550102")),
                ]), true
            ), (.init(displayName: "X"), false), (.init(customClaims: "{}"), false),
        ] as [(Identity.AccountChanges, Bool)])
    func accountChangesEndPendingSignIn(changes: Identity.AccountChanges, ends: Bool) async throws {
        let fixture = try await IdentityFixture()
        let account = try await fixture.signUpWithFactors()
        let credential = try await Self.credential(fixture)
        _ = try await fixture.change(account.id, changes)
        _ = try await fixture.change(account.id, .init(disabled: false))
        if ends {
            await #expect(throws: ServiceError(.invalidPendingCredential)) {
                try await Self.complete(fixture, credential)
            }
        } else {
            _ = try await Self.complete(fixture, credential)
        }
    }

    /// The client gets the reason, and must sign in again after the account is enabled.
    @Test func disabledAccountIsNamedAndEndsPendingSignIn() async throws {
        let fixture = try await IdentityFixture()
        let account = try await fixture.signUpWithFactors()
        let credential = try await Self.credential(fixture)
        _ = try await fixture.change(account.id, .init(disabled: true))
        await #expect(throws: ServiceError(.accountDisabled)) { try await Self.complete(fixture, credential) }
        _ = try await fixture.change(account.id, .init(disabled: false))
        await #expect(throws: ServiceError(.invalidPendingCredential)) { try await Self.complete(fixture, credential) }
    }

    @Test func accountDeletionEndsPendingSignIn() async throws {
        let fixture = try await IdentityFixture()
        let account = try await fixture.signUpWithFactors()
        let credential = try await Self.credential(fixture)
        _ = try await fixture.send(Identity.DeleteAccount(realm: IdentityFixture.realm, accountID: account.id))
        await #expect(throws: ServiceError(.invalidPendingCredential)) { try await Self.complete(fixture, credential) }
    }
}
