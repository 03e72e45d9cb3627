import Bus
import Contracts
import FoundationEssentials
import HTTPClient
import Vocabulary

/// Calls the blocking functions that sign-ins require (REST 8).
struct BlockingFunctionCaller: IdentityComponent {
    let context: IdentityContext

    /// Calls of one sign-in: one for each event, and another one if the account changes meanwhile.
    static let maximumCalls = 3

    private var client: BlockingFunctionClient { context.blockingFunctionClient }
    private var metrics: BlockingFunctionMetrics { context.blockingFunctionMetrics }

    /// Runs the transaction of a sign-in. When it requires a function, calls the function and runs it again with the
    /// response.
    /// - Parameters:
    ///   - first: the result of a first run that the caller has made.
    ///   - transaction: must be atomic: what throws `BlockingFunctionRequired` has stored nothing.
    /// - Throws: `blockingFunctionError` when a function fails or refuses, `accountDisabled` when it disables the
    /// account, `overloaded`, `deadlineExceeded`, and errors of `transaction`.
    func run<Reply: Sendable>(
        _ context: BlockingFunctionContext, _ call: BusCall, first: Result<Reply, BlockingFunctionRequired>? = nil,
        _ transaction: (BlockingFunctionResponses) async throws -> Reply
    ) async throws -> Reply {
        var responses = responses(to: context)
        var latest = first
        for _ in 0..<Self.maximumCalls {
            let result: Result<Reply, BlockingFunctionRequired>
            if let known = latest { result = known } else { result = try await attempt(responses, transaction) }
            latest = nil
            switch result {
            case .success(let reply): return reply
            case .failure(let required):
                let changes = try await evaluate(required, context, call)
                if changes.isDisabled == true {
                    try await storeDisabled(required, changes, context, call)
                    throw ServiceError(.accountDisabled)
                }
                responses.add(changes, to: required)
            }
        }
        switch try await attempt(responses, transaction) {
        case .success(let reply): return reply
        // The account changes faster than functions respond.
        case .failure: throw ServiceError.overloaded
        }
    }

    /// Runs the transaction once.
    func attempt<Reply: Sendable>(
        _ responses: BlockingFunctionResponses, _ transaction: (BlockingFunctionResponses) async throws -> Reply
    ) async throws -> Result<Reply, BlockingFunctionRequired> {
        do {
            return .success(try await transaction(responses))
        } catch let required as BlockingFunctionRequired {
            return .failure(required)
        }
    }

    // MARK: One call

    /// The changes that the function of an event requests.
    private func evaluate(
        _ required: BlockingFunctionRequired, _ context: BlockingFunctionContext, _ call: BusCall
    ) async throws -> BlockingFunctionChanges {
        let (event, began) = (required.event, now())
        let project = context.project.id
        guard let url = context.project.configuration.blockingFunctionURL(for: event).flatMap({ WebURL($0) }) else {
            throw ServiceError.blockingFunctionError(.unreachable)
        }
        func fail(_ result: BlockingFunctionMetrics.Result, _ reason: String, _ error: ServiceError) -> ServiceError {
            metrics.count(event, result, took: .milliseconds(now().milliseconds(since: began)))
            metrics.logFailure(
                event, of: project, host: String(url.authority), reason: reason, trace: call.trace)
            return error
        }
        do {
            let token = try await idTokens.issueBlockingFunctionEvent(
                BlockingFunctionEventClaims(
                    required: required, context: context, audience: url.text,
                    eventID: RandomUUID.text(of: randomBytes(16)), issuedAt: began.timestamp))
            let body = try await client.call(url, event: token, of: project)
            let changes = try BlockingFunctionChanges(responseBody: body, to: event)
            // Claims can be too long only together with those of the account.
            var (stored, authentication) = (required.stored, required.authentication)
            try changes.apply(to: &stored, &authentication)
            metrics.count(
                event, changes.isDisabled == true ? .disabled : .accepted,
                took: .milliseconds(now().milliseconds(since: began)))
            // Nothing is stored for a caller that has stopped waiting.
            guard now() < call.deadline else { throw ServiceError(.deadlineExceeded) }
            return changes
        } catch let failure as BlockingFunctionClient.Failure {
            switch failure {
            case .overloaded: throw fail(.overloaded, "too many calls", .overloaded)
            case .notSent(let error):
                let isLate = error == .timedOut
                throw fail(.failed, "\(error)", .blockingFunctionError(isLate ? .timedOut : .unreachable))
            case .declined(let status, let error):
                // The function does what it is for.
                metrics.count(event, .refused, took: .milliseconds(now().milliseconds(since: began)))
                metrics.logRefusal(event, of: project, host: String(url.authority), status: status, trace: call.trace)
                throw ServiceError.blockingFunctionError(error)
            case .refused(let status, let error):
                throw fail(.failed, "status \(status)", .blockingFunctionError(error))
            }
        } catch let error as BlockingFunctionChanges.InvalidResponseError {
            throw fail(.invalid, error.reason, .blockingFunctionError(.invalidResponse))
        } catch let error as ServiceError where error.code == .blockingFunctionError {
            throw fail(.invalid, "the claims are too long together", error)
        }
    }

    // MARK: Disabled accounts

    private func storeDisabled(
        _ required: BlockingFunctionRequired, _ changes: BlockingFunctionChanges, _ context: BlockingFunctionContext,
        _ call: BusCall
    ) async throws {
        let account = required.stored.account
        let revokesSessions = try await store.storeDisabled(
            required, changes, within: context.quota,
            audit: { isNew in
                AuditEntry(
                    isNew ? .accountCreated : .accountUpdated, .system, account.realm, context.client, call,
                    about: account.id, at: now())
            })
        if revokesSessions { publish(.sessionsRevoked(account.realm, account.id)) }
    }
}

extension BlockingFunctionCaller {
    /// The responses of a sign-in that has called no function yet.
    func responses(to context: BlockingFunctionContext) -> BlockingFunctionResponses {
        let isExempt = context.isExempt && !self.context.blockingFunctionsCoverEverySignIn
        return BlockingFunctionResponses(
            events: isExempt ? [] : context.project.configuration.blockingFunctionEvents)
    }
}
