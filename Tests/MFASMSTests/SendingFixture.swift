import Contracts
import PhoneNumbers
import Postgres
import SQL
import SQLite
import Storage
import TestSupport
import Testing
import Vocabulary

@testable import MFASMSService

extension CountedSend {
    /// A message to a number with a German mobile prefix.
    static func example(
        _ number: String = "+4915112345678", region: String? = "DE", purpose: Purpose = .signIn,
        account: String? = nil, from address: String? = "192.0.2.1", in project: String = "p", tenant: String? = nil
    ) throws -> CountedSend {
        CountedSend(
            realm: Realm(project: ProjectID(project), tenant: tenant.map(TenantID.init)),
            number: ParsedPhoneNumber(number: try #require(PhoneNumber(number)), region: region, kind: .mobile),
            purpose: purpose, accountID: account.map(AccountID.init), ipAddress: address)
    }
}

extension Moment {
    /// The beginning of a UTC day, and so of an hour.
    static let midnight = Moment(milliseconds: 1_700_006_400_000)

    static func + (time: Moment, seconds: Int) -> Moment { time + .seconds(seconds) }
}

/// The send limits with all real parts except the clock.
struct SendingFixture {
    let clock = ManualClock(.midnight)
    private let place: StoreLocation

    init(_ engine: StoreEngine = .memory) async throws {
        place = try await StoreLocation(engine, name: "mfa_sms", migrations: SMSMigrations.all)
    }

    /// The objects of one process: its own connection to the shared database.
    func process(_ policy: SendingPolicy = SendingPolicy()) async throws -> SendingProcess {
        let database = try await place.open()
        try await database.migrate(SMSMigrations.all)
        return SendingProcess(
            database: database,
            rules: SendingConfiguration(policy: policy, digestKey: [UInt8](repeating: 7, count: 32)),
            clock: clock)
    }
}

struct SendingProcess: Sendable {
    let database: any SQLDatabase
    let rules: SendingConfiguration
    let clock: ManualClock

    private var store: SendingStore { SendingStore(rules: rules) }

    func admit(_ send: CountedSend) async throws -> ServiceError? {
        try await database.write { [store, clock] in try store.admit(send, at: clock.now, in: $0) }
    }

    func refund(_ send: CountedSend, admittedAt: Moment? = nil) async throws {
        try await database.write { [store, clock] in
            try store.refund(send, admittedAt: admittedAt ?? clock.now, in: $0)
        }
    }

    func recordVerified(_ send: CountedSend) async throws {
        try await database.write { [store, clock] in try store.recordVerified(send, at: clock.now, in: $0) }
    }

    func sending(of project: String = "p") async throws -> MFASMS.ReadSendingStatus.Reply {
        try await database.read { [store, clock] in
            try store.status(of: ProjectID(project), at: clock.now, in: $0)
        }
    }

    func rows(_ sql: String) async throws -> [SQLRow] { try await database.read { try $0.rows(sql) } }

    func count(_ table: String) async throws -> Int {
        try await rows("SELECT COUNT(*) AS count FROM \(table)")[0].get("count")
    }

    /// A policy without limits.
    static var boundless: SendingPolicy {
        var policy = SendingPolicy()
        policy.resendDelays = []
        policy.counts.perNumber = nil
        policy.counts.perAccount = nil
        policy.counts.perAddress = nil
        policy.counts.perPrefixInHour = nil
        policy.counts.perPrefixInDay = nil
        policy.budget.inHour = nil
        policy.budget.inDay = nil
        policy.conversion.minimumPercent = 0
        return policy
    }
}
