import Contracts
import HTTPServer
import Pages
import Vocabulary

/// The removal of an identity provider, after a page that says whom it concerns.
extension ConsolePages {
    private static let providerRemovalPattern = projectPattern("settings/provider/remove")

    static let providerRemovalRoutes: [ConsoleRoute] = [
        .get(providerRemovalPattern, .project, role: .administrator, fresh: true) { visit in
            let id = try await storedProvider(visit)
            return visit.view.providerRemovalPage(id, try await users(of: id, visit))
        },
        .post(providerRemovalPattern, .project, role: .administrator, fresh: true) { visit in
            _ = try await visit.call.send(
                Federation.DeleteProvider(realm: visit.realm, id: storedProvider(visit), client: visit.client))
            return visit.redirect(
                to: "\(visit.settingsPath)/providers", [("tenant", visit.value("tenant"))], .done)
        },
    ]

    /// - Throws: `providerNotFound`, `ConsoleRefusal.notFound`.
    private static func storedProvider(_ visit: ConsoleVisit) async throws -> String {
        guard let id = visit.value("id"), list(of: id) != nil else { throw ConsoleRefusal.notFound }
        return try await visit.call.send(Federation.ReadProvider(realm: visit.realm, id: id)).provider.id
    }

    /// Those of a provider; a bounded number of them is counted.
    struct ProviderUsers: Equatable, Sendable {
        var count = 0
        /// Nothing else signs in to their accounts.
        var withoutOtherWay = 0
        /// There are more.
        var isCut = false
    }

    private static func users(of id: String, _ visit: ConsoleVisit) async throws -> ProviderUsers {
        var users = ProviderUsers()
        users.isCut = try await visit.count(.matching(.provider(id))) { reply in
            users.count += reply.accounts.count
            users.withoutOtherWay += reply.accounts.count { !$0.keepsWayIn(without: .provider(id)) }
        }
        return users
    }
}

// MARK: - HTML

extension ConsoleView {
    /// What leads to the removal of a provider.
    func providerRemoval(of id: String) -> HTML? {
        guard visit.role >= .administrator else { return nil }
        let address = ConsoleVisit.address("\(visit.settingsPath)/provider/remove", removalItems(of: id))
        return "<p>\(HTML.buttonLink(to: address, settingTexts.apps.removeProvider.title, .danger))</p>"
    }

    private func removalItems(of id: String) -> [(name: String, value: String?)] {
        [("id", id), ("tenant", visit.value("tenant"))]
    }

    fileprivate func providerRemovalPage(_ id: String, _ users: ConsolePages.ProviderUsers) -> HTTPResponse {
        let words = settingTexts.apps
        func text(_ count: Int) -> HTML { "\(users.isCut ? words.atLeast(count) : String(count))" }
        let items = removalItems(of: id)
        let cancel = ConsoleVisit.address("\(visit.settingsPath)/provider", items)
        return respond(
            words.removeProvider.title, at: visit.settingsPath,
            """
            \(HTML.value(providerName(of: id)))
            \(facts([
                fact(words.linkedUsers, text(users.count)),
                fact(words.usersWithoutOtherWay, text(users.withoutOtherWay)),
            ]))
            <p id="consequence">\(words.removeProvider.body)</p>
            \(form(
                "\(visit.settingsPath)/provider/remove", items,
                .button(words.removeProvider.title, .danger, describedBy: "consequence")))
            <p>\(HTML.buttonLink(to: cancel, visit.all.passkeyPage.cancel, .quiet))</p>
            """)
    }
}
