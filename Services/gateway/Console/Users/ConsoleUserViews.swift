import Contracts
import HTTPServer
import Pages
import Vocabulary

/// What is known about one account.
struct ConsoleUser: Sendable {
    let account: Account
    let obstacles: [Identity.SignInObstacle]
    /// Of wrong codes; nil if a service is away that counts them.
    let blocks: [CodeBlock]?
    let sessions: [Identity.AccountSession]
    let hasMoreSessions: Bool
    let events: [Identity.AuditLogRecord]
}

extension Account {
    /// What names the account for an operator.
    var consoleName: String { email?.rawValue ?? phoneNumber?.rawValue ?? displayName.nilIfEmpty ?? id.rawValue }
}

extension ConsoleView {
    // MARK: List

    /// - Parameters:
    ///   - next: the parameters of the next page; empty if there is none.
    ///   - isCut: more users match than the page shows.
    func usersPage(
        _ accounts: [Account], _ query: ConsoleUserQuery, next: [(name: String, value: String?)], isCut: Bool = false
    ) -> HTTPResponse {
        let path = path("users")
        let tenant = visit.item("tenant")
        let mayChoose = visit.role >= .support
        let rows = accounts.map { account -> [HTML] in
            (mayChoose ? [choiceBox(account)] : []) + [
                "<a href=\"\(address(of: account))\"><bdi>\(account.consoleName)</bdi></a>\(states(of: account))",
                text(account.displayName), "<bdi>\(account.id.rawValue)</bdi>", time(account.createdAt),
                time(account.lastSignInAt),
            ]
        }
        let titles =
            (mayChoose ? [userTexts.chosen] : [])
            + [texts.user, texts.displayName, texts.id, texts.created, texts.lastSignIn]
        let following: HTML? =
            next.isEmpty
            ? nil
            : """
            <p>\(HTML.buttonLink(
                to: ConsoleVisit.address(path, query.items + [(name: "tenant", value: tenant)] + next), texts.nextPage,
                .plain))</p>
            """
        let list: HTML =
            accounts.isEmpty ? "<p>\(texts.noUsers)</p>" : choosing(query, table(texts.users, titles, rows))
        let items = [(name: "tenant", value: tenant)]
        let files: HTML? =
            mayChoose
            ? """
            <div class="actions">\(visit.role < .administrator
                ? nil
                : HTML.buttonLink(
                    to: ConsoleVisit.address(self.path("users/import"), items), userTexts.importUsers, .plain))\
            \(HTML.buttonLink(
                to: ConsoleVisit.address(self.path("users/export"), items), userTexts.exportUsers, .plain))</div>
            """ : nil
        let count = query.text == nil || isCut || !next.isEmpty ? nil : userTexts.countOfUsers(accounts.count)
        return respond(
            texts.users, at: path, status: query.invalidField == nil ? 200 : 400,
            """
            \(tenant.map { "<p>\(texts.tenant): <bdi>\($0)</bdi></p>" as HTML })
            \(search(path, searchFields(query)))
            <p id="found" role="status" class="small muted">\(count ?? "")</p>
            <div id="results">\(isCut ? HTML.note(.neutral, "<p>\(texts.moreMatches)</p>") : "")\(list)\(following)</div>
            \(files)
            \(ScriptFile.consoleSearch.onPage().html)
            """)
    }

    private func searchFields(_ query: ConsoleUserQuery) -> HTML {
        let field = PageField(id: "q", label: texts.searchUsers) { field in
            field.kind = .search
            field.isVerbatim = true
            field.value = query.text
            field.hint = "\(texts.searchHint)"
            field.maximumLength = Identity.SearchAccounts.maximumTextBytes
        }
        let provider = PageField(id: "provider", label: userTexts.provider) { field in
            field.isVerbatim = true
            field.value = query.provider
            field.hint = "google.com"
            field.maximumLength = Identity.SearchAccounts.maximumTextBytes
            field.error = query.invalidField == "provider" ? userTexts.providerMissing : nil
        }
        let day = PageField(id: "since", label: userTexts.since) { field in
            field.isVerbatim = true
            field.value = query.day
            field.hint = "2026-11-01"
            field.maximumLength = 10
            field.error = query.invalidField == "since" ? userTexts.dayMalformed : nil
        }
        let kept: [(name: String, value: String)] = visit.item("tenant").map { [("tenant", $0)] } ?? []
        return """
            \(field.html)
            \(choice("filter", texts.filter, ConsoleUserQuery.Filter.allCases.map { ($0.rawValue, label(of: $0)) }, selected: query.filter.rawValue))
            \(choice("sort", texts.sort, ConsoleUserQuery.Sort.allCases.map { ($0.rawValue, label(of: $0)) }, selected: query.sort.rawValue, hint: userTexts.sortHint))
            <details class="field"\(query.provider == nil && query.day == nil && query.invalidField == nil ? nil : #" open="open""# as HTML)>\
            <summary>\(userTexts.moreFilters)</summary>\(provider.html)\(day.html)</details>
            \(HTML.hidden(kept))
            <p>\(HTML.button(texts.search, .plain))</p>
            """
    }

    private func label(of filter: ConsoleUserQuery.Filter) -> String {
        switch filter {
        case .all: texts.everyUser
        case .disabled: texts.disabledUsers
        case .unverified: userTexts.unverified
        case .factor: texts.usersWithFactor
        case .noFactor: userTexts.withoutFactor
        case .provider: userTexts.ofProvider
        case .since: userTexts.createdSince
        }
    }

    private func label(of sort: ConsoleUserQuery.Sort) -> String {
        switch sort {
        case .created: texts.created
        case .signIn: texts.lastSignIn
        case .email: visit.all.hostedSignIn.email
        case .name: texts.displayName
        case .id: texts.id
        }
    }

    private func states(of account: Account) -> HTML {
        let disabled: HTML? = account.disabled ? " \(HTML.badge(texts.disabled, .warn))" : nil
        return "\(disabled)"
    }

    func address(of account: Account, _ page: String = "user", _ items: [(name: String, value: String?)] = []) -> String
    {
        ConsoleVisit.address(
            ConsolePages.path(account.realm.project, page),
            [("id", account.id.rawValue), ("tenant", account.realm.tenant?.rawValue)] + items)
    }

    // MARK: One account

    func userPage(_ user: ConsoleUser) -> HTTPResponse {
        let account = user.account
        let email: HTML =
            account.email.map { email -> HTML in
                let state =
                    account.emailVerified
                    ? HTML.badge(visit.language.accountTexts.confirmed, .good)
                    : HTML.badge(visit.language.accountTexts.notConfirmed, .warn)
                return "<bdi>\(email.rawValue)</bdi> \(state)"
            } ?? "–"
        let details = facts([
            fact(texts.id, "<bdi>\(account.id.rawValue)</bdi>"), fact(visit.all.hostedSignIn.email, email),
            fact(visit.language.accountTexts.phone, text(account.phoneNumber?.rawValue)),
            fact(texts.displayName, text(account.displayName)),
            account.realm.tenant.map { fact(texts.tenant, text($0.rawValue)) },
            fact(texts.created, time(account.createdAt)), fact(texts.lastSignIn, time(account.lastSignInAt)),
            fact(texts.claims, text(account.customClaims)),
        ])
        return respond(
            account.consoleName, at: ConsolePages.path(account.realm.project, "users"),
            """
            \(obstacles(of: user))
            <section class="panel"><header><h2>\(texts.profile)</h2></header><div class="row">\(details)</div></section>
            \(acts(on: account))
            \(methods(of: account))
            \(factors(of: account))
            \(sessions(of: user))
            \(events(user.events, of: account))
            """)
    }

    /// What is in the way of a sign-in, and what to do about each.
    private func obstacles(of user: ConsoleUser) -> HTML {
        let (account, obstacles) = (user.account, user.obstacles)
        let unknown: HTML? = user.blocks == nil ? HTML.note(.neutral, "<p>\(userTexts.codesUnknown)</p>") : nil
        let blocks = user.blocks ?? []
        guard !obstacles.isEmpty || !blocks.isEmpty else {
            return "\(HTML.note(.good, "<p>\(texts.canSignIn)</p>"))\(unknown)"
        }
        let isBlocked = obstacles.contains { $0.isTotal }
        let items =
            obstacles.map { "<li>\(sentence(about: $0))\(remedy(for: $0, account))</li>" as HTML }
            + blocks.map { "<li>\(sentence(about: $0, account))</li>" as HTML }
        return HTML.note(
            isBlocked ? .bad : .warn,
            "<p>\(isBlocked ? texts.cannotSignIn : texts.mayNotSignIn)</p><ul>\(items)</ul>\(unknown)")
    }

    /// The link to the act that removes the obstacle, if there is one that the operator may do.
    private func remedy(for obstacle: Identity.SignInObstacle, _ account: Account) -> HTML? {
        let act: ConsoleAct? =
            switch obstacle.kind {
            case .accountDisabled: .enable
            case .deletionScheduled: .cancelDeletion
            case .noMethod: .sendReset
            case .tooManyAttempts: .unlock
            case .unverifiedAddress: .sendVerification
            case .tenantDisabled, .noPermittedMethod, .methodNotPermitted, .missingSecondFactor: nil
            }
        if let act, act.role <= visit.role, act.applies(to: account) {
            return #" <a href="\#(address(of: account, "user/\(act.rawValue)"))">\#(act.message(texts).title)</a>"#
        }
        switch obstacle.kind {
        case .noPermittedMethod, .methodNotPermitted:
            return #" <a href="\#(path("settings"))">\#(texts.settings)</a>"#
        case .accountDisabled, .deletionScheduled, .tenantDisabled, .noMethod, .tooManyAttempts, .unverifiedAddress,
            .missingSecondFactor:
            return nil
        }
    }

    /// Wrong codes are forgotten by time, or with the factor.
    private func sentence(about block: CodeBlock, _ account: Account) -> HTML {
        let factor = account.secondFactors.first { $0.id == block.factorID }
        let name = factor?.name(in: visit.all) ?? visit.language.accountTexts.phone
        guard let until = block.until else {
            let removal: HTML? = factor.map { factor in
                guard ConsoleAct.removeFactor.role <= visit.role else { return "" }
                let target = address(
                    of: account, "user/\(ConsoleAct.removeFactor.rawValue)", [("object", factor.id.rawValue)])
                return #" <a href="\#(target)">\#(texts.removeFactor.title)</a>"#
            }
            return "\(userTexts.codesBlockedForGood(name))\(removal)"
        }
        return "\(userTexts.codesBlocked(name, Self.text(of: until)))"
    }

    private func sentence(about obstacle: Identity.SignInObstacle) -> String {
        switch obstacle.kind {
        case .accountDisabled: texts.obstacleDisabled
        case .deletionScheduled: texts.obstacleDeletion(obstacle.until.map { Self.text(of: $0) } ?? "")
        case .tenantDisabled: texts.obstacleTenant
        case .noMethod: texts.obstacleNoMethod
        case .noPermittedMethod: texts.obstacleNotPermitted
        case .tooManyAttempts: texts.obstacleAttempts(obstacle.until.map { Self.text(of: $0) } ?? "")
        case .unverifiedAddress: texts.obstacleAddress
        case .methodNotPermitted: texts.obstacleMethod(obstacle.method.map { name(of: $0) } ?? "")
        case .missingSecondFactor: texts.obstacleFactor
        }
    }

    private func name(of method: Identity.SignInObstacle.Method) -> String {
        switch method {
        case .password: visit.all.passkeyPage.password
        case .emailLink: visit.all.accountMethods.emailLink
        case .phone: visit.language.accountTexts.phone
        case .passkey: visit.all.passkeyPage.title
        case .provider: texts.provider
        }
    }

    /// The buttons that lead to the acts that the operator may do.
    private func acts(on account: Account) -> HTML? {
        let offered = ConsoleAct.allCases.filter { $0.role <= visit.role && $0.applies(to: account) }
        guard !offered.isEmpty else { return nil }
        let buttons = offered.map { act -> HTML in
            .buttonLink(
                to: address(of: account, "user/\(act.rawValue)"), act.message(texts).title,
                act == .delete ? .danger : .plain)
        }
        return #"<div class="actions">\#(buttons)</div>"#
    }

    private func methods(of account: Account) -> HTML {
        var rows: [HTML] = []
        if account.hasPassword {
            rows.append(.row(.lock, "\(name(of: .password))", about: time(account.passwordChangedAt)))
        }
        if account.emailLinkSignIn { rows.append(.row(.envelope, "\(name(of: .emailLink))")) }
        if let number = account.phoneNumber { rows.append(.row(.phone, "<bdi>\(number.rawValue)</bdi>")) }
        rows += account.providers.map { link -> HTML in
            .row(.link, "<bdi>\(link.providerID)</bdi>", about: text(link.email ?? link.providerAccountID))
        }
        rows += account.passkeys.map { passkey -> HTML in
            .row(
                .passkey, "<bdi>\(passkey.name(in: visit.all))</bdi>", about: time(passkey.createdAt),
                actions: object(.removePasskey, Base64URL.encode(passkey.credentialID.bytes), account))
        }
        return HTML.panel(texts.methods, rows.isEmpty ? [sentence(texts.obstacleNoMethod)] : rows)
    }

    private func factors(of account: Account) -> HTML {
        let rows = account.secondFactors.map { factor in
            HTML.row(
                .shield, "<bdi>\(factor.name(in: visit.all))</bdi>", about: time(factor.enrolledAt),
                actions: object(.removeFactor, factor.id.rawValue, account))
        }
        return HTML.panel(texts.secondFactors, rows.isEmpty ? [sentence(texts.noFactors)] : rows)
    }

    private func sessions(of user: ConsoleUser) -> HTML {
        let rows = user.sessions.map { session in
            HTML.row(
                .device, "\(session.signInProvider)\(session.secondFactor.map { " + \($0)" } ?? "")",
                about: "\(time(session.createdAt)) · \(time(session.lastUsedAt)) · \(text(session.clientAddress))",
                actions: object(.endSession, session.id, user.account))
        }
        let more = user.hasMoreSessions ? [sentence(visit.language.accountTexts.moreSessions)] : []
        return HTML.panel(texts.sessions, rows.isEmpty ? [sentence(texts.noSessions)] : rows + more)
    }

    private func events(_ records: [Identity.AuditLogRecord], of account: Account) -> HTML {
        let all = HTML.buttonLink(
            to: ConsoleVisit.address(
                ConsolePages.path(account.realm.project, "audit"),
                [("account", account.id.rawValue), ("tenant", account.realm.tenant?.rawValue ?? "")]), texts.audit,
            .quiet)
        return """
            <h2>\(texts.events)</h2>
            \(records.isEmpty ? "<p>\(texts.noRecords)</p>" : auditTable(records))
            <p>\(all)</p>
            """
    }

    func sentence(_ text: String) -> HTML {
        #"<div class="row"><div class="what"><span>\#(text)</span></div></div>"#
    }

    /// The button for one factor, passkey or session.
    private func object(_ act: ConsoleAct, _ id: String, _ account: Account) -> [HTML] {
        guard act.role <= visit.role else { return [] }
        return [
            .buttonLink(
                to: address(of: account, "user/\(act.rawValue)", [("object", id)]), act.message(texts).title, .quiet)
        ]
    }

    // MARK: Acts

    func questionPage(_ act: ConsoleAct, _ account: Account) -> HTTPResponse {
        let message = act.message(texts)
        let object = visit.item("object")
        return respond(
            message.title, at: ConsolePages.path(account.realm.project, "users"),
            """
            \(HTML.value(account.consoleName))
            <p id="consequence">\(message.body)</p>
            \(form(
                ConsolePages.path(account.realm.project, "user/\(act.rawValue)"),
                [("id", account.id.rawValue), ("tenant", account.realm.tenant?.rawValue), ("object", object)],
                .button(message.title, act.buttonKind, describedBy: "consequence")))
            <p>\(HTML.buttonLink(to: address(of: account), visit.all.passkeyPage.cancel, .quiet))</p>
            """)
    }
}
