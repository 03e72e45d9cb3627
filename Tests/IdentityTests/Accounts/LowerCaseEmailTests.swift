import Contracts
import DatabaseService
import MasterKey
import SQL
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// E-mail addresses are stored and returned in lowercase, whatever case the request had.
@Suite(.serialized) struct LowerCaseEmailTests {
    @Test(arguments: StoreEngine.allCases) func emailIsStoredAndReturnedInLowercase(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let made = try await fixture.signUp("Ada@Example.COM")
        #expect(made.account.email?.rawValue == "ada@example.com")
        await #expect(throws: ServiceError(.emailExists)) { try await fixture.signUp("aDA@example.com") }
        let changed = try await fixture.change(made.account.id, .init(email: "GRACE@example.com"))
        #expect(changed.email?.rawValue == "grace@example.com" && changed.initialEmail?.rawValue == "ada@example.com")
        let sent = try await fixture.send(.passwordReset, "Grace@EXAMPLE.com")
        #expect(sent.email.rawValue == "grace@example.com")
        #expect(try await fixture.mail(.resetPassword).recipient.rawValue == "grace@example.com")
        let stored = try await fixture.store.read { transaction in
            try transaction.rows("SELECT email, initial_email FROM accounts").map { row in
                [try row.get("email") as String, try row.get("initial_email") as String]
            }
        }
        #expect(stored == [["grace@example.com", "ada@example.com"]])
    }

    /// An older database has `email` in its original case, and `email_folded` beside it.
    @Test(arguments: StoreEngine.allCases) func olderDatabaseIsMigratedToLowercase(engine: StoreEngine) async throws {
        let place = try await StoreLocation(engine, name: "identity")
        let database = try await place.open()
        try await database.migrate(
            IdentityMigrations.all.filter { $0.version < IdentityMigrations.lowerCaseEmails.version })
        try await database.write { transaction in
            try transaction.execute(
                """
                INSERT INTO projects (project, number, api_key, configuration, revision, created_at)
                VALUES ('demo', '1', 'k', '{}', 1, 0)
                """)
            for (id, email, initial) in [("a", "Ada@example.com", "OLD@example.com"), ("b", "Ü@example.com", nil)] {
                try transaction.execute(
                    """
                    INSERT INTO accounts (
                        project, tenant, account_id, email, email_folded, initial_email, initial_email_folded,
                        email_verified, email_link_sign_in, disabled, custom_authentication, valid_since, created_at)
                    VALUES ('demo', '', $1, $2, $3, $4, $5, 1, 0, 0, 0, 0, 0)
                    """, .text(id), .text(email), .text(email.asciiLowercased), SQLValue(initial),
                    SQLValue(initial?.asciiLowercased))
            }
            try transaction.execute(
                """
                INSERT INTO provider_links (
                    project, tenant, provider_id, provider_account_id, account_id, position, email)
                VALUES ('demo', '', 'google.com', '1', 'a', 0, 'Ada@gmail.example')
                """)
            try transaction.execute(
                """
                INSERT INTO action_codes (
                    code_hash, project, tenant, purpose, account_id, email, email_folded, created_at, expires_at)
                VALUES ($1, 'demo', '', 'passwordReset', 'a', 'Ada@example.com', 'ada@example.com', 0, 1)
                """, .blob([1]))
        }
        let store = try await IdentityStore(database, keys: ReloadingMasterKeyRing(.variable(.init(.random()))))
        let rows = try await store.read { transaction in
            try transaction.rows(
                """
                SELECT email FROM accounts UNION ALL SELECT initial_email FROM accounts WHERE initial_email IS NOT NULL
                UNION ALL SELECT email FROM action_codes UNION ALL SELECT email FROM provider_links
                """
            ).map { try $0.get("email") as String }
        }
        #expect(
            rows.sorted() == [
                "Ada@gmail.example", "ada@example.com", "ada@example.com", "old@example.com", "Ü@example.com",
            ])
        let found = try await store.accounts([.email("ADA@example.com")], in: IdentityFixture.realm)
        #expect(found.map(\.id) == [AccountID("a")] && found.first?.email?.rawValue == "ada@example.com")
        #expect(found.first?.providers.first?.email == "Ada@gmail.example")
        await store.close()
    }
}
