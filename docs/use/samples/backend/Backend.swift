import Foundation
import Hummingbird
import LatchkeyAdmin

/// A backend whose users are those of a Latchkey server. It verifies their tokens without a request per token.
///
///     LATCHKEY_PUBLIC_URL=https://auth.example.org swift run backend
@main
struct Backend {
    static func main() async throws {
        guard let address = ProcessInfo.processInfo.environment["LATCHKEY_PUBLIC_URL"],
            let server = URL(string: address)
        else { throw MissingAddress() }
        // One for the life of the process: it keeps the keys of the server.
        let verifier = IDTokenVerifier(projectID: "shop", serverURL: server)
        let router = Router(context: UserContext.self)
        router.add(middleware: RequireUser(verifier: verifier))
        router.get("me") { _, context in
            "\(context.user?.uid ?? "") \(context.user?.claims["email"] as? String ?? "")\n"
        }
        router.post("orders") { _, context -> HTTPResponse.Status in
            // What costs money needs a second factor.
            guard context.user?.signInSecondFactor != nil else { throw HTTPError(.forbidden) }
            return .created
        }
        try await Application(router: router).runService()
    }

    struct MissingAddress: Error {}
}

/// The user of a request.
struct UserContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    var user: VerifiedIDToken?

    init(source: ApplicationRequestContextSource) { coreContext = CoreRequestContextStorage(source: source) }
}

/// Refuses a request without a valid token with the status 401.
struct RequireUser: RouterMiddleware {
    let verifier: IDTokenVerifier

    func handle(
        _ request: Request, context: UserContext, next: (Request, UserContext) async throws -> Response
    ) async throws -> Response {
        guard let header = request.headers[.authorization], header.hasPrefix("Bearer ") else {
            throw HTTPError(.unauthorized)
        }
        var context = context
        do {
            context.user = try await verifier.verify(String(header.dropFirst("Bearer ".count)))
        } catch IDTokenVerificationError.keysUnavailable {
            // The server cannot be reached: the token may be valid.
            throw HTTPError(.serviceUnavailable)
        } catch {
            throw HTTPError(.unauthorized)
        }
        return try await next(request, context)
    }
}
