import Delivery
import SQL
import Synchronization
import TestSupport
import Vocabulary

/// The rows of an outbox of these tests, in two groups.
enum ParcelTable: String, SQLLeasedTable {
    case door, leases
    case parcelID = "parcel_id"
    case dueAt = "due_at"
    case pausedAt = "paused_at"
    case leaseHolder = "lease_holder"
    case expiresAt = "expires_at"

    static let table = "parcels"
    static let key = [parcelID]
    static let expiry = SQLExpiry<Self>.never
    static let leaseNumber = Self.leases
    static let leasableUntil: Self? = .expiresAt

    static let insertion = insert()
    static let removal = delete()
    static let statements = SQLLeases<Self>(by: [door])

    static let migration = SQLMigration(
        1, "parcels",
        """
        CREATE TABLE parcels (
            parcel_id INTEGER PRIMARY KEY,
            door INTEGER NOT NULL,
            due_at INTEGER NOT NULL,
            paused_at INTEGER NOT NULL,
            lease_holder TEXT,
            leases INTEGER NOT NULL,
            expires_at INTEGER NOT NULL
        )
        """)
}

/// What happens to the parcels of a test.
final class Deliveries: Sendable {
    private struct State {
        var delivered: [Int] = []
        var shown: [String] = []
        var failuresOfStore = 0
    }

    private let state = Mutex(State())

    var delivered: [Int] { state.withLock { $0.delivered } }
    /// Beginnings and ends of outages.
    var shown: [String] { state.withLock { $0.shown } }

    func deliver(_ parcel: Int) { state.withLock { $0.delivered.append(parcel) } }
    func show(_ text: String) { state.withLock { $0.shown.append(text) } }
    /// The store fails with this many of the next outcomes.
    func failStore(_ count: Int) { state.withLock { $0.failuresOfStore = count } }

    func recordOutcome() throws {
        try state.withLock { state in
            guard state.failuresOfStore > 0 else { return }
            state.failuresOfStore -= 1
            throw CancellationError()
        }
    }
}

/// One door of parcels, in a database that several processes share.
struct ParcelOutbox: Outbox {
    struct Parcel: Sendable {
        var id: Int
        var lease: SQLLease<ParcelTable>
    }

    let database: any SQLDatabase
    let holder: String
    let deliveries: Deliveries
    /// Whether the parcel was delivered; nil: interrupted.
    let attempt: @Sendable (Int) async -> Bool?
    /// What happens between the lease of parcels and the first attempt.
    let afterLease: @Sendable ([Parcel]) -> Void

    var name: String { "parcels" }

    init(
        _ database: any SQLDatabase, holder: String, _ deliveries: Deliveries,
        attempt: (@Sendable (Int) async -> Bool?)? = nil,
        afterLease: @escaping @Sendable ([Parcel]) -> Void = { _ in }
    ) async throws {
        self.database = database
        self.holder = holder
        self.deliveries = deliveries
        self.afterLease = afterLease
        self.attempt =
            attempt ?? { parcel in
                deliveries.deliver(parcel)
                return true
            }
        try await database.migrate([ParcelTable.migration])
    }

    /// The same outbox in another process.
    init(copying other: ParcelOutbox, holder: String) {
        database = other.database
        self.holder = holder
        deliveries = other.deliveries
        attempt = other.attempt
        afterLease = other.afterLease
    }

    func insert(_ ids: some Sequence<Int> & Sendable, door: Int = 1, at now: Moment) async throws {
        try await database.write { transaction in
            for id in ids {
                try transaction.execute(
                    ParcelTable.insertion,
                    [
                        .parcelID: id, .door: door, .dueAt: now, .pausedAt: now, .leaseHolder: nil, .leases: 0,
                        .expiresAt: now + .seconds(3600),
                    ])
            }
        }
    }

    func count() async throws -> Int {
        try await database.read { try $0.firstRow("SELECT COUNT(*) AS count FROM parcels")?.get("count") ?? 0 }
    }

    func receivers(at now: Moment) async throws -> [Door] {
        try await database.read { transaction in
            try [1, 2].filter { try ParcelTable.statements.hasDueRow(of: [.door: $0], at: now, transaction) }
                .map { Door(number: $0) }
        }
    }

    func lease(upTo count: Int, for door: Door, at now: Moment) async throws -> [Parcel] {
        let parcels = try await database.write { transaction in
            try ParcelTable.statements.acquire(
                upTo: count, of: [.door: door.number], to: holder, for: .seconds(60), at: now, transaction
            ).map { Parcel(id: try $0.get(.parcelID), lease: try SQLLease($0)) }
        }
        afterLease(parcels)
        return parcels
    }

    static var interrupted: Bool? { nil }

    func attempt(_ parcel: Parcel) async -> Bool? { await attempt(parcel.id) }

    func report(_ isDelivered: Bool?, of parcel: Parcel) -> ReceiverReport {
        isDelivered.map { $0 ? .works : .unavailable(reason: "closed") } ?? .nothing
    }

    func record(_ isDelivered: Bool?, of parcel: Parcel, at now: Moment, jitter: Double) async throws {
        try deliveries.recordOutcome()
        try await database.write { transaction in
            guard try ParcelTable.statements.end(parcel.lease, dueAt: now, at: now, transaction) else { return }
            if isDelivered == true { try transaction.execute(ParcelTable.removal, parcel.lease.key) }
        }
    }

    func releaseLeases(
        ofEndedProcesses hasEnded: @escaping @Sendable (String) -> Bool, at now: Moment
    ) async throws -> Int {
        try await database.write { transaction in
            try ParcelTable.statements.release(ofEndedProcesses: hasEnded, at: now, transaction)
        }
    }

    func show(_ change: OutageChange, of door: Door, at now: Moment) async {
        switch change {
        case .began(let outage): deliveries.show("\(outage.reason) \(door.number)")
        case .continues: break
        case .ended: deliveries.show("open \(door.number)")
        }
    }
}
