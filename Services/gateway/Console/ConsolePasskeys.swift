import Contracts
import HTTPServer
import Pages
import Vocabulary

/// The passkeys of the operator who is signed in.
extension ConsolePages {
    static let passkeysPath = "\(path)/passkeys"
    /// Leads through both factors to the page that adds one (`ConsoleSignIn.open`).
    static let addPasskeyPath = "\(passkeysPath)/add"
    static let passkeyNamePath = "\(passkeysPath)/name"
    static let passkeyRemovalPath = "\(passkeysPath)/remove"

    static let passkeyRoutes: [ConsoleRoute] = [
        .get(passkeysPath, .anyProject) { visit in visit.view.passkeysPage(try await ownAccount(visit)) },
        .get(addPasskeyPath, .anyProject, fresh: true) { _ in ConsoleSignIn.redirect(to: addPasskeyPath) },
        .get(passkeyNamePath, .anyProject) { visit in
            let passkey = try passkey(of: try await ownAccount(visit), visit)
            return visit.view.passkeyNamePage(passkey, name: passkey.chosenName ?? "")
        },
        .post(passkeyNamePath, .anyProject, renamePasskey),
        .get(passkeyRemovalPath, .anyProject, fresh: true) { visit in
            let account = try await ownAccount(visit)
            return visit.view.passkeyRemovalPage(try passkey(of: account, visit), of: account)
        },
        .post(passkeyRemovalPath, .anyProject, fresh: true, removePasskey),
    ]

    private static func ownAccount(_ visit: ConsoleVisit) async throws -> Account {
        let reply = try await visit.call.send(
            Identity.FindAccounts(
                realm: .operators, criteria: [.accountID(visit.session.operator.accountID)]))
        guard let account = reply.accounts.first else { throw ConsoleRefusal.notFound }
        return account
    }

    private static func passkey(
        of account: Account, _ visit: ConsoleVisit
    ) throws(ConsoleRefusal) -> AccountPasskey {
        let found = account.passkeys.first { Base64URL.encode($0.credentialID.bytes) == visit.value("object") }
        guard let found else { throw .notFound }
        return found
    }

    private static func renamePasskey(_ visit: ConsoleVisit) async throws -> HTTPResponse {
        let account = try await ownAccount(visit)
        let passkey = try passkey(of: account, visit)
        let name = visit.form["name"] ?? ""
        do {
            _ = try await visit.call.send(
                Identity.UpdateAccount(
                    realm: .operators, accountID: account.id,
                    changes: .init(renamedPasskey: .init(credentialID: passkey.credentialID, name: name)),
                    client: visit.client))
        } catch let error as ServiceError where HostedRefusal(error.code) == .invalidName {
            return visit.view.passkeyNamePage(passkey, name: name, isRefused: true)
        }
        return visit.redirect(to: passkeysPath, [], .saved)
    }

    private static func removePasskey(_ visit: ConsoleVisit) async throws -> HTTPResponse {
        let account = try await ownAccount(visit)
        let passkey = try passkey(of: account, visit)
        guard !account.secondFactors.isEmpty || account.passkeys.count > 1 else { throw ConsoleRefusal.forbidden }
        _ = try await visit.call.send(
            Identity.UpdateAccount(
                realm: .operators, accountID: account.id,
                changes: .init(removals: [.passkey(passkey.credentialID)]), client: visit.client))
        return visit.redirect(to: passkeysPath, [], .done)
    }
}

// MARK: - HTML

extension ConsoleView {
    private var passkeyTexts: PageTexts.ConsolePasskeys { visit.language.consolePasskeyTexts }

    fileprivate func passkeysPage(_ account: Account) -> HTTPResponse {
        let rows = account.passkeys.map { passkey in
            HTML.row(
                .passkey, "<bdi>\(passkey.name(in: visit.all))</bdi>",
                about: "\(time(passkey.createdAt)) · \(texts.lastSignIn): \(time(passkey.lastUsedAt))",
                actions: [
                    link(ConsolePages.passkeyNamePath, visit.all.passkeyPage.rename, passkey),
                    link(ConsolePages.passkeyRemovalPath, texts.remove, passkey),
                ])
        }
        return respond(
            passkeyTexts.yours, at: ConsolePages.passkeysPath,
            """
            <p>\(passkeyTexts.about)</p>
            \(HTML.panel(passkeyTexts.yours, rows.isEmpty ? [sentence(passkeyTexts.none)] : rows))
            <p>\(HTML.buttonLink(to: ConsolePages.addPasskeyPath, visit.all.passkeyPage.add, icon: .passkey))</p>
            """)
    }

    private func link(_ path: String, _ label: String, _ passkey: AccountPasskey) -> HTML {
        .buttonLink(to: ConsoleVisit.address(path, Self.items(of: passkey)), label, .quiet)
    }

    private static func items(of passkey: AccountPasskey) -> [(name: String, value: String?)] {
        [("object", Base64URL.encode(passkey.credentialID.bytes))]
    }

    fileprivate func passkeyNamePage(
        _ passkey: AccountPasskey, name: String, isRefused: Bool = false
    ) -> HTTPResponse {
        let refusal = isRefused ? visit.language.phoneTexts.invalidName : nil
        let field = PageField(id: "name", label: passkeyTexts.name) { field in
            field.maximumLength = AccountPasskey.maximumNameLength
            field.isRequired = true
            field.value = name
            field.error = refusal
        }
        return respond(
            passkeyTexts.name, at: ConsolePages.passkeysPath, status: isRefused ? 400 : 200,
            """
            \(refusal.map { HTML.errorSummary("\($0)", field: "name") })
            \(form(
                ConsolePages.passkeyNamePath, Self.items(of: passkey),
                "\(field.html)<p>\(HTML.button(visit.language.accountTexts.save))</p>"))
            <p>\(HTML.buttonLink(to: ConsolePages.passkeysPath, visit.all.passkeyPage.cancel, .quiet))</p>
            """)
    }

    fileprivate func passkeyRemovalPage(_ passkey: AccountPasskey, of account: Account) -> HTTPResponse {
        let isOnlyFactor = account.secondFactors.isEmpty && account.passkeys.count == 1
        let button: HTML =
            isOnlyFactor
            ? HTML.note(.warn, "<p>\(passkeyTexts.onlyFactor)</p>")
            : """
            <p id="consequence">\(passkeyTexts.removal.body)</p>
            \(form(
                ConsolePages.passkeyRemovalPath, Self.items(of: passkey),
                .button(texts.remove, .danger, describedBy: "consequence")))
            """
        return respond(
            passkeyTexts.removal.title, at: ConsolePages.passkeysPath,
            """
            \(HTML.value(passkey.name(in: visit.all)))
            \(button)
            <p>\(HTML.buttonLink(to: ConsolePages.passkeysPath, visit.all.passkeyPage.cancel, .quiet))</p>
            """)
    }
}
