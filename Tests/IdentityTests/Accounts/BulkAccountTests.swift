import Contracts
import Crypto
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

@Suite struct BulkAccountTests {
    static func fixture(_ ids: [String]) async throws -> IdentityFixture {
        let fixture = try await IdentityFixture()
        for (number, id) in ids.enumerated() {
            _ = try await fixture.send(
                Identity.CreateAccount(
                    realm: IdentityFixture.realm, accountID: AccountID(id), email: "u\(number)@example.com",
                    displayName: number % 3 == 0 ? nil : "N\(number % 2)"))
            fixture.clock.advance(by: .milliseconds(10))
        }
        return fixture
    }

    static func list(
        _ fixture: IdentityFixture, _ count: Int, after page: String? = nil,
        project: String = IdentityFixture.realm.project.rawValue
    ) async throws -> Identity.ListAccounts.Reply {
        try await fixture.send(
            Identity.ListAccounts(realm: Realm(project: ProjectID(project)), limit: count, pageToken: page))
    }

    // MARK: Pages

    @Test(arguments: [1, 2, 3, 7, 8, 1000]) func pagesContainEachAccountOnceInByteOrder(count: Int) async throws {
        let ids = ["b", "B", "a", "é", "10", "9", "_"]
        let fixture = try await Self.fixture(ids)
        var (seen, page): ([String], String?) = ([], nil)
        repeat {
            let reply = try await Self.list(fixture, count, after: page)
            seen += reply.accounts.map(\.id.rawValue)
            page = reply.nextPageToken
            // As in production, a full page has a token even if it is the last.
            #expect((page != nil) == (reply.accounts.count == count))
        } while page != nil
        #expect(seen == ["10", "9", "B", "_", "a", "b", "é"])
    }

    @Test func deletionsBetweenPagesDoNotShiftPages() async throws {
        let fixture = try await Self.fixture(["a", "b", "c", "d"])
        let first = try await Self.list(fixture, 2)
        for id in ["a", "b"] {
            _ = try await fixture.send(Identity.DeleteAccount(realm: IdentityFixture.realm, accountID: AccountID(id)))
        }
        let second = try await Self.list(fixture, 2, after: first.nextPageToken)
        #expect(second.accounts.map(\.id.rawValue) == ["c", "d"] && second.nextPageToken != nil)
        let last = try await Self.list(fixture, 2, after: second.nextPageToken)
        #expect(last.accounts.isEmpty && last.nextPageToken == nil)
    }

    @Test func pageTokenIsOpaqueAndBoundToProject() async throws {
        let fixture = try await Self.fixture(["alice", "bob"])
        let page = try #require(try await Self.list(fixture, 1).nextPageToken)
        let bytes = try #require(Base64URL.decode(page))
        #expect(!String(decoding: bytes, as: UTF8.self).contains("alice"))
        await #expect(throws: ServiceError(.invalidPageToken)) {
            try await Self.list(fixture, 1, after: page, project: "p2")
        }
        await #expect(throws: ServiceError(.invalidPageToken)) { try await Self.list(fixture, 1, after: "made-up") }
        for bit in 0..<bytes.count * 8 {
            var flipped = bytes
            flipped[bit / 8] ^= 1 << (bit % 8)
            await #expect(throws: ServiceError(.invalidPageToken)) {
                try await Self.list(fixture, 1, after: Base64URL.encode(flipped))
            }
        }
    }

    @Test(arguments: [0, -1, 1001]) func pageSizeIsBounded(count: Int) async throws {
        let fixture = try await IdentityFixture()
        await #expect(throws: ServiceError.limitOutOfRange) { try await Self.list(fixture, count) }
        #expect(try await Self.list(fixture, 1000).accounts.isEmpty)
    }

    @Test func pageIsBoundedByMessageSize() async throws {
        let fixture = try await IdentityFixture()
        let claims = #"{"a":"\#(String(repeating: "語", count: 980))"}"#
        for number in 0..<200 {
            let id = AccountID("u\(1000 + number)")
            _ = try await fixture.send(
                Identity.CreateAccount(
                    realm: IdentityFixture.realm, accountID: id, displayName: String(repeating: "語", count: 300)))
            _ = try await fixture.change(id, .init(customClaims: claims))
        }
        let first = try await Self.list(fixture, 1000)
        #expect(try WireJSON.encode(first).count < 600 << 10)
        let second = try await Self.list(fixture, 1000, after: first.nextPageToken)
        #expect(first.accounts.count + second.accounts.count == 200 && second.nextPageToken == nil)
    }

    // MARK: Queries

    static func query(
        _ fixture: IdentityFixture, _ criteria: [Identity.FindAccounts.Criterion] = [],
        _ order: Identity.QueryAccounts.Order = .accountID, isDescending: Bool = false, limit: Int = 500,
        offset: Int = 0, countOnly: Bool = false, page: String? = nil
    ) async throws -> Identity.QueryAccounts.Reply {
        try await fixture.send(
            Identity.QueryAccounts(
                realm: IdentityFixture.realm, criteria: criteria, order: order, isDescending: isDescending,
                limit: limit, offset: offset, countOnly: countOnly, pageToken: page))
    }

    /// The store orders a realm and the domain orders accounts found by criteria: both orders are equal.
    @Test(arguments: Identity.QueryAccounts.Order.allCases, [false, true])
    func storeAndDomainOrderAlike(order: Identity.QueryAccounts.Order, isDescending: Bool) async throws {
        let ids = ["d", "B", "a", "é", "10", "9", "_"]
        let fixture = try await Self.fixture(ids)
        let allAccounts = ids.map { Identity.FindAccounts.Criterion.accountID(AccountID($0)) }
        for (count, offset) in [(500, 0), (3, 2), (1, 6), (5, 7)] {
            let all = try await Self.query(
                fixture, [], order, isDescending: isDescending, limit: count, offset: offset)
            let found = try await Self.query(
                fixture, allAccounts, order, isDescending: isDescending, limit: count, offset: offset)
            #expect(all.accounts == found.accounts && all.total == max(0, min(count, 7 - offset)))
            #expect((all.nextPageToken != nil) == (all.total == count))
        }
    }

    /// Page by page and by offset, the same accounts come in the same order.
    @Test(arguments: Identity.QueryAccounts.Order.allCases, [false, true])
    func pagesAndOffsetsReturnSameOrder(order: Identity.QueryAccounts.Order, isDescending: Bool) async throws {
        let fixture = try await Self.fixture(["d", "B", "a", "é", "10", "9", "_"])
        let all = try await Self.query(fixture, [], order, isDescending: isDescending)
        var met: [Account] = []
        var page: String?
        repeat {
            let reply = try await Self.query(fixture, [], order, isDescending: isDescending, limit: 2, page: page)
            met += reply.accounts
            page = reply.nextPageToken
        } while page != nil && met.count < 20
        #expect(met == all.accounts)
    }

    @Test func pageOfAnotherQueryIsRefused() async throws {
        let fixture = try await Self.fixture(["a", "b", "c"])
        let page = try #require(try await Self.query(fixture, [], .email, limit: 1).nextPageToken)
        #expect(try await Self.query(fixture, [], .email, page: page).total == 2)
        await #expect(throws: ServiceError(.invalidPageToken)) {
            try await Self.query(fixture, [], .createdAt, page: page)
        }
        await #expect(throws: ServiceError(.invalidPageToken)) {
            try await Self.query(fixture, [], .email, isDescending: true, page: page)
        }
        await #expect(throws: ServiceError(.invalidPageToken)) {
            try await Self.query(fixture, [], .email, offset: 1, page: page)
        }
        await #expect(throws: ServiceError(.invalidPageToken)) {
            try await Self.query(fixture, [], .email, page: page + "A")
        }
    }

    @Test func countOmitsAccounts() async throws {
        let fixture = try await Self.fixture(["a", "b", "c"])
        #expect(try await Self.query(fixture, limit: 1, countOnly: true) == .init(total: 3, accounts: []))
        let two: [Identity.FindAccounts.Criterion] = [.email("U0@example.com"), .accountID(AccountID("b"))]
        #expect(try await Self.query(fixture, two, countOnly: true) == .init(total: 2, accounts: []))
        #expect(try await Self.query(fixture, two).accounts.map(\.id.rawValue) == ["a", "b"])
        #expect(try await Self.query(fixture, [.phoneNumber("+1")]).total == 0)
    }

    @Test func queryBoundsAreEnforced() async throws {
        let fixture = try await IdentityFixture()
        for (count, offset) in [(0, 0), (501, 0), (1, -1)] {
            await #expect(throws: ServiceError.limitOutOfRange) {
                try await Self.query(fixture, limit: count, offset: offset)
            }
        }
        let many = Array(repeating: Identity.FindAccounts.Criterion.email("x"), count: 101)
        await #expect(throws: ServiceError.tooManyCriteria) { try await Self.query(fixture, many) }
        _ = try await Self.query(fixture, Array(many.dropFirst()))
    }

    // MARK: Deletion

    static func delete(
        _ fixture: IdentityFixture, _ ids: [String], force: Bool, idempotencyKey: String? = nil
    ) async throws -> [Int] {
        try await fixture.send(
            Identity.DeleteAccounts(
                realm: IdentityFixture.realm, accountIDs: ids.map { AccountID($0) }, force: force),
            idempotencyKey: idempotencyKey
        ).skippedIndices
    }

    @Test func deletionWithoutForceRequiresDisabledAccounts() async throws {
        let fixture = try await Self.fixture(["a", "b", "c"])
        _ = try await fixture.change(AccountID("b"), .init(disabled: true))
        #expect(try await Self.delete(fixture, ["a", "nobody", "b", "c", "b"], force: false) == [0, 3])
        #expect(try await Self.list(fixture, 10).accounts.map(\.id.rawValue) == ["a", "c"])
        for _ in 1...2 { #expect(try await Self.delete(fixture, ["a", "c"], force: true, idempotencyKey: "k") == []) }
        #expect(try await Self.list(fixture, 10).accounts.isEmpty)
        #expect(fixture.published.all.count { $0 == .sessionsRevoked(IdentityFixture.realm, nil) } == 3)
    }

    @Test func batchSizeIsBounded() async throws {
        let fixture = try await IdentityFixture()
        let ids = Array(repeating: "x", count: 1001)
        await #expect(throws: ServiceError(.tooManyAccounts)) { try await Self.delete(fixture, ids, force: true) }
        await #expect(throws: ServiceError(.missingAccountID)) { try await Self.delete(fixture, [], force: true) }
        #expect(try await Self.delete(fixture, Array(ids.dropFirst()), force: true) == [])
    }

    @Test func deletionEndsSessions() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        _ = try await Self.delete(fixture, [made.account.id.rawValue], force: true)
        await #expect(throws: ServiceError(.accountNotFound)) { try await fixture.refresh(made.tokens.refreshToken) }
    }
}
