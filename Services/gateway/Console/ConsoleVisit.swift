import Contracts
import HTTPServer
import Pages
import Vocabulary

/// One request of a signed-in operator, which its route lets in.
struct ConsoleVisit: Sendable {
    let call: Call
    let session: Identity.ResolveOperatorSession.Reply
    /// The role that counts for the route.
    let role: Identity.OperatorRole
    /// Of the path.
    let project: ProjectID?
    let language: Language
    /// The fields of the form. A handler reads those that it names and no other.
    let form: [String: String]
    /// The files of the form.
    var files: [String: MultipartForm.File] = [:]

    var texts: PageTexts.Console { language.consoleTexts }
    var all: PageTexts { language.pageTexts }
    var view: ConsoleView { ConsoleView(visit: self) }

    /// A parameter of the address.
    func item(_ name: String) -> String? { call.request.queryItem(name).nilIfEmpty }

    /// A parameter of the address, or a field of the form with its name.
    func value(_ name: String) -> String? { form[name].nilIfEmpty ?? item(name) }

    /// The users that the page is about.
    /// - Throws: `ConsoleRefusal.notFound`.
    var realm: Realm {
        get throws(ConsoleRefusal) {
            let tenant = value("tenant")
            guard let project, tenant.map(Realm.isIdentifier) != false else { throw .notFound }
            return Realm(project: project, tenant: tenant.map { TenantID($0) })
        }
    }

    /// For the audit log: the operator acts.
    var client: ClientContext {
        var client = call.client
        client.operatorName = session.operator.email.rawValue
        return client
    }

    /// Where browsers and backends reach the admin listener. Without the setting they do as this browser does.
    var consoleOrigin: String { call.settings.adminURL ?? "http://\(call.request.headers["host"] ?? "")" }

    /// The address of a page.
    static func address(_ path: String, _ items: [(name: String, value: String?)] = []) -> String {
        let given = items.compactMap { item in item.value.map { (name: item.name, value: $0) } }
        return HostedVisit.address(path, given)
    }

    func redirect(
        to path: String, _ items: [(name: String, value: String?)] = [], _ notice: ConsoleNotice? = nil
    ) -> HTTPResponse {
        HTTPResponse(
            status: 303,
            headers: [("Location", Self.address(path, items + [(ConsoleNotice.item, notice?.rawValue)]))])
    }
}

/// What the page after a form says about it.
enum ConsoleNotice: String, Sendable, CaseIterable {
    case done, saved, sent

    static let item = "done"

    func sentence(_ texts: PageTexts.Console) -> String {
        switch self {
        case .done: texts.done
        case .saved: texts.saved
        case .sent: texts.sent
        }
    }
}

/// Why a request of the console has no page of its own.
enum ConsoleRefusal: Error, Equatable {
    case notFound
    case foreignForm, forbidden
    /// As much long work as possible is under way.
    case busy
}

extension Call {
    /// Whether the form comes from a page of the console. Without either header there is no proof: no browser that can use
    /// the console sends neither. A form of a page without referrer has the origin `null`, for which `Sec-Fetch-Site`
    /// decides (security rules HT6 and HT7).
    /// - Parameter mediaType: that of a form without files by default.
    func isConsoleForm(_ mediaType: String = "application/x-www-form-urlencoded") -> Bool {
        guard RequestBody.mediaType(of: request) == mediaType else { return false }
        let site = request.headers["sec-fetch-site"]
        guard site == nil || site == "same-origin" else { return false }
        guard let origin = request.headers["origin"], origin != "null" else { return site != nil }
        guard let host = request.headers["host"], let url = WebURL("\(origin)/") else { return false }
        return url.authority.asciiLowercased == host.asciiLowercased
    }

    /// The cookies of the console. Browsers count loopback as secure, so they need no other form in dev mode.
    func consoleCookie(_ kind: HostedCookie.Kind) -> HostedCookie {
        HostedCookie(kind: kind, realm: .operators, isSecure: true)
    }

    /// The session of the browser.
    /// - Returns: nil without one, and for one that has ended.
    func consoleSession() async throws -> Identity.ResolveOperatorSession.Reply? {
        guard let token = consoleCookie(.session).value(in: request.headers) else { return nil }
        do {
            return try await send(Identity.ResolveOperatorSession(token: Secret(token)))
        } catch let error as ServiceError where error.code == .sessionExpired {
            return nil
        }
    }
}
