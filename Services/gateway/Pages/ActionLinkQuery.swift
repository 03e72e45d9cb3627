internal import Contracts
internal import HTTPServer
internal import Vocabulary

/// What an action link says, in its query or in the form that was made of it (REST 2.10).
struct ActionLinkQuery: Sendable {
    var mode: String?
    var code: String?
    var apiKey: String?
    var language: String?
    var continueURL: String?
    var tenant: String?
    /// What applications read of it: handed on as it came.
    var appItems: [(name: String, value: String)]

    /// - Parameter item: the value of a name.
    init(_ item: (String) -> String?) {
        mode = item("mode").nilIfEmpty
        code = item("oobCode").nilIfEmpty
        apiKey = item("apiKey").nilIfEmpty
        language = item("lang").nilIfEmpty
        continueURL = item("continueUrl").nilIfEmpty
        tenant = item("tenantId").nilIfEmpty
        appItems = ["ibi", "isi", "apn", "amv", "afl"].compactMap { name in
            item(name).nilIfEmpty.map { (name, $0) }
        }
    }

    /// The same link again, all but where it leads on to.
    var items: [(name: String, value: String)] {
        [
            ("mode", mode), ("oobCode", code), ("apiKey", apiKey), ("lang", language), ("tenantId", tenant),
        ].compactMap { name, value in value.map { (name, $0) } } + appItems
    }

    /// The users the link is about: those of its key's project.
    /// - Throws: `unknownAPIKey`; in dev mode any key is good, and one that nobody has is the default project's.
    func realm(_ call: Call) async throws -> Realm {
        Realm(project: try await call.project(ofKey: apiKey), tenant: tenant.map { TenantID($0) })
    }

    /// Asks identity what the code is for, and holds the link's word against it.
    /// - Throws: `invalidActionCode` when they differ, and what identity refuses.
    func inspect(in realm: Realm, _ call: Call) async throws -> Identity.InspectActionCode.Reply {
        let reply = try await call.send(
            Identity.InspectActionCode(realm: realm, code: code.map(Secret.init), continueURL: continueURL))
        guard reply.purpose.mode == mode else { throw WireError(.invalidActionCode) }
        return reply
    }
}

extension Call {
    /// The project of an API key that stands in a link.
    /// - Throws: `unknownAPIKey`; in dev mode any key is good, and one that nobody has is the default project's.
    func project(ofKey apiKey: String?) async throws -> ProjectID {
        guard let apiKey, apiKey.utf8.count <= 128 else { throw WireError(.unknownAPIKey) }
        do {
            return try await send(Identity.ResolveAPIKey(apiKey: apiKey)).project
        } catch let error as WireError where error.code == .unknownAPIKey {
            guard settings.isDev, let own = settings.project else { throw error }
            return own
        }
    }
}
