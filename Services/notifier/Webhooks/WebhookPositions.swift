import DatabaseService
import SQL
import Vocabulary

/// Reserves positions for the events of webhooks, in a transaction of their own.
///
/// On PostgreSQL two serializable transactions that count in one row exclude each other for as long as they last, and
/// one of them runs again. So the calls that bring events do not count themselves: in each process one short transaction
/// at a time does it for all calls that wait. A call that begins after another has ended gets higher positions, also in
/// another process: the events of an account keep their order.
struct WebhookPositions {
    /// How many events of each webhook a call brings, and the first position of each.
    private typealias Counts = [WebhookID: Int64]

    private let calls: BatchedCalls<Counts, Counts>

    init(_ database: any SQLDatabase) {
        calls = BatchedCalls { requests in
            let total = requests.reduce(into: Counts()) { $0.merge($1, uniquingKeysWith: +) }
            var next = try await Self.reserve(total, in: database)
            return requests.map { counts in
                let positions = next.filter { counts[$0.key] != nil }
                for (id, count) in counts { next[id, default: 1] += count }
                return positions
            }
        }
    }

    /// - Parameter counts: how many events of each webhook a call brings.
    /// - Returns: the first position of each webhook. Those of a call that fails afterwards stay unused.
    /// - Throws: errors of the database.
    func reserve(_ counts: [WebhookID: Int64]) async throws -> [WebhookID: Int64] {
        counts.isEmpty ? [:] : try await calls.reply(to: counts)
    }

    /// - Returns: the first of the positions.
    private static func reserve(_ total: Counts, in database: any SQLDatabase) async throws -> Counts {
        // In one order, so that no two processes wait for each other.
        let counts = total.sorted { $0.key < $1.key }
        return try await database.write { transaction in
            var first: Counts = [:]
            for (id, count) in counts {
                let last: Int64? = try transaction.firstRow(
                    WebhookPositionTable.reservation, [.webhookID: id, .lastPosition: count])?.get(.lastPosition)
                if let last { first[id] = last - count + 1 }
            }
            return first
        }
    }
}
