import Contracts
import JSON
import SQL
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

extension IdentityFixture {
    static let phone = PhoneNumber("+12025550101")!

    /// The request that mfa-sms sends for a verified code.
    func signInByPhone(
        _ number: PhoneNumber = phone, _ intent: Identity.PhoneIntent = .signUpOrIn, idToken: Secret<String>? = nil,
        idempotencyKey: String? = nil
    ) async throws -> Identity.PhoneSignInReply {
        try await send(
            Identity.SignInWithPhone(
                realm: Self.realm, phoneNumber: number, intent: intent, idToken: idToken,
                client: ClientContext(ipAddress: "192.0.2.1")), idempotencyKey: idempotencyKey)
    }

    func session(
        _ number: PhoneNumber = phone, _ intent: Identity.PhoneIntent = .signUpOrIn, idToken: Secret<String>? = nil
    ) async throws -> Identity.SignedInReply {
        try #require(try await signInByPhone(number, intent, idToken: idToken).session)
    }

    func signInByProof(
        _ proof: Secret<String>?, _ number: String? = phone.rawValue, idToken: Secret<String>? = nil,
        idempotencyKey: String? = nil
    ) async throws -> Identity.PhoneSignInReply {
        try await send(
            Identity.SignInWithTemporaryProof(
                realm: Self.realm, phoneNumber: number, temporaryProof: proof, intent: .signUpOrIn, idToken: idToken),
            idempotencyKey: idempotencyKey)
    }

    /// Writes a first-factor number, and a second factor with its own number, without any check.
    func give(_ number: PhoneNumber, to id: AccountID, secondFactor: String? = nil) async throws {
        try await store.write { transaction in
            try transaction.execute(
                "UPDATE accounts SET phone_number = $2 WHERE account_id = $1", .text(id.rawValue),
                .text(number.rawValue))
            guard let secondFactor else { return }
            try transaction.execute(
                """
                INSERT INTO second_factors (project, tenant, account_id, factor_id, kind, phone_number, enrolled_at)
                VALUES ($1, '', $2, 'f', 'phone', $3, 1)
                """, .text(Self.realm.project.rawValue), .text(id.rawValue), .text(secondFactor))
        }
    }

    /// The temporary proof of an account that requested the number of another account.
    func proof(_ tokens: TokenSet) async throws -> Secret<String> {
        try #require(try await signInByPhone(idToken: tokens.idToken).conflict).temporaryProof
    }
}

/// REST 2.8; security rule SM11. Serialized: each test uses several connections of the server.
@Suite(.serialized) struct PhoneSignInTests {
    private static func firebase(_ tokens: TokenSet) throws -> JSONValue? {
        try OwnAccountTests.claims(tokens)["firebase"]
    }

    // MARK: Signing in

    @Test(arguments: StoreEngine.allCases)
    func newNumberCreatesAccountAndSignsInAgain(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let first = try await fixture.session()
        #expect(first.isNewAccount && first.account.phoneNumber == IdentityFixture.phone)
        #expect(first.account.lastSignInAt == fixture.clock.now && first.account.email == nil)
        let claims = try OwnAccountTests.claims(first.tokens)
        #expect(claims["phone_number"] == .string("+12025550101"))
        #expect(claims["firebase"]?["sign_in_provider"] == .string("phone"))
        #expect(
            claims["firebase"]?["identities"] == .object(["phone": .array([.string("+12025550101")])]))
        fixture.clock.advance(by: .seconds(60))
        for intent in [Identity.PhoneIntent.signUpOrIn, .reauthenticate] {
            let again = try await fixture.session(IdentityFixture.phone, intent)
            #expect(!again.isNewAccount && again.account.id == first.account.id)
            #expect(again.account.lastSignInAt == fixture.clock.now)
            #expect(
                try OwnAccountTests.claims(again.tokens)["auth_time"]
                    == .integer(fixture.clock.now.timestamp.seconds))
            _ = try await fixture.refresh(again.tokens.refreshToken)
        }
        #expect(try await fixture.lookUp(first.tokens.idToken).id == first.account.id)
        let actions = try await fixture.auditActions().filter { $0.hasPrefix("account.") || $0.hasPrefix("session.") }
        #expect(actions == ["account.created", "session.created", "session.created"])
    }

    @Test func repeatedCallReturnsSameSession() async throws {
        let fixture = try await IdentityFixture()
        let first = try #require(try await fixture.signInByPhone(idempotencyKey: "k").session)
        let second = try #require(try await fixture.signInByPhone(idempotencyKey: "k").session)
        #expect(first.isNewAccount && second.isNewAccount && first.account == second.account)
        #expect(first.tokens.refreshToken == second.tokens.refreshToken)
    }

    @Test(arguments: StoreEngine.allCases)
    func numberCreatesOneAccountUnderConcurrency(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let sessions = try await withThrowingTaskGroup { group in
            for _ in 0..<50 { group.addTask { try await fixture.session() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(sessions.map(\.account.id)).count == 1)
        #expect(sessions.count(where: \.isNewAccount) == 1)
        #expect(Set(sessions.map(\.tokens.refreshToken.text)).count == 50)
        #expect(try await fixture.auditActions().count { $0 == "account.created" } == 1)
    }

    /// Every caller has an own account, and all link one number.
    @Test(arguments: StoreEngine.allCases)
    func numberIsLinkedOnceUnderConcurrency(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        var tokens: [TokenSet] = []
        for _ in 0..<12 {
            tokens.append(try await fixture.send(Identity.SignUp(realm: IdentityFixture.realm)).tokens)
        }
        let replies = try await withThrowingTaskGroup { group in
            for tokens in tokens {
                group.addTask {
                    try await fixture.signInByPhone(IdentityFixture.phone, .link, idToken: tokens.idToken)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(replies.count { $0.session != nil && $0.conflict == nil } == 1)
        #expect(replies.count { $0.session == nil && $0.conflict != nil } == 11)
    }

    // MARK: Errors

    @Test func disabledPhoneSignInIsRefused() async throws {
        let fixture = try await IdentityFixture()
        try await fixture.configure { $0.signIn?.phoneNumber?.enabled = false }
        await #expect(throws: ServiceError(.operationNotAllowed)) { try await fixture.signInByPhone() }
        await #expect(throws: ServiceError(.operationNotAllowed)) { try await fixture.signInByProof(Secret("x")) }
        await #expect(throws: ServiceError(.operationNotAllowed)) {
            try await fixture.send(
                Identity.CheckPhoneSignIn(realm: IdentityFixture.realm, phoneNumber: IdentityFixture.phone))
        }
    }

    @Test func phoneSignInIsUnsupportedInTenants() async throws {
        let fixture = try await IdentityFixture()
        let realm = try await fixture.makeTenant()
        let inside = try await fixture.send(Identity.SignUp(realm: realm))
        await #expect(throws: ServiceError(.unsupportedTenantOperation)) {
            try await fixture.signInByPhone(idToken: inside.tokens.idToken)
        }
        await #expect(throws: ServiceError(.unsupportedTenantOperation)) {
            try await fixture.send(
                Identity.SignInWithPhone(realm: realm, phoneNumber: IdentityFixture.phone, intent: .signUpOrIn))
        }
        await #expect(throws: ServiceError(.unsupportedTenantOperation)) {
            try await fixture.send(
                Identity.SignInWithTemporaryProof(
                    realm: realm, phoneNumber: nil, temporaryProof: nil, intent: .signUpOrIn))
        }
        await #expect(throws: ServiceError(.unsupportedTenantOperation)) {
            try await fixture.send(Identity.CheckPhoneSignIn(realm: realm, phoneNumber: IdentityFixture.phone))
        }
    }

    @Test func unauthenticatedCallerIsRefused() async throws {
        let fixture = try await IdentityFixture()
        await #expect(throws: ServiceError(.accountNotFound)) {
            try await fixture.session(IdentityFixture.phone, .reauthenticate)
        }
        for intent in [Identity.PhoneIntent.update, .link] {
            await #expect(throws: ServiceError(.missingIDToken)) {
                try await fixture.session(IdentityFixture.phone, intent)
            }
        }
        await #expect(throws: ServiceError(.invalidIDToken)) {
            try await fixture.session(IdentityFixture.phone, .signUpOrIn, idToken: Secret("made-up"))
        }
        try await fixture.configure { $0.client?.permissions = .init() }
        try await fixture.configure { $0.client?.permissions?.disabledUserSignup = true }
        await #expect(throws: ServiceError(.adminOnlyOperation)) { try await fixture.session() }
        #expect(try await fixture.store.account(phoneNumber: IdentityFixture.phone, in: IdentityFixture.realm) == nil)
    }

    @Test func disabledAccountIsRefused() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.session()
        _ = try await fixture.change(made.account.id, .init(disabled: true))
        await #expect(throws: ServiceError(.accountDisabled)) { try await fixture.session() }
        await #expect(throws: ServiceError(.accountDisabled)) {
            try await fixture.session(PhoneNumber("+12025550102")!, .update, idToken: made.tokens.idToken)
        }
    }

    @Test func secondFactorNumberIsRefusedAsFirstFactor() async throws {
        let fixture = try await IdentityFixture()
        let check = { (number: PhoneNumber) in
            try await fixture.send(Identity.CheckPhoneSignIn(realm: IdentityFixture.realm, phoneNumber: number))
        }
        _ = try await check(IdentityFixture.phone)
        let made = try await fixture.signUp()
        _ = try await fixture.change(
            made.account.id, .init(emailVerified: true, phoneNumber: IdentityFixture.phone.rawValue))
        _ = try await check(IdentityFixture.phone)
        // As in production, an administrator may add a factor; then the number no longer signs in.
        _ = try await fixture.change(
            made.account.id, .init(secondFactors: [.init(id: FactorID("f"), kind: .phone(number: "+12025550109"))]))
        await #expect(throws: ServiceError(.unsupportedFirstFactor)) { try await check(IdentityFixture.phone) }
        // Pages answer to every number alike (security rule EN2).
        _ = try await fixture.send(
            Identity.CheckPhoneSignIn(
                realm: IdentityFixture.realm, phoneNumber: IdentityFixture.phone, concealsAccount: true))
        // Nor does a code that was sent before, whatever it is for.
        for intent in [Identity.PhoneIntent.signUpOrIn, .reauthenticate] {
            await #expect(throws: ServiceError(.unsupportedFirstFactor)) {
                try await fixture.session(IdentityFixture.phone, intent)
            }
        }
        // No account has the number of the factor as its first factor.
        _ = try await check(PhoneNumber("+12025550109")!)
        await #expect(throws: ServiceError(.unsupportedFirstFactor)) {
            try await fixture.session(PhoneNumber("+12025550102")!, .link, idToken: made.tokens.idToken)
        }
    }

    // MARK: Linking

    @Test(arguments: StoreEngine.allCases)
    func linkedNumberSignsIn(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let made = try await fixture.signUp()
        fixture.clock.advance(by: .seconds(200))
        let linked = try await fixture.session(IdentityFixture.phone, .link, idToken: made.tokens.idToken)
        #expect(!linked.isNewAccount && linked.account.id == made.account.id)
        let claims = try Self.firebase(linked.tokens)
        #expect(claims?["sign_in_provider"] == .string("phone"))
        #expect(
            claims?["identities"]
                == .object([
                    "email": .array([.string("ada@example.com")]), "phone": .array([.string("+12025550101")]),
                ]))
        // No session was revoked.
        _ = try await fixture.lookUp(made.tokens.idToken)
        _ = try await fixture.refresh(made.tokens.refreshToken)
        #expect(fixture.published.all.isEmpty)
        #expect(try await fixture.session().account.id == made.account.id)
        _ = try await fixture.signIn()
        #expect(try await fixture.auditActions().contains("account.phone-linked"))
    }

    @Test func linkedNumberUpgradesAnonymousAccount() async throws {
        let fixture = try await IdentityFixture()
        let anonymous = try await fixture.send(Identity.SignUp(realm: IdentityFixture.realm))
        fixture.clock.advance(by: .seconds(3600))
        let linked = try await fixture.session(IdentityFixture.phone, idToken: anonymous.tokens.idToken)
        #expect(linked.account.id == anonymous.account.id && linked.account.phoneNumber != nil && !linked.isNewAccount)
        let claims = try OwnAccountTests.claims(linked.tokens)
        #expect(claims["provider_id"] == nil && claims["firebase"]?["sign_in_provider"] == .string("phone"))
        #expect(try await fixture.session().account.id == anonymous.account.id)
    }

    @Test func newNumberReplacesFormerOne() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.session()
        let next = PhoneNumber("+12025550102")!
        fixture.clock.advance(by: .seconds(301))
        await #expect(throws: ServiceError(.recentSignInRequired)) {
            try await fixture.session(next, .update, idToken: made.tokens.idToken)
        }
        let recent = try await fixture.session()
        let moved = try await fixture.session(next, .update, idToken: recent.tokens.idToken)
        #expect(moved.account.id == made.account.id && moved.account.phoneNumber == next)
        #expect(try await fixture.auditActions().contains("account.phone-changed"))
        #expect(try await fixture.session().account.id != made.account.id)
    }

    @Test func linkingKeepsSecondFactorOfSession() async throws {
        let fixture = try await IdentityFixture()
        let account = try await fixture.signUpWithFactors()
        let signedIn = try await PendingSignInTests.complete(fixture, try await PendingSignInTests.credential(fixture))
        // The factor is now an authenticator app without a phone number.
        try await fixture.store.write { transaction in
            try transaction.execute(
                "UPDATE second_factors SET kind = 'totp', phone_number = NULL WHERE account_id = $1",
                .text(account.id.rawValue))
        }
        let linked = try await fixture.session(IdentityFixture.phone, .link, idToken: signedIn.tokens.idToken)
        #expect(try Self.firebase(linked.tokens)?["second_factor_identifier"] == .string("f-0101"))
        #expect(
            try Self.firebase(try await fixture.refresh(linked.tokens.refreshToken))?["second_factor_identifier"]
                == .string("f-0101"))
    }

    /// REST 0: a factor of any kind.
    @Test(arguments: StoreEngine.allCases)
    func secondFactorIsRequiredAfterPhone(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let ada = try await fixture.signUpVerified()
        try await fixture.enrollTOTP(ada.tokens)
        try await fixture.give(IdentityFixture.phone, to: ada.account.id)
        let before = try #require(
            try await fixture.store.account(phoneNumber: IdentityFixture.phone, in: IdentityFixture.realm))
        fixture.clock.advance(by: .seconds(60))
        for intent in [Identity.PhoneIntent.signUpOrIn, .reauthenticate] {
            let reply = try await fixture.signInByPhone(IdentityFixture.phone, intent)
            let pending = try #require(reply.pending)
            #expect(reply.session == nil && reply.conflict == nil && pending.account.id == ada.account.id)
            #expect(pending.secondFactor.factors.map(\.id) == [FactorID("app")])
            let done = try await PendingSignInTests.complete(
                fixture, pending.secondFactor.pendingCredential, FactorID("app"))
            let claims = try Self.firebase(done.tokens)
            #expect(claims?["sign_in_provider"] == .string("phone"))
            #expect(claims?["sign_in_second_factor"] == .string("totp"))
        }
        // A proof of the number grants no more than a code.
        let other = try await fixture.signUp("grace@example.com")
        let proof = try await fixture.proof(other.tokens)
        #expect(try await fixture.signInByProof(proof).pending != nil)
        let after = try await fixture.store.account(phoneNumber: IdentityFixture.phone, in: IdentityFixture.realm)
        #expect(
            after?.passwordRecord == before.passwordRecord && after?.account.validSince == before.account.validSince)
    }

    @Test func pendingPhoneSignInChangesNothing() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUpVerified()
        try await fixture.enrollTOTP(ada.tokens)
        try await fixture.give(IdentityFixture.phone, to: ada.account.id)
        let before = try await fixture.lookUp(ada.tokens.idToken)
        fixture.clock.advance(by: .seconds(60))
        let first = try await fixture.signInByPhone(idempotencyKey: "k")
        #expect(first.pending != nil)
        #expect(try await fixture.signInByPhone(idempotencyKey: "k") == first)
        #expect(try await fixture.lookUp(ada.tokens.idToken) == before)
        let actions = try await fixture.auditActions()
        #expect(actions.last == "session.first-factor-verified", "\(actions)")
    }

    // MARK: Temporary proofs

    @Test(arguments: StoreEngine.allCases)
    func takenNumberReturnsProofThatSignsInOnce(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let owner = try await fixture.session()
        let other = try await fixture.signUp()
        let reply = try await fixture.signInByPhone(idToken: other.tokens.idToken)
        let conflict = try #require(reply.conflict)
        #expect(reply.session == nil && conflict.phoneNumber == IdentityFixture.phone)
        #expect(conflict.expiresInSeconds == 3600)
        #expect(try await fixture.lookUp(other.tokens.idToken) == other.account)
        let proof = conflict.temporaryProof
        // What is refused spends nothing.
        await #expect(throws: ServiceError(.invalidTemporaryProof)) {
            try await fixture.signInByProof(proof, "+12025550102")
        }
        await #expect(throws: ServiceError(.phoneNumberExists)) {
            try await fixture.signInByProof(proof, idToken: other.tokens.idToken)
        }
        let opened = try #require(try await fixture.signInByProof(proof, idempotencyKey: "k").session)
        #expect(opened.account.id == owner.account.id && !opened.isNewAccount)
        await #expect(throws: ServiceError(.invalidTemporaryProof)) { try await fixture.signInByProof(proof) }
        let again = try #require(try await fixture.signInByProof(proof, idempotencyKey: "k").session)
        #expect(again.tokens.refreshToken == opened.tokens.refreshToken)
        #expect(try await fixture.auditActions().count { $0 == "temporary-proof.issued" } == 1)
        let stored = try await fixture.store.read { transaction in
            try transaction.rows("SELECT * FROM temporary_proofs").count
        }
        #expect(stored == 0)
    }

    @Test(arguments: StoreEngine.allCases)
    func proofIsRedeemedOnceUnderConcurrency(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        _ = try await fixture.session()
        let proof = try await fixture.proof(try await fixture.signUp().tokens)
        let outcomes = await withTaskGroup { group in
            for _ in 0..<50 {
                group.addTask {
                    do {
                        return try await fixture.signInByProof(proof).session == nil ? nil : ServiceError?.none
                    } catch {
                        return error as? ServiceError ?? .overloaded
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { $0 == nil } == 1)
        #expect(outcomes.count { $0 == ServiceError(.invalidTemporaryProof) } == 49)
    }

    @Test func proofExpiresAfterOneHour() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.session()
        let other = try await fixture.signUp()
        let (first, second) = (try await fixture.proof(other.tokens), try await fixture.proof(other.tokens))
        fixture.clock.advance(by: .seconds(3600) - .milliseconds(1))
        _ = try await fixture.signInByProof(first)
        fixture.clock.advance(by: .milliseconds(1))
        await #expect(throws: ServiceError(.invalidTemporaryProof)) { try await fixture.signInByProof(second) }
    }

    /// The former owner removed the number: the account with the proof can have it.
    @Test func proofLinksNumberThatBecameFree() async throws {
        let fixture = try await IdentityFixture()
        let owner = try await fixture.session()
        let other = try await fixture.signUp()
        let proof = try await fixture.proof(other.tokens)
        _ = try await fixture.change(owner.account.id, .init(removals: [.phoneNumber]))
        let linked = try #require(try await fixture.signInByProof(proof, idToken: other.tokens.idToken).session)
        #expect(linked.account.id == other.account.id && linked.account.phoneNumber == IdentityFixture.phone)
    }

    @Test func missingFieldIsNamed() async throws {
        let fixture = try await IdentityFixture()
        let unknown = Secret(TemporaryProof(secret: Array(repeating: 7, count: 32)).text)
        for (proof, number, error) in [
            (unknown, nil, ServiceError(.missingPhoneNumber)), (unknown, "", ServiceError(.missingPhoneNumber)),
            (Secret("made-up"), nil, ServiceError(.missingPhoneNumber)),
            (Secret("made-up"), "+12025550101", ServiceError(.invalidTemporaryProof)),
            (unknown, "+12025550101", ServiceError(.invalidTemporaryProof)),
            (unknown, "call me", ServiceError(.invalidTemporaryProof)),
            (nil, "+12025550101", ServiceError(.invalidTemporaryProof)),
        ] as [(Secret<String>?, String?, ServiceError)] {
            await #expect(throws: error) { try await fixture.signInByProof(proof, number) }
        }
    }

    @Test func proofIsBoundToItsProject() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.session()
        let proof = try await fixture.proof(try await fixture.signUp().tokens)
        await #expect(throws: ServiceError(.invalidTemporaryProof)) {
            try await fixture.send(
                Identity.SignInWithTemporaryProof(
                    realm: Realm(project: ProjectID("elsewhere")), phoneNumber: IdentityFixture.phone.rawValue,
                    temporaryProof: proof, intent: .signUpOrIn))
        }
        _ = try await fixture.signInByProof(proof)
    }
}

extension Secret<String> {
    fileprivate var text: String { reveal() }
}
