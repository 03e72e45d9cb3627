import Contracts
import HTTPServer
import Pages
import Vocabulary

/// Who may use the console, and from where they do.
extension ConsolePages {
    static let operatorsPath = "\(path)/operators"
    static let grantPath = "\(operatorsPath)/grant"
    static let operatorRemovalPath = "\(operatorsPath)/remove"
    static let operatorSessionPath = "\(operatorsPath)/end-sessions"
    static let sessionsPath = "\(path)/sessions"
    static let signOutPath = "\(path)/sign-out"

    static let operatorRoutes: [ConsoleRoute] = [
        .get(operatorsPath, .installation, role: .administrator, openOperators),
        .get(grantPath, .installation, role: .administrator, fresh: true) { visit in visit.view.grantPage() },
        .post(grantPath, .installation, role: .administrator, fresh: true, grantRole),
        .get(operatorRemovalPath, .installation, role: .administrator, fresh: true) { visit in
            visit.view.operatorRemovalPage()
        },
        .post(operatorRemovalPath, .installation, role: .administrator, fresh: true, removeOperator),
        .post(operatorSessionPath, .installation, role: .administrator, endSessionsOfOperator),
    ]

    static let sessionRoutes: [ConsoleRoute] = [
        .get(sessionsPath, .anyProject, openSessions), .post(sessionsPath, .anyProject, endSessions),
        .post(signOutPath, .anyProject, signOut),
    ]

    // MARK: Operators

    private static func openOperators(_ visit: ConsoleVisit) async throws -> HTTPResponse {
        visit.view.operatorsPage(try await visit.call.send(Identity.ListOperators()).operators)
    }

    private static func grantRole(_ visit: ConsoleVisit) async throws -> HTTPResponse {
        let email = visit.form["email"] ?? ""
        let project = visit.form["scope"].nilIfEmpty
        guard let role = visit.form["role"].flatMap(Identity.OperatorRole.init) else { throw ConsoleRefusal.notFound }
        guard let address = EmailAddress(email) else {
            return visit.view.grantPage(email, project, role, refusal: visit.all.hostedSignIn.invalidEmail)
        }
        // Nobody is left who could undo it.
        guard address.folded != visit.session.operator.email.folded else {
            return visit.view.grantPage(email, project, role, refusal: visit.texts.notYourself)
        }
        do {
            let reply = try await visit.call.send(
                Identity.GrantOperatorRole(
                    email: email, grant: .init(project: project.map { ProjectID($0) }, role: role),
                    client: visit.client))
            guard let code = reply.code else { return visit.redirect(to: operatorsPath, [], .saved) }
            return visit.view.newOperatorPage(reply.operator, code)
        } catch let error as ServiceError where error.code == .projectNotFound {
            return visit.view.grantPage(email, project, role, refusal: visit.texts.noProject)
        }
    }

    private static func removeOperator(_ visit: ConsoleVisit) async throws -> HTTPResponse {
        let email = visit.form["email"] ?? ""
        guard EmailAddress(email)?.folded != visit.session.operator.email.folded else {
            throw ConsoleRefusal.forbidden
        }
        _ = try await visit.call.send(
            Identity.RemoveOperator(
                email: email, project: visit.form["scope"].nilIfEmpty.map { ProjectID($0) }, client: visit.client))
        return visit.redirect(to: operatorsPath, [], .done)
    }

    private static func endSessionsOfOperator(_ visit: ConsoleVisit) async throws -> HTTPResponse {
        _ = try await visit.call.send(
            Identity.EndOperatorSessions(
                accountID: AccountID(visit.form["account"] ?? ""), client: visit.client))
        return visit.redirect(to: operatorsPath, [], .done)
    }

    // MARK: Own sessions

    private static func openSessions(_ visit: ConsoleVisit) async throws -> HTTPResponse {
        visit.view.sessionsPage(
            try await visit.call.send(
                Identity.ListOperatorSessions(accountID: visit.session.operator.accountID)
            ).sessions)
    }

    private static func endSessions(_ visit: ConsoleVisit) async throws -> HTTPResponse {
        _ = try await visit.call.send(
            Identity.EndOperatorSessions(
                accountID: visit.session.operator.accountID, sessionID: visit.form["session"].nilIfEmpty,
                client: visit.client))
        return visit.redirect(to: sessionsPath, [], .done)
    }

    private static func signOut(_ visit: ConsoleVisit) async throws -> HTTPResponse {
        _ = try await visit.call.send(
            Identity.EndOperatorSessions(
                accountID: visit.session.operator.accountID, sessionID: visit.session.sessionID,
                client: visit.client))
        return HTTPResponse(
            status: 303,
            headers: [
                ("Location", ConsoleSignIn.path), visit.call.consoleCookie(.session).field("", seconds: 0),
            ])
    }
}

// MARK: - HTML

extension ConsoleView {
    fileprivate func operatorsPage(_ operators: [Identity.Operator]) -> HTTPResponse {
        let panels = operators.map { found -> HTML in
            let isOwn = found.accountID == visit.session.operator.accountID
            let rows = found.grants.map { grant -> HTML in
                let removal: HTML? =
                    isOwn
                    ? nil
                    : .buttonLink(
                        to: ConsoleVisit.address(
                            ConsolePages.operatorRemovalPath,
                            [("email", found.email.rawValue), ("scope", grant.project?.rawValue)]), texts.remove,
                        .quiet)
                return .row(
                    .key, "\(texts.name(of: grant.role))",
                    about: "<bdi>\(grant.project?.rawValue ?? texts.everyProject)</bdi>",
                    actions: [removal].compactMap(\.self))
            }
            let state: HTML = .row(
                .shield, "\(found.hasSecondFactor ? texts.hasApp : texts.noApp)",
                about: "\(texts.lastSignIn): \(time(found.lastSignInAt))",
                actions: isOwn
                    ? []
                    : [
                        form(
                            ConsolePages.operatorSessionPath, [("account", found.accountID.rawValue)],
                            .button(texts.endSessions, .quiet))
                    ])
            return .panel(found.email.rawValue, rows + [state])
        }
        return respond(
            texts.operators, at: ConsolePages.operatorsPath,
            """
            <p>\(texts.operatorsBody)</p>
            <p>\(HTML.buttonLink(to: ConsolePages.grantPath, texts.addOperator))</p>
            \(panels)
            """)
    }

    fileprivate func grantPage(
        _ email: String = "", _ project: String? = nil, _ role: Identity.OperatorRole = .support,
        refusal: String? = nil
    ) -> HTTPResponse {
        let address = PageField(id: "email", label: visit.all.hostedSignIn.email) { field in
            field.kind = .email
            field.inputMode = "email"
            field.maximumLength = EmailAddress.maximumBytes
            field.isRequired = true
            field.isVerbatim = true
            field.value = email
            field.error = refusal
        }
        let scope = PageField(id: "scope", label: texts.projectOfRole) { field in
            field.isVerbatim = true
            field.maximumLength = 128
            field.value = project
            field.hint = "\(texts.projectOfRoleHint)"
        }
        let roles = Identity.OperatorRole.allCases.map { (value: $0.rawValue, label: texts.name(of: $0)) }
        return respond(
            texts.addOperator, at: ConsolePages.operatorsPath, status: refusal == nil ? 200 : 400,
            """
            \(refusal.map { HTML.errorSummary("\($0)", field: "email") })
            <ul><li>\(texts.viewerBody)</li><li>\(texts.supportBody)</li><li>\(texts.administratorBody)</li></ul>
            \(form(
                ConsolePages.grantPath, [],
                """
                \(address.html)\(choice("role", texts.role, roles, selected: role.rawValue))\(scope.html)
                <p>\(HTML.button(texts.grantRole))</p>
                """))
            """)
    }

    /// The link is in no later answer.
    fileprivate func newOperatorPage(_ found: Identity.Operator, _ code: Secret<String>) -> HTTPResponse {
        let path = HostedVisit.address(ConsoleSignIn.welcomePath, [("code", code.reveal())])
        let link = visit.consoleOrigin + path
        return respond(
            texts.addOperator, at: ConsolePages.operatorsPath,
            """
            \(HTML.note(.warn, "<p>\(texts.linkNotice)</p>"))
            \(HTML.value(found.email.rawValue))
            <pre dir="ltr">\(link)</pre>
            <p>\(HTML.buttonLink(to: ConsolePages.operatorsPath, texts.operators, .plain))</p>
            """)
    }

    fileprivate func operatorRemovalPage() -> HTTPResponse {
        let (email, project) = (visit.item("email") ?? "", visit.item("scope"))
        return respond(
            texts.removeOperator, at: ConsolePages.operatorsPath,
            """
            <p id="consequence">\(texts.removeOperatorBody)</p>
            \(HTML.value(project.map { "\(email) · \($0)" } ?? email))
            \(form(
                ConsolePages.operatorRemovalPath, [("email", email), ("scope", project)],
                .button(texts.remove, .danger, describedBy: "consequence")))
            <p>\(HTML.buttonLink(to: ConsolePages.operatorsPath, visit.all.passkeyPage.cancel, .quiet))</p>
            """)
    }

    fileprivate func sessionsPage(_ sessions: [Identity.OperatorSession]) -> HTTPResponse {
        let rows = sessions.map { session -> HTML in
            let isCurrent = session.id == visit.session.sessionID
            let mark: HTML? = isCurrent ? " \(HTML.badge(visit.language.accountTexts.thisDevice, .good))" : nil
            let button =
                isCurrent
                ? form(ConsolePages.signOutPath, [], .button(visit.all.passkeyPage.signOut, .quiet))
                : form(ConsolePages.sessionsPath, [("session", session.id)], .button(texts.end, .quiet))
            return .row(
                .device, "<bdi>\(session.device ?? visit.language.accountTexts.unknownDevice)</bdi>\(mark)",
                about: "\(time(session.lastUsedAt)) · <bdi>\(session.clientAddress ?? "")</bdi>", actions: [button])
        }
        return respond(
            texts.yourSessions, at: ConsolePages.sessionsPath,
            """
            <p>\(texts.sessionsBody)</p>
            \(HTML.panel(texts.yourSessions, rows))
            \(form(ConsolePages.sessionsPath, [], .button(texts.endAllSessions, .danger)))
            """)
    }
}
