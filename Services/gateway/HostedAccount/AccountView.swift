import Contracts
import Pages
import Vocabulary

/// The HTML of the account page: a rail of five pages, and panels of rows.
struct AccountView: Sendable {
    let visit: AccountVisit

    var texts: PageTexts.Account { visit.texts }
    var all: PageTexts { visit.all }
    var account: Account { visit.account }

    // MARK: Frame

    /// A page of the rail.
    func page(_ title: String, at path: String, _ content: HTML) -> Page {
        let notice = visit.item(AccountNotice.item).flatMap(AccountNotice.init)
        return Page(
            language: visit.visit.language, title: title,
            content: """
                <p class="muted"><bdi>\(texts.signedInAs(visit.session.accountName))</bdi></p>
                \(notice.map { HTML.note(.good, "<p role=\"status\">\($0.sentence(texts))</p>") })
                \(content)
                \(backToApp)
                """, layout: .rail(rail(current: path)))
    }

    /// The page of one task, which belongs to a page of the rail.
    func task(
        _ title: String, of path: String, refusal: String? = nil, field: String? = nil, _ content: HTML
    ) -> Page {
        Page(
            language: visit.visit.language, title: title,
            content: """
                \(refusal.map { HTML.errorSummary("\($0)", field: field) })
                \(content)
                \(link(to: path, all.passkeyPage.cancel, .quiet))
                """, layout: .rail(rail(current: path)), status: refusal == nil ? 200 : 400)
    }

    private func rail(current: String) -> PageRail {
        let entries: [(path: String, label: String, icon: PageIcon)] = [
            (AccountPages.path, texts.details, .person), (AccountPages.securityPath, texts.security, .shield),
            (AccountPages.devicesPath, texts.devices, .device),
            (AccountPages.connectionsPath, texts.connections, .link), (AccountPages.dataPath, texts.data, .list),
        ]
        return PageRail(
            label: texts.title,
            entries: entries.map { .init(path: visit.visit.address($0.path), label: $0.label, icon: $0.icon) },
            current: visit.visit.address(current))
    }

    private var backToApp: HTML? {
        visit.visit.continueURL.map { "<p>\(HTML.buttonLink(to: $0.text, texts.backToApp, .quiet))</p>" }
    }

    // MARK: Parts

    func date(_ moment: Moment) -> String { visit.visit.language.date(moment) }

    func lastUse(_ moment: Moment) -> String {
        visit.visit.allTexts.lastUsed(at: moment, now: visit.call.gateway.dependencies.wallTime())
    }

    func link(
        to path: String, _ label: String, _ kind: PageButtonKind = .plain, _ items: [(name: String, value: String)] = []
    ) -> HTML {
        .buttonLink(to: HostedVisit.address(path, visit.visit.items + items), label, kind)
    }

    func form(_ path: String, _ content: HTML) -> HTML {
        HostedSignInView(visit: visit.visit).form(path, visit.flow, content)
    }

    /// A row that says something about its panel.
    func sentence(_ text: String, actions: [HTML] = []) -> HTML {
        #"<div class="row"><div class="what"><span>\#(text)</span></div>\#(actions)</div>"#
    }

    func badge(_ text: String, _ tone: PageTone) -> HTML { #" <span class="badge \#(tone.rawValue)">\#(text)</span>"# }

    // MARK: Your details

    func detailsPage() -> Page {
        let change = link(to: AccountPages.namePath, texts.change)
        var panels: [HTML] = [
            .panel(
                texts.details, action: change,
                [
                    .row(.person, "\(texts.name)", about: value(account.displayName)),
                    .row(.globe, "\(texts.picture)", about: value(account.photoURL)),
                ])
        ]
        if visit.visit.configuration.allowsPasswordSignIn || account.email != nil {
            let state = account.emailVerified ? badge(texts.confirmed, .good) : badge(texts.notConfirmed, .warn)
            let verify: HTML? =
                account.email == nil || account.emailVerified
                ? nil : form(AccountPages.verifyEmailPath, .button(texts.sendConfirmation, .quiet))
            let row = HTML.row(
                .envelope, "<bdi>\(account.email?.rawValue ?? texts.notSet)</bdi>\(account.email == nil ? nil : state)",
                actions: [verify].compactMap(\.self))
            let change: HTML? =
                account.email == nil ? nil : link(to: AccountPages.emailPath, texts.change)
            panels.append(.panel(all.hostedSignIn.email, action: change, [row]))
        }
        if let phone { panels.append(phone) }
        return page(texts.details, at: AccountPages.path, "\(panels)")
    }

    private func value(_ text: String?) -> HTML { text.map { "<bdi>\($0)</bdi>" } ?? "\(texts.notSet)" }

    func namePage(name: String, picture: String, isRefused: Bool = false) -> Page {
        let fields = [
            PageField(id: "name", label: texts.name, autocomplete: "name") { field in
                field.value = name
                field.error = isRefused ? texts.profileTooLong : nil
            },
            PageField(id: "picture", label: texts.picture, autocomplete: "photo") { field in
                field.value = picture
                field.inputMode = "url"
                field.isVerbatim = true
                field.hint = "\(texts.pictureHint)"
            },
        ]
        return task(
            texts.details, of: AccountPages.path, refusal: isRefused ? texts.profileTooLong : nil, field: "name",
            form(AccountPages.namePath, "\(fields.map(\.html))<p>\(HTML.button(texts.save))</p>"))
    }

    func emailPage(_ email: String = "", refusal: String? = nil) -> Page {
        let field = PageField(id: "email", label: texts.newEmail, autocomplete: "email") { field in
            field.kind = .email
            field.inputMode = "email"
            field.maximumLength = EmailAddress.maximumBytes
            field.isRequired = true
            field.isVerbatim = true
            field.value = email
            field.hint = "\(texts.newEmailHint)"
            field.error = refusal
        }
        return task(
            texts.newEmail, of: AccountPages.path, refusal: refusal, field: "email",
            form(AccountPages.emailPath, "\(field.html)<p>\(HTML.button(texts.sendLink))</p>"))
    }

    // MARK: Devices

    func devicesPage(_ reply: Identity.ListOwnSessions.Reply, remembered: [Identity.RememberedDevice]) -> Page {
        let rows = reply.sessions.map { session -> HTML in
            let mark: HTML? = session.isCurrent ? badge(texts.thisDevice, .good) : nil
            let network: HTML? = session.network.map { "<br /><bdi>\($0)</bdi>" }
            let button =
                session.isCurrent
                ? form(HostedSignInPages.logoutPath, .button(all.passkeyPage.signOut, .quiet))
                : form(
                    AccountPages.devicesPath, .button(all.passkeyPage.signOut, .quiet, item: ("session", session.id)))
            return .row(
                .device, "<bdi>\(session.device ?? texts.unknownDevice)</bdi>\(mark)",
                about: """
                    \(texts.signedInOn(date(session.createdAt))) · \(lastUse(session.lastUsedAt))\(network)
                    """, actions: [button])
        }
        let others: HTML? =
            reply.sessions.contains { !$0.isCurrent }
            ? form(AccountPages.devicesPath, .button(texts.signOutOthers, .danger, item: ("others", "1"))) : nil
        let more: HTML? = reply.hasMore ? .note(.warn, "<p>\(texts.moreSessions)</p>") : nil
        return page(
            texts.devices, at: AccountPages.devicesPath,
            "\(HTML.panel(texts.devices, rows))\(more)\(others)\(rememberedPanel(remembered))")
    }

    // MARK: Connected accounts

    /// - Parameter offered: the providers of the project.
    func connectionsPage(_ offered: [Federation.ListSignInProviders.Entry], refusal: String? = nil) -> Page {
        let connectionTexts = visit.visit.allTexts.connections
        let linked = account.providers.map { provider -> HTML in
            let name = offered.first { $0.id == provider.providerID }?.name ?? provider.providerID
            return .row(
                PageIcon(provider: provider.providerID) ?? .link, "<bdi>\(name)</bdi>",
                about: (provider.email ?? provider.displayName).map { "<bdi>\($0)</bdi>" },
                actions: [removal(.provider, provider.providerID, texts.disconnect)])
        }
        let others = offered.filter { entry in !account.providers.contains { $0.providerID == entry.id } }
        let connectable = others.map { entry -> HTML in
            .row(
                PageIcon(provider: entry.id) ?? .globe, "<bdi>\(entry.name)</bdi>",
                actions: [
                    form(
                        AccountPages.connectPath,
                        .button(connectionTexts.connect, .plain, item: ("provider", entry.id)))
                ])
        }
        let none: HTML = "<p>\(texts.noConnections)</p>"
        var page = page(
            texts.connections, at: AccountPages.connectionsPath,
            """
            \(refusal.map { HTML.errorSummary("\($0)") })
            \(linked.isEmpty ? none : .panel(texts.connections, linked))
            \(connectable.isEmpty ? nil : HTML.panel(connectionTexts.connectAnother, connectable))
            """)
        if refusal != nil { page.status = 400 }
        return page
    }

    /// The button that leads to the question.
    func removal(_ kind: AccountRemoval.Kind, _ id: String, _ label: String) -> HTML {
        link(to: AccountPages.removalPath, label, .quiet, AccountRemoval.items(kind, id))
    }

    // MARK: Your data

    func dataPage() -> Page {
        let download = HTML.row(
            .list, "\(texts.download)", about: "\(texts.downloadBody)",
            actions: [form(AccountPages.dataPath, .button(texts.download, .plain))])
        let deletion = HTML.row(
            .trash, "\(texts.delete)", about: "\(deletionConsequence)",
            actions: [
                .buttonLink(to: visit.visit.address(AccountPages.deletionPath), texts.delete, .danger)
            ])
        return page(
            texts.data, at: AccountPages.dataPath,
            .panel(texts.data, [download] + (visit.visit.configuration.allowsSelfDeletion ? [deletion] : [])))
    }

    func deletionPage() -> Page {
        let grace = HTML.hidden([(Self.graceField, String(graceDays))])
        let button = HTML.button(texts.delete, .danger, describedBy: "consequence")
        return task(
            texts.delete, of: AccountPages.dataPath,
            """
            <p id="consequence">\(deletionConsequence)</p>
            \(form(AccountPages.deletionPath, "\(grace)\(button)"))
            """)
    }

    /// The days after which the account is deleted, as the page has said them.
    static let graceField = "days"

    private var graceDays: Int { visit.visit.configuration.deletionGraceDays }

    private var deletionConsequence: String {
        graceDays > 0 ? visit.visit.allTexts.deletion.inDays(graceDays) : texts.deleteBody
    }
}
