import SQL
import TestSupport
import Testing
import Vocabulary

@testable import MFASMSService

struct PrefixMigrationTests {
    @Test(arguments: StoreEngine.allCases)
    func olderRecordKeepsItsValues(engine: StoreEngine) async throws {
        let place = try await StoreLocation(engine, name: "sms")
        let database = try await place.open()
        try await database.migrate(
            SMSMigrations.all.filter { $0.version < SendingMigrations.prefixColumns.version })
        try await database.write { transaction in
            try transaction.execute(
                """
                INSERT INTO sending_ranges (
                    project, prefix, sent, verified, settled, marked, marked_at, last_sent_at, closed_until, closings)
                VALUES ('p', '+8801812', 9, 1, 7, 8, 100, 200, 300, 2), ('p', '+4915112', 1, 0, 0, 0, 100, 200, NULL, 0)
                """)
        }
        try await database.migrate(SMSMigrations.all)
        let records = try await database.read { transaction in
            try ["+8801812", "+4915112"].map { prefix in
                try transaction.firstRow(PrefixTable.byKey, [.project: "p", .prefix: prefix], 0).map(PrefixRecord.init)
            }
        }
        let (blocked, open) = (records[0], records[1])
        var expected = PrefixRecord(at: Moment(milliseconds: 100))
        (expected.sent, expected.verified, expected.maturedCount, expected.checkpointSent) = (9, 1, 7, 8)
        (expected.lastSentAt, expected.blockedUntil) = (Moment(milliseconds: 200), Moment(milliseconds: 300))
        expected.blockCount = 2
        #expect(blocked == expected)
        #expect(open?.blockedUntil == nil && open?.blockCount == 0 && open?.sent == 1)
        let listed = try await database.read { transaction in
            try transaction.rows(PrefixTable.blocked, [.project: "p"], 0).map { try $0.get(.prefix) as String }
        }
        #expect(listed == ["+8801812"])
        await database.close()
    }
}
