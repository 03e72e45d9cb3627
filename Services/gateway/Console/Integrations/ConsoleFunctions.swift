import Contracts
import HTTPServer
import Pages
import Vocabulary

/// The blocking functions of a project: a part of its configuration.
extension ConsolePages {
    static let functionRoutes: [ConsoleRoute] = [
        .get(projectPattern("integrations/functions"), .project) { visit in
            visit.view.functionsPage(try await read(visit))
        },
        .post(projectPattern("integrations/functions"), .project, role: .administrator, changeFunctions),
    ]

    private static func read(_ visit: ConsoleVisit) async throws -> Identity.ReadConfiguration.Reply {
        try await visit.call.send(Identity.ReadConfiguration(project: visit.projectOfPath))
    }

    private static func changeFunctions(_ visit: ConsoleVisit) async throws -> HTTPResponse {
        let current = try await read(visit)
        guard visit.form["revision"] == String(current.revision) else {
            return visit.view.functionsPage(current, refusal: visit.texts.conflict)
        }
        var changed = current
        var functions = ProjectConfiguration.BlockingFunctions()
        var triggers: [String: ProjectConfiguration.BlockingFunctions.Trigger] = [:]
        for event in BlockingEvent.allCases {
            guard let url = visit.form[event.rawValue].nilIfEmpty else { continue }
            var trigger = ProjectConfiguration.BlockingFunctions.Trigger()
            trigger.functionUri = url
            triggers[event.rawValue] = trigger
        }
        functions.triggers = triggers
        var credentials = ProjectConfiguration.BlockingFunctions.InboundCredentials()
        for credential in ForwardedCredential.allCases {
            credentials[keyPath: credential.member] = visit.form[credential.rawValue] == "on"
        }
        functions.forwardInboundCredentials = credentials
        changed.configuration.blockingFunctions = functions
        do {
            _ = try await visit.call.send(
                Identity.ReplaceConfiguration(
                    project: visit.projectOfPath, configuration: changed.configuration,
                    expectedRevision: current.revision, client: visit.client))
        } catch let error as ServiceError where error.code == .configurationConflict {
            return visit.view.functionsPage(try await read(visit), refusal: visit.texts.conflict)
        } catch let error as ServiceError where error.code == .invalidBlockingFunction {
            return visit.view.functionsPage(changed, refusal: visit.sentence(for: error))
        }
        return visit.redirect(to: visit.integrationPath("functions"), [], .saved)
    }
}

/// The events that have a function, by their names in the configuration.
private enum BlockingEvent: String, CaseIterable {
    case beforeCreate, beforeSignIn

    func label(_ texts: PageTexts.Integrations) -> String {
        switch self {
        case .beforeCreate: texts.beforeCreate
        case .beforeSignIn: texts.beforeSignIn
        }
    }
}

/// A token of an identity provider that functions can get.
private enum ForwardedCredential: String, CaseIterable {
    case idToken, accessToken, refreshToken

    var member: WritableKeyPath<ProjectConfiguration.BlockingFunctions.InboundCredentials, Bool?> {
        switch self {
        case .idToken: \.idToken
        case .accessToken: \.accessToken
        case .refreshToken: \.refreshToken
        }
    }

    func label(_ texts: PageTexts.Integrations) -> String {
        switch self {
        case .idToken: texts.sendIDToken
        case .accessToken: texts.sendAccessToken
        case .refreshToken: texts.sendRefreshToken
        }
    }
}

// MARK: - HTML

extension ConsoleView {
    fileprivate func functionsPage(_ current: Identity.ReadConfiguration.Reply, refusal: String? = nil) -> HTTPResponse
    {
        let (words, account) = (integrationTexts, visit.language.accountTexts)
        let functions = current.configuration.blockingFunctions
        func url(of event: BlockingEvent) -> String? { functions?.triggers?[event.rawValue]?.functionUri }
        func isSent(_ credential: ForwardedCredential) -> Bool {
            functions?.forwardInboundCredentials?[keyPath: credential.member] ?? false
        }
        guard visit.role >= .administrator else {
            return respondIntegration(
                words.functions,
                """
                <p>\(words.functionsBody)</p>
                \(facts(
                    BlockingEvent.allCases.map { fact($0.label(words), text(url(of: $0))) }
                        + ForwardedCredential.allCases.map {
                            fact($0.label(words), "\(isSent($0) ? account.on : account.off)")
                        }))
                """)
        }
        let urls = BlockingEvent.allCases.map { event in
            PageField(id: event.rawValue, label: event.label(words)) { field in
                field.isVerbatim = true
                field.maximumLength = 2000
                field.value = url(of: event)
                field.hint = "\(words.functionHint)"
            }.html
        }
        let credentials = ForwardedCredential.allCases.map { credential in
            choice(
                credential.rawValue, credential.label(words), [("on", account.on), ("off", account.off)],
                selected: isSent(credential) ? "on" : "off")
        }
        return integrationForm(
            words.functions, "functions", [("revision", String(current.revision))], button: account.save,
            refusal: refusal, "<p>\(words.functionsBody)</p>\(urls)\(credentials)")
    }
}
