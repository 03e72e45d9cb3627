import Contracts
import FoundationEssentials
import HTTPServer
import Pages
import Vocabulary

extension AccountPages {
    static let detailRoutes: [Route] = [
        get(path) { account in account.respond(account.view.detailsPage()) },
        get(namePath) { account in
            let (name, picture) = (account.account.displayName ?? "", account.account.photoURL ?? "")
            return account.respond(account.view.namePage(name: name, picture: picture))
        },
        post(namePath, changeProfile),
        get(emailPath) { account in account.respond(account.view.emailPage()) },
        post(emailPath, changeEmail), post(verifyEmailPath, verifyEmail),
        // Where a new sign-in leads back to.
        get(verifyEmailPath) { account in account.redirect(to: path) },
    ]

    static let deviceRoutes: [Route] = [
        get(devicesPath) { account in
            let reply = try await account.call.send(
                Identity.ListOwnSessions(realm: account.visit.realm, idToken: account.session.tokens.idToken))
            return account.respond(account.view.devicesPage(reply, remembered: try await account.rememberedDevices()))
        },
        post(devicesPath, endSessions),
    ]

    static let dataRoutes: [Route] = [
        get(dataPath) { account in account.respond(account.view.dataPage()) }, post(dataPath, download),
        get(deletionPath) { account in account.respond(account.view.deletionPage()) }, post(deletionPath, delete),
    ]

    // MARK: Your details

    private static func changeProfile(_ account: AccountVisit) async throws -> HTTPResponse {
        let form = try account.visit.form()
        let (name, picture) = (form["name"] ?? "", form["picture"] ?? "")
        do {
            return try await account.change(.init(displayName: name, photoURL: picture), then: path, .saved)
        } catch let error as ServiceError where error.code == .invalidRequest {
            return account.respond(account.view.namePage(name: name, picture: picture, isRefused: true))
        }
    }

    /// The address changes when its owner opens the link.
    private static func changeEmail(_ account: AccountVisit) async throws -> HTTPResponse {
        let email = try account.visit.form()["email"] ?? ""
        do {
            return try await send(.verifyAndChangeEmail, newEmail: email, account)
        } catch let error as ServiceError {
            guard let sentence = account.visit.sentence(for: error) else { throw error }
            // The owner of this account does not sign in to the other one.
            let isTaken = HostedRefusal(error.code) == .emailTaken
            return account.respond(
                account.view.emailPage(email, refusal: isTaken ? account.all.emailAlreadyInUse.body : sentence))
        }
    }

    private static func verifyEmail(_ account: AccountVisit) async throws -> HTTPResponse {
        _ = try account.visit.form()
        return try await send(.verifyEmail, newEmail: nil, account)
    }

    private static func send(
        _ purpose: Identity.ActionPurpose, newEmail: String?, _ account: AccountVisit
    ) async throws -> HTTPResponse {
        let visit = account.visit
        _ = try await account.call.send(
            Identity.SendActionCode(
                realm: visit.realm, purpose: purpose, newEmail: newEmail, idToken: account.session.tokens.idToken,
                settings: .init(continueURL: visit.origin.text + visit.address(path)),
                locale: visit.language.rawValue, client: visit.client))
        return account.redirect(to: path, .mailSent)
    }

    // MARK: Devices

    private static func endSessions(_ account: AccountVisit) async throws -> HTTPResponse {
        let form = try account.visit.form()
        if let id = form[AccountPages.rememberedField] {
            try await account.forgetDevice(id)
            return account.redirect(to: devicesPath, .removed)
        }
        do {
            _ = try await account.call.send(
                Identity.EndOwnSessions(
                    realm: account.visit.realm, idToken: account.session.tokens.idToken,
                    selection: form["session"].nilIfEmpty.map { .listed([$0]) } ?? .others,
                    client: account.visit.client))
        } catch let error as ServiceError where error.code == .sessionNotFound {
            // It has ended in the meantime.
        }
        return account.redirect(to: devicesPath, .ended)
    }

    // MARK: Your data

    private static func download(_ account: AccountVisit) async throws -> HTTPResponse {
        _ = try account.visit.form()
        let reply = try await account.call.send(
            Identity.DownloadOwnAccount(
                realm: account.visit.realm, idToken: account.session.tokens.idToken, client: account.visit.client))
        var response = HTTPResponse.json(AccountDownload(reply))
        response.headers += [("Content-Disposition", #"attachment; filename="account.json""#)]
        response.headers += HostedSession.fields(storing: account.session.tokens, of: account.visit)
        return response
    }

    private static func delete(_ account: AccountVisit) async throws -> HTTPResponse {
        let form = try account.visit.form()
        let days = account.visit.configuration.deletionGraceDays
        // The page has said something else than what would happen now.
        guard form[AccountView.graceField] ?? "0" == String(days) else { return account.redirect(to: deletionPath) }
        let message: PageTexts.Message
        do {
            message = try await delete(account, graceDays: days)
        } catch let error as ServiceError where error.code == .adminOnlyOperation {
            return account.respond(
                .message(
                    .init(title: account.texts.delete, body: account.texts.deletionClosed),
                    in: account.visit.language, status: 400))
        }
        var response = account.visit.respond(
            .message(message, in: account.visit.language), HostedFlow())
        response.headers.append(account.visit.cookie(.session).field("", seconds: 0))
        return response
    }

    /// - Returns: what has happened.
    private static func delete(_ account: AccountVisit, graceDays: Int) async throws -> PageTexts.Message {
        let (visit, idToken) = (account.visit, account.session.tokens.idToken)
        guard graceDays > 0 else {
            _ = try await account.call.send(
                Identity.DeleteOwnAccount(realm: visit.realm, idToken: idToken, client: visit.client))
            return account.texts.deleted
        }
        let items = visit.items.filter { $0.name != "continueUrl" }
        let reply = try await account.call.send(
            Identity.ScheduleOwnDeletion(
                realm: visit.realm, idToken: idToken,
                restorationURL: visit.origin.text + HostedVisit.address(HostedSignInPages.path, items),
                locale: visit.language.rawValue, client: visit.client))
        let texts = visit.allTexts.deletion
        return .init(title: texts.scheduledTitle, body: texts.scheduled(visit.language.date(reply.dueAt)))
    }
}
