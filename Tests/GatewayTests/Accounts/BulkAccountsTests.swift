import Contracts
import FoundationEssentials
import HTTPServer
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// REST 4.1.
@Suite struct BulkAccountsTests {
    @Test(
        arguments: [
            (nil, 20, nil), ("maxResults=3", 3, nil), ("maxResults=1000&nextPageToken=x", 1000, "x"),
            ("maxResults=0&nextPageToken=", 20, nil),
        ] as [(String?, Int, String?)])
    func listReturnsOnePage(query: String?, count: Int, page: String?) async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.ExportAccounts.self) { _ in
            .init(accounts: [.init(account: .example(), password: nil)], nextPageToken: "next")
        }
        let response = try await harness.admin(.get, "/accounts:batchGet", query: query)
        #expect(response.json["kind"] == .string("identitytoolkit#DownloadAccountResponse"))
        #expect(response.json["nextPageToken"] == .string("next"))
        guard case .array(let users)? = response.json["users"] else {
            Issue.record("no users")
            return
        }
        #expect(users.map { $0["localId"] } == [.string("alice")])
        let sent = try #require(harness.mesh.sent(Identity.ExportAccounts.self).first)
        #expect((sent.limit, sent.pageToken) == (count, page))
    }

    @Test func emptyListOmitsMembers() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.ExportAccounts.self) { _ in .init(accounts: [], nextPageToken: nil) }
        let empty = try json(#"{"kind":"identitytoolkit#DownloadAccountResponse"}"#)
        #expect(try await harness.admin(.get, "/accounts:batchGet").json == empty)
        let legacy = try await harness.send(
            .post, "/www.googleapis.com/identitytoolkit/v3/relyingparty/downloadAccount",
            headers: ["Authorization": "Bearer owner"], body: #"{"targetProjectId":"p1","maxResults":7}"#)
        #expect(legacy.json == empty)
        let sent = try #require(harness.mesh.sent(Identity.ExportAccounts.self).last)
        #expect((sent.realm, sent.limit) == (Realm(project: ProjectID("p1")), 7))
    }

    @Test func devModeListsAllAccountsForMinusOne() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.ExportAccounts.self) { request in
            request.pageToken == nil
                ? .init(accounts: [.init(account: .example("a"), password: nil)], nextPageToken: "2")
                : .init(accounts: [.init(account: .example("b"), password: nil)], nextPageToken: nil)
        }
        let response = try await harness.admin(.get, "/accounts:batchGet", query: "maxResults=-1")
        guard case .array(let users)? = response.json["users"] else {
            Issue.record("no users")
            return
        }
        #expect(users.map { $0["localId"] } == [.string("a"), .string("b")])
        #expect(response.json["nextPageToken"] == nil)
        #expect(harness.mesh.sent(Identity.ExportAccounts.self).map(\.limit) == [1000, 1000])
    }

    @Test(arguments: [#"{"localIds":[],"force":true}"#, "{}"])
    func emptyBatchDeleteIsRefused(body: String) async throws {
        let harness = try GatewayHarness()
        let response = try await harness.admin(.post, "/accounts:batchDelete", body)
        #expect((response.status, response.message) == (400, "LOCAL_ID_LIST_EXCEEDS_LIMIT"))
        #expect(harness.mesh.count == 0)
    }

    @Test(arguments: ["1001", "-2", "many", "99999999999999999999"])
    func invalidPageSizeIsRefused(size: String) async throws {
        let harness = try GatewayHarness()
        #expect(try await harness.admin(.get, "/accounts:batchGet", query: "maxResults=\(size)").status == 400)
        #expect(harness.mesh.count == 0)
    }

    @Test func listStaysInTenantOfPath() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.ExportAccounts.self) { _ in .init(accounts: [], nextPageToken: nil) }
        let path = "/v1/projects/p1/tenants/t1/accounts:batchGet"
        let bearer = ["Authorization": "Bearer owner"]
        _ = try await harness.send(.get, path, headers: bearer)
        #expect(
            harness.mesh.sent(Identity.ExportAccounts.self).first?.realm
                == Realm(project: ProjectID("p1"), tenant: TenantID("t1")))
        let other = try await harness.send(.get, path, query: "tenantId=t2", headers: bearer)
        #expect(other.message == "TENANT_ID_MISMATCH")
    }

    @Test(
        arguments: [
            ("{}", .init(realm: Realm(project: ProjectID("demo-latchkey")))),
            (
                #"{"expression":[{"email":"e"},{"userId":"u","phoneNumber":"n"},{}],"limit":"3","offset":4,"sortBy":"CREATED_AT","order":"DESC"}"#,
                .init(
                    realm: Realm(project: ProjectID("demo-latchkey")),
                    criteria: [.email("e"), .accountID(AccountID("u")), .phoneNumber("n")], order: .createdAt,
                    isDescending: true, limit: 3, offset: 4)
            ),
            (
                #"{"sortBy":5,"order":1,"returnUserInfo":false}"#,
                .init(
                    realm: Realm(project: ProjectID("demo-latchkey")), order: .email, countOnly: true)
            ),
        ] as [(String, Identity.QueryAccounts)])
    func queryIsForwardedToIdentity(body: String, expected: Identity.QueryAccounts) async throws {
        for operation in ["query", "queryAccounts"] {
            let harness = try GatewayHarness()
            harness.mesh.reply(to: Identity.QueryAccounts.self) { _ in .init(total: 1, accounts: [.example()]) }
            let response = try await harness.admin(.post, "/accounts:\(operation)", body)
            let sent = try #require(harness.mesh.sent(Identity.QueryAccounts.self).first)
            #expect(try WireJSON.encodeSorted(sent) == WireJSON.encodeSorted(expected))
            #expect(response.json["recordsCount"] == .string("1"))
            #expect((response.json["userInfo"] == nil) == expected.countOnly)
        }
    }

    @Test(arguments: [#"{"limit":501}"#, #"{"limit":-1}"#, #"{"offset":-1}"#, #"{"sortBy":"AGE"}"#, #"{"order":"UP"}"#])
    func invalidQueryIsRefused(body: String) async throws {
        let harness = try GatewayHarness()
        #expect(try await harness.admin(.post, "/accounts:query", body).status == 400)
        #expect(harness.mesh.count == 0)
    }

    @Test func batchDeleteNamesAccountsNotDeleted() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.DeleteAccounts.self) { .init(skippedIndices: $0.force ? [] : [1, 7]) }
        let body = #"{"localIds":["a","b"]}"#
        #expect(
            try await harness.admin(.post, "/accounts:batchDelete", body).json
                == (try json(
                    #"{"errors":[{"index":1,"localId":"b","message":"NOT_DISABLED : Disable the account before batch deletion."}]}"#
                )))
        #expect(
            try await harness.admin(.post, "/accounts:batchDelete", #"{"localIds":["a","b"],"force":true}"#).json
                == (try json("{}")))
        let sent = harness.mesh.sent(Identity.DeleteAccounts.self)
        #expect(sent.map(\.accountIDs) == Array(repeating: [AccountID("a"), AccountID("b")], count: 2))
    }
}
