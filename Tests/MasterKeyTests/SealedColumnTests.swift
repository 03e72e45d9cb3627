import SQL
import Testing

@testable import MasterKey

struct SealedColumnTests {
    @Test func bindingNamesTableColumnAndRow() {
        let one = SealedColumn("sealed_secret", of: "factors", key: ["factor_id"])
        #expect(one.binding("f/1") == Array("factors/sealed_secret/f/1".utf8))
        #expect(one.binding(12) == Array("factors/sealed_secret/12".utf8))
        #expect(one.binding(.blob([0, 255])) == Array("factors/sealed_secret/00ff".utf8))
        let two = SealedColumn("sealed_secret", of: "factors", key: ["project", "factor_id"])
        #expect(two.binding("p", "f") == Array("factors/sealed_secret/1:p,1:f,".utf8))
        #expect(two.binding("p,1:f", "") != two.binding("p", "f"))
    }

    @Test(
        arguments: [
            ("CREATE TABLE a (id TEXT PRIMARY KEY, sealed_x BLOB NOT NULL)", ["a.sealed_x"]),
            (
                "CREATE TABLE IF NOT EXISTS a (sealed_x BLOB);\nCREATE TABLE b(sealed_x BLOB, sealed_y BLOB);",
                ["a.sealed_x", "b.sealed_x", "b.sealed_y"]
            ),
            ("ALTER TABLE a ADD COLUMN sealed_z BLOB", ["a.sealed_z"]),
            ("CREATE TABLE a (sealed_x BLOB); DROP TABLE a; CREATE TABLE c (plain TEXT)", []),
            ("CREATE TABLE a (sealed_x BLOB); ALTER TABLE a DROP COLUMN sealed_x", []),
            ("CREATE TABLE a (unsealed_x BLOB)", []),
        ] as [(String, [String])])
    func sealedColumnsAreReadFromSchema(sql: String, columns: [String]) {
        let named = SealedColumn.named(in: [SQLMigration(1, "test", sql)])
        #expect(named.map { "\($0.table).\($0.column)" }.sorted() == columns)
    }
}

struct ResealingScheduleTests {
    private let start = ContinuousClock.now

    @Test func finishedProcessDoesNotScan() {
        #expect(!ResealingSchedule(isResealed: true, at: start).isScanDue(at: start + .seconds(1000)))
    }

    /// Another process can seal under the old key for one second after the change, and commit later.
    @Test func lastScanStartsAfterEveryProcessReloads() {
        var schedule = ResealingSchedule(isResealed: true, at: start)
        let change = start + .seconds(100)
        schedule.ringChanged(at: change)
        #expect(schedule.isScanDue(at: change))
        var isLast = schedule.scanFinished(since: change, isComplete: false)
        #expect(!isLast)
        #expect(schedule.isScanDue(at: change + .seconds(1)))
        isLast = schedule.scanFinished(since: change + .seconds(1), isComplete: true)
        #expect(!isLast)
        #expect(!schedule.isScanDue(at: change + .milliseconds(4999)))
        #expect(schedule.isScanDue(at: change + .seconds(5)))
        isLast = schedule.scanFinished(since: change + .seconds(5), isComplete: true)
        #expect(isLast)
        #expect(!schedule.isScanDue(at: change + .seconds(1000)))
    }

    @Test func scanWithFindingsIsNotLast() {
        var schedule = ResealingSchedule(isResealed: false, at: start)
        var isLast = schedule.scanFinished(since: start + .seconds(60), isComplete: false)
        #expect(!isLast)
        #expect(schedule.isScanDue(at: start + .seconds(61)))
        isLast = schedule.scanFinished(since: start + .seconds(61), isComplete: true)
        #expect(isLast)
    }
}
