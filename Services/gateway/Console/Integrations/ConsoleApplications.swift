import ConfigurationDocuments
import Contracts
import HTTPServer
import Pages
import Vocabulary

/// The applications of a project, and what they need to reach it.
extension ConsolePages {
    static let applicationRoutes: [ConsoleRoute] = [
        .get(projectPattern("integrations/app"), .project, openApplication),
        .get(projectPattern("integrations/add-app"), .project, role: .administrator) { visit in
            visit.view.addApplicationPage()
        },
        .post(projectPattern("integrations/add-app"), .project, role: .administrator, addApplication),
    ]

    private static func openApplication(_ visit: ConsoleVisit) async throws -> HTTPResponse {
        let project = try visit.projectOfPath
        return visit.view.applicationPage(
            try await visit.call.send(
                Identity.ReadApplication(project: project, id: ApplicationID(visit.objectID))))
    }

    private static func addApplication(_ visit: ConsoleVisit) async throws -> HTTPResponse {
        guard let kind = visit.form["kind"].flatMap(Identity.ApplicationRegistration.Kind.init) else {
            throw ConsoleRefusal.notFound
        }
        do {
            let created = try await visit.call.send(
                Identity.CreateApplication(
                    project: visit.projectOfPath,
                    registration: .init(
                        displayName: visit.form["name"] ?? "", kind: kind, redirectURLs: visit.lines(of: "redirects")),
                    client: visit.client))
            return visit.redirect(to: visit.integrationPath("app"), [("id", created.id.rawValue)], .saved)
        } catch let error as ServiceError where error.code == .invalidApplication {
            return visit.view.addApplicationPage(refusal: visit.sentence(for: error))
        }
    }

    static func openClientConfiguration(_ visit: ConsoleVisit) async throws -> HTTPResponse {
        let id = try visit.projectOfPath
        let configuration = try await visit.call.send(Identity.ReadConfiguration(project: id))
        let client = ClientConfiguration(
            project: id.rawValue, projectNumber: configuration.projectNumber,
            apiKey: configuration.configuration.client?.apiKey ?? "", publicURL: visit.call.settings.publicURL)
        return visit.view.clientConfigurationPage(
            client, try client.webSnippet(), configuration.configuration.iosApps)
    }
}

// MARK: - HTML

extension ConsoleView {
    fileprivate func addApplicationPage(refusal: String? = nil) -> HTTPResponse {
        let words = integrationTexts
        let kinds = Identity.ApplicationRegistration.Kind.allCases.map { (value: $0.rawValue, label: name(of: $0)) }
        return integrationForm(
            words.addApplication, "add-app", button: words.addApplication, refusal: refusal,
            """
            <p>\(words.applicationsBody)</p>
            \(field("name", words.applicationName))
            \(choice("kind", words.kind, kinds, selected: visit.form["kind"]))
            \(lineField("redirects", words.redirects, hint: words.redirectsHint))
            """)
    }

    fileprivate func applicationPage(_ application: Identity.Application) -> HTTPResponse {
        let words = integrationTexts
        let registration = application.registration
        return respondIntegration(
            words.applications,
            """
            \(HTML.value(registration.displayName))
            \(facts([
                fact(words.clientID, text(application.id.rawValue)), fact(words.apiKey, text(application.apiKey)),
                fact(words.kind, "\(name(of: registration.kind))"),
                fact(words.redirects, lines(registration.redirectURLs.joined(separator: "\n"))),
                fact(texts.created, time(application.createdAt)),
            ]))
            <p>\(HTML.buttonLink(to: visit.integrationPath("code"), words.clientConfiguration, .plain)) \
            \(removal(.application, application.id.rawValue))</p>
            """)
    }

    private func name(of kind: Identity.ApplicationRegistration.Kind) -> String {
        switch kind {
        case .web: integrationTexts.webKind
        case .ios: "iOS"
        case .android: "Android"
        case .tool: integrationTexts.toolKind
        }
    }

    fileprivate func clientConfigurationPage(
        _ client: ClientConfiguration, _ snippet: String, _ apps: [ProjectConfiguration.MobileApp]
    ) -> HTTPResponse {
        let words = integrationTexts
        let lists = apps.compactMap { app -> HTML? in
            app.bundleId.map { bundleID in
                let list = client.propertyList(
                    of: .ios(bundleID, projectNumber: client.projectNumber, registered: app))
                return "<h2>iOS · <bdi>\(bundleID)</bdi></h2>\(code(list, bundleID))"
            }
        }
        return respondIntegration(
            words.clientConfiguration,
            """
            <p>\(words.clientConfigurationBody)</p>
            \(facts([fact(words.apiKey, text(client.apiKey))]))
            <h2>\(words.webKind)</h2>
            \(code(snippet, words.webKind))
            \(lists)
            """)
    }

    private func code(_ text: String, _ label: String) -> HTML {
        #"<pre dir="ltr" tabindex="0" role="region" aria-label="\#(label)">\#(text)</pre>"#
    }
}
