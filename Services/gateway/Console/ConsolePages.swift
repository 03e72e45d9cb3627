import Contracts
import HTTPServer
import Pages
import Vocabulary

/// The console of operators: server-rendered pages and forms on the admin listener. Each form is answered with a redirect.
/// The handlers send the same requests as the routes of the REST protocol.
enum ConsolePages {
    static let path = "/console"

    /// Every page for which an operator must be signed in.
    static let all: [ConsoleRoute] = [
        overviewRoutes, userRoutes, userActRoutes, bulkRoutes, importRoutes, exportRoutes, workRoutes, settingsRoutes,
        historyRoutes, mailRoutes, lookRoutes,
        logoRoutes, providerRoutes, providerRemovalRoutes,
        integrationRoutes, auditRoutes, operatorRoutes, sessionRoutes, passkeyRoutes, shortcutRoutes, tryRoutes,
    ].flatMap(\.self)

    static let routes: [Route] = all.map(\.route)

    /// The path of a page of a project.
    static func path(_ project: ProjectID, _ page: String) -> String {
        "\(path)/projects/\(PercentEncoding.encoded(project.rawValue))/\(page)"
    }

    /// The pattern of a page of a project.
    static func projectPattern(_ page: String) -> String { "\(path)/projects/{project}/\(page)" }

    // MARK: Requests

    static func respond(_ call: Call, to route: ConsoleRoute) async -> HTTPResponse {
        let language = Language.find(nil, acceptLanguage: call.request.headers["accept-language"])
        do {
            let isForm = route.method == .post
            let isOwn =
                isForm && (route.takesFile ? call.isConsoleForm(MultipartForm.mediaType) : call.isConsoleForm())
            let body = isOwn && route.takesFile ? try MultipartForm(call.request) : nil
            let form = try body?.fields ?? (isOwn ? RequestBody.form(from: call.request) : [:])
            let project = call.values[.project]
            guard project.map(Realm.isIdentifier) != false else { throw ConsoleRefusal.notFound }
            let gate = ConsoleGate(
                scope: route.scope, role: route.role, needsFreshSession: route.needsFreshSession,
                form: isForm ? .init(isOwn: isOwn, token: form[HostedFlow.tokenField]) : nil,
                project: project.map { ProjectID($0) })
            let session = try await call.consoleSession()
            switch gate.decide(session) {
            case .foreignForm: throw ConsoleRefusal.foreignForm
            case .forbidden: throw ConsoleRefusal.forbidden
            case .signIn, .confirm: return signIn(call, route, form)
            case .enter(let role):
                guard let session else { return signIn(call, route, form) }
                return try await route.handler(
                    ConsoleVisit(
                        call: call, session: session, role: role, project: gate.project, language: language,
                        form: form, files: body?.files ?? [:]))
            }
        } catch {
            return page(for: error, in: language, call).response
        }
    }

    /// Leads to the sign-in, and from there to the page of the request, or of its form. The form is not sent again.
    private static func signIn(_ call: Call, _ route: ConsoleRoute, _ form: [String: String]) -> HTTPResponse {
        guard route.method == .post else {
            let query = call.request.rawQuery.map { "?\($0)" } ?? ""
            return ConsoleSignIn.redirect(to: call.request.path + query)
        }
        guard all.contains(where: { $0.method == .get && $0.path == route.path }) else {
            return ConsoleSignIn.redirect(to: path)
        }
        let items = ["id", "tenant", "object", "email", "scope", "q", "filter", "provider", "since"].map { name in
            (name: name, value: form[name].nilIfEmpty)
        }
        return ConsoleSignIn.redirect(to: ConsoleVisit.address(call.request.path, items))
    }

    // MARK: Errors

    private static let unknown: Set<WireError.Code> = [
        .webhookNotFound, .applicationNotFound, .apnsKeyNotFound, .serviceAccountNotFound, .accountNotFound,
        .projectNotFound, .tenantNotFound, .factorNotFound, .passkeyNotFound, .sessionNotFound,
        .invalidPageToken, .providerNotFound,
    ]

    /// A page for an error. It has an id that the log has, too.
    static func page(for error: any Error, in language: Language, _ call: Call) -> Page {
        let texts = language.consoleTexts
        func message(_ message: PageTexts.Message, _ status: Int) -> Page {
            let back = HTML.buttonLink(to: path, texts.overview, .plain)
            var page = Page.message(
                message, in: language, status: status,
                rest: """
                    <p class="small muted">\(texts.requestID) <bdi>\(call.trace.traceID)</bdi></p>
                    <p>\(back)</p>
                    """)
            page.branding = ConsoleView.branding
            return page
        }
        switch error {
        case ConsoleRefusal.notFound: return message(texts.notFound, 404)
        case ConsoleRefusal.forbidden: return message(texts.forbidden, 403)
        case ConsoleRefusal.busy: return message(language.consoleUserTexts.busy, 503)
        case ConsoleRefusal.foreignForm, is APIError: return message(texts.foreignForm, 403)
        case let error as ServiceError where WireError.Code.busy.contains(error.code):
            return message(language.pageTexts.unavailable, 503)
        case let error as ServiceError where unknown.contains(error.code): return message(texts.notFound, 404)
        case let error as ServiceError where error.code == .tooManyAttempts:
            var page = message(language.pageTexts.tooManyAttempts, 429)
            page.state(retryAfterSeconds: error.retryAfterSeconds, limit: error.limit)
            return page
        case let error as ServiceError:
            return message(.init(title: texts.refused.title, body: language.consoleSentence(for: error)), 400)
        default:
            call.gateway.dependencies.report(error, call.trace)
            return message(language.pageTexts.unavailable, 500)
        }
    }
}
