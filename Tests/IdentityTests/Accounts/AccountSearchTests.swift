import Contracts
import SQL
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

@Suite(.serialized) struct AccountSearchTests {
    private static let realm = IdentityFixture.realm

    private func ids(
        _ fixture: IdentityFixture, _ criterion: Identity.SearchAccounts.Criterion, after: String? = nil,
        limit: Int = 10
    ) async throws -> (ids: [String], hasMore: Bool) {
        let reply = try await fixture.send(
            Identity.SearchAccounts(
                realm: Self.realm, criterion: criterion, after: after.map { .init(accountID: AccountID($0)) },
                limit: limit))
        return (reply.accounts.map(\.id.rawValue), reply.hasMore)
    }

    private func fill(_ fixture: IdentityFixture) async throws {
        for (id, email, name, number, isDisabled) in [
            ("a1", "ada@example.com", "Ada Lovelace", "+12025550101", false),
            ("b2", "bob@example.com", "adam", "+12025550102", true),
            ("ada9", "carol@example.com", "Carol", "+442071234567", true),
        ] as [(String, String, String, String, Bool)] {
            _ = try await fixture.send(
                Identity.CreateAccount(
                    realm: Self.realm, accountID: AccountID(id), email: email, displayName: name, phoneNumber: number,
                    disabled: isDisabled))
        }
        _ = try await fixture.change(
            AccountID("b2"),
            .init(
                emailVerified: true,
                link: ProviderLink(providerID: "google.com", providerAccountID: "g1", email: "Work@Example.com"),
                secondFactors: [.init(id: FactorID("f"), kind: .phone(number: "+12025550102"))]))
    }

    @Test(arguments: StoreEngine.allCases) func textFindsItsKinds(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        try await fill(fixture)
        // An id, then an address, then a name.
        #expect(try await ids(fixture, .text("ada")).ids == ["ada9", "a1", "b2"])
        #expect(try await ids(fixture, .text("ADA@")).ids == ["a1"])
        #expect(try await ids(fixture, .text("+1202")).ids == ["a1", "b2"])
        #expect(try await ids(fixture, .text("44 (20)")).ids == ["ada9"])
        #expect(try await ids(fixture, .text("work@")).ids == ["b2"])
        #expect(try await ids(fixture, .text("google.com")).ids == ["b2"])
        for text in ["%", "_da", "da", "ada' OR 1=1 --", "+"] { #expect(try await ids(fixture, .text(text)).ids == []) }
    }

    @Test func textEndsAtTheLimit() async throws {
        let fixture = try await IdentityFixture()
        try await fill(fixture)
        let page = try await ids(fixture, .text("ada"), limit: 2)
        #expect(page.ids == ["ada9", "a1"] && page.hasMore)
        for text in ["", String(repeating: "x", count: 257)] {
            await #expect(throws: ServiceError.self) { _ = try await ids(fixture, .text(text)) }
        }
    }

    @Test(arguments: StoreEngine.allCases) func filtersHavePages(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        try await fill(fixture)
        let first = try await ids(fixture, .disabled, limit: 1)
        #expect(first.ids == ["ada9"] && first.hasMore)
        let second = try await ids(fixture, .disabled, after: "ada9", limit: 1)
        #expect(second.ids == ["b2"] && !second.hasMore)
        #expect(try await ids(fixture, .withSecondFactor).ids == ["b2"])
    }

    @Test(arguments: StoreEngine.allCases) func everyFilterFindsItsAccounts(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        try await fill(fixture)
        #expect(try await ids(fixture, .unverified).ids == ["a1", "ada9"])
        #expect(try await ids(fixture, .withoutSecondFactor).ids == ["a1", "ada9"])
        #expect(try await ids(fixture, .provider("google.com")).ids == ["b2"])
        #expect(try await ids(fixture, .provider("google.com"), after: "b2").ids == [])
        #expect(try await ids(fixture, .all, after: "a1").ids == ["ada9", "b2"])
    }

    /// Every account is on one page, also when the account at the end of a page is deleted before the next one.
    @Test(arguments: StoreEngine.allCases) func pagesFollowEachOther(engine: StoreEngine) async throws {
        for criterion in [.all, .withoutSecondFactor, .createdSince(Moment(milliseconds: 0))]
            as [Identity.SearchAccounts.Criterion]
        {
            let fixture = try await IdentityFixture(engine)
            for number in 1...5 {
                _ = try await fixture.send(
                    Identity.CreateAccount(realm: Self.realm, accountID: AccountID("u\(number)")))
            }
            var (found, cursor) = ([String](), Identity.SearchAccounts.Cursor?.none)
            repeat {
                let reply = try await fixture.send(
                    Identity.SearchAccounts(realm: Self.realm, criterion: criterion, after: cursor, limit: 2))
                found += reply.accounts.map(\.id.rawValue)
                for account in reply.accounts {
                    _ = try await fixture.send(Identity.DeleteAccount(realm: Self.realm, accountID: account.id))
                }
                cursor = reply.next
            } while cursor != nil && found.count < 10
            #expect(found == ["u1", "u2", "u3", "u4", "u5"], "\(criterion)")
        }
        let fixture = try await IdentityFixture(engine)
        try await fill(fixture)
        let future = Moment(milliseconds: 9_000_000_000_000)
        #expect(try await ids(fixture, .createdSince(future)).ids == [])
    }

    /// No search reads every account: its time does not grow with their number.
    @Test func everySearchReadsAnIndex() async throws {
        let fixture = try await IdentityFixture()
        let searches: [(text: String, parameters: Int)] =
            AccountSearch.beginnings.map { ($0.text, 5) } + [
                (AccountSearch.providerEmails.text, 5), (AccountSearch.ofProvider.text, 5),
                (AccountSearch.disabled.text, 4), (AccountSearch.withSecondFactor.text, 4),
                (AuditLogTable.listing([.actor], index: .operators).text, 3),
                (AuditLogTable.listing([.action], index: .rareActions).text, 3),
                (AuditLogTable.listing([.project, .tenant, .accountID]).text, 5),
                (AccountSearch.unverified.text, 4), (AccountSearch.all.text, 4), (AccountSearch.createdSince.text, 5),
            ]
        for search in searches {
            let plan = try await fixture.store.read { transaction in
                try transaction.rows(
                    "EXPLAIN QUERY PLAN " + search.text,
                    parameters: Array(repeating: .integer(1), count: search.parameters)
                ).map { try $0.get("detail") as String }
            }
            #expect(plan.allSatisfy { $0.hasPrefix("SEARCH ") && $0.contains("INDEX") }, "\(search.text) \(plan)")
        }
    }

    @Test(
        arguments: [
            ("+1 (202) 555-01", "+120255501"), ("1202", "+1202"), ("+", nil), ("a1", nil), ("1+2", nil), ("", nil),
        ] as [(String, String?)]) func textIsTheBeginOfANumber(text: String, number: String?)
    {
        #expect(AccountSearch.number(text) == number)
    }

    // MARK: Obstacles

    private static func obstacles(
        _ change: (inout SignInCircumstances) -> Void
    ) -> [Identity.SignInObstacle] {
        var configuration = ProjectConfiguration()
        configuration.signIn = .init()
        configuration.signIn?.email = .init()
        configuration.signIn?.email?.enabled = true
        var circumstances = SignInCircumstances(
            account: Account(
                id: AccountID("a"), realm: realm, email: EmailAddress("a@example.com"), emailVerified: true,
                hasPassword: true, validSince: Timestamp(seconds: 0), createdAt: Moment(milliseconds: 0)),
            configuration: configuration, isRealmDisabled: false, attempts: .none)
        change(&circumstances)
        return circumstances.obstacles(at: Moment(milliseconds: 1_000_000))
    }

    @Test func accountWithAPermittedMethodHasNoObstacle() {
        #expect(Self.obstacles { _ in } == [])
    }

    @Test func obstaclesAreNamed() {
        #expect(Self.obstacles { $0.account.disabled = true } == [.init(.accountDisabled)])
        let dueAt = Moment(milliseconds: 9_000_000)
        #expect(Self.obstacles { $0.account.deletionDueAt = dueAt } == [.init(.deletionScheduled, until: dueAt)])
        #expect(Self.obstacles { $0.isRealmDisabled = true } == [.init(.tenantDisabled)])
        #expect(Self.obstacles { $0.account.hasPassword = false } == [.init(.noMethod)])
        #expect(Self.obstacles { $0.configuration.signIn?.email?.enabled = false } == [.init(.noPermittedMethod)])
        #expect(
            Self.obstacles { $0.account.phoneNumber = PhoneNumber("+12025550101") }
                == [.init(.methodNotPermitted, method: .phone)])
        let until = Moment(milliseconds: 1_060_000)
        #expect(
            Self.obstacles { $0.attempts = SignInAttempts(count: 9, blockedUntil: until) }
                == [.init(.tooManyAttempts, until: until)])
        #expect(
            Self.obstacles { $0.attempts = SignInAttempts(count: 9, blockedUntil: Moment(milliseconds: 1)) } == [])
    }

    @Test func missingSecondFactorIsNamedWhereItIsMandatory() {
        func mandatory(_ circumstances: inout SignInCircumstances) {
            circumstances.configuration.mfa = .init()
            circumstances.configuration.mfa?.state = .mandatory
        }
        #expect(Self.obstacles(mandatory) == [.init(.missingSecondFactor)])
        #expect(
            Self.obstacles {
                mandatory(&$0)
                $0.account.emailVerified = false
            } == [.init(.unverifiedAddress)])
    }

    /// The whole way: wrong passwords, the explanation, and the way back in.
    @Test(arguments: StoreEngine.allCases) func lockedUserIsLetIn(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine, isDev: false)
        let account = try await fixture.send(
            Identity.CreateAccount(
                realm: Self.realm, email: "ada@example.com", password: Secret("correct-horse-9-staple"))
        ).account
        for _ in 0..<6 {
            _ = try? await fixture.firstFactor("ada@example.com", "wrong password")
        }
        let explain = Identity.ExplainSignIn(realm: Self.realm, accountID: account.id)
        #expect(try await fixture.send(explain).obstacles.map(\.kind) == [.tooManyAttempts])
        _ = try await fixture.send(
            Identity.ClearSignInAttempts(
                realm: Self.realm, accountID: account.id, client: .init(operatorName: "ola@example.com")))
        #expect(try await fixture.send(explain).obstacles.isEmpty)
        _ = try await fixture.firstFactor("ada@example.com", "correct-horse-9-staple")
        #expect(try await fixture.auditActions().contains("account.attempts-cleared"))
    }
}
