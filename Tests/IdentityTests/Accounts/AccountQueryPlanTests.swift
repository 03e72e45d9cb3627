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
    @Test(arguments: AccountListing.all)
    func listPageReadsCoveringIndex(listing: AccountListing) async throws {
        let fixture = try await IdentityFixture()
        let plan = try await fixture.store.read { transaction in
            let parameterCount = !listing.isContinued ? 4 : listing.order == .accountID ? 5 : 6
            return try transaction.rows(
                "EXPLAIN QUERY PLAN " + listing.statement.text,
                parameters: Array(repeating: .integer(1), count: parameterCount)
            ).map { try $0.get("detail") as String }
        }
        let inner = try #require(plan.first { $0.contains("COVERING INDEX") }, "\(plan)")
        #expect(inner.contains(listing.order == .accountID ? "autoindex_accounts" : "accounts_by_"), "\(plan)")
        #expect(plan.first?.contains("account_id=?") == true, "\(plan)")
        #expect(!plan.contains { $0.contains("TEMP B-TREE") || $0.hasPrefix("SCAN") }, "\(plan)")
    }
}
