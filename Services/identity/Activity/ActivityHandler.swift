import Bus
import Contracts
import Vocabulary

/// Adds what processes have counted, and reads it for the overview of the console.
struct ActivityHandler: IdentityComponent {
    let context: IdentityContext

    func record(_ request: Identity.RecordActivity, _ call: BusCall) async throws -> EmptyReply {
        guard request.entries.count <= Identity.RecordActivity.maximumEntries else {
            throw ServiceError(.invalidRequest, "too many entries")
        }
        let now = now()
        return try await store.add(
            ActivityIncrement.all(of: request.entries, at: now), idempotency: store.idempotentCall(for: call, at: now))
    }

    func read(_ request: Identity.ReadActivity, _ call: BusCall) async throws -> Identity.ReadActivity.Reply {
        if let project = request.project { _ = try await projects.project(project, traceID: call.trace.traceID) }
        let now = now()
        let periods = ActivityPeriods(request.span, at: now)
        return .init(
            start: periods.start, periodSeconds: periods.resolution.period.components.seconds, periods: periods.count,
            counts: try await store.activity(
                of: request.project?.rawValue ?? ActivityIncrement.installation, in: periods),
            costsOfToday: request.project == nil ? try await store.costsOfDay(at: now) : [])
    }
}
