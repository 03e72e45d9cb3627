import Postgres
import SQL
import TestSupport
import Testing

/// Errors that a launcher reports in one sentence.
@Suite struct PostgresOpeningTests {
    private func refusal(_ text: String) async throws -> SQLError? {
        let url = try PostgresURL(text)
        return await PostgresTests.refusal {
            _ = try await PostgresDatabase(url, schema: "tests", connections: 1, limits: .longRunning)
        }
    }

    @Test func wrongPasswordIsRefusedPermanentlyAndNotShown() async throws {
        let server = try await RunningPostgres.shared()
        let error = try await refusal(server.address(of: "postgres", password: "wrong"))
        #expect(
            error
                == .cannotOpen(
                    path: "postgres://latchkey@127.0.0.1:\(server.port)/postgres",
                    message: "the server refuses the name or the password"))
        #expect(error?.isPermanent == true)
        #expect(try await refusal(server.address(of: "postgres", user: "nobody")) != nil)
    }

    @Test func missingDatabaseIsRefused() async throws {
        let server = try await RunningPostgres.shared()
        let error = try await refusal(server.address(of: "nowhere"))
        #expect(
            error
                == .cannotOpen(
                    path: "postgres://latchkey@127.0.0.1:\(server.port)/nowhere",
                    message: "the server has no database of this name"))
    }

    @Test(arguments: ["require", "verify-full"])
    func requiredTLSRefusesServerWithoutTLS(mode: String) async throws {
        let server = try await RunningPostgres.shared()
        guard case .cannotOpen(_, let message)? = try await refusal(server.address(of: "postgres") + "?sslmode=\(mode)")
        else {
            Issue.record("opened, or refused otherwise")
            return
        }
        #expect(message.contains("TLS") || message.contains("certificate"))
    }

    @Test func closedPortIsUnavailable() async throws {
        // Port 1 is privileged and unused (tcpmux, RFC 1078).
        let error = try await refusal("postgres://u:secret@127.0.0.1:1/d")
        #expect(error?.isUnavailable == true)
        #expect(error?.description.contains("secret") == false)
        #expect(error?.description.contains("\n") == false)
    }

    @Test func schemaIsCreatedAndContainsTables() async throws {
        let server = try await RunningPostgres.shared()
        let address = try await server.makeDatabase()
        let name = try #require(address.split(separator: "/").last.map(String.init))
        for schema in ["mfa_totp", "quo\"ted"] {
            let database = try await PostgresDatabase(
                PostgresURL(address), schema: schema, connections: 1, limits: .longRunning)
            try await database.migrate(numbers)
            await database.close()
        }
        let schemas = try await server.run(
            "SELECT schemaname FROM pg_tables WHERE tablename = 'numbers' ORDER BY 1", database: name)
        #expect(schemas == "mfa_totp\nquo\"ted")
    }

    @Test func existingSchemaNeedsNoCreateRight() async throws {
        let server = try await RunningPostgres.shared()
        let address = try await server.makeDatabase()
        let name = try #require(address.split(separator: "/").last.map(String.init))
        try await server.run(
            """
            CREATE ROLE "\(name)_guest" LOGIN PASSWORD 'guest';
            CREATE SCHEMA tests AUTHORIZATION "\(name)_guest";
            """, database: name)
        let guest = server.address(of: name, user: "\(name)_guest", password: "guest")
        let database = try await PostgresDatabase(
            PostgresURL(guest), schema: "tests", connections: 1, limits: .longRunning)
        try await database.migrate(numbers)
        try await database.insert(1)
        #expect(try await database.ids() == [1])
        await database.close()
        // It would have to create another schema.
        let error = await PostgresTests.refusal {
            _ = try await PostgresDatabase(PostgresURL(guest), schema: "others", connections: 1, limits: .longRunning)
        }
        guard case .other(code: "42501", _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func parallelStartsCreateOneSchema() async throws {
        let url = try await freshURL()
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    let database = try await PostgresDatabase(
                        url, schema: "tests", connections: 1, limits: .longRunning)
                    await database.close()
                }
            }
            try await group.waitForAll()
        }
    }
}
