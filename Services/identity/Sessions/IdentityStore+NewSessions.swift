import Contracts
import SQL

/// A verified first factor, prepared before the transaction that decides whose it is.
struct PreparedFirstFactor: Sendable {
    var policy: SessionPolicy
    /// The authentication context of the request's ID token.
    var presented: AuthenticationContext?
    /// The prepared results for the account that signs in.
    var signIn: PreparedSignIn
}

extension IdentityStore {
    /// Maximum retries when other transactions store the number, identity or address at the same time.
    private static let maximumCollisions = 5

    /// Repeats a transaction that decides about an account, while others take what the account would get.
    func retryingCollisions<Result>(_ body: () async throws -> Result) async throws -> Result {
        for _ in 1..<Self.maximumCollisions {
            do { return try await body() } catch is CollisionError { continue }
        }
        do { return try await body() } catch let error as CollisionError { throw error.refusal }
    }
}

/// Another transaction has stored the number, identity or address meanwhile, so the decision must be made again.
private struct CollisionError: Error {
    var refusal: ServiceError
}

extension SQLTransaction {
    /// Opens the session and stores the account, or stores only a pending sign-in. For `retryingCollisions`.
    borrowing func open(
        _ new: NewSession, _ prepared: PreparedFirstFactor, _ audit: AuditEntry
    ) throws -> ChangeResult<SignInResult> {
        let decision = prepared.policy.decide(
            .init(
                operation: new.operation, stored: new.decisive,
                authentication: prepared.signIn.session.authentication, presented: prepared.presented,
                upgradesAnonymous: new.before?.isAnonymousUser(of: prepared.presented?.signInProvider) ?? false))
        var new = new
        var revokesSessions = false
        switch decision {
        case .open: revokesSessions = try write(&new, prepared.signIn)
        // Nothing changes before the second factor is verified: neither links nor credentials.
        case .awaitSecondFactor, .refuse: break
        }
        let current = decision == .awaitSecondFactor ? new.before ?? new.account : new.account
        var audit = audit
        audit.action = new.action
        audit.actor = .account(current.account.id)
        audit.accountID = current.account.id
        return ChangeResult(
            reply: try completeFirstFactor(prepared.signIn, of: current, decision, prepared.policy, audit),
            revokesSessions: revokesSessions)
    }

    /// - Returns: whether the other processes must be informed.
    private borrowing func write(_ new: inout NewSession, _ signIn: PreparedSignIn) throws -> Bool {
        let session = signIn.session
        do {
            if let before = new.before {
                return try update(new.account, insteadOf: before, at: session.createdAt).requiresEvent
            }
            try create(&new.account, signIn.responses, session.authentication, at: session.createdAt)
            return false
        } catch let error as ServiceError where Self.collisions.contains(error.code) {
            throw CollisionError(refusal: error)
        }
    }

    private static var collisions: Set<WireError.Code> { [.emailExists, .phoneNumberExists, .providerAccountExists] }
}
