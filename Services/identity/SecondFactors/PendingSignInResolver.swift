import Bus
import Contracts
import Vocabulary

/// The pending sign-in of a request's credential.
struct ResolvedPendingSignIn: Sendable {
    var credential: PendingCredential
    var pending: PendingSignIn
    /// The enrolled factors that can complete it.
    var factors: [SecondFactor]
    var hasPasskeys: Bool
    /// With the configuration of the account's realm.
    var project: Project
}

/// Finds the pending sign-in of a request.
struct PendingSignInResolver: IdentityComponent {
    let context: IdentityContext

    /// - Parameter realm: without a tenant, that of the credential applies.
    /// - Throws: `invalidPendingCredential`, `tenantMismatch`, `pendingCredentialExpired`, `accountDisabled`,
    ///   `projectDisabled`.
    func resolve(_ text: Secret<String>?, in realm: Realm, _ call: BusCall) async throws -> ResolvedPendingSignIn {
        guard let credential = text.flatMap({ PendingCredential($0.reveal()) }) else {
            throw ServiceError(.invalidPendingCredential)
        }
        let (pending, stored) = try await store.pendingSignIn(credential, in: realm, at: now())
        let project = try await projects.project(of: pending.realm, traceID: call.trace.traceID)
        return ResolvedPendingSignIn(
            credential: credential, pending: pending,
            factors: SessionPolicy(project.configuration).requestedFactors(of: stored.account),
            hasPasskeys: !stored.account.passkeys.isEmpty, project: project)
    }
}
