import Contracts
import Crypto
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// REST 4.3.
@Suite struct AccountImportTests {
    private static let algorithm = PasswordHashAlgorithm.digest(.sha256, rounds: 1, order: .saltAndPassword)
    private static let password = "imported-password-1"

    private static func account(
        _ id: String, _ profile: Identity.AccountChanges = .init(), links: [ProviderLink] = [], hashed: Bool = true
    ) -> Identity.ImportedAccount {
        var profile = profile
        profile.email = profile.email ?? "\(id)@example.com"
        let salt = Array("salt of \(id)".utf8)
        return .init(
            id: AccountID(id), profile: profile, links: links,
            passwordHash: hashed ? OctetString(SHA2.sha256(salt + Array(password.utf8))) : nil,
            salt: hashed ? OctetString(salt) : nil, passwordChangedAt: Moment(milliseconds: 1_500_000_000_000))
    }

    private func run(
        _ fixture: IdentityFixture, _ accounts: [Identity.ImportedAccount], overwriting: Bool = true,
        _ algorithm: PasswordHashAlgorithm? = algorithm
    ) async throws -> [Identity.ImportAccounts.Rejection] {
        try await fixture.send(
            Identity.ImportAccounts(
                realm: IdentityFixture.realm, accounts: accounts, algorithm: algorithm, allowsOverwrite: overwriting)
        ).rejections
    }

    private func record(_ fixture: IdentityFixture, _ id: String) async throws -> String? {
        try await fixture.store.account(AccountID(id), in: IdentityFixture.realm)?.passwordRecord
    }

    /// Security rule PW4.
    @Test(arguments: StoreEngine.shared)
    func firstSignInReplacesTheHash(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        #expect(try await run(fixture, [Self.account("ada")]).isEmpty)
        let imported = try #require(try await record(fixture, "ada"))
        #expect(imported.hasPrefix("$imported$"))
        await #expect(throws: ServiceError.self) { try await fixture.signIn("ada@example.com", "another-password") }
        #expect(try await record(fixture, "ada") == imported)
        let first = try await fixture.signIn("ada@example.com", Self.password)
        let replaced = try #require(try await record(fixture, "ada"))
        #expect(replaced.hasPrefix("$argon2id$"))
        // Its time stays: the password is the same.
        #expect(first.account.passwordChangedAt == Moment(milliseconds: 1_500_000_000_000))
        _ = try await fixture.signIn("ada@example.com", Self.password)
        #expect(try await record(fixture, "ada") == replaced)
        // The replacement has ended no session.
        _ = try await fixture.refresh(first.tokens.refreshToken)
    }

    @Test func concurrentFirstSignInsSucceed() async throws {
        let fixture = try await IdentityFixture()
        #expect(try await run(fixture, [Self.account("ada")]).isEmpty)
        try await withThrowingTaskGroup { group in
            for _ in 0..<4 {
                group.addTask { _ = try await fixture.signIn("ada@example.com", Self.password) }
            }
            try await group.waitForAll()
        }
    }

    /// The hash and the key of another system are confidential: the database has them only sealed.
    @Test func storedHashIsSealed() async throws {
        let fixture = try await IdentityFixture()
        let key = OctetString(Array("confidential signer key".utf8))
        #expect(
            try await run(
                fixture, [Self.account("ada")], .hmac(.sha256, key: Secret(key), order: nil)
            ).isEmpty)
        let stored = try #require(try await record(fixture, "ada"))
        let sealed = try #require(stored.lastHalves(at: "$").flatMap { Base64URL.decode($0.behind) })
        #expect(!String(decoding: sealed, as: UTF8.self).contains(Base64URL.encode(key.bytes)))
        let hash = try #require(Self.account("ada").passwordHash)
        #expect(!String(decoding: sealed, as: UTF8.self).contains(Base64URL.encode(hash.bytes)))
    }

    @Test func everyFieldArrives() async throws {
        let fixture = try await IdentityFixture()
        let created = Moment(milliseconds: 1_400_000_000_000)
        let link = ProviderLink(providerID: "google.com", providerAccountID: "g-1", email: "ada@gmail.com")
        let imported = Self.account(
            "ada",
            .init(
                emailVerified: true, displayName: "Ada", photoURL: "https://img.example/a.png",
                phoneNumber: "+12025550170", disabled: true, customClaims: #"{"plan":"pro"}"#,
                validSince: Timestamp(seconds: 1_450_000_000), createdAt: created, lastSignInAt: created + .seconds(1)),
            links: [link])
        #expect(try await run(fixture, [imported]).isEmpty)
        let account = try #require(
            try await fixture.store.account(AccountID("ada"), in: IdentityFixture.realm)
        ).account
        #expect((account.email?.rawValue, account.emailVerified) == ("ada@example.com", true))
        #expect((account.displayName, account.photoURL) == ("Ada", "https://img.example/a.png"))
        #expect((account.phoneNumber?.rawValue, account.disabled) == ("+12025550170", true))
        #expect((account.customClaims, account.providers) == (#"{"plan":"pro"}"#, [link]))
        #expect(account.validSince == Timestamp(seconds: 1_450_000_000))
        #expect((account.createdAt, account.lastSignInAt) == (created, created + .seconds(1)))
    }

    @Test func eachAccountIsRejectedAlone() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUp("taken@example.com")
        let phone = Identity.AccountChanges(phoneNumber: "+12025550171")
        let google = ProviderLink(providerID: "google.com", providerAccountID: "g-1")
        let rejections = try await run(
            fixture,
            [
                Self.account("a", phone, links: [google]), Self.account("b", .init(email: "TAKEN@example.com")),
                Self.account("c", phone), Self.account("d", links: [google]), Self.account(""),
                Self.account("e", .init(email: "plain")), Self.account(String(repeating: "x", count: 129)),
                Self.account("f", .init(customClaims: #"{"sub":"x"}"#)),
                Self.account("g", .init(secondFactors: [.init(kind: .phone(number: "+12025550172"))])),
                Self.account("h", .init(emailVerified: true, secondFactors: [.init(kind: .totp)])),
                Self.account("i", .init(password: Secret("raw-password"))), Self.account("z"),
            ])
        #expect(
            rejections.map(\.reason.code) == [
                .emailExists, .phoneNumberExists, .providerAccountExists, .missingAccountID, .invalidEmail,
                .invalidAccountID, .reservedClaim, .unverifiedEmail, .unsupportedSecondFactor, .invalidPasswordHash,
            ])
        #expect(rejections.map(\.rowIndex) == Array(1...10))
        for id in ["a", "z"] { #expect(try await record(fixture, id) != nil) }
    }

    @Test func hashNeedsAnAlgorithm() async throws {
        let fixture = try await IdentityFixture()
        let rejections = try await run(fixture, [Self.account("a"), Self.account("b", hashed: false)], nil)
        #expect(rejections.map(\.reason.code) == [.invalidPasswordHashAlgorithm])
        #expect(try await fixture.store.account(AccountID("b"), in: IdentityFixture.realm) != nil)
    }

    @Test func rawPasswordIsHashed() async throws {
        let fixture = try await IdentityFixture()
        // Shorter than new passwords may be in production: it is in use.
        let raw = Identity.ImportedAccount(
            id: AccountID("raw"), profile: .init(email: "raw@example.com", password: Secret("abc")))
        #expect(try await run(fixture, [raw], nil).isEmpty)
        #expect(try await record(fixture, "raw")?.hasPrefix("$argon2id$") == true)
        _ = try await fixture.signIn("raw@example.com", "abc")
    }

    @Test func replacementKeepsFactorsThatCannotBeImported() async throws {
        let fixture = try await IdentityFixture()
        #expect(try await run(fixture, [Self.account("ada", .init(emailVerified: true))]).isEmpty)
        let first = try await fixture.signIn("ada@example.com", Self.password)
        let totp = SecondFactor(
            id: FactorID("totp"), kind: .totp, displayName: "app", enrolledAt: Moment(milliseconds: 1))
        _ = try await fixture.store.change(
            AccountID("ada"), in: IdentityFixture.realm,
            audit: AuditEntry(
                at: fixture.clock.now, realm: IdentityFixture.realm, action: .accountUpdated, actor: .system,
                traceID: "test"), idempotency: nil
        ) { stored in
            stored.account.secondFactors = [totp]
            return EmptyReply()
        }
        fixture.clock.advance(by: .seconds(2))
        let again = Self.account(
            "ada",
            .init(
                emailVerified: true, displayName: "New", secondFactors: [.init(kind: .phone(number: "+12025550173"))]))
        #expect(try await run(fixture, [again], overwriting: false).map(\.reason.code) == [.accountIDExists])
        #expect(try await run(fixture, [again]).isEmpty)
        let account = try #require(
            try await fixture.store.account(AccountID("ada"), in: IdentityFixture.realm)
        ).account
        #expect(account.displayName == "New")
        #expect(account.secondFactors.contains(totp) && account.secondFactors.count == 2)
        await #expect(throws: ServiceError.self) { try await fixture.refresh(first.tokens.refreshToken) }
        #expect(fixture.published.all.contains(.sessionsRevoked(IdentityFixture.realm, nil)))
        #expect(try await fixture.auditActions().contains("accounts.imported"))
    }

    // MARK: TOTP factors

    private static func protected(
        _ id: String, _ factors: [Identity.ImportedTOTPFactor], verified: Bool = true, phones: [String] = []
    ) -> Identity.ImportedAccount {
        var account = account(
            id,
            .init(
                emailVerified: verified,
                secondFactors: phones.isEmpty ? nil : phones.map { .init(kind: .phone(number: $0)) }))
        account.totpFactors = factors
        return account
    }

    private func factors(_ fixture: IdentityFixture, _ id: String) async throws -> [SecondFactor] {
        try #require(try await fixture.store.account(AccountID(id), in: IdentityFixture.realm)).account.secondFactors
    }

    @Test func factorsWithSecretsAreListed() async throws {
        let fixture = try await IdentityFixture()
        let app = Identity.ImportedTOTPFactor(
            id: FactorID("app"), displayName: "App", enrolledAt: Moment(milliseconds: 1_400_000_000_000))
        #expect(
            try await run(
                fixture,
                [
                    Self.protected("ada", [app, .init(id: FactorID("other"))], phones: ["+12025550174"]),
                    Self.protected("eve", [app], verified: false), Self.protected("bob", [.init(id: FactorID(""))]),
                    Self.protected("joe", (0..<6).map { .init(id: FactorID("f\($0)")) }),
                    Self.protected("zoe", [.init(id: app.id, enrolledAt: Moment(milliseconds: -1))]),
                ]
            ).map(\.reason.code) == [.unverifiedEmail, .invalidFactorID, .tooManyFactors, .invalidRequest])
        let listed = try await factors(fixture, "ada")
        #expect(listed.map(\.displayName) == ["App", nil, nil])
        #expect(listed.map(\.id).prefix(2) == [FactorID("app"), FactorID("other")])
        #expect(listed.first?.enrolledAt == app.enrolledAt)
        // A second import replaces the factor with the same ID and keeps the other one.
        #expect(try await run(fixture, [Self.protected("ada", [.init(id: app.id, displayName: "New")])]).isEmpty)
        let again = try await factors(fixture, "ada")
        #expect(again.map(\.id) == [FactorID("app"), FactorID("other")])
        #expect(again.first?.displayName == "New" && again.first?.enrolledAt == app.enrolledAt)
    }

    // MARK: Passkeys

    private static func passkey(_ id: UInt8, name: String = "key", usedAt: Moment? = nil) throws -> AccountPasskey {
        AccountPasskey(
            credentialID: try #require(CredentialID([id])), name: name, relyingPartyID: "example.com",
            userHandle: OctetString([id]), aaguid: "00000000-0000-0000-0000-000000000000", isBackedUp: false,
            createdAt: Moment(milliseconds: 1_400_000_000_000), lastUsedAt: usedAt)
    }

    private static func holder(_ id: String, _ passkeys: [AccountPasskey]) -> Identity.ImportedAccount {
        var account = account(id)
        account.passkeys = passkeys
        return account
    }

    @Test(arguments: StoreEngine.shared) func passkeysAreListed(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let (first, second) = (
            try Self.passkey(1), try Self.passkey(2, usedAt: Moment(milliseconds: 1_500_000_000_000))
        )
        let many = try (10...42).map { try Self.passkey($0) }
        #expect(
            try await run(
                fixture,
                [
                    Self.holder("ada", [first, second]), Self.holder("eve", [first]),
                    Self.holder("bob", [try Self.passkey(3, name: " ")]), Self.holder("joe", many),
                ]
            ).map(\.reason.code) == [.passkeyExists, .invalidDisplayName, .passkeyLimitExceeded])
        func passkeys() async throws -> [AccountPasskey] {
            try #require(try await fixture.store.account(AccountID("ada"), in: IdentityFixture.realm)).account.passkeys
        }
        #expect(try await passkeys() == [first, second])
        // A second import replaces the one with the same credential and keeps the other one.
        let renamed = try Self.passkey(1, name: "new")
        #expect(try await run(fixture, [Self.holder("ada", [renamed])]).isEmpty)
        #expect(try await Set(passkeys().map(\.name)) == ["new", "key"])
    }

    // MARK: Dry runs

    @Test(arguments: StoreEngine.shared) func dryRunChangesNothing(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        #expect(try await run(fixture, [Self.account("ada")]).isEmpty)
        let stored = try await fixture.store.account(AccountID("ada"), in: IdentityFixture.realm)
        let (published, audited) = (fixture.published.all.count, try await fixture.auditActions().count)
        var request = Identity.ImportAccounts(
            realm: IdentityFixture.realm,
            accounts: [
                Self.account("ada", .init(displayName: "New")), Self.account("eve"),
                Self.account("bob", .init(email: "EVE@example.com")), Self.account("joe", .init(email: "plain")),
            ], algorithm: Self.algorithm, allowsOverwrite: true, isDryRun: true)
        let reply = try await fixture.send(request)
        #expect(reply.rejections.map(\.rowIndex) == [2, 3])
        #expect(reply.rejections.map(\.reason.code) == [.emailExists, .invalidEmail])
        #expect(reply.replacedCount == 1)
        #expect(try await fixture.store.account(AccountID("ada"), in: IdentityFixture.realm) == stored)
        #expect(try await record(fixture, "eve") == nil)
        #expect(fixture.published.all.count == published)
        #expect(try await fixture.auditActions().count == audited)
        request.isDryRun = nil
        #expect(try await fixture.send(request) == reply)
        #expect(try await record(fixture, "eve") != nil)
    }

    @Test func numberOfAccountsIsBounded() async throws {
        let fixture = try await IdentityFixture()
        let accounts = (0...Identity.ImportAccounts.maximumCount).map { Self.account("u\($0)") }
        await #expect(throws: ServiceError.self) { try await run(fixture, accounts) }
        #expect(try await run(fixture, Array(accounts.dropLast())).isEmpty)
    }
}
