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
        guard let criterion = query.criterion else { return visit.view.usersPage([], query, next: []) }
        if case .all = criterion {
            let reply = try await visit.call.send(
                Identity.QueryAccounts(
                    realm: realm, order: query.sort.order, isDescending: query.sort.isDescending,
                    limit: usersPerPage, pageToken: query.page))
            return visit.view.usersPage(reply.accounts, query, next: reply.nextPageToken.map { [("page", $0)] } ?? [])
        }
        let reply = try await visit.call.send(
            Identity.SearchAccounts(realm: realm, criterion: criterion, after: query.after, limit: usersPerPage))
        let next: [(name: String, value: String?)] =
            reply.next.map { cursor in
                [
                    ("after", cursor.accountID.rawValue),
                    ("at", cursor.createdAt.map { String($0.milliseconds) }),
                ]
            } ?? []
        return visit.view.usersPage(
            reply.accounts, query, next: next, isCut: query.text != nil && reply.hasMore)
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
                account: explained.account, obstacles: explained.obstacles,
                blocks: await codeBlocks(of: explained.account, visit), sessions: sessions.sessions,
                hasMoreSessions: sessions.hasMore, events: events.records))
    }

    /// Wrong codes are counted by the services of the second factors. A page without them is better than none.
    private static func codeBlocks(of account: Account, _ visit: ConsoleVisit) async -> [CodeBlock]? {
        var apps: [FactorID] = []
        var numbers: [MFASMS.ReadBlocks.Factor] = []
        for factor in account.secondFactors {
            switch factor.kind {
            case .totp: apps.append(factor.id)
            case .phone(let number): numbers.append(.init(id: factor.id, phoneNumber: number))
            }
        }
        do {
            var blocks: [CodeBlock] = []
            if !apps.isEmpty {
                blocks += try await visit.call.send(
                    MFATOTP.ReadBlocks(realm: account.realm, accountID: account.id, factorIDs: apps),
                    timeout: .seconds(1)
                ).blocks
            }
            if account.phoneNumber != nil || !numbers.isEmpty {
                blocks += try await visit.call.send(
                    MFASMS.ReadBlocks(
                        realm: account.realm, accountID: account.id, phoneNumber: account.phoneNumber,
                        factors: numbers), timeout: .seconds(1)
                ).blocks
            }
            return blocks
        } catch {
            return nil
        }
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
        let notice = try await perform(
            act, on: ConsoleTarget(found), in: realm, object: visit.form["object"] ?? "", visit)
        guard act != .delete else {
            return visit.redirect(
                to: path(realm.project, "users"), [("tenant", realm.tenant?.rawValue)], notice)
        }
        return back(to: found, visit, notice)
    }

    /// Sends what the act is for one account.
    /// - Parameter object: the factor, passkey or session.
    static func perform(
        _ act: ConsoleAct, on target: ConsoleTarget, in realm: Realm, object: String = "", _ visit: ConsoleVisit
    ) async throws -> ConsoleNotice {
        var changes = Identity.AccountChanges()
        switch act {
        case .disable: changes.disabled = true
        case .enable: changes.disabled = false
        case .cancelDeletion: changes.cancelsDeletion = true
        case .endSessions:
            changes.validSince = max(visit.call.gateway.dependencies.wallTime().timestamp, target.validSince)
        case .removeFactor: changes.removals = [.secondFactor(FactorID(object))]
        case .removePasskey:
            guard let id = Base64URL.decode(object).flatMap({ CredentialID($0) }) else { throw ConsoleRefusal.notFound }
            changes.removals = [.passkey(id)]
        case .endSession:
            _ = try await visit.call.send(
                Identity.EndSession(
                    realm: realm, accountID: target.id, sessionID: object, client: visit.client))
            return .done
        case .unlock:
            _ = try await visit.call.send(
                Identity.ClearSignInAttempts(realm: realm, accountID: target.id, client: visit.client))
            return .done
        case .sendReset, .sendVerification:
            _ = try await visit.call.send(
                Identity.SendActionCode(
                    realm: realm, purpose: act == .sendReset ? .passwordReset : .verifyEmail, email: target.email,
                    isByAdministrator: true, client: visit.client))
            return .sent
        case .delete:
            _ = try await visit.call.send(
                Identity.DeleteAccount(realm: realm, accountID: target.id, client: visit.client))
            return .done
        }
        _ = try await visit.call.send(
            Identity.UpdateAccount(realm: realm, accountID: target.id, changes: changes, client: visit.client))
        return .done
    }

    private static func back(
        to account: Account, _ visit: ConsoleVisit, _ notice: ConsoleNotice
    ) -> HTTPResponse {
        visit.redirect(
            to: path(account.realm.project, "user"),
            [("id", account.id.rawValue), ("tenant", account.realm.tenant?.rawValue)], notice)
    }
}
