import Contracts
import HTTPServer
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// What operators do to many accounts at once.
@Suite struct ConsoleWorkTests {
    private static let path = "/console/projects/shop/users"

    private static func account(_ id: String) -> Account {
        var account = ConsoleBrowser.account
        account.id = AccountID(id)
        return account
    }

    /// A browser of a project with 45 users, in pages of two sizes, and what it changes.
    private static func browser(
        _ role: Identity.OperatorRole = .support
    ) throws -> (ConsoleBrowser, RecordedRequests<Identity.UpdateAccount>) {
        let browser = try ConsoleBrowser([.init(role: role)])
        let updates = RecordedRequests<Identity.UpdateAccount>()
        browser.harness.mesh.reply(to: Identity.SearchAccounts.self) { request in
            guard request.after != nil else {
                return .init(
                    accounts: (1...30).map { account("a\($0)") }, hasMore: true,
                    next: .init(accountID: AccountID("a30")))
            }
            return .init(accounts: (31...45).map { account("a\($0)") }, hasMore: false)
        }
        browser.harness.mesh.reply(to: Identity.UpdateAccount.self) { request in
            updates.append(request)
            if request.accountID == AccountID("a7") { throw ServiceError(.accountNotFound) }
            return .init(account: account(request.accountID?.rawValue ?? ""))
        }
        return (browser, updates)
    }

    @Test func previewSaysWhoAndHowMany() async throws {
        let (browser, updates) = try Self.browser()
        let page = try await browser.get("\(Self.path)/disable", "filter=no-factor")
        #expect(page.text.contains("45 users") && page.text.contains("tokens are refused"))
        let none = try await browser.get("\(Self.path)/enable", "filter=no-factor")
        #expect(none.text.contains("There is nothing to do") && none.text.contains("45 more are already so"))
        #expect(updates.all.isEmpty)
    }

    @Test func actChangesEveryAccountOnceAndNamesFailures() async throws {
        let (browser, updates) = try Self.browser()
        let begun = try await browser.post("\(Self.path)/disable", ["filter": "no-factor", "password": "x"])
        let page = try await browser.finishWork(begun)
        #expect(page.text.contains("45 of 45 done") && page.text.contains("1 account was not changed"))
        let sent = updates.all
        #expect(Set(sent.compactMap(\.accountID)).count == 45 && sent.count == 45)
        #expect(sent.allSatisfy { $0.changes == Identity.AccountChanges(disabled: true) })
        #expect(sent.allSatisfy { $0.client.operatorName == "ola@example.com" })
    }

    /// A page reads a bounded number of a million accounts; the act goes through them page by page.
    @Test func previewIsBoundedAndTheActIsNot() async throws {
        let (browser, updates) = try Self.browser()
        let mesh = browser.harness.mesh
        let (pages, perPage) = (ConsoleVisit.countedPages + 2, 3)
        mesh.reply(to: Identity.SearchAccounts.self) { request in
            #expect(request.limit == Identity.SearchAccounts.maximumCount)
            let page = request.after.flatMap { Int($0.accountID.rawValue) } ?? 0
            let isLast = page == pages - 1
            return .init(
                accounts: (0..<perPage).map { Self.account("\(page)-\($0)") }, hasMore: !isLast,
                next: isLast ? nil : .init(accountID: AccountID(String(page + 1))))
        }
        let preview = try await browser.get("\(Self.path)/disable", "filter=no-factor")
        #expect(preview.text.contains("At least 30 users") && preview.text.contains("This goes through all of them."))
        #expect(mesh.sent(Identity.SearchAccounts.self).count == ConsoleVisit.countedPages)
        // None of those that are counted changes, and others may.
        let none = try await browser.get("\(Self.path)/enable", "filter=no-factor")
        #expect(none.text.contains("30 more are already so") && none.text.contains("This goes through all of them."))
        let page = try await browser.finishWork(
            try await browser.post("\(Self.path)/disable", ["filter": "no-factor"]))
        #expect(page.text.contains("36 of 36 done"))
        #expect(Set(updates.all.compactMap(\.accountID)).count == pages * perPage)
    }

    /// The search for a text has one page: the act does not promise to reach the others.
    @Test func previewOfATextSaysThatOthersAreNotReached() async throws {
        let (browser, updates) = try Self.browser()
        browser.harness.mesh.reply(to: Identity.SearchAccounts.self) { _ in
            .init(accounts: [Self.account("a"), Self.account("b")], hasMore: true)
        }
        for act in ["disable", "enable"] {
            let preview = try await browser.get("\(Self.path)/\(act)", "q=a")
            #expect(preview.text.contains("type more to reach the others"))
        }
        let page = try await browser.finishWork(try await browser.post("\(Self.path)/disable", ["q": "a"]))
        #expect(page.text.contains("2 of 2 done") && updates.all.count == 2)
    }

    /// An act on many pages does not end with the first busy moment.
    @Test func actWaitsForABusyMesh() async throws {
        let (browser, updates) = try Self.browser()
        let mesh = browser.harness.mesh
        mesh.reply(to: Identity.SearchAccounts.self) { request in
            if mesh.sent(Identity.SearchAccounts.self).count == 2 { throw ServiceError(.overloaded) }
            return .init(accounts: [Self.account("a")], hasMore: false)
        }
        let page = try await browser.finishWork(
            try await browser.post("\(Self.path)/disable", ["filter": "no-factor"]))
        #expect(page.text.contains("1 of 1 done") && updates.all.count == 1)
    }

    @Test func chosenAccountsAreTheOnlyOnes() async throws {
        let (browser, updates) = try Self.browser()
        browser.harness.mesh.reply(to: Identity.FindAccounts.self) { request in
            #expect(request.criteria == [.accountID(AccountID("b")), .accountID(AccountID("c"))])
            return .init(accounts: [Self.account("b"), Self.account("c")])
        }
        let page = try await browser.get("\(Self.path)/end-sessions", "id=b&id=c&filter=all")
        #expect(page.text.contains("2 users"))
        let begun = try await browser.post(
            "\(Self.path)/end-sessions", [ConsoleSelection.field: #"["b","c"]"#, "filter": "all"])
        _ = try await browser.finishWork(begun)
        #expect(Set(updates.all.compactMap(\.accountID)) == [AccountID("b"), AccountID("c")])
        #expect(try await browser.post("\(Self.path)/end-sessions", [ConsoleSelection.field: "b"]).status == 404)
    }

    /// A lower role ends the sessions of the operator: the work stops with them.
    @Test func workStopsWhenTheSessionEnds() async throws {
        let (browser, updates) = try Self.browser()
        let begun = try await browser.post("\(Self.path)/disable", ["filter": "no-factor"])
        let found = try ConsoleBrowser.found([.init(role: .support)])
        let changed = updates
        browser.harness.mesh.reply(to: Identity.ResolveOperatorSession.self) { _ in
            // Only the work has changed accounts; its page may still be read.
            let isAfterFirstBatch = changed.all.count >= 20
            var now = found
            if isAfterFirstBatch { now.grants = [.init(role: .viewer)] }
            return .init(operator: now, sessionID: "s1", isFresh: true, formToken: "form")
        }
        let page = try await browser.finishWork(begun)
        #expect(page.text.contains("your role no longer permits it"))
        #expect(updates.all.count == 20)
    }

    @Test func nobodyElseSeesTheWork() async throws {
        let (browser, _) = try Self.browser()
        let begun = try await browser.post("\(Self.path)/disable", ["filter": "no-factor"])
        let query = try #require(begun.header("Location")).halves(at: "?").behind.map { String($0) }
        #expect(try await browser.get("/console/projects/shop/work", query).status == 200)
        #expect(try await browser.get("/console/projects/other/work", query).status == 404)
    }

    @Test func onlySoMuchWorkIsUnderWay() async throws {
        let (browser, _) = try Self.browser()
        for number in 1...ConsoleWorks.maximumRunning + 1 {
            let begun = try await browser.post("\(Self.path)/disable", ["filter": "no-factor"])
            #expect(begun.status == (number <= ConsoleWorks.maximumRunning ? 303 : 503))
        }
    }

    @Test func importIsCheckedFirst() async throws {
        let (browser, _) = try Self.browser(.administrator)
        let imports = RecordedRequests<Identity.ImportAccounts>()
        browser.harness.mesh.reply(to: Identity.ImportAccounts.self) { request in
            imports.append(request)
            return .init(rejections: [])
        }
        let file = #"{"localId":"u1"}"# + "\n" + #"{"localId":"u1"}"# + "\n"
        let checked = try await browser.upload("\(Self.path)/import", file)
        let page = try await browser.finishWork(checked)
        #expect(page.text.contains("1 user would be imported") && page.text.contains("1 record is refused"))
        #expect(page.text.contains("Record 2 (<bdi>u1</bdi>): An earlier record of the file has the same ID."))
        #expect(imports.all.map(\.isDryRun) == [true])
        let id = try #require(checked.header("Location")?.halves(at: "=").behind)
        #expect(try await browser.post("\(Self.path)/import/begin", ["id": String(id)]).status == 303)
        #expect(try await browser.post("\(Self.path)/import/begin", ["id": "other"]).status == 404)
    }

    @Test(arguments: [("users.txt", "{}"), ("users.json", "")])
    func fileOfAnotherFormIsRefused(name: String, content: String) async throws {
        let (browser, _) = try Self.browser(.administrator)
        #expect(try await browser.upload("\(Self.path)/import", content, name: name).status == 400)
    }

    /// A part is in memory, and the next one is read when a client has taken it.
    @Test func exportIsReadWhileItIsSent() async throws {
        let browser = try ConsoleBrowser([.init(role: .support)])
        let mesh = browser.harness.mesh
        mesh.reply(to: Identity.SearchAccounts.self) { request in
            let start = request.after.flatMap { Int($0.accountID.rawValue) } ?? 0
            let accounts = (start..<(start + request.limit)).map { number in
                var account = ConsoleBrowser.account
                account.id = AccountID(String(number))
                return account
            }
            let next = start + request.limit
            return .init(
                accounts: accounts, hasMore: next < 2500,
                next: next < 2500 ? .init(accountID: AccountID(String(next))) : nil)
        }
        let response = await browser.harness.gateway.respond(
            to: try browser.request("\(Self.path)/export/profiles"), on: .admin)
        let stream = try #require(response.stream)
        #expect(mesh.sent(Identity.SearchAccounts.self).count == 10)
        var counts: [Int] = []
        while let part = try await stream.next() {
            #expect(mesh.sent(Identity.SearchAccounts.self).count == min(25, 10 * (counts.count + 1)))
            counts.append(part.count { $0 == UInt8(ascii: "\n") })
        }
        #expect(counts == [1000, 1000, 500])
    }

    /// A file of many users does not end with the first busy moment.
    @Test func exportWaitsForABusyMesh() async throws {
        let browser = try ConsoleBrowser([.init(role: .support)])
        let mesh = browser.harness.mesh
        mesh.reply(to: Identity.SearchAccounts.self) { request in
            if mesh.sent(Identity.SearchAccounts.self).count == 12 { throw ServiceError(.overloaded) }
            let start = request.after.flatMap { Int($0.accountID.rawValue) } ?? 0
            return .init(
                accounts: [ConsoleBrowser.account], hasMore: start < 19,
                next: start < 19 ? .init(accountID: AccountID(String(start + 1))) : nil)
        }
        let response = await browser.harness.gateway.respond(
            to: try browser.request("\(Self.path)/export/profiles"), on: .admin)
        let stream = try #require(response.stream)
        var users = 0
        while let part = try await stream.next() { users += part.count { $0 == UInt8(ascii: "\n") } }
        #expect(users == 20 && mesh.sent(Identity.SearchAccounts.self).count == 22)
    }

    /// A refusal of the first part has its page, and a role that ends later ends the file.
    @Test func exportEndsWithTheRole() async throws {
        let browser = try ConsoleBrowser([.init(role: .support)])
        let mesh = browser.harness.mesh
        mesh.reply(to: Identity.SearchAccounts.self) { _ in
            .init(accounts: [ConsoleBrowser.account], hasMore: true, next: .init(accountID: AccountID("a")))
        }
        let response = await browser.harness.gateway.respond(
            to: try browser.request("\(Self.path)/export/profiles"), on: .admin)
        let stream = try #require(response.stream)
        #expect(try await stream.next() != nil)
        mesh.reply(to: Identity.ResolveOperatorSession.self) { _ in throw ServiceError(.sessionExpired) }
        await #expect(throws: ConsoleRefusal.forbidden) { try await stream.next() }
        #expect(try await stream.next() == nil)
        let other = try ConsoleBrowser([.init(role: .support)])
        other.harness.mesh.reply(to: Identity.SearchAccounts.self) { _ in throw ServiceError(.tenantNotFound) }
        #expect(try await other.get("\(Self.path)/export/profiles", "tenant=none").status == 404)
    }

    /// Support reads neither hashes nor claims.
    @Test func exportOfSupportHasNeitherHashesNorClaims() async throws {
        let (support, _) = try Self.browser()
        let file = try await support.get("\(Self.path)/export/profiles")
        #expect(file.text.contains(#""localId":"a45""#) && !file.text.contains("customAttributes"))
        let (administrator, _) = try Self.browser(.administrator)
        #expect(try await administrator.get("\(Self.path)/export/profiles").text.contains("customAttributes"))
        #expect(try await support.get("\(Self.path)/export/hashes").status == 403)
    }

    @Test(
        arguments: [
            ("filter=unverified", .unverified), ("filter=no-factor", .withoutSecondFactor),
            ("filter=provider&provider=google.com", .provider("google.com")),
            ("filter=since&since=2026-11-01", .createdSince(Moment(milliseconds: 1_793_491_200_000))),
        ] as [(String, Identity.SearchAccounts.Criterion)])
    func filterIsSentAsItsCriterion(query: String, criterion: Identity.SearchAccounts.Criterion) async throws {
        let browser = try ConsoleBrowser([.init(role: .viewer)])
        browser.harness.mesh.reply(to: Identity.SearchAccounts.self) { request in
            #expect(request.criterion == criterion)
            return .init(
                accounts: [ConsoleBrowser.account], hasMore: true,
                next: .init(accountID: AccountID("ada"), createdAt: Moment(milliseconds: 5)))
        }
        let page = try await browser.get(Self.path, query)
        #expect(page.status == 200 && page.text.contains("after=ada&amp;at=5"))
    }

    @Test(arguments: ["filter=provider", "filter=since", "filter=since&since=2026-13-01"])
    func filterWithoutItsValueIsRefusedAtTheField(query: String) async throws {
        let browser = try ConsoleBrowser([.init(role: .viewer)])
        #expect(try await browser.get(Self.path, query).status == 400)
        let operatorMayAct = try ConsoleBrowser([.init(role: .support)])
        #expect(try await operatorMayAct.get("\(Self.path)/disable", query).status == 404)
    }
}

/// What the mesh was asked for.
private final class RecordedRequests<Request: Sendable>: Sendable {
    private let requests = Mutex<[Request]>([])
    func append(_ request: Request) { requests.withLock { $0.append(request) } }
    var all: [Request] { requests.withLock { $0 } }
}
