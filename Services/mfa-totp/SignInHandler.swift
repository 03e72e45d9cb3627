import Bus
import Contracts
import Vocabulary

/// Completes sign-ins with a TOTP code.
struct SignInHandler: TOTPComponent {
    let dependencies: TOTPService.Dependencies

    func finish(
        _ request: MFATOTP.FinishSignIn, _ call: BusCall
    ) async throws -> MFATOTP.FinishSignIn.Reply {
        let pending = try await peers.send(
            Identity.ResolvePendingSignIn(
                project: request.project, tenant: request.tenant, pendingCredential: request.pendingCredential,
                method: .totp),
            call.options(at: now()))
        guard let id = request.factorID else { throw ServiceError(.missingFactorID) }
        guard pending.factors.contains(where: { $0.id == id && $0.kind == .totp }) else {
            throw ServiceError(.factorNotFound)
        }
        let verifiedAt = now()
        guard pending.startedAt.beginsWindow(of: TOTPFactor.challengeLifetime, containing: verifiedAt) else {
            throw ServiceError(.factorChallengeTimedOut)
        }
        guard let code = request.code else { throw ServiceError(.missingCode) }
        let key = TOTPFactorKey(owner: TOTPAccountKey(realm: pending.realm, accountID: pending.accountID), id: id)
        guard
            let (result, clockSkew) = try await store.verify(
                TOTPCode(code.reveal()), of: key, window: try pending.verification.totpWindowSteps(), at: verifiedAt)
        else { throw ServiceError(.factorNotFound) }
        dependencies.metrics.count(result, of: id, clockSkew: clockSkew, trace: call.trace)
        switch result {
        case .refused(let error):
            // `try?`: the code is refused in any case.
            _ = try? await peers.send(
                Identity.RecordRefusedSignIn(
                    realm: pending.realm, accountID: pending.accountID,
                    reason: error.limit == nil ? .invalid : .limited, client: request.client),
                call.options(at: now(), timeout: Identity.RecordRefusedSignIn.timeout))
            throw error
        // From here on the step is used, even if the sign-in fails: a code is valid once.
        case .accepted: break
        }
        return try await peers.send(
            Identity.CompleteSignIn(
                project: request.project, tenant: request.tenant, pendingCredential: request.pendingCredential,
                factorID: id,
                client: request.client), call.options(at: now()))
    }
}
