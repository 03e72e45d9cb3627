import SQL
import TestSupport
import Testing

@testable import MFATOTPService

struct TOTPMigrationTests {
    @Test(arguments: StoreEngine.allCases)
    func olderFactorStaysUnlistedSinceTheSameTime(engine: StoreEngine) async throws {
        let place = try await StoreLocation(engine, name: "totp")
        let database = try await place.open()
        try await database.migrate(Array(TOTPMigrations.all.prefix(4)))
        try await database.write { transaction in
            try transaction.execute(
                """
                INSERT INTO factors (
                    project, tenant, account_id, factor_id, sealed_secret, last_step, accepted_at, failure_times,
                    failures_in_a_row, missing_since)
                VALUES ('p', '', 'a', 'listed', $1, 1, 2, '', 0, NULL), ('p', '', 'a', 'unlisted', $1, 1, 2, '', 0, 7)
                """, .blob([1]))
        }
        try await database.migrate(TOTPMigrations.all)
        let unlistedSince = try await database.read { transaction in
            try transaction.rows("SELECT factor_id, unlisted_since FROM factors ORDER BY factor_id").map { row in
                (try row.get("factor_id") as String, try row.getIfPresent("unlisted_since") as Int64?)
            }
        }
        #expect(unlistedSince.map(\.0) == ["listed", "unlisted"] && unlistedSince.map(\.1) == [nil, 7])
        await database.close()
    }
}
