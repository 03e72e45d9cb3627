import Contracts
import FoundationEssentials
import HTTPServer
import UserFiles

extension ConsoleVisit {
    private enum Rest<State: Sendable>: Sendable {
        case first(Data, State?)
        case following(State)
    }

    /// A file of JSON lines, which is sent while it is produced: one part of it is in memory. The first part is made before
    /// the answer, so that a refusal has its page. For each further one the operator is looked up again, since a lower role or
    /// an ended session ends the file; a busy mesh delays it.
    /// - Parameters:
    ///   - role: what the file needs.
    ///   - next: the part of a state, and the state behind it: nil behind the last part.
    func download<State: Sendable>(
        _ name: String, role: Identity.OperatorRole, from state: State,
        _ next: @Sendable @escaping (State) async throws -> (part: Data, state: State?)
    ) async throws -> HTTPResponse {
        let begin = try await next(state)
        let retry = BusyRetry()
        let stream = HTTPBodyStream(from: Rest.first(begin.part, begin.state)) { rest in
            switch rest {
            case .first(let part, let state): return (part, state.map { .following($0) })
            case .following(let state):
                do {
                    let (part, state) = try await retry {
                        guard try await mayStill(role) else { throw ConsoleRefusal.forbidden }
                        return try await next(state)
                    }
                    return (part, state.map { .following($0) })
                } catch ConsoleRefusal.forbidden {
                    throw ConsoleRefusal.forbidden
                } catch {
                    call.gateway.dependencies.report(error, call.trace)
                    throw error
                }
            }
        }
        return HTTPResponse(
            status: 200,
            headers: [
                ("Content-Type", "application/jsonl; charset=utf-8"),
                ("Content-Disposition", "attachment; filename=\"\(name).jsonl\""),
            ], stream: stream)
    }
}
