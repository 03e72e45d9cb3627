import Contracts
import HTTPServer
import Pages
import Vocabulary

/// In dev mode, an application that is not registered gets a page with a button that registers it as its request names it.
enum DevRegistration {
    static let path = "\(AuthorizationPage.path)/register"

    static let routes: [Route] = [
        Route(.post, .local(path), .page, .developer) { call in
            guard call.isOwnForm(at: "http://\(call.request.headers["host"] ?? "")") else {
                return message("The form does not come from this page", "Open the application again.", status: 403)
            }
            guard let named = AuthorizationRequest.application(in: call.request.queryItems),
                let project = call.settings.project
            else { return incomplete }
            do {
                try await register(named.id, named.redirectURL, in: project, call)
            } catch let error as ServiceError where error.code == .invalidApplication {
                return message("The application cannot be registered", "\(error.message ?? "")", status: 400)
            }
            let query = call.request.rawQuery ?? ""
            return HTTPResponse(status: 303, headers: [("Location", "\(AuthorizationPage.path)?\(query)")])
        }
    ]

    private static func register(
        _ id: ApplicationID, _ redirectURL: String, in project: ProjectID, _ call: Call
    ) async throws {
        do {
            let current = try await call.send(Identity.ResolveApplication(id: id))
            var registration = current.registration
            registration.redirectURLs.append(redirectURL)
            _ = try await call.send(
                Identity.ReplaceApplication(
                    project: current.project, id: id, registration: registration,
                    expectedRevision: current.revision, client: call.client))
        } catch let error as ServiceError where error.code == .applicationNotFound {
            _ = try await call.send(
                Identity.CreateApplication(
                    project: project,
                    registration: .init(
                        displayName: id.rawValue, kind: WebURL(redirectURL) == nil ? .ios : .web,
                        redirectURLs: [redirectURL]), id: id, client: call.client))
        }
    }

    // MARK: HTML, in English: developers read it

    /// What the request names.
    static func page(_ call: Call) -> HTTPResponse {
        guard let named = AuthorizationRequest.application(in: call.request.queryItems) else { return incomplete }
        return message(
            "This application is not registered", "Dev mode: the project has no application with this address.",
            status: 400,
            rest: """
                <p>client_id</p>\(HTML.value(named.id.rawValue))
                <p>redirect_uri</p>\(HTML.value(named.redirectURL))
                <form method="post" action="\(path)?\(call.request.rawQuery ?? "")">
                <p>\(HTML.button("Register it"))</p></form>
                """)
    }

    private static let incomplete = message(
        "The request is incomplete", "It must have one client_id and one redirect_uri.", status: 400)

    private static func message(_ title: String, _ body: String, status: Int, rest: HTML = "") -> HTTPResponse {
        Page.message(.init(title: title, body: body), in: .english, status: status, rest: rest).response
    }
}
