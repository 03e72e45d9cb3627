import Bus
import Contracts
import Vocabulary

/// Finds accounts for operators, and says what stands in the way of their sign-ins.
struct AccountSearchHandler: IdentityComponent {
    let context: IdentityContext

    func search(_ request: Identity.SearchAccounts, _ call: BusCall) async throws -> Identity.SearchAccounts.Reply {
        _ = try await projects.projectForAdministration(request.realm, traceID: call.trace.traceID)
        try request.checkLimit()
        switch request.criterion {
        case .text(let text), .provider(let text):
            guard !text.isEmpty, text.utf8.count <= Identity.SearchAccounts.maximumTextBytes else {
                throw ServiceError(.invalidRequest, "the text is empty or too long")
            }
        case .disabled, .withSecondFactor, .unverified, .withoutSecondFactor, .createdSince, .all: break
        }
        return try await store.search(request)
    }

    func explain(_ request: Identity.ExplainSignIn, _ call: BusCall) async throws -> Identity.ExplainSignIn.Reply {
        let project = try await projects.projectForAdministration(request.realm, traceID: call.trace.traceID)
        let (account, attempts) = try await store.accountWithAttempts(request.accountID, in: request.realm)
        let circumstances = SignInCircumstances(
            account: account, configuration: project.configuration, isRealmDisabled: project.isDisabled,
            attempts: attempts)
        return .init(account: account, obstacles: circumstances.obstacles(at: now()))
    }

    func clearAttempts(_ request: Identity.ClearSignInAttempts, _ call: BusCall) async throws -> EmptyReply {
        _ = try await projects.projectForAdministration(request.realm, traceID: call.trace.traceID)
        try await store.clearAttempts(
            of: request.accountID, in: request.realm,
            audit: AuditEntry(
                .attemptsCleared, .administrator, request.realm, request.client, call, about: request.accountID,
                at: now()))
        return EmptyReply()
    }
}
