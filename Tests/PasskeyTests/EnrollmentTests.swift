import Contracts
import Crypto
import DatabaseService
import Synchronization
import TestSupport
import Testing
import Vocabulary
import WebAuthn

@testable import PasskeyService

/// REST 3.6: adding a passkey.
@Suite struct EnrollmentTests {
    private typealias Deviation = SoftwareAuthenticator.Deviation

    // MARK: Start

    @Test func creationOptionsDescribeRelyingPartyAndUser() async throws {
        let fixture = try await PasskeyFixture()
        fixture.identity.change("ada") { $0.displayName = "Ada L." }
        let options = try await fixture.startEnrollment()
        #expect(options.relyingPartyID == "example.com" && options.relyingPartyName == "example.com")
        #expect(options.userName == "ada@example.com" && options.userDisplayName == "Ada L.")
        #expect(options.userHandle.bytes.count == 32)
        #expect(options.challenge.reveal().bytes.count == 32)
        #expect(options.algorithms == [-7, -8, -257, -35])
        #expect(options.timeoutMilliseconds == 300_000)
        #expect(options.excludedCredentials == [])
        #expect(options.userVerification == .required)
        #expect(options.attestation == .none)
        let again = try await fixture.startEnrollment()
        #expect(again.challenge != options.challenge && again.userHandle == options.userHandle)
    }

    @Test func configurationOfProjectDeterminesCreationOptions() async throws {
        let fixture = try await PasskeyFixture()
        fixture.identity.configure {
            $0.relyingPartyId = "auth.example.org"
            $0.relyingPartyName = "Example"
            $0.userVerification = .preferred
            $0.attestation = .init()
            $0.attestation?.conveyance = .direct
        }
        let options = try await fixture.startEnrollment()
        #expect(options.relyingPartyID == "auth.example.org" && options.relyingPartyName == "Example")
        #expect(options.userVerification == .preferred && options.attestation == .direct)
    }

    /// The name that authenticators show is no internal id.
    @Test func accountWithoutAddressHasReadableUserName() async throws {
        let fixture = try await PasskeyFixture()
        fixture.identity.change("ada") { $0.email = nil }
        #expect(try await fixture.startEnrollment().userName == "New account")
        fixture.identity.change("ada") { $0.displayName = "Ada" }
        #expect(try await fixture.startEnrollment().userName == "Ada")
        fixture.identity.change("ada") { $0.phoneNumber = PhoneNumber("+15555550100") }
        let options = try await fixture.startEnrollment()
        #expect(options.userName == "+15555550100" && options.userDisplayName == "Ada")
    }

    @Test func userHandleIsSharedByPasskeysOfOneAccountOnly() async throws {
        let fixture = try await PasskeyFixture()
        let first = try await fixture.enrolled()
        let second = try await fixture.enrolled()
        let eve = try await fixture.enrolled("eve")
        #expect(first.userHandle == second.userHandle && first.userHandle != eve.userHandle)
        // A handle from another origin, for example an import, is kept.
        fixture.identity.change("ada") { $0.passkeys[0].userHandle = OctetString([1, 2, 3]) }
        #expect(try await fixture.startEnrollment().userHandle.bytes == [1, 2, 3])
    }

    @Test func enrolledCredentialsAreExcluded() async throws {
        let fixture = try await PasskeyFixture()
        let device = try await fixture.enrolled()
        #expect(
            try await fixture.startEnrollment().excludedCredentials == [
                .init(id: device.credentialID, transports: ["internal", "hybrid"])
            ])
        // Those of another relying party are of no use here.
        fixture.identity.configure { $0.relyingPartyId = "example.org" }
        #expect(try await fixture.startEnrollment().excludedCredentials == [])
    }

    @Test func enrollmentNeedsRelyingPartyID() async throws {
        let fixture = try await PasskeyFixture(defaults: .init(id: nil, isDev: false))
        #expect(await errorCode { _ = try await fixture.startEnrollment() } == .passkeysNotEnabled)
        fixture.identity.configure { $0.relyingPartyId = "example.com" }
        _ = try await fixture.startEnrollment()
        fixture.identity.configure { $0.state = .disabled }
        #expect(await errorCode { _ = try await fixture.startEnrollment() } == .passkeysNotEnabled)
    }

    @Test func ineligibleAccountCannotStartEnrollment() async throws {
        let fixture = try await PasskeyFixture()
        #expect(await errorCode { _ = try await fixture.startEnrollment(nil) } == .missingIDToken)
        for code in [WireError.Code.recentSignInRequired, .passkeyLimitExceeded, .secondFactorRequired] {
            fixture.identity.refuse(.checkPasskeyEnrollment, code)
            #expect(await errorCode { _ = try await fixture.startEnrollment() } == code)
        }
        #expect(try await fixture.ceremonyCount() == 0)
    }

    @Test func openRegistrationsOfAccountAreBounded() async throws {
        let fixture = try await PasskeyFixture()
        let first = try await fixture.startEnrollment()
        fixture.clock.advance(by: .seconds(1))
        for _ in 0..<PasskeyStore.maximumOpenRegistrations { _ = try await fixture.startEnrollment() }
        #expect(try await fixture.ceremonyCount() == PasskeyStore.maximumOpenRegistrations)
        var device = try SoftwareAuthenticator()
        let response = try device.register(first)
        #expect(await errorCode { try await fixture.finishEnrollment(response) } == .invalidAuthenticatorResponse)
    }

    // MARK: Finish

    @Test func verifiedCredentialIsStoredAndListed() async throws {
        let fixture = try await PasskeyFixture()
        let flags =
            SoftwareAuthenticator.userPresent | SoftwareAuthenticator.userVerified
            | SoftwareAuthenticator.backupEligible | SoftwareAuthenticator.backedUp
        let device = try await fixture.enrolled {
            $0.flags = flags
            $0.signCount = 7
        }
        let stored = try #require(try await fixture.stored(device))
        #expect(stored.realm == PasskeyFixture.realm && stored.accountID == AccountID("ada"))
        #expect(stored.relyingPartyID == "example.com" && stored.userHandle == device.userHandle)
        #expect(stored.algorithm == .es256 && stored.signCount == 7)
        #expect(stored.isBackupEligible && stored.isBackedUp && stored.hasVerifiedUser)
        #expect(stored.aaguid == "00000000-0000-0000-0000-000000000000")
        #expect(stored.attestationFormat == "none" && stored.attestationType == "none")
        #expect(stored.transports == ["internal", "hybrid"])
        #expect(stored.createdAt == fixture.clock.now && stored.lastUsedAt == nil)
        let passkey = try #require(fixture.identity.passkeys(of: "ada").first)
        #expect(passkey.credentialID == device.credentialID && passkey.name == "laptop" && passkey.isBackedUp)
        #expect(fixture.identity.state.withLock { $0.enrolled.map(\.isUserVerified) } == [true])
        #expect(try await fixture.store.credential(device.credentialID, in: ProjectID("demo"))?.unlistedSince == nil)
        #expect(try await fixture.ceremonyCount() == 0)
    }

    @Test func absentNameHasDefault() async throws {
        let fixture = try await PasskeyFixture()
        for name in [nil, ""] {
            var device = try SoftwareAuthenticator()
            try await fixture.finishEnrollment(device.register(try await fixture.startEnrollment()), name: name)
        }
        #expect(fixture.identity.passkeys(of: "ada").map(\.name) == ["Unnamed Passkey", "Unnamed Passkey"])
    }

    private static let present = SoftwareAuthenticator.userPresent
    private static let verified = SoftwareAuthenticator.userVerified
    private static let deviations: [(String, Deviation)] = [
        ("type", .init(type: "webauthn.get")),
        ("origin", .init(origin: "https://evil.example")),
        ("origin with port", .init(origin: "https://example.com:8443")),
        ("origin below", .init(origin: "https://login.example.com")),
        ("scheme", .init(origin: "http://example.com")),
        ("cross origin", .init(members: #","crossOrigin":true"#)),
        ("top origin", .init(members: #","crossOrigin":true,"topOrigin":"https://example.com""#)),
        ("relying party", .init(relyingPartyID: "evil.example")),
        ("no presence", .init(flags: verified)),
        ("no verification", .init(flags: present)),
        ("backed up, not eligible", .init(flags: present | verified | SoftwareAuthenticator.backedUp)),
        ("other raw ID", .init(rawID: CredentialID([1]))),
    ]

    /// A failed verification redeems the challenge too.
    @Test(arguments: deviations.map(\.0))
    func deviatingResponseIsRejected(name: String) async throws {
        let deviation = try #require(Self.deviations.first { $0.0 == name }?.1)
        let fixture = try await PasskeyFixture()
        var device = try SoftwareAuthenticator()
        let options = try await fixture.startEnrollment()
        let response = try device.register(options, deviation)
        #expect(await errorCode { try await fixture.finishEnrollment(response) } == .invalidAuthenticatorResponse)
        #expect(try await fixture.ceremonyCount() == 0)
        let correct = try device.register(options)
        #expect(await errorCode { try await fixture.finishEnrollment(correct) } == .invalidAuthenticatorResponse)
        #expect(try await fixture.credentialCount() == 0)
        #expect(fixture.identity.passkeys(of: "ada") == [])
        #expect(fixture.logged.lines(of: "passkey.ceremony-rejected").count == 2)
    }

    /// Security rule WR1. An equal request again is a repetition, and gets the reply of the first.
    @Test func challengeWorksOnce() async throws {
        let fixture = try await PasskeyFixture()
        let options = try await fixture.startEnrollment()
        var (first, second) = (try SoftwareAuthenticator(), try SoftwareAuthenticator())
        try await fixture.finishEnrollment(first.register(options))
        for (response, name) in [(try first.register(options), "phone"), (try second.register(options), "laptop")] {
            #expect(
                await errorCode { try await fixture.finishEnrollment(response, name: name) }
                    == .invalidAuthenticatorResponse)
        }
        #expect(fixture.identity.passkeys(of: "ada").count == 1)
    }

    @Test func challengeOfAnotherOriginIsRejected() async throws {
        let tenant = Realm(project: ProjectID("demo"), tenant: TenantID("t"))
        let fixture = try await PasskeyFixture()
        fixture.identity.add("eve")
        fixture.identity.add("tom", in: tenant)
        var device = try SoftwareAuthenticator()
        let ofEve = try device.register(try await fixture.startEnrollment("eve"))
        #expect(await errorCode { try await fixture.finishEnrollment(ofEve) } == .invalidAuthenticatorResponse)
        let ofTenant = try device.register(try await fixture.startEnrollment("tom", in: tenant))
        #expect(await errorCode { try await fixture.finishEnrollment(ofTenant) } == .invalidAuthenticatorResponse)
        let signIn = try await fixture.startSignIn()
        let ofSignIn = try device.register(
            try await fixture.startEnrollment(), .init(challenge: signIn.challenge.reveal().bytes))
        #expect(await errorCode { try await fixture.finishEnrollment(ofSignIn) } == .invalidAuthenticatorResponse)
        let madeUp = try device.register(try await fixture.startEnrollment(), .init(challenge: Random.bytes(32)))
        #expect(await errorCode { try await fixture.finishEnrollment(madeUp) } == .invalidAuthenticatorResponse)
        let empty = try device.register(try await fixture.startEnrollment(), .init(challenge: []))
        #expect(await errorCode { try await fixture.finishEnrollment(empty) } == .invalidAuthenticatorResponse)
        // Their owners may still use them.
        try await fixture.finishEnrollment(ofEve, by: "eve")
        #expect(try await fixture.credentialCount() == 1)
    }

    @Test func challengeExpiresAfterFiveMinutes() async throws {
        let fixture = try await PasskeyFixture()
        var (first, second) = (try SoftwareAuthenticator(), try SoftwareAuthenticator())
        let early = try first.register(try await fixture.startEnrollment())
        let late = try second.register(try await fixture.startEnrollment())
        fixture.clock.advance(by: .milliseconds(299_999))
        try await fixture.finishEnrollment(early)
        fixture.clock.advance(by: .milliseconds(1))
        #expect(await errorCode { try await fixture.finishEnrollment(late) } == .passkeyChallengeTimedOut)
        // An hour later the challenge is unknown.
        fixture.clock.advance(by: .milliseconds(3_600_001))
        try await fixture.store.sweep(at: fixture.clock.now)
        #expect(await errorCode { try await fixture.finishEnrollment(late) } == .invalidAuthenticatorResponse)
    }

    @Test func hugeOrMalformedResponseIsRejected() async throws {
        let fixture = try await PasskeyFixture()
        var device = try SoftwareAuthenticator()
        // The bus refuses strings of more than 64 KiB before they are decoded.
        let cases: [([UInt8], WireError.Code)] = [
            ([UInt8](repeating: 0xa3, count: 2 << 20), .invalidRequest),
            ([UInt8](repeating: 0x20, count: 40_000), .invalidAuthenticatorResponse),
            ([], .invalidAuthenticatorResponse), (Array("{}".utf8), .invalidAuthenticatorResponse),
            ([0xa0], .invalidAuthenticatorResponse), (Random.bytes(1000), .invalidAuthenticatorResponse),
        ]
        for (bytes, code) in cases {
            let response = try device.register(try await fixture.startEnrollment())
            var (badObject, badClient) = (response, response)
            badObject.attestationObject = OctetString(bytes)
            badClient.clientDataJSON = OctetString(bytes)
            #expect(await errorCode { try await fixture.finishEnrollment(badClient) } == code)
            #expect(await errorCode { try await fixture.finishEnrollment(badObject) } == code)
        }
        #expect(try await fixture.credentialCount() == 0)
    }

    /// One of two equal names could be read by the browser, the other one here.
    @Test func duplicateMemberOfClientDataIsRejected() async throws {
        let fixture = try await PasskeyFixture()
        var device = try SoftwareAuthenticator()
        let response = try device.register(
            try await fixture.startEnrollment(), .init(members: #","type":"webauthn.create""#))
        #expect(await errorCode { try await fixture.finishEnrollment(response) } == .invalidAuthenticatorResponse)
    }

    @Test func unusualTransportsAreLeftOut() async throws {
        let fixture = try await PasskeyFixture()
        var device = try SoftwareAuthenticator()
        var response = try device.register(try await fixture.startEnrollment())
        response.transports = ["smart-card", "a b", "", "nfc\u{1}", "ü"]
        try await fixture.finishEnrollment(response)
        #expect(try await fixture.stored(device)?.transports == ["smart-card"])
    }

    // MARK: Conditional create

    /// Password managers create a passkey without asking the user after a sign-in by password.
    @Test func conditionalCreationNeedsNoPresentUser() async throws {
        let fixture = try await PasskeyFixture()
        let options = try await fixture.startEnrollment(isConditional: true)
        #expect(options.userVerification == .preferred)
        var device = try SoftwareAuthenticator()
        try await fixture.finishEnrollment(device.register(options, .init(flags: 0)))
        #expect(fixture.identity.state.withLock { $0.enrolled.map(\.isUserVerified) } == [false])
        // Its sign-ins verify the user.
        #expect(
            await errorCode { try await fixture.signIn(&device, .init(flags: Self.present)) }
                == .invalidAuthenticatorResponse)
        try await fixture.signIn(&device)
        #expect(try await fixture.stored(device)?.hasVerifiedUser == true)
    }

    @Test func preferredUserVerificationAcceptsPresence() async throws {
        let fixture = try await PasskeyFixture()
        fixture.identity.configure { $0.userVerification = .preferred }
        var device = try SoftwareAuthenticator()
        try await fixture.finishEnrollment(
            device.register(try await fixture.startEnrollment(), .init(flags: Self.present)))
        #expect(fixture.identity.state.withLock { $0.enrolled.map(\.isUserVerified) } == [false])
    }
}
