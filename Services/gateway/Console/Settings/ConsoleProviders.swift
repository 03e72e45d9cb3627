import ConfigurationDocuments
import Contracts
import HTTPServer
import JSON
import Pages
import Vocabulary

/// The identity providers of a project or tenant. The documents are those of REST; a secret is written and never shown.
extension ConsolePages {
    static let providerRoutes: [ConsoleRoute] = [
        .get(projectPattern("settings/providers"), .project, openProviders),
        .get(projectPattern("settings/provider"), .project) { visit in
            visit.view.providerPage(try await providerForm(of: visit))
        },
        .post(projectPattern("settings/provider"), .project, role: .administrator, saveProvider),
        .post(projectPattern("settings/provider/check"), .project, role: .administrator, checkProvider),
    ]

    /// The list has no pages.
    private static let maximumListedProviders = 1000

    private static func openProviders(_ visit: ConsoleVisit) async throws -> HTTPResponse {
        var found: [Federation.Provider] = []
        for list in Federation.ProviderList.allCases {
            var last: String?
            repeat {
                let reply = try await visit.call.send(
                    Federation.ListProviders(
                        realm: visit.realm, list: list, pageSize: Federation.ListProviders.maximumPageSize,
                        after: last))
                found += reply.providers
                last = reply.hasMore ? reply.providers.last?.id : nil
            } while last != nil && found.count < maximumListedProviders
        }
        return visit.view.providersPage(found)
    }

    private static func documents(of list: Federation.ProviderList) -> any ProviderDocument.Type {
        switch list {
        case .supported: SupportedProviderDocument.self
        case .oidc: OpenIDProviderDocument.self
        case .saml: SAMLProviderDocument.self
        }
    }

    private static func read(
        _ id: String, _ visit: ConsoleVisit
    ) async throws -> Federation.ProviderReply? {
        do {
            return try await visit.call.send(Federation.ReadProvider(realm: visit.realm, id: id))
        } catch let error as ServiceError where error.code == .providerNotFound {
            return nil
        }
    }

    static func list(of id: String) -> Federation.ProviderList? {
        Federation.ProviderList.allCases.first { documents(of: $0).contains(id) }
    }

    private static func form(
        _ id: String, _ stored: Federation.Provider?, _ visit: ConsoleVisit
    ) throws -> ProviderForm {
        guard let list = list(of: id) else { throw ConsoleRefusal.notFound }
        func document<Document: ProviderDocument>(_ type: Document.Type) throws -> JSONValue? {
            try stored.flatMap(Document.init).map { try ConfigurationDocument.jsonValue(of: $0) }
        }
        return ProviderForm(
            id, in: list, try document(documents(of: list)),
            callback: visit.call.settings.publicURL + SignInPages.handlerPath)
    }

    private static func providerForm(of visit: ConsoleVisit) async throws -> ProviderForm {
        guard let id = visit.value("id"), list(of: id) != nil else { throw ConsoleRefusal.notFound }
        return try form(id, try await read(id, visit)?.provider, visit)
    }

    private static func saveProvider(_ visit: ConsoleVisit) async throws -> HTTPResponse {
        guard let id = visit.value("id"), let list = list(of: id) else { throw ConsoleRefusal.notFound }
        let stored = try await read(id, visit)
        var form = try form(id, stored?.provider, visit)
        form.fill(visit.form)
        do {
            try await save(form, as: documents(of: list), stored, visit)
        } catch let error as InvalidSettingText {
            return visit.view.providerPage(form, refusal: visit.texts.badLine(error.text), at: error.field)
        } catch let error as APIError {
            let field = fieldOfMissing.first { APIError($0.code) == error }?.field
            return visit.view.providerPage(
                form,
                refusal: field == nil
                    ? visit.sentence(.invalidValue, error.message) : visit.language.settingTexts.needed, at: field)
        } catch let error as ServiceError where error.code == .configurationConflict {
            return visit.view.providerPage(form, refusal: visit.texts.conflict)
        } catch let error as ServiceError where error.code == .invalidProviderConfiguration {
            return visit.view.providerPage(form, refusal: visit.sentence(for: error))
        }
        return visit.redirect(
            to: "\(visit.settingsPath)/provider", [("id", id), ("tenant", visit.value("tenant"))], .saved)
    }

    private static let fieldOfMissing: [(code: RequestError, field: String)] = [
        (.missingOAuthClientID, "clientID"), (.missingOAuthClientSecret, "clientSecret"), (.missingIssuer, "issuer"),
        (.missingSAMLRelyingParty, "ownEntityID"),
    ]

    private static func save<Document: ProviderDocument>(
        _ form: ProviderForm, as type: Document.Type, _ stored: Federation.ProviderReply?, _ visit: ConsoleVisit
    ) async throws {
        let change = try form.change(type.schema)
        let body = try type.schema.read(change.document, root: "config")
        let realm = try visit.realm
        guard let stored else {
            _ = try await visit.call.send(
                Federation.CreateProvider(
                    realm: realm, provider: type.provider(id: form.id, from: body), client: visit.client),
                timeout: IdentityToolkit.providerTimeout)
            return
        }
        guard !change.masks.isEmpty else { return }
        let mask = try FieldMask(change.masks.joined(separator: ","))
        _ = try await visit.call.send(
            Federation.ReplaceProvider(
                realm: realm, provider: type.applying(mask, of: body, to: stored.provider),
                expectedRevision: stored.revision, client: visit.client), timeout: IdentityToolkit.providerTimeout)
    }

    /// Starts a sign-in that nobody finishes: federation reads the metadata of the provider for it.
    private static func checkProvider(_ visit: ConsoleVisit) async throws -> HTTPResponse {
        let form = try await providerForm(of: visit)
        do {
            let reply = try await visit.call.send(
                Federation.StartSignIn(
                    realm: visit.realm, providerID: form.id,
                    continueURL: visit.call.settings.publicURL + SignInPages.handlerPath),
                timeout: IdentityToolkit.providerTimeout)
            // Without the parameters, which have the state of the sign-in.
            let address = String(reply.authorizationURL.halves(at: "?").before)
            return visit.view.providerPage(form, result: visit.language.settingTexts.testPassed(address))
        } catch let error as ServiceError where !WireError.Code.busy.contains(error.code) {
            return visit.view.providerPage(form, refusal: visit.sentence(for: error))
        }
    }
}

// MARK: - HTML

extension ConsoleView {
    private func address(of id: String) -> String {
        ConsoleVisit.address("\(visit.settingsPath)/provider", [("id", id), ("tenant", visit.value("tenant"))])
    }

    func providerName(of id: String) -> String {
        Federation.SupportedProvider(rawValue: id)?.facts.name ?? id
    }

    fileprivate func providersPage(_ found: [Federation.Provider]) -> HTTPResponse {
        let account = visit.language.accountTexts
        let catalogue = Federation.SupportedProvider.allCases.map(\.rawValue)
        let rows = (catalogue + found.map(\.id).filter { !catalogue.contains($0) }).map { id -> HTML in
            let provider = found.first { $0.id == id }
            let state = provider.map { $0.isEnabled ? account.on : account.off }
            let label = provider == nil ? settingTexts.configure : texts.settings
            let link: HTML = """
                <a class="button quiet" href="\(address(of: id))" aria-label="\(label): \(providerName(of: id))">\(label)</a>
                """
            return .row(
                .globe, "<bdi>\(providerName(of: id))</bdi>", about: "\(state ?? "–")",
                actions: provider == nil && visit.role < .administrator ? [] : [link])
        }
        let field = PageField(id: "id", label: settingTexts.newProvider.label) { field in
            field.hint = settingTexts.newProvider.hint.map { "\($0)" }
            field.isVerbatim = true
            field.isRequired = true
            field.maximumLength = 200
        }
        let tenant = visit.value("tenant").map { [(name: "tenant", value: $0)] } ?? []
        let addition: HTML? =
            visit.role < .administrator
            ? nil
            : """
            <form method="get" action="\(visit.settingsPath)/provider">\(HTML.hidden(tenant))\(field.html)\
            <p>\(HTML.button(settingTexts.configure, .plain))</p></form>
            """
        return respond(
            settingTexts.providers.label, at: visit.settingsPath,
            """
            <p>\(settingTexts.providers.hint ?? "")</p>
            \(HTML.panel(settingTexts.providers.label, rows))
            \(addition)
            """)
    }

    fileprivate func providerPage(
        _ form: ProviderForm, refusal: String? = nil, at invalid: String? = nil, result: String? = nil
    ) -> HTTPResponse {
        let items = [(name: "id", value: Optional(form.id)), (name: "tenant", value: visit.value("tenant"))]
        let fields = form.fields.map { field -> HTML in
            input(
                for: field, form.text(of: field), standard: standard(of: field),
                note: isSecret(field) && form.isSet(field) ? settingTexts.secretStays : nil,
                error: field.id == invalid ? refusal : nil)
        }
        let content: HTML =
            visit.role >= .administrator
            ? self.form(
                "\(visit.settingsPath)/provider", items,
                "\(fields)<p>\(HTML.button(visit.language.accountTexts.save))</p>")
            : table(
                providerName(of: form.id), [texts.setting, texts.before],
                form.fields.filter { !isSecret($0) }.map { field in
                    [
                        "\(field.texts(settingTexts).label)",
                        lines(shown(form.text(of: field), field, standard(of: field))),
                    ]
                })
        let check: HTML? =
            form.isNew || visit.role < .administrator
            ? nil
            : """
            <h2>\(settingTexts.testProvider)</h2><p>\(settingTexts.testBody)</p>
            \(self.form(
                "\(visit.settingsPath)/provider/check", items,
                "<p>\(HTML.button(settingTexts.testProvider, .plain))</p>"))
            """
        let callback = visit.call.settings.publicURL + SignInPages.handlerPath
        return respond(
            providerName(of: form.id), at: visit.settingsPath, status: refusal == nil ? 200 : 400,
            """
            \(refusal.map { HTML.errorSummary("\($0)", field: invalid) })
            \(result.map { HTML.note(.good, "<p role=\"status\"><bdi>\($0)</bdi></p>") })
            <p>\(settingTexts.callback.label). \(settingTexts.callback.hint ?? "")</p>
            <pre dir="ltr">\(callback)</pre>
            \(content)
            \(check)
            \(form.isNew ? nil : providerRemoval(of: form.id))
            <p>\(HTML.buttonLink(
                to: ConsoleVisit.address("\(visit.settingsPath)/providers", [("tenant", visit.value("tenant"))]),
                settingTexts.providers.label, .quiet))</p>
            """)
    }

    private func isSecret(_ field: SettingField) -> Bool {
        if case .secret = field.kind { true } else { false }
    }
}
