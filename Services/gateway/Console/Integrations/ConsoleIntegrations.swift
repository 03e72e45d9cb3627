import Contracts
import HTTPServer
import Pages
import Vocabulary

/// What other programs use of a project: webhooks, applications, service accounts and keys for pushes.
extension ConsolePages {
    static let integrationRoutes: [ConsoleRoute] =
        [
            .get(projectPattern("integrations"), .project, openIntegrations),
            .get(projectPattern("integrations/code"), .project, openClientConfiguration),
        ] + webhookRoutes + applicationRoutes + integrationKeyRoutes + functionRoutes + integrationRemovalRoutes

    private static let integrationRemovalRoutes: [ConsoleRoute] = IntegrationRemoval.allCases.flatMap { removal in
        let path = projectPattern("integrations/\(removal.rawValue)")
        return [
            ConsoleRoute.get(path, .project, role: .administrator, fresh: true) { visit in
                visit.view.integrationQuestionPage(
                    removal.message(visit.integrationTexts), at: visit.integrationPath(removal.rawValue),
                    about: try await removal.name(visit))
            },
            ConsoleRoute.post(path, .project, role: .administrator, fresh: true) { visit in
                _ = try await removal.name(visit)
                try await removal.perform(visit)
                return visit.redirect(to: visit.integrationPath(), [], .done)
            },
        ]
    }

    private static func openIntegrations(_ visit: ConsoleVisit) async throws -> HTTPResponse {
        let project = try visit.projectOfPath
        let call = visit.call
        return visit.view.integrationsPage(
            webhooks: try await call.send(Identity.ListWebhooks(project: project)).webhooks,
            applications: try await call.send(Identity.ListApplications(project: project)).applications,
            serviceAccounts: try await call.send(Identity.ListServiceAccountKeys(project: project)).keys,
            pushKeys: try await call.send(Notifier.ListAPNsKeys(project: project)).keys)
    }
}

/// What is removed for good, after a page that says what follows.
enum IntegrationRemoval: String, CaseIterable, Sendable {
    case webhook = "remove-webhook"
    case application = "remove-app"
    case serviceAccount = "revoke-key"
    case pushKey = "remove-apns-key"

    func message(_ texts: PageTexts.Integrations) -> PageTexts.Message {
        switch self {
        case .webhook: texts.removeWebhook
        case .application: texts.removeApplication
        case .serviceAccount: texts.removeServiceAccount
        case .pushKey: texts.removePushKey
        }
    }

    /// What the operator calls it. It is of the project: the keys of service accounts have one address for all projects.
    /// - Throws: `ConsoleRefusal.notFound`.
    fileprivate func name(_ visit: ConsoleVisit) async throws -> String {
        let (project, id) = (try visit.projectOfPath, try visit.objectID)
        let name: String? =
            switch self {
            case .webhook:
                try await visit.call.send(Identity.ListWebhooks(project: project)).webhooks
                    .first { $0.id.rawValue == id }?.url
            case .application:
                try await visit.call.send(Identity.ListApplications(project: project)).applications
                    .first { $0.id.rawValue == id }?.registration.displayName
            case .serviceAccount: try await key(id, visit).email
            case .pushKey:
                try await visit.call.send(Notifier.ListAPNsKeys(project: project)).keys
                    .first { $0.id.rawValue == id }?.bundleID
            }
        guard let name else { throw ConsoleRefusal.notFound }
        return name
    }

    private func key(_ id: String, _ visit: ConsoleVisit) async throws -> Identity.ServiceAccountKey {
        let keys = try await visit.call.send(Identity.ListServiceAccountKeys(project: visit.projectOfPath)).keys
        guard let key = keys.first(where: { $0.keyID == id }) else { throw ConsoleRefusal.notFound }
        return key
    }

    fileprivate func perform(_ visit: ConsoleVisit) async throws {
        let (project, id) = (try visit.projectOfPath, try visit.objectID)
        switch self {
        case .webhook:
            _ = try await visit.call.send(
                Identity.DeleteWebhook(project: project, id: WebhookID(id), client: visit.client))
        case .application:
            _ = try await visit.call.send(
                Identity.DeleteApplication(project: project, id: ApplicationID(id), client: visit.client))
        case .serviceAccount:
            let key = try await key(id, visit)
            _ = try await visit.call.send(
                Identity.RemoveServiceAccountKeys(email: key.email, keyID: key.keyID, client: visit.client))
        case .pushKey:
            _ = try await visit.call.send(
                Notifier.RemoveAPNsKey(project: project, id: APNsKeyID(id), client: visit.client))
        }
    }
}

extension ConsoleVisit {
    var integrationTexts: PageTexts.Integrations { language.integrationTexts }

    /// - Throws: `ConsoleRefusal.notFound`.
    var projectOfPath: ProjectID {
        get throws(ConsoleRefusal) {
            guard let project else { throw .notFound }
            return project
        }
    }

    /// The object that the page is about.
    /// - Throws: `ConsoleRefusal.notFound`.
    var objectID: String {
        get throws(ConsoleRefusal) {
            guard let id = value("id"), Realm.isIdentifier(id) else { throw .notFound }
            return id
        }
    }

    /// The path of a page of this area.
    func integrationPath(_ page: String? = nil) -> String {
        let name = page.map { "integrations/\($0)" } ?? "integrations"
        return project.map { ConsolePages.path($0, name) } ?? ConsolePages.path
    }

    /// The lines of a field that are not empty.
    func lines(of field: String) -> [String] {
        SettingField.lines(of: form[field] ?? "")
    }
}

// MARK: - HTML

extension ConsoleView {
    var integrationTexts: PageTexts.Integrations { visit.integrationTexts }

    /// A page of this area, with the way back to the list.
    func respondIntegration(_ title: String, status: Int = 200, _ content: HTML) -> HTTPResponse {
        respond(
            title, at: visit.integrationPath(), status: status,
            """
            \(content)
            <p>\(HTML.buttonLink(to: visit.integrationPath(), integrationTexts.back, .quiet))</p>
            """)
    }

    /// A form of this area. A refusal stands above it.
    func integrationForm(
        _ title: String, _ page: String, _ items: [(name: String, value: String?)] = [], button: String,
        refusal: String?, _ fields: HTML
    ) -> HTTPResponse {
        respondIntegration(
            title, status: refusal == nil ? 200 : 400,
            """
            \(refusal.map { HTML.errorSummary("\($0)") })
            \(form(visit.integrationPath(page), items, "\(fields)<p>\(HTML.button(button))</p>"))
            """)
    }

    /// A field of text whose value is kept when the form was refused.
    func field(_ id: String, _ label: String, hint: String? = nil, isRequired: Bool = true) -> HTML {
        PageField(id: id, label: label) { field in
            field.isRequired = isRequired
            field.isVerbatim = true
            field.maximumLength = 2000
            field.value = visit.form[id]
            field.hint = hint.map { "\($0)" }
        }.html
    }

    func lineField(_ id: String, _ label: String, hint: String?) -> HTML {
        control(id, label, hint: hint, nil, areaControl(visit.form[id] ?? "", isCode: true))
    }

    func integrationQuestionPage(_ message: PageTexts.Message, at path: String, about name: String) -> HTTPResponse {
        respondIntegration(
            message.title,
            """
            <p id="consequence">\(message.body)</p>
            \(HTML.value(name))
            \(form(path, [("id", visit.value("id"))], .button(message.title, .danger, describedBy: "consequence")))
            """)
    }

    /// A secret, which no later page contains.
    func secretPage(_ title: String, _ name: String, _ secret: Secret<String>) -> HTTPResponse {
        respondIntegration(
            title,
            """
            \(HTML.note(.warn, "<p>\(integrationTexts.shownOnce)</p>"))
            \(HTML.value(name))
            <pre dir="ltr">\(secret.reveal())</pre>
            """)
    }

    fileprivate func integrationsPage(
        webhooks: [Identity.Webhook], applications: [Identity.Application],
        serviceAccounts: [Identity.ServiceAccountKey], pushKeys: [Notifier.APNsKey]
    ) -> HTTPResponse {
        let words = integrationTexts
        return respond(
            words.title, at: visit.integrationPath(),
            """
            <p>\(words.body)</p>
            \(group(words.webhooks, words.webhooksBody, add: (words.addWebhook, "add-webhook"), webhooks.map(row)))
            \(group(
                words.applications, words.applicationsBody, add: (words.addApplication, "add-app"),
                applications.map(row)))
            <p>\(HTML.buttonLink(to: visit.integrationPath("code"), words.clientConfiguration, .plain))</p>
            \(group(
                words.serviceAccounts, words.serviceAccountsBody, add: (words.addServiceAccount, "add-key"),
                serviceAccounts.map(row)))
            \(group(words.pushKeys, words.pushKeysBody, add: (words.addPushKey, "add-apns-key"), pushKeys.map(row)))
            <p>\(HTML.buttonLink(to: visit.integrationPath("functions"), words.functions, .plain))</p>
            """)
    }

    private func group(_ title: String, _ body: String, add: (label: String, page: String), _ rows: [HTML]) -> HTML {
        let empty: HTML = .row(nil, "\(integrationTexts.none)", about: "\(body)")
        let button: HTML? =
            visit.role >= .administrator ? .buttonLink(to: visit.integrationPath(add.page), add.label, .quiet) : nil
        return .panel(title, action: button, rows.isEmpty ? [empty] : rows)
    }

    private func row(_ webhook: Identity.Webhook) -> HTML {
        let mark: HTML? = webhook.isDisabled ? " \(HTML.badge(texts.disabled, .warn))" : nil
        return .row(
            .link, "<bdi>\(webhook.url)</bdi>\(mark)", about: kinds(of: webhook),
            actions: [link("webhook", webhook.id.rawValue, integrationTexts.show)])
    }

    func kinds(of webhook: Identity.Webhook) -> HTML {
        webhook.kinds.isEmpty
            ? "\(integrationTexts.everyEvent)" : text(webhook.kinds.map(\.rawValue).joined(separator: ", "))
    }

    private func row(_ application: Identity.Application) -> HTML {
        .row(
            .device, text(application.registration.displayName),
            about: "\(integrationTexts.clientID): \(text(application.id.rawValue))",
            actions: [
                link("app", application.id.rawValue, integrationTexts.show),
                removal(.application, application.id.rawValue),
            ].compactMap(\.self))
    }

    private func row(_ key: Identity.ServiceAccountKey) -> HTML {
        .row(
            .key, text(key.email), about: "\(integrationTexts.keyID): \(text(key.keyID))",
            actions: [removal(.serviceAccount, key.keyID)].compactMap(\.self))
    }

    private func row(_ key: Notifier.APNsKey) -> HTML {
        let environment = key.environment == .both ? integrationTexts.everyEnvironment : key.environment.rawValue
        return .row(
            .key, text(key.bundleID),
            about: """
                \(integrationTexts.keyID): \(text(key.keyID)) · \(integrationTexts.teamID): \(text(key.teamID)) · \
                <bdi>\(environment)</bdi>
                """,
            actions: [removal(.pushKey, key.id.rawValue)].compactMap(\.self))
    }

    private func link(_ page: String, _ id: String, _ label: String) -> HTML {
        .buttonLink(to: ConsoleVisit.address(visit.integrationPath(page), [("id", id)]), label, .quiet)
    }

    /// - Returns: nil for a role that may not.
    func removal(_ removal: IntegrationRemoval, _ id: String) -> HTML? {
        visit.role >= .administrator ? link(removal.rawValue, id, texts.remove) : nil
    }
}
