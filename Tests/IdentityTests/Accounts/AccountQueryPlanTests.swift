import Contracts
import SQL
import SQLite
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// Account lists are read from an index in every order and direction: a sort over all accounts of a project would block
/// other readers.
@Suite struct AccountQueryPlanTests {
    @Test(arguments: Identity.QueryAccounts.Order.allCases, [false, true])
    func listPageReadsCoveringIndex(order: Identity.QueryAccounts.Order, isDescending: Bool) async throws {
        let fixture = try await IdentityFixture()
        for isContinued in [false, true] {
            let query = Identity.QueryAccounts(
                realm: IdentityFixture.realm, order: order, isDescending: isDescending)
            let sql =
                "EXPLAIN QUERY PLAN SELECT * FROM accounts " + IdentityStore.listing(query, isContinued: isContinued)
            let parameterCount = !isContinued ? 4 : order == .accountID ? 5 : 6
            let plan = try await fixture.store.read { transaction in
                try transaction.rows(sql, parameters: Array(repeating: .integer(1), count: parameterCount))
                    .map { try $0.get("detail") as String }
            }
            let inner = try #require(plan.first { $0.contains("COVERING INDEX") }, "\(plan)")
            #expect(inner.contains(order == .accountID ? "autoindex_accounts" : "accounts_by_"), "\(plan)")
            #expect(plan.first?.contains("account_id=?") == true, "\(plan)")
            #expect(!plan.contains { $0.contains("TEMP B-TREE") || $0.hasPrefix("SCAN") }, "\(plan)")
        }
    }
}
