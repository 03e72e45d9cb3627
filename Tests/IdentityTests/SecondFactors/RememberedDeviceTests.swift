import Contracts
import Crypto
import JSON
import SQL
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

extension IdentityFixture {
    /// An account with an authenticator app in a project that remembers devices, and its session after the second factor.
    func signUpRemembering(days: Int = 30, state: ProjectConfiguration.MultiFactor.State = .enabled) async throws
        -> SignedIn
    {
        let made = try await signUpVerified()
        _ = try await enrollTOTP(made.tokens)
        try await configure { configuration in
            configuration.mfa?.rememberedDeviceDays = days
            configuration.mfa?.providerConfigs?[0].state = state
        }
        return try await signInWithApp()
    }

    func signInWithApp() async throws -> SignedIn {
        let done = try await send(
            Identity.CompleteSignIn(
                project: Self.realm.project, pendingCredential: try await PendingSignInTests.credential(self),
                factorID: FactorID("app")))
        return SignedIn(account: done.account, tokens: done.tokens)
    }

    func remember(_ tokens: TokenSet, former: [Secret<String>] = []) async throws -> Secret<String> {
        try await send(
            Identity.RememberDevice(
                realm: Self.realm, idToken: tokens.idToken, formerSecrets: former,
                client: .init(userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0"))
        ).secret
    }

    /// A sign-in with the password and the secret of a device.
    func signIn(on secret: Secret<String>, email: String = "ada@example.com") async throws -> TokenSet {
        let pending = try #require(try await firstFactor(email).secondFactor).pendingCredential
        return try await send(
            Identity.SignInWithRememberedDevice(
                project: Self.realm.project, pendingCredential: pending, secrets: [secret])
        ).tokens
    }

    func rememberedDevices(_ tokens: TokenSet) async throws -> [Identity.RememberedDevice] {
        try await send(Identity.ListRememberedDevices(realm: Self.realm, idToken: tokens.idToken)).devices
    }
}

/// Devices that the hosted sign-in does not ask for a second factor.
@Suite(.serialized) struct RememberedDeviceTests {
    private static let realm = IdentityFixture.realm
    private static let refusal = ServiceError(.secondFactorRequired)

    private static func claims(_ tokens: TokenSet) throws -> [String: JSONValue] {
        try IDTokenIssuer.payload(of: tokens.idToken.reveal())
    }

    // MARK: Rules

    /// "remembered_devices.expires_at": a device that was remembered while the clock was ahead is not when it is right again.
    @Test func deviceEndsWithTheShorterOfBothTerms() {
        let now = Moment(milliseconds: 1_700_000_000_000)
        let device = RememberedDevice(
            DeviceSecret(secret: Array(0..<32)), days: 30, device: nil,
            signInID: SessionID(bytes: Array(0..<16)), at: now)
        let day = Duration.seconds(86_400)
        #expect(device.isValid(days: 30, at: now) && device.isValid(days: 30, at: now + day * 29))
        #expect(!device.isValid(days: 30, at: now + day * 30))
        // More days do not prolong what the user was promised; fewer shorten it; none end it.
        #expect(!device.isValid(days: 90, at: now + day * 30))
        #expect(!device.isValid(days: 7, at: now + day * 7) && !device.isValid(days: 0, at: now))
        // It was remembered by a clock that was ahead.
        #expect(!device.isValid(days: 30, at: now - day))
    }

    @Test func secretIsNoOtherCredential() {
        let secret = DeviceSecret(secret: Array(0..<32))
        #expect(DeviceSecret(secret.text) == secret && PendingCredential(secret.text) == nil)
        let texts = [secret.text, "", "made-up", PendingCredential(secret: Array(0..<32)).text].map { Secret($0) }
        #expect(DeviceSecret.read(texts) == [secret])
        let many = Array(repeating: Secret(secret.text), count: 100)
        #expect(DeviceSecret.read(many).count == Identity.RememberDevice.maximumSecrets)
    }

    // MARK: Sign-in

    @Test(arguments: StoreEngine.allCases) func deviceStandsInForTheFactor(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let first = try await fixture.signUpRemembering()
        let secret = try await fixture.remember(first.tokens)
        let hashes = try await fixture.store.read { transaction in
            try transaction.rows("SELECT secret_hash FROM remembered_devices").map {
                try $0.get("secret_hash") as [UInt8]
            }
        }
        #expect(hashes == [try #require(DeviceSecret(secret.reveal())).hash])
        fixture.clock.advance(by: .seconds(86_400))
        let tokens = try await fixture.signIn(on: secret)
        // Nothing claims a factor that was not shown.
        let claims = try Self.claims(tokens)
        #expect(claims["amr"] == .array([.string("pwd")]))
        #expect(try claims["acr"] != Self.claims(first.tokens)["acr"])
        #expect(claims["firebase"]?["sign_in_second_factor"] == nil)
        #expect(claims["firebase"]?["second_factor_remembered"] == .bool(true))
        _ = try await fixture.refresh(tokens.refreshToken)
        let device = try #require(try await fixture.rememberedDevices(tokens).first)
        #expect(device.lastUsedAt == fixture.clock.now && device.createdAt < device.lastUsedAt)
        #expect(device.expiresAt == device.createdAt + .seconds(30 * 86_400))
        let actions = try await fixture.auditActions()
        #expect(
            actions.suffix(3) == ["account.device-remembered", "session.first-factor-verified", "session.created"])
    }

    /// A session without a factor ends where one is mandatory, and that of a remembered device does not.
    @Test func sessionIsCompleteWhereAFactorIsMandatory() async throws {
        let fixture = try await IdentityFixture()
        let secret = try await fixture.remember(try await fixture.signUpRemembering(state: .mandatory).tokens)
        let tokens = try await fixture.refresh(try await fixture.signIn(on: secret).refreshToken)
        #expect(try Self.claims(tokens)["firebase"]?["second_factor_required"] == nil)
        #expect(try await fixture.rememberedDevices(tokens).count == 1)
        // The project remembers no devices any more.
        try await fixture.configure { $0.mfa?.rememberedDeviceDays = 0 }
        await #expect(throws: ServiceError(.sessionExpired)) { try await fixture.refresh(tokens.refreshToken) }
    }

    @Test func operationsThatNeedTheFactorAreRefused() async throws {
        let fixture = try await IdentityFixture()
        let first = try await fixture.signUpRemembering()
        let secret = try await fixture.remember(first.tokens)
        let tokens = try await fixture.signIn(on: secret)
        await #expect(throws: Self.refusal) {
            try await fixture.changeOwn(tokens, .init(password: Secret("another-horse-9")))
        }
        await #expect(throws: Self.refusal) {
            try await fixture.send(
                Identity.WithdrawFactor(realm: Self.realm, idToken: tokens.idToken, factorID: FactorID("app")))
        }
        await #expect(throws: Self.refusal) { try await fixture.generate(tokens) }
        await #expect(throws: Self.refusal) {
            try await fixture.send(Identity.DeleteOwnAccount(realm: Self.realm, idToken: tokens.idToken))
        }
        await #expect(throws: Self.refusal) {
            try await fixture.send(Identity.DownloadOwnAccount(realm: Self.realm, idToken: tokens.idToken))
        }
        // Nor does it prolong itself, nor remember another device.
        await #expect(throws: Self.refusal) { try await fixture.remember(tokens) }
        // A name can be changed, and a backend gets its cookie.
        _ = try await fixture.changeOwn(tokens, .init(displayName: "Ada"))
        _ = try await fixture.send(
            Identity.CreateSessionCookie(realm: Self.realm, idToken: tokens.idToken, lifetimeSeconds: 3600))
    }

    /// Its secret says nothing about another account, and nothing without the first factor.
    @Test func secretIsThatOfOneAccount() async throws {
        let fixture = try await IdentityFixture()
        let secret = try await fixture.remember(try await fixture.signUpRemembering().tokens)
        let eve = try await fixture.signUp("eve@example.com")
        _ = try await fixture.change(
            eve.account.id,
            .init(
                emailVerified: true,
                secondFactors: [.init(id: FactorID("f"), kind: .phone(number: "+12025550101"))]))
        await #expect(throws: Self.refusal) { try await fixture.signIn(on: secret, email: "eve@example.com") }
        await #expect(throws: ServiceError(.invalidPendingCredential)) {
            try await fixture.send(
                Identity.SignInWithRememberedDevice(
                    project: Self.realm.project, pendingCredential: nil, secrets: [secret]))
        }
        // The credential stays valid, and is redeemed once.
        let credential = try await PendingSignInTests.credential(fixture)
        func signIn(_ secrets: [Secret<String>]) async throws {
            _ = try await fixture.send(
                Identity.SignInWithRememberedDevice(
                    project: Self.realm.project, pendingCredential: credential, secrets: secrets))
        }
        await #expect(throws: Self.refusal) { try await signIn([]) }
        await #expect(throws: Self.refusal) { try await signIn([Secret("made-up")]) }
        try await signIn([Secret("made-up"), secret])
        await #expect(throws: ServiceError(.invalidPendingCredential)) { try await signIn([secret]) }
    }

    @Test func deviceExpires() async throws {
        let fixture = try await IdentityFixture()
        let secret = try await fixture.remember(try await fixture.signUpRemembering(days: 1).tokens)
        fixture.clock.advance(by: .seconds(86_399))
        let tokens = try await fixture.signIn(on: secret)
        fixture.clock.advance(by: .seconds(1))
        await #expect(throws: Self.refusal) { try await fixture.signIn(on: secret) }
        #expect(try await fixture.rememberedDevices(tokens).isEmpty)
    }

    // MARK: Remembering

    @Test func onlyAShownFactorIsRemembered() async throws {
        let fixture = try await IdentityFixture()
        let first = try await fixture.signUpRemembering()
        let codes = try await fixture.generate(first.tokens)
        // A recovery code is for a user without the device.
        let recovered = try await fixture.recover(try await PendingSignInTests.credential(fixture), codes.first)
        await #expect(throws: Self.refusal) { try await fixture.remember(recovered.tokens) }
        fixture.clock.advance(by: .seconds(301))
        await #expect(throws: ServiceError(.recentSignInRequired)) { try await fixture.remember(first.tokens) }
        try await fixture.configure { $0.mfa?.rememberedDeviceDays = nil }
        let later = try await fixture.signInWithApp()
        await #expect(throws: ServiceError(.operationNotAllowed)) { try await fixture.remember(later.tokens) }
    }

    @Test func browserHasOneSecretForAnAccount() async throws {
        let fixture = try await IdentityFixture()
        let first = try await fixture.signUpRemembering()
        let former = try await fixture.remember(first.tokens)
        let secret = try await fixture.remember(first.tokens, former: [former, Secret("made-up")])
        #expect(try await fixture.rememberedDevices(first.tokens).map(\.device) == ["Firefox (Linux)"])
        await #expect(throws: Self.refusal) { try await fixture.signIn(on: former) }
        _ = try await fixture.signIn(on: secret)
        for _ in 0..<RememberedDevice.maximumPerAccount { _ = try await fixture.remember(first.tokens) }
        #expect(
            try await fixture.rememberedDevices(first.tokens).count == RememberedDevice.maximumPerAccount)
    }

    // MARK: The end

    /// What ends the sessions of an account ends its devices.
    enum End: CaseIterable, Sendable {
        case passwordByOwner, passwordByAdministrator, passwordReset, addressChange, factorByOwner
        case factorByAdministrator, revocation, everywhere, others, otherSession, sessionByOperator, replay, own
        case deletion

        /// A user who signs out on a device comes back on it.
        var keepsDevice: Bool { self == .own }
    }

    @Test(arguments: End.allCases) func deviceEndsLikeItsSession(end: End) async throws {
        let fixture = try await IdentityFixture()
        let first = try await fixture.signUpRemembering()
        let secret = try await fixture.remember(first.tokens)
        fixture.clock.advance(by: .seconds(10))
        let other = try await fixture.signInWithApp().tokens
        let id = first.account.id
        let device = try #require(try await Self.session(fixture, first.tokens))
        switch end {
        case .passwordByOwner: _ = try await fixture.changeOwn(other, .init(password: Secret("another-horse-9")))
        case .passwordByAdministrator: _ = try await fixture.change(id, .init(password: Secret("another-horse-9")))
        case .passwordReset:
            _ = try await fixture.send(
                Identity.SendActionCode(realm: Self.realm, purpose: .passwordReset, email: "ada@example.com"))
            let codes = try await fixture.send(Identity.ListActionCodes(realm: Self.realm)).codes
            let code = try #require(codes.first { $0.purpose == .passwordReset })
            _ = try await fixture.send(
                Identity.ResetPassword(
                    realm: Self.realm, code: code.code, newPassword: Secret("another-horse-9")))
        case .addressChange: _ = try await fixture.change(id, .init(email: "grace@example.com"))
        case .factorByOwner:
            _ = try await fixture.send(
                Identity.WithdrawFactor(realm: Self.realm, idToken: other.idToken, factorID: FactorID("app")))
        case .factorByAdministrator: _ = try await fixture.change(id, .init(secondFactors: []))
        case .revocation:
            _ = try await fixture.change(id, .init(validSince: fixture.clock.now.timestamp))
        case .everywhere: try await Self.end(.all, other, fixture)
        case .others: try await Self.end(.others, other, fixture)
        case .otherSession: try await Self.end(.listed([device]), other, fixture)
        case .own: try await Self.end(.listed([device]), first.tokens, fixture)
        case .sessionByOperator:
            _ = try await fixture.send(
                Identity.EndSession(realm: Self.realm, accountID: id, sessionID: device))
        case .replay:
            let second = try await fixture.refresh(first.tokens.refreshToken)
            _ = try await fixture.refresh(second.refreshToken)
            await #expect(throws: ServiceError(.sessionExpired)) {
                try await fixture.refresh(first.tokens.refreshToken)
            }
        case .deletion: _ = try await fixture.send(Identity.DeleteAccount(realm: Self.realm, accountID: id))
        }
        let rows = try await fixture.store.read { transaction in
            try transaction.rows("SELECT secret_hash FROM remembered_devices").count
        }
        #expect(rows == (end.keepsDevice ? 1 : 0), "\(end)")
        if end.keepsDevice { _ = try await fixture.signIn(on: secret) }
    }

    private static func session(_ fixture: IdentityFixture, _ tokens: TokenSet) async throws -> String? {
        try await fixture.send(Identity.ListOwnSessions(realm: realm, idToken: tokens.idToken)).sessions
            .first { $0.isCurrent }?.id
    }

    private static func end(
        _ selection: Identity.EndOwnSessions.Selection, _ tokens: TokenSet, _ fixture: IdentityFixture
    ) async throws {
        _ = try await fixture.send(
            Identity.EndOwnSessions(realm: realm, idToken: tokens.idToken, selection: selection))
    }

    @Test func ownerForgetsADevice() async throws {
        let fixture = try await IdentityFixture()
        let first = try await fixture.signUpRemembering()
        let secret = try await fixture.remember(first.tokens)
        let device = try #require(try await fixture.rememberedDevices(first.tokens).first)
        func forget(_ id: String) async throws {
            _ = try await fixture.send(
                Identity.ForgetRememberedDevice(realm: Self.realm, idToken: first.tokens.idToken, id: id))
        }
        // Neither the secret nor what is no ID names a device.
        for id in [secret.reveal(), "", "%", "AAAA"] { try await forget(id) }
        #expect(try await fixture.rememberedDevices(first.tokens) == [device])
        try await forget(device.id)
        try await forget(device.id)
        #expect(try await fixture.rememberedDevices(first.tokens).isEmpty)
        #expect(try await fixture.auditActions().count { $0 == "account.device-forgotten" } == 1)
        await #expect(throws: Self.refusal) { try await fixture.signIn(on: secret) }
        // The session continues.
        _ = try await fixture.refresh(first.tokens.refreshToken)
    }

    @Test func downloadNamesDevices() async throws {
        let fixture = try await IdentityFixture()
        let first = try await fixture.signUpRemembering()
        _ = try await fixture.remember(first.tokens)
        let reply = try await fixture.send(
            Identity.DownloadOwnAccount(realm: Self.realm, idToken: first.tokens.idToken))
        #expect(reply.rememberedDevices.map(\.device) == ["Firefox (Linux)"])
    }
}
