import Contracts
import Vocabulary

/// Decides whether a request reaches the handler of a route of the console.
struct ConsoleGate: Sendable {
    enum Decision: Equatable, Sendable {
        case enter(Identity.OperatorRole)
        /// The form is of another site, or of another session.
        case foreignForm
        /// No session.
        case signIn
        /// Both factors must be verified again.
        case confirm
        case forbidden
    }

    let scope: ConsoleRoute.Scope
    let role: Identity.OperatorRole
    let needsFreshSession: Bool
    /// Of a request with a form; nil for another one.
    var form: Form?
    /// The project of the path.
    var project: ProjectID?

    struct Form: Sendable {
        /// Origin and `Sec-Fetch-Site` are those of the console.
        var isOwn: Bool
        var token: String?
    }

    func decide(_ session: Identity.ResolveOperatorSession.Reply?) -> Decision {
        if let form, !form.isOwn { return .foreignForm }
        guard let session else { return .signIn }
        if let form, form.token != session.formToken { return .foreignForm }
        guard let held = held(by: session.operator), held >= role else { return .forbidden }
        return needsFreshSession && !session.isFresh ? .confirm : .enter(held)
    }

    private func held(by found: Identity.Operator) -> Identity.OperatorRole? {
        switch scope {
        case .anyProject: found.grants.map(\.role).max()
        case .installation: found.role(in: nil)
        case .project: project.flatMap { found.role(in: $0) }
        }
    }
}
