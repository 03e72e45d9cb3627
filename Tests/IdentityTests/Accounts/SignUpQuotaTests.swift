import Contracts
import Crypto
import SQL
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// REST 5.1, `quota.signUpQuotaConfig`.
@Suite struct SignUpQuotaTests {
    /// The fixture's clock starts at 2023-11-14T22:13:20Z.
    private func fixture(from start: String = "2023-11-14T00:00:00Z", isDev: Bool = false) async throws
        -> IdentityFixture
    {
        let fixture = try await IdentityFixture(isDev: isDev)
        try await fixture.configure { configuration in
            var quota = ProjectConfiguration.Quota.SignUpQuota()
            quota.quota = "2"
            quota.startTime = start
            quota.quotaDuration = "172800s"
            configuration.quota = .init()
            configuration.quota?.signUpQuotaConfig = quota
            configuration.signIn?.anonymous?.enabled = true
        }
        return fixture
    }

    private func signUp(_ fixture: IdentityFixture, from address: String? = "192.0.2.1") async throws {
        _ = try await fixture.send(
            Identity.SignUp(realm: IdentityFixture.realm, client: ClientContext(ipAddress: address)))
    }

    @Test func quotaLimitsAccountsPerAddressAndHour() async throws {
        let fixture = try await fixture()
        for _ in 0..<2 { try await signUp(fixture) }
        await #expect(
            throws: ServiceError.limited(by: .signUpsPerNetwork, until: Moment(milliseconds: 1_700_002_800_000))
        ) {
            try await signUp(fixture)
        }
        try await signUp(fixture, from: "192.0.2.2")
        for _ in 0..<3 { try await signUp(fixture, from: nil) }
        fixture.clock.advance(by: .seconds(3600))
        try await signUp(fixture)
    }

    /// Security rule RL1: one customer has a /64, and many have a /48.
    @Test func quotaCountsNetworksAndTheirSites() async throws {
        let fixture = try await fixture()
        for number in 0..<2 { try await signUp(fixture, from: "2001:db8:1:1::\(number)") }
        await #expect(throws: ServiceError.self) { try await signUp(fixture, from: "2001:db8:1:1::9") }
        for network in 2...ClientNetwork.siteFactor {
            for number in 0..<2 { try await signUp(fixture, from: "2001:db8:1:\(network)::\(number)") }
        }
        await #expect(throws: ServiceError.self) { try await signUp(fixture, from: "2001:db8:1:99::1") }
        try await signUp(fixture, from: "2001:db8:2:1::1")
    }

    /// Without the key of the installation all networks could be tried.
    @Test func digestDependsOnKeyNetworkAndHour() throws {
        var configuration = ProjectConfiguration()
        configuration.quota = .init()
        configuration.quota?.signUpQuotaConfig = .init()
        configuration.quota?.signUpQuotaConfig?.quota = "2"
        configuration.quota?.signUpQuotaConfig?.startTime = "2023-11-14T00:00:00Z"
        configuration.quota?.signUpQuotaConfig?.quotaDuration = "172800s"
        func digests(_ address: String, key: UInt8, at now: Moment = ManualClock().now) throws -> [[UInt8]] {
            try #require(
                SignUpQuota(
                    configuration, of: ProjectID("demo"), for: .init(ipAddress: address), at: now,
                    digest: { HMAC.sha256(key: [key], message: $0) })
            ).subjects.map(\.digest)
        }
        let first = try digests("2001:db8:1:1::1", key: 1)
        #expect(first.count == 2 && first[0] != first[1])
        #expect(try digests("2001:db8:1:1::2", key: 1) == first)
        #expect(try digests("2001:db8:1:2::1", key: 1)[1] == first[1])
        #expect(Set(try digests("2001:db8:1:1::1", key: 2)).isDisjoint(with: first))
        #expect(
            Set(try digests("2001:db8:1:1::1", key: 1, at: ManualClock().now + .seconds(3600))).isDisjoint(with: first))
        #expect(try digests("192.0.2.1", key: 1).count == 1)
    }

    @Test(arguments: ["2023-11-15T00:00:00Z", "2023-11-12T00:00:00Z"]) func quotaAppliesOnlyWithinItsPeriod(
        start: String
    ) async throws {
        let fixture = try await fixture(from: start)
        for _ in 0..<3 { try await signUp(fixture) }
    }

    @Test func devModeIsExempt() async throws {
        let fixture = try await fixture(isDev: true)
        for _ in 0..<3 { try await signUp(fixture) }
    }

    @Test(arguments: StoreEngine.allCases)
    func olderCountContinues(engine: StoreEngine) async throws {
        let place = try await StoreLocation(engine, name: "identity")
        let database = try await place.open()
        try await database.migrate(
            IdentityMigrations.all.filter { $0.version < IdentityMigrations.signUpCountSubjects.version })
        try await database.write { transaction in
            try transaction.execute(
                "INSERT INTO sign_up_counts (counter, count, ends_at) VALUES ($1, 7, 9)", .blob([1, 2]))
        }
        try await database.migrate(IdentityMigrations.all)
        let count = try await database.write { transaction in
            let moment = Moment(milliseconds: 9)
            return try transaction.firstRow(
                SignUpCountTable.increment, [.subjectDigest: [UInt8]([1, 2]), .endsAt: moment])?.get(.count) as Int64?
        }
        #expect(count == 8)
        await database.close()
    }
}
