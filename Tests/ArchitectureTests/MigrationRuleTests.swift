import Contracts
import FederationService
import IdentityService
import MFASMSService
import MFATOTPService
import NotifierService
import PasskeyService
import SQL
import Settings
import Testing

/// Processes of two adjacent releases serve one database. So a migration that takes something away from the earlier one is
/// declared as a contraction, which waits for it.
@Suite struct MigrationRuleTests {
    /// All migrations of each service, and the last one before this rule.
    private static let schemas: [(service: ServiceName, migrations: [SQLMigration], lastFree: Int)] = [
        (.identity, IdentityStore.migrations, 46), (.notifier, NotifierStore.migrations, 10),
        (.passkey, PasskeyStore.migrations, 6), (.federation, FederationStore.migrations, 6),
        (.mfaSMS, SMSStore.migrations, 7), (.mfaTOTP, TOTPStore.migrations, 6),
    ]

    @Test func everyServiceWithDataIsJudged() {
        #expect(Set(Self.schemas.map(\.service)) == Set(ServiceName.allCases.filter(\.ownsData)))
    }

    @Test func migrationsAreExpansionsOrDeclared() {
        for (service, migrations, lastFree) in Self.schemas {
            for migration in migrations.dropFirst(lastFree) where migration.compatibleSince == nil {
                #expect(
                    Self.removals(in: migration.sql) == [],
                    "\(service.rawValue) \(migration.version) (\(migration.name)) is no expansion: declare a .contraction"
                )
            }
        }
    }

    @Test(arguments: [
        "CREATE TABLE t (id TEXT PRIMARY KEY, n TEXT NOT NULL UNIQUE); CREATE UNIQUE INDEX t_n ON t (n)",
        "ALTER TABLE t ADD COLUMN a TEXT; ALTER TABLE t ADD COLUMN b INTEGER NOT NULL DEFAULT 0",
        "CREATE INDEX t_a ON t (a); UPDATE t SET a = n; INSERT INTO t (id) SELECT id FROM u",
    ])
    func expansionsAreFree(sql: String) {
        #expect(Self.removals(in: sql) == [])
    }

    @Test(arguments: [
        "DROP TABLE t", "drop index t_a", "ALTER TABLE t DROP COLUMN a", "ALTER TABLE t RENAME COLUMN a TO b",
        "ALTER TABLE t RENAME TO u", "ALTER TABLE t ADD COLUMN a TEXT NOT NULL",
        "ALTER TABLE t ADD COLUMN a TEXT UNIQUE",
        "ALTER TABLE t ALTER COLUMN a SET NOT NULL", "ALTER TABLE t ADD CONSTRAINT c CHECK (a > 0)",
        "CREATE UNIQUE INDEX t_a ON t (a)",
        "CREATE TABLE u (id TEXT); CREATE UNIQUE INDEX IF NOT EXISTS t_a\n ON t (a)",
        "DELETE FROM t",
    ])
    func removalsAreFound(sql: String) {
        #expect(Self.removals(in: sql).count == 1)
    }

    /// The statements that a process of the release before may not survive.
    private static func removals(in sql: String) -> [String] {
        let statements = sql.split(separator: ";").map { statement in
            statement.uppercased().split(whereSeparator: { $0.isWhitespace || $0 == "(" }).map(String.init)
        }.filter { !$0.isEmpty }
        let created = Set(
            statements.filter { $0.starts(with: ["CREATE", "TABLE"]) }.compactMap { words in
                words.dropFirst(2).first { !["IF", "NOT", "EXISTS"].contains($0) }
            })
        return statements.filter { words in
            let removes =
                ["DROP", "DELETE"].contains(words[0])
                || words[0] == "ALTER" && !Set(words).isDisjoint(with: ["DROP", "RENAME", "CONSTRAINT", "UNIQUE"])
                || words[0] == "ALTER" && words.dropFirst().contains("ALTER")
            let requires =
                words[0] == "ALTER" && words.contains("NULL") && words.contains("NOT") && !words.contains("DEFAULT")
            let isUnique = words.starts(with: ["CREATE", "UNIQUE"])
            let table = words.firstIndex(of: "ON").flatMap { words[words.index(after: $0)...].first }
            return removes || requires || isUnique && !created.contains(table ?? "")
        }.map { $0.joined(separator: " ") }
    }
}
