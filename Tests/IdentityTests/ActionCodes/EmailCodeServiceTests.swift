import Bus
import Contracts
import DatabaseService
import SQL
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

extension IdentityFixture {
    /// A sent code as its reader and its requester see it together.
    struct SentCode: Sendable {
        var sessionInfo: Secret<String>
        var code: Secret<String>

        /// Another code.
        var wrongCode: Secret<String> { Secret(code.reveal() == "111111" ? "222222" : "111111") }
    }

    func allowEmailCodes() async throws {
        try await configure {
            $0.signIn?.emailCode = .init()
            $0.signIn?.emailCode?.enabled = true
        }
    }

    /// Requests a code, and reads its e-mail.
    func sendCode(
        _ email: String = "ada@example.com", verifying idToken: Secret<String>? = nil, client: ClientContext = .init()
    ) async throws -> SentCode {
        let reply = try await send(
            Identity.SendEmailCode(
                realm: Self.realm, purpose: idToken == nil ? .signIn : .verifyEmail,
                email: idToken == nil ? email : nil, idToken: idToken, client: client))
        let mail = try await mail(idToken == nil ? .emailSignInCode : .emailVerificationCode)
        return SentCode(sessionInfo: reply.sessionInfo, code: try #require(mail.code))
    }

    func signInByCode(
        _ sessionInfo: Secret<String>, _ code: Secret<String>, linkIDToken: Secret<String>? = nil,
        client: ClientContext = .init(), idempotencyKey: String? = nil
    ) async throws -> Identity.SignInWithEmailCode.Reply {
        try await send(
            Identity.SignInWithEmailCode(
                realm: Self.realm, sessionInfo: sessionInfo, code: code, linkIDToken: linkIDToken, client: client),
            idempotencyKey: idempotencyKey)
    }

    func signInByNewCode(
        _ email: String = "ada@example.com", linkIDToken: Secret<String>? = nil
    ) async throws -> Identity.SignInWithEmailCode.Reply {
        let sent = try await sendCode(email)
        return try await signInByCode(sent.sessionInfo, sent.code, linkIDToken: linkIDToken)
    }
}

/// What a code does, and what it does not.
@Suite struct EmailCodeServiceTests {
    private static let realm = IdentityFixture.realm

    private static func fixture(
        _ engine: StoreEngine = .memory, isDev: Bool = true, emailsPerProject: Int? = nil
    ) async throws -> IdentityFixture {
        let fixture = try await IdentityFixture(engine, isDev: isDev, emailsPerProject: emailsPerProject)
        try await fixture.allowEmailCodes()
        return fixture
    }

    // MARK: Effects

    @Test(arguments: StoreEngine.allCases) func codeCreatesAccountAndSignsInAgain(engine: StoreEngine) async throws {
        let fixture = try await Self.fixture(engine)
        let first = try await fixture.signInByNewCode("New@example.com")
        #expect(first.isNewAccount && first.account.emailVerified && first.account.emailLinkSignIn)
        #expect(!first.account.hasPassword && first.account.email == EmailAddress("new@example.com"))
        #expect(try await fixture.lookUp(#require(first.tokens).idToken).id == first.account.id)
        let again = try await fixture.signInByNewCode("new@example.com")
        #expect(!again.isNewAccount && again.account.id == first.account.id)
        let actions = try await fixture.auditActions().suffix(4)
        #expect(actions == ["action-code.issued", "session.created", "action-code.issued", "session.created"])
    }

    /// As every proof of the mailbox does (security rule FE13).
    @Test func unverifiedAccountLosesPasswordAndSessions() async throws {
        let fixture = try await Self.fixture()
        let thief = try await fixture.signUp()
        fixture.clock.advance(by: .seconds(1))
        let owner = try await fixture.signInByNewCode()
        #expect(owner.account.id == thief.account.id && !owner.account.hasPassword)
        await #expect(throws: ServiceError(.invalidCredentials)) { try await fixture.signIn() }
        await #expect(throws: ServiceError(.sessionExpired)) { try await fixture.lookUp(thief.tokens.idToken) }
        #expect(fixture.published.all.contains(.sessionsRevoked(Self.realm, owner.account.id)))
    }

    @Test func anonymousAccountKeepsIDAndGetsEmail() async throws {
        let fixture = try await Self.fixture()
        let anonymous = try await fixture.send(Identity.SignUp(realm: Self.realm))
        let linked = try await fixture.signInByNewCode(linkIDToken: anonymous.tokens.idToken)
        #expect(linked.account.id == anonymous.account.id && !linked.isNewAccount && linked.account.emailVerified)
    }

    @Test func emailOfAnotherAccountIsNotLinked() async throws {
        let fixture = try await Self.fixture()
        _ = try await fixture.signUp()
        let anonymous = try await fixture.send(Identity.SignUp(realm: Self.realm))
        let sent = try await fixture.sendCode()
        await #expect(throws: ServiceError(.emailExists)) {
            try await fixture.signInByCode(sent.sessionInfo, sent.code, linkIDToken: anonymous.tokens.idToken)
        }
        _ = try await fixture.signInByCode(sent.sessionInfo, sent.code)
    }

    @Test func secondFactorIsStillRequired() async throws {
        let fixture = try await Self.fixture()
        let ada = try await fixture.signUpWithFactors()
        let reply = try await fixture.signInByNewCode()
        #expect(reply.tokens == nil && reply.secondFactor?.factors.map(\.id) == ada.secondFactors.map(\.id))
    }

    @Test func newAccountRequiresOpenSignUpAndAccountThatIsNotDisabled() async throws {
        let fixture = try await Self.fixture()
        let ada = try await fixture.signUp()
        _ = try await fixture.change(ada.account.id, .init(disabled: true))
        await #expect(throws: ServiceError(.accountDisabled)) { try await fixture.signInByNewCode() }
        try await fixture.configure {
            $0.client?.permissions = .init()
            $0.client?.permissions?.disabledUserSignup = true
        }
        await #expect(throws: ServiceError(.adminOnlyOperation)) {
            try await fixture.signInByNewCode("new@example.com")
        }
    }

    @Test(arguments: StoreEngine.allCases) func codeVerifiesAddressOfItsAccount(engine: StoreEngine) async throws {
        let fixture = try await Self.fixture(engine)
        let ada = try await fixture.signUp()
        let sent = try await fixture.sendCode(verifying: ada.tokens.idToken)
        func verify() async throws -> Account {
            try await fixture.send(
                Identity.VerifyEmailWithCode(realm: Self.realm, sessionInfo: sent.sessionInfo, code: sent.code)
            ).account
        }
        let verified = try await verify()
        #expect(verified.emailVerified && verified.hasPassword && verified.id == ada.account.id)
        #expect(try await fixture.lookUp(ada.tokens.idToken).emailVerified)
        #expect(try await fixture.auditActions().last == "account.email-verified")
        await #expect(throws: ServiceError(.invalidVerificationSession)) { try await verify() }
    }

    @Test func codeVerifiesNoOtherAddress() async throws {
        let fixture = try await Self.fixture()
        let ada = try await fixture.signUp()
        let sent = try await fixture.sendCode(verifying: ada.tokens.idToken)
        _ = try await fixture.change(ada.account.id, .init(email: "else@example.com"))
        await #expect(throws: ServiceError(.invalidVerificationSession)) {
            try await fixture.send(
                Identity.VerifyEmailWithCode(realm: Self.realm, sessionInfo: sent.sessionInfo, code: sent.code))
        }
        #expect(try await fixture.lookUp(fixture.signIn("else@example.com").tokens.idToken).emailVerified == false)
    }

    // MARK: Bindings

    /// A code belongs to its session, purpose and realm (security rule SM3), and is no link.
    @Test func codeIsBoundToSessionPurposeAndRealm() async throws {
        let fixture = try await Self.fixture()
        let ada = try await fixture.signUp()
        let signIn = try await fixture.sendCode()
        let verification = try await fixture.sendCode(verifying: ada.tokens.idToken)
        let other = try await fixture.sendCode("b@example.com")
        let invalid = ServiceError(.invalidVerificationSession)
        await #expect(throws: invalid) {
            try await fixture.signInByCode(verification.sessionInfo, verification.code)
        }
        await #expect(throws: invalid) {
            try await fixture.send(
                Identity.VerifyEmailWithCode(realm: Self.realm, sessionInfo: signIn.sessionInfo, code: signIn.code))
        }
        if other.code != signIn.code {
            await #expect(throws: ServiceError(.invalidCode)) {
                try await fixture.signInByCode(other.sessionInfo, signIn.code)
            }
        }
        let elsewhere = Realm(project: ProjectID("elsewhere"))
        _ = try? await fixture.send(Identity.SignUp(realm: elsewhere))  // `try?`: it only makes the project.
        await #expect(throws: ServiceError.self) {
            try await fixture.send(
                Identity.SignInWithEmailCode(realm: elsewhere, sessionInfo: signIn.sessionInfo, code: signIn.code))
        }
        // The client that requested the code has the session.
        for sent in [signIn, verification] {
            await #expect(throws: ServiceError(.invalidActionCode)) { try await fixture.inspect(sent.sessionInfo) }
            await #expect(throws: ServiceError(.invalidActionCode)) { try await fixture.apply(sent.sessionInfo) }
            await #expect(throws: ServiceError(.invalidActionCode)) {
                try await fixture.signInByLink(sent.sessionInfo)
            }
        }
        // The reader of a link has no session.
        let link = try await fixture.code(.emailSignIn, "c@example.com")
        await #expect(throws: invalid) { try await fixture.signInByCode(link, Secret("123456")) }
        _ = try await fixture.signInByCode(signIn.sessionInfo, signIn.code)
    }

    @Test func newCodeVoidsEarlierCodeAndLinkOfSamePurpose() async throws {
        let fixture = try await Self.fixture()
        let link = try await fixture.code(.emailSignIn)
        let first = try await fixture.sendCode()
        await #expect(throws: ServiceError(.invalidActionCode)) { try await fixture.signInByLink(link) }
        let second = try await fixture.sendCode("ADA@example.com")
        await #expect(throws: ServiceError(.invalidVerificationSession)) {
            try await fixture.signInByCode(first.sessionInfo, first.code)
        }
        _ = try await fixture.signInByCode(second.sessionInfo, second.code)
    }

    @Test func expiredCodeIsReportedForADay() async throws {
        let fixture = try await Self.fixture()
        let sent = try await fixture.sendCode()
        fixture.clock.advance(by: Identity.emailCodeLifetime)
        try await fixture.store.sweep(at: fixture.clock.now)
        await #expect(throws: ServiceError(.verificationSessionExpired)) {
            try await fixture.signInByCode(sent.sessionInfo, sent.code)
        }
        #expect(try await fixture.send(Identity.ListEmailCodes(realm: Self.realm)).codes.isEmpty)
    }

    struct Refusal: Sendable {
        var sessionInfo: String?
        var code: String?
        var error: WireError.Code
    }

    @Test(arguments: [
        Refusal(sessionInfo: nil, code: "123456", error: .missingVerificationSession),
        Refusal(sessionInfo: "", code: "123456", error: .missingVerificationSession),
        Refusal(sessionInfo: "x", code: nil, error: .missingCode),
        Refusal(sessionInfo: "x", code: "", error: .missingCode),
        Refusal(sessionInfo: "x", code: "123456", error: .invalidVerificationSession),
        Refusal(
            sessionInfo: String(repeating: "A", count: 43), code: "123456", error: .invalidVerificationSession),
    ])
    func malformedRequestIsRefused(refusal: Refusal) async throws {
        let fixture = try await Self.fixture()
        let (session, code) = (refusal.sessionInfo.map { Secret($0) }, refusal.code.map { Secret($0) })
        await #expect(throws: ServiceError(refusal.error)) {
            try await fixture.send(
                Identity.SignInWithEmailCode(realm: Self.realm, sessionInfo: session, code: code))
        }
        await #expect(throws: ServiceError(refusal.error)) {
            try await fixture.send(
                Identity.VerifyEmailWithCode(realm: Self.realm, sessionInfo: session, code: code))
        }
    }

    @Test func everyCallRequiresTheSetting() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUp()
        for request in [
            Identity.SendEmailCode(realm: Self.realm, purpose: .signIn, email: "ada@example.com"),
            Identity.SendEmailCode(realm: Self.realm, purpose: .verifyEmail, idToken: ada.tokens.idToken),
        ] {
            await #expect(throws: ServiceError(.operationNotAllowed)) { try await fixture.send(request) }
        }
        await #expect(throws: ServiceError(.operationNotAllowed)) {
            try await fixture.signInByCode(Secret("x"), Secret("123456"))
        }
        await #expect(throws: ServiceError(.operationNotAllowed)) {
            try await fixture.send(
                Identity.VerifyEmailWithCode(realm: Self.realm, sessionInfo: Secret("x"), code: Secret("123456")))
        }
        #expect(try await fixture.mails().isEmpty)
    }

    @Test func invalidRequestForACodeSendsNothing() async throws {
        let fixture = try await Self.fixture()
        let rows: [(Identity.SendEmailCode, WireError.Code)] = [
            (.init(realm: Self.realm, purpose: .signIn), .missingEmail),
            (.init(realm: Self.realm, purpose: .signIn, email: "plain"), .invalidEmail),
            (.init(realm: Self.realm, purpose: .verifyEmail, email: "ada@example.com"), .invalidIDToken),
            (.init(realm: Self.realm, purpose: .verifyEmail, idToken: Secret("x")), .invalidIDToken),
        ]
        for (request, code) in rows {
            await #expect(throws: ServiceError(code)) { try await fixture.send(request) }
        }
        #expect(try await fixture.mails().isEmpty)
    }

    @Test func tenantHasASettingOfItsOwn() {
        var project = ProjectConfiguration()
        project.signIn = .init()
        project.signIn?.emailCode = .init()
        project.signIn?.emailCode?.enabled = true
        #expect(project.allowsEmailCodes && !project.applying(.init()).allowsEmailCodes)
        var tenant = TenantConfiguration()
        tenant.enableEmailCodeSignin = true
        #expect(ProjectConfiguration().applying(tenant).allowsEmailCodes)
    }

    // MARK: Storage

    @Test func testToolsReadCodesOfDevMode() async throws {
        let fixture = try await Self.fixture()
        let ada = try await fixture.signUp()
        let signIn = try await fixture.sendCode()
        let verification = try await fixture.sendCode(verifying: ada.tokens.idToken)
        let email = try #require(EmailAddress("ada@example.com"))
        #expect(
            try await fixture.send(Identity.ListEmailCodes(realm: Self.realm)).codes == [
                .init(purpose: .signIn, email: email, code: signIn.code, sessionInfo: signIn.sessionInfo),
                .init(
                    purpose: .verifyEmail, email: email, code: verification.code,
                    sessionInfo: verification.sessionInfo),
            ])
        #expect(try await fixture.listed().isEmpty)
    }

    /// Security rule SM4: neither the code nor its session is in the database.
    @Test func productionKeepsDigestsOnly() async throws {
        let fixture = try await Self.fixture(isDev: false)
        let sent = try await fixture.sendCode()
        await #expect(throws: ServiceError(.operationNotAllowed)) {
            try await fixture.send(Identity.ListEmailCodes(realm: Self.realm))
        }
        let rows = try await fixture.store.read { transaction in
            try transaction.rows("SELECT code_hash, digits_digest, sealed_link, failures FROM action_codes")
        }
        let row = try #require(rows.first)
        let sealed: [UInt8]? = try row.getIfPresent("sealed_link")
        #expect(rows.count == 1 && sealed == nil)
        let text = try #require(ActionCode.Text(sent.sessionInfo.reveal()))
        let hash: [UInt8] = try row.get("code_hash")
        #expect(hash != text.hash && hash == fixture.store.sessionHash(of: text))
        let digest: [UInt8] = try row.get("digits_digest")
        #expect(digest == fixture.store.digest(of: sent.code, in: hash))
    }

    // MARK: Enumeration

    /// Security rules EN2 and EN7: the same reply and the same rows for every address.
    @Test(arguments: [nil, 8] as [Int?]) func everyAddressGetsTheSameAnswer(emailsPerProject: Int?) async throws {
        let fixture = try await Self.fixture(emailsPerProject: emailsPerProject)
        let known = try await fixture.signUp("known@example.com")
        _ = try await fixture.change(known.account.id, .init(emailVerified: true))
        _ = try await fixture.signUp("unproven@example.com")
        // The part of the quota for unproven addresses.
        for number in 0..<6 { _ = try await fixture.sendCode("other-\(number)@example.com") }
        let before = try await fixture.mails().count
        var rows: [[String]] = []
        for address in ["known@example.com", "unproven@example.com", "unknown@example.com"] {
            let reply = try await fixture.send(
                Identity.SendEmailCode(realm: Self.realm, purpose: .signIn, email: address))
            #expect(reply.sessionInfo.reveal().utf8.count == 43)
            for _ in 0..<5 {
                await #expect(throws: ServiceError(.invalidCode)) {
                    try await fixture.signInByCode(reply.sessionInfo, Secret("no code"))
                }
            }
            await #expect(throws: ServiceError(.verificationSessionExpired)) {
                try await fixture.signInByCode(reply.sessionInfo, Secret("no code"))
            }
            rows.append(
                try await fixture.store.read { transaction in
                    try transaction.rows(
                        """
                        SELECT failures, created_at, expires_at FROM action_codes WHERE email_folded = $1
                        """, .text(address)
                    ).map { row in
                        let values = try ["failures", "created_at", "expires_at"].map { try row.get($0) as Int64 }
                        return "\(values)"
                    }
                })
        }
        #expect(Set(rows).count == 1 && rows.first?.count == 1)
        // With a quota, only the proven address still gets its e-mail.
        let sent = try await fixture.mails().dropFirst(before).map(\.recipient.rawValue)
        let all = ["known@example.com", "unproven@example.com", "unknown@example.com"]
        #expect(Set(sent) == Set(emailsPerProject == nil ? all : ["known@example.com"]))
    }

    // MARK: Repetition

    @Test(arguments: StoreEngine.allCases) func repeatedCallGetsTheFirstReply(engine: StoreEngine) async throws {
        let fixture = try await Self.fixture(engine)
        let sent = try await fixture.sendCode()
        for _ in 0..<3 {
            await #expect(throws: ServiceError(.invalidCode)) {
                try await fixture.signInByCode(sent.sessionInfo, sent.wrongCode, idempotencyKey: "wrong")
            }
        }
        // Counted once.
        let failures = try await fixture.store.read { try $0.rows("SELECT failures FROM action_codes") }
        #expect(try failures.map { try $0.get("failures") as Int } == [1])
        let first = try await fixture.signInByCode(sent.sessionInfo, sent.code, idempotencyKey: "right")
        let again = try await fixture.signInByCode(sent.sessionInfo, sent.code, idempotencyKey: "right")
        #expect(again.account.id == first.account.id && again.tokens?.refreshToken == first.tokens?.refreshToken)
        await #expect(throws: ServiceError(.invalidVerificationSession)) {
            try await fixture.signInByCode(sent.sessionInfo, sent.code)
        }
    }
}
