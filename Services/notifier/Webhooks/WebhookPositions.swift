import EventLoop
import SQL
import Vocabulary

/// Reserves positions for the events of webhooks, in a transaction of their own.
///
/// On PostgreSQL two serializable transactions that count in one row exclude each other for as long as they last, and
/// one of them runs again. So the calls that bring events do not count themselves: in each process one short transaction
/// at a time does it for all calls that wait. A call that begins after another has ended gets higher positions, also in
/// another process: the events of an account keep their order.
actor WebhookPositions {
    private struct Request {
        var counts: [WebhookID: Int64]
        var continuation: CheckedContinuation<[WebhookID: Int64], any Error>
    }

    private let database: any SQLDatabase
    private var waiting: [Request] = []
    private var isRunning = false

    init(_ database: any SQLDatabase) {
        self.database = database
    }

    /// - Parameter counts: how many events of each webhook a call brings. The calls that wait are bounded by the capacity
    ///   of the process.
    /// - Returns: the first position of each webhook. Those of a call that fails afterwards stay unused.
    /// - Throws: errors of the database.
    func reserve(_ counts: [WebhookID: Int64]) async throws -> [WebhookID: Int64] {
        guard !counts.isEmpty else { return [:] }
        return try await withCheckedThrowingContinuation { continuation in
            waiting.append(Request(counts: counts, continuation: continuation))
            guard !isRunning else { return }
            isRunning = true
            // Not a child: the end of one call does not end the reservation of the others.
            EventLoop.startTask { await self.run() }
        }
    }

    private func run() async {
        while !waiting.isEmpty {
            let requests = waiting
            waiting = []
            let total = requests.reduce(into: [WebhookID: Int64]()) { total, request in
                total.merge(request.counts, uniquingKeysWith: +)
            }
            do {
                var next = try await reserve(total: total)
                for request in requests {
                    let positions = next.filter { request.counts[$0.key] != nil }
                    for (id, count) in request.counts { next[id, default: 1] += count }
                    request.continuation.resume(returning: positions)
                }
            } catch {
                for request in requests { request.continuation.resume(throwing: error) }
            }
        }
        isRunning = false
    }

    /// - Returns: the first of the positions.
    private func reserve(total: [WebhookID: Int64]) async throws -> [WebhookID: Int64] {
        // In one order, so that no two processes wait for each other.
        let counts = total.sorted { $0.key < $1.key }
        return try await database.write { transaction in
            var first: [WebhookID: Int64] = [:]
            for (id, count) in counts {
                let last: Int64? = try transaction.firstRow(
                    WebhookPositionTable.reservation, [.webhookID: id, .lastPosition: count])?.get(.lastPosition)
                if let last { first[id] = last - count + 1 }
            }
            return first
        }
    }
}
