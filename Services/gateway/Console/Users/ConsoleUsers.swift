import Contracts
import HTTPServer
import Pages
import Vocabulary

/// The users of a project or tenant, and the page of one.
extension ConsolePages {
    static let userRoutes: [ConsoleRoute] = [
        .get(projectPattern("users"), .project, openUsers), .get(projectPattern("user"), .project, openUser),
    ]

    static let userActRoutes: [ConsoleRoute] = ConsoleAct.allCases.flatMap { act in
        let path = projectPattern("user/\(act.rawValue)")
        return [
            ConsoleRoute.get(path, .project, role: act.role, fresh: act.needsFreshSession) { visit in
                try await ask(act, visit)
            },
            ConsoleRoute.post(path, .project, role: act.role, fresh: act.needsFreshSession) { visit in
                try await perform(act, visit)
            },
        ]
    }

    static let usersPerPage = 50

    // MARK: List

    private static func openUsers(_ visit: ConsoleVisit) async throws -> HTTPResponse {
        let realm = try visit.realm
        let query = ConsoleUserQuery(visit)
        if let criterion = query.criterion {
            let reply = try await visit.call.send(
                Identity.SearchAccounts(
                    realm: realm, criterion: criterion, after: query.after.map { AccountID($0) }, limit: usersPerPage))
            let next = query.text == nil && reply.hasMore ? reply.accounts.last?.id.rawValue : nil
            return visit.view.usersPage(
                reply.accounts, query, next: next.map { ("after", $0) },
                isCut: query.text != nil && reply.hasMore)
        }
        let reply = try await visit.call.send(
            Identity.QueryAccounts(
                realm: realm, order: query.sort.order, isDescending: query.sort.isDescending, limit: usersPerPage,
                pageToken: query.page))
        return visit.view.usersPage(reply.accounts, query, next: reply.nextPageToken.map { ("page", $0) })
    }

    // MARK: One account

    private static func accountID(_ visit: ConsoleVisit) throws(ConsoleRefusal) -> AccountID {
        guard let id = visit.value("id"), id.utf8.count <= 512 else { throw .notFound }
        return AccountID(id)
    }

    private static func openUser(_ visit: ConsoleVisit) async throws -> HTTPResponse {
        let (realm, id) = (try visit.realm, try accountID(visit))
        let explained = try await visit.call.send(Identity.ExplainSignIn(realm: realm, accountID: id))
        let sessions = try await visit.call.send(
            Identity.ListSessions(realm: realm, accountID: id, limit: 50))
        let events = try await visit.call.send(
            Identity.ListAuditRecords(
                project: realm.project, tenant: realm.tenant?.rawValue ?? "", accountID: id, limit: 20))
        return visit.view.userPage(
            .init(
                account: explained.account, obstacles: explained.obstacles, sessions: sessions.sessions,
                hasMoreSessions: sessions.hasMore, events: events.records))
    }

    // MARK: Acts

    private static func account(_ visit: ConsoleVisit) async throws -> Account {
        let reply = try await visit.call.send(
            Identity.FindAccounts(realm: visit.realm, criteria: [.accountID(accountID(visit))]))
        guard let account = reply.accounts.first else { throw ConsoleRefusal.notFound }
        return account
    }

    private static func ask(_ act: ConsoleAct, _ visit: ConsoleVisit) async throws -> HTTPResponse {
        visit.view.questionPage(act, try await account(visit))
    }

    private static func perform(_ act: ConsoleAct, _ visit: ConsoleVisit) async throws -> HTTPResponse {
        let realm = try visit.realm
        let found = try await account(visit)
        let object = visit.form["object"] ?? ""
        var changes = Identity.AccountChanges()
        switch act {
        case .disable: changes.disabled = true
        case .enable: changes.disabled = false
        case .cancelDeletion: changes.cancelsDeletion = true
        case .endSessions:
            changes.validSince = max(visit.call.gateway.dependencies.wallTime().timestamp, found.validSince)
        case .removeFactor: changes.removals = [.secondFactor(FactorID(object))]
        case .removePasskey:
            guard let id = Base64URL.decode(object).flatMap({ CredentialID($0) }) else { throw ConsoleRefusal.notFound }
            changes.removals = [.passkey(id)]
        case .endSession:
            _ = try await visit.call.send(
                Identity.EndSession(
                    realm: realm, accountID: found.id, sessionID: object, client: visit.client))
            return back(to: found, visit, .done)
        case .unlock:
            _ = try await visit.call.send(
                Identity.ClearSignInAttempts(realm: realm, accountID: found.id, client: visit.client))
            return back(to: found, visit, .done)
        case .sendReset, .sendVerification:
            _ = try await visit.call.send(
                Identity.SendActionCode(
                    realm: realm, purpose: act == .sendReset ? .passwordReset : .verifyEmail,
                    email: found.email?.rawValue, isByAdministrator: true, client: visit.client))
            return back(to: found, visit, .sent)
        case .delete:
            _ = try await visit.call.send(
                Identity.DeleteAccount(realm: realm, accountID: found.id, client: visit.client))
            return visit.redirect(
                to: path(realm.project, "users"), [("tenant", realm.tenant?.rawValue)], .done)
        }
        _ = try await visit.call.send(
            Identity.UpdateAccount(realm: realm, accountID: found.id, changes: changes, client: visit.client))
        return back(to: found, visit, .done)
    }

    private static func back(
        to account: Account, _ visit: ConsoleVisit, _ notice: ConsoleNotice
    ) -> HTTPResponse {
        visit.redirect(
            to: path(account.realm.project, "user"),
            [("id", account.id.rawValue), ("tenant", account.realm.tenant?.rawValue)], notice)
    }
}

/// What the list of users shows, from the address of the page.
struct ConsoleUserQuery: Sendable {
    enum Filter: String, CaseIterable, Sendable { case all, disabled, factor }

    enum Sort: String, CaseIterable, Sendable {
        case created, signIn, email, name, id

        var order: Identity.QueryAccounts.Order {
            switch self {
            case .created: .createdAt
            case .signIn: .lastSignInAt
            case .email: .email
            case .name: .displayName
            case .id: .accountID
            }
        }

        /// The newest first.
        var isDescending: Bool {
            switch self {
            case .created, .signIn: true
            case .email, .name, .id: false
            }
        }
    }

    /// The begin of what is searched for.
    let text: String?
    let filter: Filter
    let sort: Sort
    /// The page token of a list of all users.
    let page: String?
    /// The last account of the page before, with a filter.
    let after: String?

    init(_ visit: ConsoleVisit) {
        let typed = visit.item("q").map { $0.trimmingBlanks }
        text = typed.nilIfEmpty.map {
            String(decoding: $0.utf8.prefix(Identity.SearchAccounts.maximumTextBytes), as: UTF8.self)
        }
        filter = visit.item("filter").flatMap(Filter.init) ?? .all
        sort = visit.item("sort").flatMap(Sort.init) ?? .created
        page = visit.item("page")
        after = visit.item("after")
    }

    /// - Returns: nil for all users.
    var criterion: Identity.SearchAccounts.Criterion? {
        if let text { return .text(text) }
        return switch filter {
        case .all: nil
        case .disabled: .disabled
        case .factor: .withSecondFactor
        }
    }
}

extension StringProtocol {
    var trimmingBlanks: String {
        let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") }
        let bytes = utf8.drop(while: isBlank).reversed().drop(while: isBlank).reversed()
        return String(decoding: Array(bytes), as: UTF8.self)
    }
}
