import Blocking
import Bus
import Contracts
import Crypto
import Foundation
import MasterKey
import SQLite
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// The service with everything real but the clock, in memory.
struct IdentityFixture {
    static let realm = Realm(project: ProjectID("demo"))

    let service: IdentityService
    let clock: ManualClock
    let store: IdentityStore
    let published: PublishedEvents

    final class PublishedEvents: Sendable {
        private let events = Mutex<[BusEvent]>([])
        func append(_ event: BusEvent) { events.withLock { $0.append(event) } }
        var all: [BusEvent] { events.withLock { $0 } }
    }

    init(isDev: Bool = true, isUnsigned: Bool = false, hashingLine: Int = 64) async throws {
        let clock = ManualClock()
        let store = try await IdentityStore(try SQLiteDatabase(.memory), masterKey: .random())
        let projects = Projects(store: store, isDev: isDev, now: { clock.now })
        try await projects.ensure(Self.realm.project, apiKey: "the-key", traceID: "test")
        let keys = KeyRing(store: store, now: { clock.now })
        for purpose in Identity.ReadSigningKeys.Purpose.allCases {
            _ = try await keys.renew(purpose, traceID: "test")
        }
        let published = PublishedEvents()
        service = IdentityService(
            .init(
                now: { clock.now }, randomBytes: Random.bytes, store: store, projects: projects, keys: keys,
                tokens: IDTokens(
                    keys: keys, pool: BlockingPool(label: "signatures", threads: 2, waiting: 100),
                    isUnsigned: isUnsigned),
                passwords: PasswordHasher(
                    pool: BlockingPool(label: "passwords", threads: 2, waiting: hashingLine),
                    pepper: .init(id: "pepper", key: Random.bytes(32)), randomBytes: Random.bytes),
                lanes: AttemptLanes(), publish: published.append, isDev: isDev))
        self.clock = clock
        self.store = store
        self.published = published
    }

    /// Asks as the bus would.
    func ask<Request: BusRequest>(_ request: Request, idempotencyKey: String? = nil) async throws -> Request.Reply
    where Request.Operation == Identity.Operation {
        let call = try BusCall(request, deadline: clock.now + .seconds(5), idempotencyKey: idempotencyKey)
        return try await service.handle(Request.operation, call).result()
    }

    func signUp(_ email: String = "ada@example.com", _ password: String = "correct-horse-9") async throws
        -> Identity.SignUp.Reply
    {
        try await ask(Identity.SignUp(realm: Self.realm, email: email, password: Secret(password)))
    }

    func signIn(_ email: String = "ada@example.com", _ password: String = "correct-horse-9") async throws
        -> Identity.SignInWithPassword.Reply
    {
        try await ask(Identity.SignInWithPassword(realm: Self.realm, email: email, password: Secret(password)))
    }

    func lookUp(_ idToken: Secret<String>) async throws -> Account {
        try await ask(Identity.LookUpOwnAccount(realm: Self.realm, idToken: idToken)).account
    }

    func refresh(_ token: Secret<String>) async throws -> TokenSet {
        try await ask(Identity.RefreshSession(project: Self.realm.project, refreshToken: token)).tokens
    }

    func change(_ id: AccountID, _ changes: Identity.AccountChanges) async throws -> Account {
        try await ask(Identity.UpdateAccount(realm: Self.realm, accountID: id, changes: changes)).account
    }

    func configure(_ change: (inout ProjectConfiguration) -> Void) async throws {
        let current = try await ask(Identity.ReadConfiguration(project: Self.realm.project))
        var configuration = current.configuration
        change(&configuration)
        _ = try await ask(
            Identity.ReplaceConfiguration(
                project: Self.realm.project, configuration: configuration, expectedRevision: current.revision))
    }
}

@Suite struct SignUpAndSignInTests {
    @Test func aPasswordAccountSignsInAgain() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp("Ada@Example.com")
        #expect(made.account.email?.rawValue == "Ada@example.com" && made.account.hasPassword)
        let again = try await fixture.signIn("ADA@example.COM")
        #expect(again.account.id == made.account.id)
        #expect(try await fixture.lookUp(again.tokens.idToken).id == made.account.id)
    }

    @Test func fiftyParallelSignUpsMakeOneAccount() async throws {
        let fixture = try await IdentityFixture()
        let made = await withTaskGroup { group in
            for _ in 0..<50 {
                group.addTask {
                    do {
                        return try await fixture.signUp() as Identity.SignUp.Reply?
                    } catch {
                        #expect(error as? IdentityError == .emailExists || error as? IdentityError == .overloaded)
                        return nil
                    }
                }
            }
            return await group.reduce(into: 0) { $0 += $1 == nil ? 0 : 1 }
        }
        #expect(made == 1)
    }

    @Test func underPrivacyUnknownAndWrongAreOneRefusal() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUp()
        await #expect(throws: IdentityError.invalidCredentials) { try await fixture.signIn("nobody@example.com") }
        await #expect(throws: IdentityError.invalidCredentials) { try await fixture.signIn("ada@example.com", "wrong") }
        try await fixture.configure { $0.emailPrivacyConfig?.enableImprovedEmailPrivacy = false }
        await #expect(throws: IdentityError.emailNotFound) { try await fixture.signIn("nobody@example.com") }
        await #expect(throws: IdentityError.wrongPassword) { try await fixture.signIn("ada@example.com", "wrong") }
    }

    @Test(arguments: ["ada@example.com", "nobody@example.com"])
    func theSixthAttemptInARowWaitsWhoeverItIs(email: String) async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUp()
        for _ in 1...5 {
            await #expect(throws: IdentityError.invalidCredentials) { try await fixture.signIn(email, "wrong") }
        }
        await #expect(throws: IdentityError.tooManyAttempts(until: fixture.clock.now + .seconds(2))) {
            try await fixture.signIn(email)
        }
        fixture.clock.advance(by: .seconds(2))
        if email == "ada@example.com" { _ = try await fixture.signIn(email) }
    }

    @Test func twoHundredParallelGuessesMeetTheLimit() async throws {
        let fixture = try await IdentityFixture(hashingLine: 500)
        _ = try await fixture.signUp()
        let judged = await withTaskGroup { group in
            for guess in 0..<100 {
                group.addTask {
                    do {
                        _ = try await fixture.signIn("ada@example.com", "guess-\(guess)")
                        return true
                    } catch {
                        return error as? IdentityError == .invalidCredentials
                    }
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(judged == 5)
    }

    @Test func aBurstOfRightPasswordsIsNotTakenForGuesses() async throws {
        let fixture = try await IdentityFixture(hashingLine: 500)
        _ = try await fixture.signUp()
        try await withThrowingTaskGroup { group in
            for _ in 0..<40 { group.addTask { _ = try await fixture.signIn() } }
            try await group.waitForAll()
        }
    }

    @Test func aDisabledAccountIsNamedOnlyToItsOwner() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        _ = try await fixture.change(made.account.id, .init(disabled: true))
        await #expect(throws: IdentityError.invalidCredentials) { try await fixture.signIn("ada@example.com", "wrong") }
        await #expect(throws: IdentityError.accountDisabled) { try await fixture.signIn() }
    }

    @Test func anAnonymousAccountKeepsItsIDWhenItGetsAPassword() async throws {
        let fixture = try await IdentityFixture()
        let anonymous = try await fixture.ask(Identity.SignUp(realm: IdentityFixture.realm))
        fixture.clock.advance(by: .seconds(3600))
        let upgraded = try await fixture.ask(
            Identity.SignUp(
                realm: IdentityFixture.realm, email: "ada@example.com", password: Secret("correct-horse-9"),
                linkTo: anonymous.tokens.idToken))
        #expect(upgraded.account.id == anonymous.account.id)
        await #expect(throws: IdentityError.sessionExpired) { try await fixture.lookUp(anonymous.tokens.idToken) }
        await #expect(throws: IdentityError.sessionExpired) { try await fixture.refresh(anonymous.tokens.refreshToken) }
        #expect(try await fixture.signIn().account.id == anonymous.account.id)
    }

    @Test func anotherPasswordThroughAnOldTokenNeedsARecentSignIn() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        fixture.clock.advance(by: .seconds(301))
        await #expect(throws: IdentityError.signInTooOld) {
            try await fixture.ask(
                Identity.SignUp(
                    realm: IdentityFixture.realm, email: "eve@example.com", password: Secret("correct-horse-9"),
                    linkTo: made.tokens.idToken))
        }
    }

    @Test func aRepeatedCallGetsTheRecordedReply() async throws {
        let fixture = try await IdentityFixture()
        let request = Identity.SignUp(
            realm: IdentityFixture.realm, email: "ada@example.com", password: Secret("correct-horse-9"))
        let first = try await fixture.ask(request, idempotencyKey: "k1")
        let second = try await fixture.ask(request, idempotencyKey: "k1")
        #expect(second.account == first.account)
        #expect(second.tokens.refreshToken == first.tokens.refreshToken)
        var other = request
        other.email = "eve@example.com"
        await #expect(throws: IdentityError.idempotencyKeyReused) { try await fixture.ask(other, idempotencyKey: "k1") }
        let deletion = Identity.DeleteOwnAccount(realm: IdentityFixture.realm, idToken: first.tokens.idToken)
        for _ in 1...2 { #expect(try await fixture.ask(deletion, idempotencyKey: "k2") == Done()) }
    }

    @Test func inProductionPasswordsAreLongAndUncommon() async throws {
        let fixture = try await IdentityFixture(isDev: false)
        await #expect(throws: IdentityError.weakPassword(.shorterThan(15))) {
            try await fixture.signUp("ada@example.com", "fourteen-chars")
        }
        await #expect(throws: IdentityError.weakPassword(.guessable)) {
            try await fixture.signUp("ada.lovelace.first@example.com", "ada.lovelace.first")
        }
        _ = try await fixture.signUp("ada@example.com", "correct horse battery")
        await #expect(throws: IdentityError.administratorsOnly) {
            try await fixture.ask(Identity.SignUp(realm: IdentityFixture.realm))
        }
    }

    @Test func aFullLineOfPasswordsIsRefusedAndCostsNoAttempt() async throws {
        let fixture = try await IdentityFixture(hashingLine: 0)
        _ = try await fixture.signUp()
        let refused = await withTaskGroup { group in
            for number in 0..<40 {
                group.addTask {
                    do {
                        _ = try await fixture.signIn("user-\(number)@example.com")
                        return false
                    } catch {
                        return error as? IdentityError == .overloaded
                    }
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(refused > 0)
        _ = try await fixture.signIn()
    }
}

@Suite struct TokenTests {
    @Test func aTokenOfAnyOtherByteIsRefused() async throws {
        let fixture = try await IdentityFixture()
        let token = Array(try await fixture.signUp().tokens.idToken.reveal().utf8)
        for place in stride(from: 0, to: token.count, by: 3) {
            var forged = token
            forged[place] = forged[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            await #expect(throws: IdentityError.invalidIDToken, "byte \(place)") {
                try await fixture.lookUp(Secret(String(decoding: forged, as: UTF8.self)))
            }
        }
    }

    @Test(arguments: ["", "a.b.c", "e30.e30.", "e30.e30.e30", "not-a-token", String(repeating: "a.", count: 9000)])
    func whatIsNoTokenIsRefused(text: String) async throws {
        let fixture = try await IdentityFixture()
        await #expect(throws: text.isEmpty ? IdentityError.missingIDToken : .invalidIDToken) {
            try await fixture.lookUp(Secret(text))
        }
    }

    @Test func anUnsignedTokenIsRefusedUnlessTheModeAsksForIt() async throws {
        let signing = try await IdentityFixture()
        let unsigned = try await IdentityFixture(isUnsigned: true)
        let token = try await unsigned.signUp().tokens.idToken
        #expect(try await unsigned.lookUp(token).email?.rawValue == "ada@example.com")
        await #expect(throws: IdentityError.invalidIDToken) { try await signing.lookUp(token) }
    }

    @Test func aTokenEndsFiveMinutesAfterItsHour() async throws {
        let fixture = try await IdentityFixture()
        let token = try await fixture.signUp().tokens.idToken
        fixture.clock.advance(by: .seconds(3600 + 300))
        _ = try await fixture.lookUp(token)
        fixture.clock.advance(by: .seconds(1))
        await #expect(throws: IdentityError.invalidIDToken) { try await fixture.lookUp(token) }
    }

    @Test func tokensOfAnotherProjectOrTenantAreRefused() async throws {
        let fixture = try await IdentityFixture()
        let token = try await fixture.signUp().tokens.idToken
        await #expect(throws: IdentityError.invalidIDToken) {
            try await fixture.ask(Identity.ResolvePrincipal(realm: Realm(project: ProjectID("other")), idToken: token))
        }
        await #expect(throws: IdentityError.tenantMismatch) {
            try await fixture.ask(
                Identity.ResolvePrincipal(
                    realm: Realm(project: IdentityFixture.realm.project, tenant: TenantID("t")), idToken: token))
        }
    }

    @Test func aPrincipalSaysHowItSignedIn() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        let principal = try await fixture.ask(
            Identity.ResolvePrincipal(realm: IdentityFixture.realm, idToken: made.tokens.idToken)
        ).principal
        #expect(principal.accountID == made.account.id && principal.signInProvider == "password")
        #expect(principal.authenticatedAt == fixture.clock.now.timestamp && principal.secondFactorID == nil)
    }

    @Test func refreshKeepsTheMomentOfSignInAndReadsTheAccountAnew() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        let before = try IDTokenClaims.read(made.tokens.idToken)
        fixture.clock.advance(by: .seconds(3600))
        _ = try await fixture.change(made.account.id, .init(displayName: "Countess"))
        let after = try IDTokenClaims.read(try await fixture.refresh(made.tokens.refreshToken).idToken)
        #expect(after["auth_time"] == before["auth_time"])
        #expect(after["name"] == .string("Countess"))
    }

    @Test func fiftyParallelRefreshesGiveOneSuccessor() async throws {
        let fixture = try await IdentityFixture()
        let token = try await fixture.signUp().tokens.refreshToken
        let successors = try await withThrowingTaskGroup { group in
            for _ in 0..<50 { group.addTask { try await fixture.refresh(token).refreshToken.reveal() } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(successors.count == 1)
    }

    @Test func aSpentRefreshTokenEndsItsSessionForGood() async throws {
        let fixture = try await IdentityFixture()
        let first = try await fixture.signUp().tokens.refreshToken
        let second = try await fixture.refresh(first).refreshToken
        let third = try await fixture.refresh(second).refreshToken
        await #expect(throws: IdentityError.sessionExpired) { try await fixture.refresh(first) }
        await #expect(throws: IdentityError.sessionExpired) { try await fixture.refresh(third) }
        #expect(try await fixture.auditActions().contains("session.reuse"))
    }

    @Test func revocationDisablingAndDeletionEachEndARefresh() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        _ = try await fixture.change(made.account.id, .init(disabled: true))
        await #expect(throws: IdentityError.accountDisabled) { try await fixture.refresh(made.tokens.refreshToken) }
        _ = try await fixture.change(made.account.id, .init(disabled: false))
        let next = try await fixture.refresh(made.tokens.refreshToken).refreshToken
        _ = try await fixture.change(made.account.id, .init(validSince: fixture.clock.now.timestamp + 5))
        await #expect(throws: IdentityError.sessionExpired) { try await fixture.refresh(next) }
        _ = try await fixture.ask(Identity.DeleteAccount(realm: IdentityFixture.realm, accountID: made.account.id))
        await #expect(throws: IdentityError.accountNotFound) { try await fixture.refresh(next) }
        #expect(fixture.published.all.contains(.sessionsRevoked(IdentityFixture.realm, made.account.id)))
    }

    @Test func aDeletionNeedsARecentSignIn() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        let deletion = Identity.DeleteOwnAccount(realm: IdentityFixture.realm, idToken: made.tokens.idToken)
        fixture.clock.advance(by: .seconds(301))
        await #expect(throws: IdentityError.signInTooOld) { try await fixture.ask(deletion) }
    }

    @Test func rotationKeepsOldTokensGoodAndPublishesAhead() async throws {
        let fixture = try await IdentityFixture()
        func keyIDs() async throws -> [SigningKeyID] {
            try await fixture.ask(Identity.ReadSigningKeys(purpose: .idToken)).keys.map(\.id)
        }
        let made = try await fixture.signUp()
        let first = try await keyIDs()
        fixture.clock.advance(by: .seconds(29 * 86_400 + 3600))
        try await fixture.service.keepUp()
        let both = try await keyIDs()
        #expect(both.count == 2 && both.first == first.first)
        var token = try await fixture.refresh(made.tokens.refreshToken)
        #expect(try JWTHeaderText.keyID(token.idToken) == first.first)
        fixture.clock.advance(by: .seconds(86_400))
        _ = try await fixture.lookUpAfterRotation(token.idToken)
        token = try await fixture.refresh(token.refreshToken)
        #expect(try JWTHeaderText.keyID(token.idToken) == both.last)
        fixture.clock.advance(by: .seconds(2 * 86_400))
        try await fixture.service.keepUp()
        #expect(try await keyIDs() == [both[1]])
    }
}

extension IdentityFixture {
    func auditActions() async throws -> [String] {
        try await store.read { transaction in
            try transaction.rows("SELECT action FROM audit_log ORDER BY sequence").map { try $0.get("action") }
        }
    }

    /// Too old to be taken, but its key is still known.
    func lookUpAfterRotation(_ token: Secret<String>) async throws {
        await #expect(throws: IdentityError.invalidIDToken) { try await lookUp(token) }
        _ = try service.dependencies.tokens.verify(token.reveal())
    }
}

extension IDTokenClaims {
    static func read(_ token: Secret<String>) throws -> [String: JSONValue] {
        let payload = try #require(Base64URL.decode(token.reveal().split(separator: ".")[1]))
        return try WireJSON.decode([String: JSONValue].self, from: Data(payload))
    }
}

enum JWTHeaderText {
    static func keyID(_ token: Secret<String>) throws -> SigningKeyID {
        let header = try #require(Base64URL.decode(token.reveal().split(separator: ".")[0]))
        guard case .string(let id) = try WireJSON.decode([String: JSONValue].self, from: Data(header))["kid"] else {
            throw IdentityError.invalidIDToken
        }
        return SigningKeyID(id)
    }
}

@Suite struct StoreTests {
    @Test func theAuditLogIsAChain() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        _ = try await fixture.change(made.account.id, .init(displayName: "Countess"))
        let rows = try await fixture.store.read { transaction in
            try transaction.rows("SELECT * FROM audit_log ORDER BY sequence").map { row in
                (
                    try row.get("action") as String, try row.getIfPresent("account_id") as String?,
                    try row.get("chain") as [UInt8]
                )
            }
        }
        #expect(rows.map(\.0).suffix(2) == ["account.created", "account.updated"])
        let entries = Set(rows.map(\.2))
        #expect(entries.count == rows.count)
    }

    @Test func secretsDoNotStandInTheFile() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/identity.sqlite"
        let database = try SQLiteDatabase(.file(path))
        let store = try await IdentityStore(database, masterKey: .random())
        let now = Moment(milliseconds: 1_700_000_000_000)
        let keys = KeyRing(store: store, now: { now })
        _ = try await keys.renew(.idToken, traceID: "test")
        let key = try keys.active(.idToken, at: now.timestamp)
        await store.close()
        let file = try Data(contentsOf: URL(filePath: path))
        let secret = Data(try key.privateKey.pkcs8DER)
        #expect(file.range(of: secret.suffix(64)) == nil)
    }

    @Test func whatIsPastItsTimeIsSweptOut() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        _ = try? await fixture.signIn("ada@example.com", "wrong")
        fixture.clock.advance(by: Session.idleLifetime + .seconds(1))
        try await fixture.service.keepUp()
        let counts = try await fixture.store.read { transaction in
            try ["sessions", "sign_in_attempts", "recorded_replies"].map { table in
                try transaction.firstRow("SELECT COUNT(*) AS n FROM \(table)")!.get("n") as Int
            }
        }
        #expect(counts == [0, 0, 0])
        await #expect(throws: IdentityError.invalidRefreshToken) { try await fixture.refresh(made.tokens.refreshToken) }
    }
}
