import Contracts
import Crypto
import DatabaseService
import ServiceRuntime
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import PasskeyService

/// REST 3.6: signing in with a passkey.
@Suite struct SignInTests {
    private typealias Deviation = SoftwareAuthenticator.Deviation

    private static let present = SoftwareAuthenticator.userPresent
    private static let verified = SoftwareAuthenticator.userVerified
    private static let eligible = SoftwareAuthenticator.backupEligible

    // MARK: Start

    @Test func requestOptionsAllowAnyPasskey() async throws {
        let fixture = try await PasskeyFixture()
        let options = try await fixture.startSignIn()
        #expect(options.relyingPartyID == "example.com" && options.allowedCredentials == [])
        #expect(options.challenge.reveal().bytes.count == 32 && options.timeoutMilliseconds == 300_000)
        #expect(options.userVerification == .required)
        #expect(try await fixture.startSignIn().challenge != options.challenge)
        fixture.identity.configure { $0.userVerification = .preferred }
        await fixture.configurations.receive(.configurationChanged(PasskeyFixture.realm))
        #expect(try await fixture.startSignIn().userVerification == .preferred)
    }

    @Test func signInNeedsRelyingPartyIDAndTenantThatAllowsIt() async throws {
        let fixture = try await PasskeyFixture(defaults: .init(id: nil, isDev: false))
        #expect(await errorCode { _ = try await fixture.startSignIn() } == .passkeysNotEnabled)
        #expect(await errorCode { _ = try await fixture.startSignIn(identifier: "a@b.cd") } == .passkeysNotEnabled)
        fixture.identity.refuse(.resolveConfiguration, .tenantNotFound)
        #expect(await errorCode { _ = try await fixture.startSignIn(in: Self.tenant) } == .tenantNotFound)
        fixture.identity.state.withLock { $0.isTenantDisabled = true }
        #expect(await errorCode { _ = try await fixture.startSignIn(in: Self.tenant) } == .projectDisabled)
        #expect(try await fixture.ceremonyCount() == 0)
    }

    private static let tenant = Realm(project: ProjectID("demo"), tenant: TenantID("t"))

    // MARK: Finish

    @Test func verifiedAssertionSignsIn() async throws {
        let fixture = try await PasskeyFixture()
        var device = try await fixture.enrolled { $0.flags = Self.present | Self.verified | Self.eligible }
        fixture.clock.advance(by: .seconds(60))
        device.flags |= SoftwareAuthenticator.backedUp
        device.signCount = 9
        let reply = try await fixture.signIn(&device)
        #expect(reply.account.id == AccountID("ada") && reply.tokens == FakeIdentity.tokens)
        let request = try #require(fixture.identity.state.withLock { $0.signIns.last })
        #expect(request.accountID == AccountID("ada") && request.credentialID == device.credentialID)
        #expect(request.isUserVerified && request.isBackedUp)
        let stored = try #require(try await fixture.stored(device))
        #expect(stored.signCount == 9 && stored.isBackedUp && stored.lastUsedAt == fixture.clock.now)
        #expect(try await fixture.ceremonyCount() == 0)
    }

    @Test func assertionWithoutVerificationCountsAsOneFactor() async throws {
        let fixture = try await PasskeyFixture()
        fixture.identity.configure { $0.userVerification = .preferred }
        var device = try await fixture.enrolled { $0.flags = Self.present }
        try await fixture.signIn(&device)
        #expect(fixture.identity.state.withLock { $0.signIns.map(\.isUserVerified) } == [false])
        #expect(try await fixture.stored(device)?.hasVerifiedUser == false)
    }

    private static let deviations: [(String, Deviation)] = [
        ("type", .init(type: "webauthn.create")),
        ("origin", .init(origin: "https://evil.example")),
        ("origin above", .init(origin: "https://com")),
        ("null origin", .init(origin: "null")),
        ("cross origin", .init(members: #","crossOrigin":true"#)),
        ("top origin", .init(members: #","topOrigin":"https://evil.example""#)),
        ("relying party", .init(relyingPartyID: "evil.example")),
        ("no presence", .init(flags: verified)),
        ("no verification", .init(flags: present)),
        ("eligibility changed", .init(flags: present | verified | eligible)),
        ("signature", .init(breaksSignature: true)),
        ("no user handle", .init(userHandle: .some(nil))),
        ("other user handle", .init(userHandle: OctetString([1]))),
        ("other raw ID", .init(rawID: CredentialID([1]))),
    ]

    /// A failed verification redeems the challenge too.
    @Test(arguments: deviations.map(\.0))
    func deviatingResponseIsRejected(name: String) async throws {
        let deviation = try #require(Self.deviations.first { $0.0 == name }?.1)
        let fixture = try await PasskeyFixture()
        var device = try await fixture.enrolled()
        let options = try await fixture.startSignIn()
        for response in [try device.authenticate(options, deviation), try device.authenticate(options)] {
            #expect(await errorCode { try await fixture.finishSignIn(response) } == .invalidAuthenticatorResponse)
        }
        #expect(fixture.identity.state.withLock { $0.signIns.count } == 0)
        // Security rule AU1. The second response had no valid challenge any more.
        let recorded = fixture.identity.state.withLock { $0.refusedSignIns }
        #expect(
            recorded == [
                .init(realm: PasskeyFixture.realm, accountID: AccountID("ada"), reason: .invalid, client: .init())
            ])
        #expect(try await fixture.stored(device)?.lastUsedAt == nil)
        try await fixture.signIn(&device)
    }

    /// Security rule WA1.
    @Test func challengeWorksOnceForItsPurposeAndRealm() async throws {
        let fixture = try await PasskeyFixture()
        var device = try await fixture.enrolled()
        let response = try device.authenticate(try await fixture.startSignIn())
        try await fixture.finishSignIn(response)
        let enrollment = try await fixture.startEnrollment()
        for other in [
            response,
            try device.authenticate(
                try await fixture.startSignIn(), .init(challenge: enrollment.challenge.reveal().bytes)),
            try device.authenticate(try await fixture.startSignIn(), .init(challenge: Random.bytes(32))),
            try device.authenticate(try await fixture.startSignIn(in: Self.tenant)),
        ] {
            #expect(await errorCode { try await fixture.finishSignIn(other) } == .invalidAuthenticatorResponse)
        }
        // The credential belongs to the project, not to its tenant.
        let ofTenant = try device.authenticate(try await fixture.startSignIn(in: Self.tenant))
        #expect(await errorCode { try await fixture.finishSignIn(ofTenant, in: Self.tenant) } == .passkeyNotFound)
    }

    @Test func challengeExpiresAfterFiveMinutes() async throws {
        let fixture = try await PasskeyFixture()
        var device = try await fixture.enrolled()
        let early = try device.authenticate(try await fixture.startSignIn())
        let late = try device.authenticate(try await fixture.startSignIn())
        fixture.clock.advance(by: .milliseconds(299_999))
        try await fixture.finishSignIn(early)
        fixture.clock.advance(by: .milliseconds(1))
        #expect(await errorCode { try await fixture.finishSignIn(late) } == .passkeyChallengeTimedOut)
    }

    @Test func unknownCredentialIsNotFoundAndRedeemsChallenge() async throws {
        let fixture = try await PasskeyFixture()
        let enrolled = try await fixture.enrolled()
        var unknown = try SoftwareAuthenticator()
        unknown.userHandle = enrolled.userHandle
        let response = try unknown.authenticate(try await fixture.startSignIn())
        #expect(await errorCode { try await fixture.finishSignIn(response) } == .passkeyNotFound)
        #expect(await errorCode { try await fixture.finishSignIn(response) } == .invalidAuthenticatorResponse)
    }

    @Test func removedPasskeyDoesNotSignIn() async throws {
        let fixture = try await PasskeyFixture()
        var device = try await fixture.enrolled()
        let response = try device.authenticate(try await fixture.startSignIn())
        fixture.identity.change("ada") { $0.passkeys = [] }
        #expect(await errorCode { try await fixture.finishSignIn(response) } == .passkeyNotFound)
    }

    /// Security rule WA11.
    @Test func disabledAccountDoesNotSignIn() async throws {
        let fixture = try await PasskeyFixture()
        var device = try await fixture.enrolled()
        fixture.identity.change("ada") { $0.disabled = true }
        #expect(await errorCode { try await fixture.signIn(&device) } == .accountDisabled)
    }

    /// Removing an origin takes effect with the event, also for ceremonies in progress.
    @Test func removedOriginIsRejectedAfterItsEvent() async throws {
        let fixture = try await PasskeyFixture()
        fixture.identity.configure { $0.origins = ["https://example.com", "https://old.example.com"] }
        var device = try await fixture.enrolled { $0.origin = "https://old.example.com" }
        try await fixture.signIn(&device)
        let response = try device.authenticate(try await fixture.startSignIn())
        fixture.identity.configure { $0.origins = ["https://example.com"] }
        await fixture.configurations.receive(.configurationChanged(Realm(project: ProjectID("demo"))))
        #expect(await errorCode { try await fixture.finishSignIn(response) } == .invalidAuthenticatorResponse)
        device.origin = "https://example.com"
        try await fixture.signIn(&device)
    }

    /// After another change of the ID, credentials of the first one are unknown.
    @Test func credentialOfAnotherRelyingPartyIsNotFound() async throws {
        let fixture = try await PasskeyFixture()
        var device = try await fixture.enrolled()
        fixture.identity.configure { $0.relyingPartyId = "example.org" }
        await fixture.configurations.receive(.configurationChanged(PasskeyFixture.realm))
        device.origin = "https://example.org"
        #expect(await errorCode { try await fixture.signIn(&device) } == .passkeyNotFound)
    }

    // MARK: Counter

    @Test func counterMustIncrease() async throws {
        let fixture = try await PasskeyFixture()
        // Not hexadecimal: a trace ID cannot contain it.
        var device = try await fixture.enrolled("lovelace") { $0.signCount = 5 }
        device.signCount = 6
        try await fixture.signIn(&device)
        for count in [6, 5, 0] as [UInt32] {
            device.signCount = count
            #expect(await errorCode { try await fixture.signIn(&device) } == .invalidAuthenticatorResponse)
        }
        #expect(try await fixture.stored(device)?.signCount == 6)
        device.signCount = 7
        try await fixture.signIn(&device)
        #expect(fixture.logged.lines(of: "passkey.counter-regressed").count == 3)
        let line = try #require(fixture.logged.lines(of: "passkey.counter-regressed").first)
        #expect(!line.contains("lovelace") && !line.contains(device.credentialID.description))
        let counter = fixture.metrics.counter("latchkey_passkey_sign_count_regressions_total", ["accepted": "no"])
        #expect(counter.value == 3)
    }

    @Test func zeroCounterStaysAcceptable() async throws {
        let fixture = try await PasskeyFixture()
        var device = try await fixture.enrolled()
        for _ in 0..<3 { try await fixture.signIn(&device) }
        #expect(fixture.logged.lines(of: "passkey.counter-regressed") == [])
    }

    /// By default only a credential that cannot be copied is refused.
    @Test(arguments: [
        (ProjectConfiguration.Passkeys.CounterRegression?.none, true, true), (nil, false, false),
        (.refuse, true, false), (.record, false, true),
    ])
    func configurationDecidesAboutRegression(
        policy: ProjectConfiguration.Passkeys.CounterRegression?, isEligible: Bool, isAccepted: Bool
    ) async throws {
        let fixture = try await PasskeyFixture()
        fixture.identity.configure { $0.counterRegression = policy }
        var device = try await fixture.enrolled {
            $0.signCount = 5
            if isEligible { $0.flags |= Self.eligible }
        }
        let code = await errorCode { try await fixture.signIn(&device) }
        #expect(code == (isAccepted ? nil : .invalidAuthenticatorResponse))
        #expect(fixture.logged.lines(of: "passkey.counter-regressed").count == 1)
        // An accepted sign-in says it itself (security rule WA9).
        #expect(
            fixture.identity.state.withLock { $0.refusedSignIns.map(\.reason) }
                == (isAccepted ? [] : [.counterRegression]))
    }

    // MARK: Step-up

    @Test func signedInUserConfirmsWithOwnPasskeyOnly() async throws {
        let fixture = try await PasskeyFixture()
        var device = try await fixture.enrolled()
        var eve = try await fixture.enrolled("eve")
        let options = try await fixture.startSignIn(idToken: "ada")
        #expect(options.allowedCredentials.map(\.id) == [device.credentialID])
        // Security keys without a stored account send no user handle.
        try await fixture.finishSignIn(device.authenticate(options, .init(userHandle: .some(nil))))
        let foreign = try eve.authenticate(try await fixture.startSignIn(idToken: "ada"))
        #expect(await errorCode { try await fixture.finishSignIn(foreign) } == .invalidAuthenticatorResponse)
        let mixed = try device.authenticate(
            try await fixture.startSignIn(idToken: "ada"), .init(userHandle: eve.userHandle))
        #expect(await errorCode { try await fixture.finishSignIn(mixed) } == .invalidAuthenticatorResponse)
    }

    @Test func accountWithoutPasskeyCannotConfirm() async throws {
        let fixture = try await PasskeyFixture()
        #expect(await errorCode { _ = try await fixture.startSignIn(idToken: "ada") } == .passkeyNotFound)
        #expect(await errorCode { _ = try await fixture.startSignIn(idToken: "nobody") } == .invalidIDToken)
    }

    // MARK: Outages

    @Test func challengeStaysRedeemedWhenIdentityIsUnavailable() async throws {
        let fixture = try await PasskeyFixture()
        var device = try await fixture.enrolled { $0.signCount = 1 }
        device.signCount = 2
        fixture.identity.refuse(.signInWithPasskey, .unavailable)
        let response = try device.authenticate(try await fixture.startSignIn())
        #expect(await errorCode { try await fixture.finishSignIn(response) } == .unavailable)
        #expect(await errorCode { try await fixture.finishSignIn(response) } == .invalidAuthenticatorResponse)
        device.signCount = 3
        try await fixture.signIn(&device)
    }
}
