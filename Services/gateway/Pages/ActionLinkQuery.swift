import Contracts
import HTTPServer
import Vocabulary

/// The parameters of an action link, from its query or from the form of the page (REST 2.10).
struct ActionLinkQuery: Sendable {
    var mode: String?
    var code: String?
    var apiKey: String?
    var language: String?
    var continueURL: String?
    var tenant: String?
    /// Parameters for the application, passed through unchanged.
    var appItems: [(name: String, value: String)]

    /// - Parameter item: returns the value of a parameter name.
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

    /// The parameters of the same link without the continue URL.
    var items: [(name: String, value: String)] {
        [
            ("mode", mode), ("oobCode", code), ("apiKey", apiKey), ("lang", language), ("tenantId", tenant),
        ].compactMap { name, value in value.map { (name, $0) } } + appItems
    }

    /// A link that was cut somewhere is told from one that does not work.
    /// - Throws: `missingActionCode` without a mode, a code or a key.
    func checkIsComplete() throws(ServiceError) {
        guard mode != nil, code != nil, apiKey != nil else { throw ServiceError(.missingActionCode) }
    }

    /// The realm of the link: in the project of its API key.
    /// - Throws: `unknownAPIKey`. In dev mode any key is accepted; an unknown key belongs to the default project.
    func realm(_ call: Call) async throws -> Realm {
        Realm(project: try await call.project(ofKey: apiKey), tenant: tenant.map { TenantID($0) })
    }

    /// Requests the purpose of the code from identity, and compares it with the mode of the link.
    /// - Throws: `invalidActionCode` when they differ, and the errors of identity.
    func inspect(in realm: Realm, _ call: Call) async throws -> Identity.InspectActionCode.Reply {
        let reply = try await call.send(
            Identity.InspectActionCode(realm: realm, code: code.map(Secret.init), continueURL: continueURL))
        guard reply.purpose.mode == mode else { throw ServiceError(.invalidActionCode) }
        return reply
    }
}

extension Call {
    /// The project of an API key in a link.
    /// - Throws: `unknownAPIKey`. In dev mode any key is accepted; an unknown key belongs to the default project.
    func project(ofKey apiKey: String?) async throws -> ProjectID {
        guard let apiKey, apiKey.utf8.count <= 128 else { throw ServiceError(.unknownAPIKey) }
        do {
            return try await send(Identity.ResolveAPIKey(apiKey: apiKey)).project
        } catch let error as ServiceError where error.code == .unknownAPIKey {
            guard settings.isDev, let own = settings.project else { throw error }
            return own
        }
    }
}
