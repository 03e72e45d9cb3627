import Contracts
import HTTPServer
import Vocabulary

/// One page or form of the console: whom it lets in, and what it does. `ConsolePages.all` has every one.
struct ConsoleRoute: Sendable {
    /// What the role of the operator is for.
    enum Scope: Sendable {
        /// Any role in any project.
        case anyProject
        /// The role in the project of the path.
        case project
        /// The role in the whole installation.
        case installation
    }

    typealias Handler = @Sendable (ConsoleVisit) async throws -> HTTPResponse

    let method: HTTPMethod
    let path: String
    let scope: Scope
    let role: Identity.OperatorRole
    /// What cannot be undone needs a session whose factors were verified lately.
    let needsFreshSession: Bool
    /// The form has a file.
    var takesFile = false
    let handler: Handler

    static func get(
        _ path: String, _ scope: Scope, role: Identity.OperatorRole = .viewer, fresh: Bool = false,
        _ handler: @escaping Handler
    ) -> ConsoleRoute {
        .init(method: .get, path: path, scope: scope, role: role, needsFreshSession: fresh, handler: handler)
    }

    static func post(
        _ path: String, _ scope: Scope, role: Identity.OperatorRole = .viewer, fresh: Bool = false,
        file: Bool = false, _ handler: @escaping Handler
    ) -> ConsoleRoute {
        .init(
            method: .post, path: path, scope: scope, role: role, needsFreshSession: fresh, takesFile: file,
            handler: handler)
    }

    var route: Route {
        Route(method, .local(path), .page, .console) { call in await ConsolePages.respond(call, to: self) }
    }
}
