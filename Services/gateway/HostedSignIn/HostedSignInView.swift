import Contracts
import Pages
import Vocabulary

/// The HTML of the hosted sign-in and sign-up.
struct HostedSignInView: Sendable {
    let visit: HostedVisit

    private var all: PageTexts { visit.pageTexts }
    private var texts: PageTexts.HostedSignIn { visit.texts }

    // MARK: Pages

    /// One field first; other ways below it.
    func firstPage(
        _ flow: HostedFlow, _ offer: HostedOffer, isRefused: Bool = false, passkeyRefusal: String? = nil
    ) -> Page {
        guard identifier != nil || !offer.isEmpty else {
            return .message(all.providerSignIn.notOffered, in: visit.language, status: 400)
        }
        let sentence = isRefused ? identifier.map { self.refusal(of: $0) } : passkeyRefusal
        let refusal = refusal(sentence, field: isRefused ? "email" : nil)
        let identifierForm = identifier.map { identifier -> HTML in
            var field = identifierField(identifier, offersPasskeys: offer.passkeys, isRefused: isRefused)
            field.value = flow.email
            field.takesFocus = refusal == nil
            return form(
                HostedSignInPages.path, flow,
                "\(HTML.hidden([("passkeys", "")]))\(field.html)<p>\(HTML.button(all.continueLabel))</p>")
        }
        let signUp: HTML? =
            visit.configuration.allowsPasswordSignIn && visit.configuration.allowsSelfSignUp
            ? link(texts.newHere, texts.createAccount, to: HostedSignInPages.registerPath) : nil
        var page = Page(
            language: visit.language, title: texts.title,
            content: """
                \(purpose)
                \(refusal)
                \(identifierForm)
                \(others(
                    offer, flow, isDivided: identifierForm != nil, hasAlarm: refusal == nil,
                    start: passkeyRefusal == nil ? .atOnce : .afterAnAct))
                \(signUp)
                """, status: refusal == nil ? 200 : 400)
        if visit.configuration.passkeyConfig.allowsPasskeys { addScript(to: &page) }
        return page
    }

    /// The password, or an e-mail in its place.
    /// - Parameters:
    ///   - note: why the user is here.
    ///   - offer: the other ways of the account, where they are known.
    func passwordPage(
        _ flow: HostedFlow, refusal: String? = nil, note: String? = nil,
        offer: HostedOffer = HostedOffer(passkeys: false, providers: [])
    ) -> Page {
        let email = flow.email ?? ""
        let field = PageField(id: "password", label: all.passkeyPage.password, autocomplete: "current-password") {
            field in
            field.kind = .password
            field.enterKeyHint = "go"
            field.maximumLength = 4096
            field.isRequired = true
            field.error = refusal
            field.takesFocus = refusal == nil
        }
        let passwordForm: HTML? =
            visit.configuration.allowsPasswordSignIn
            ? form(
                HostedSignInPages.passwordPath, flow,
                """
                <input name="username" type="text" autocomplete="username" hidden="hidden" value="\(email)" />
                \(field.html)\(showPassword)<p>\(HTML.button(all.signIn.title))</p>
                """) : nil
        let mails: [(purpose: HostedSignInPages.EmailPurpose, label: String)] = [
            visit.configuration.allowsEmailCodes ? (.code, texts.emailCode) : nil,
            visit.configuration.allowsEmailLinkSignIn ? (.link, texts.emailLink) : nil,
            visit.configuration.allowsPasswordSignIn ? (.reset, texts.forgotten) : nil,
        ].compactMap(\.self)
        let buttons = mails.enumerated().map { place, mail in
            emailForm(
                mail.purpose, mail.label,
                mail.purpose == .reset ? .quiet : passwordForm == nil && place == 0 ? .primary : .plain, flow)
        }
        var page = Page(
            language: visit.language, title: passwordForm == nil ? all.signIn.title : texts.enterPassword,
            content: """
                \(note.map { HTML.note(.neutral, "\($0)") })
                \(self.refusal(refusal, field: "password"))
                \(HTML.value(email))
                \(passwordForm)
                <div class="stack">\(buttons)</div>
                \(others(offer, flow, isDivided: true, hasAlarm: false))
                \(again)
                """, status: refusal == nil ? 200 : 400)
        page.script = ScriptFile.showPassword.onPage()
        page.script?.submitsForm = true
        return page
    }

    /// The code of an e-mail.
    func emailCodePage(_ flow: HostedFlow, refusal: String? = nil) -> Page {
        var field = PageField.code(id: "code", label: texts.codeLabel)
        field.error = refusal
        field.takesFocus = refusal == nil
        return Page(
            language: visit.language, title: texts.enterEmailCode,
            content: """
                \(self.refusal(refusal, field: "code"))
                <p class="muted"><bdi>\(texts.emailSentTo(flow.email ?? ""))</bdi></p>
                \(form(HostedSignInPages.emailCodePath, flow, "\(field.html)<p>\(HTML.button(texts.confirm))</p>"))
                \(emailForm(.code, texts.sendAgain, .quiet, flow))
                \(again)
                """, status: refusal == nil ? 200 : 400)
    }

    /// The link of an e-mail, opened. In the browser that asked for it, the address is known.
    func linkPage(_ flow: HostedFlow, code: String, isRefused: Bool = false) -> Page {
        let field = PageField(id: "email", label: texts.email, autocomplete: "username") { field in
            field.kind = .email
            field.isRequired = true
            field.isVerbatim = true
            field.hint = "\(texts.linkEmail)"
            field.value = flow.email
            field.error = isRefused ? texts.invalidEmail : nil
        }
        let known = isRefused ? nil : flow.email
        return Page(
            language: visit.language, title: all.signIn.title,
            content: """
                \(refusal(isRefused ? texts.invalidEmail : nil, field: "email"))
                \(known.map { HTML.value($0) })
                \(form(
                        HostedSignInPages.linkPath, flow,
                        """
                        \(HTML.hidden([("code", code)]))
                        \(known == nil ? field.html : nil)
                        <p>\(HTML.button(all.signIn.title))</p>
                        """))
                """, status: isRefused ? 400 : 200)
    }

    /// An e-mail is on its way.
    func sent(_ sentence: String) -> Page {
        .message(.init(title: all.changePassword.done.title, body: sentence), in: visit.language, rest: again)
    }

    /// What the user entered, and what was refused of it. The password is never shown again.
    struct Registration: Sendable {
        var email: String
        var name = ""
        var emailError: String?
        var passwordError: String?
        var unmetRequirements: [UnmetPasswordRequirement] = []

        var isRefused: Bool { emailError != nil || passwordError != nil || !unmetRequirements.isEmpty }
    }

    func registerPage(_ entered: Registration, _ flow: HostedFlow) -> Page {
        let fields = [
            PageField(id: "email", label: texts.email, autocomplete: "username") { field in
                field.kind = .email
                field.inputMode = "email"
                field.maximumLength = EmailAddress.maximumBytes
                field.isRequired = true
                field.isVerbatim = true
                field.value = entered.email
                field.error = entered.emailError
                field.takesFocus = !entered.isRefused
            },
            PageField(id: "name", label: texts.name, autocomplete: "name") { field in
                field.maximumLength = 256
                field.value = entered.name
            },
            PageField(id: "password", label: all.newPassword, autocomplete: "new-password") { field in
                field.kind = .password
                field.maximumLength = 4096
                field.isRequired = true
                field.error = entered.passwordError
                field.isInvalid = !entered.unmetRequirements.isEmpty
                field.descriptions = entered.unmetRequirements.isEmpty ? [] : ["alarm"]
            },
        ]
        let summary: HTML? =
            entered.unmetRequirements.isEmpty
            ? refusal(
                entered.emailError ?? entered.passwordError, field: entered.emailError == nil ? "password" : "email")
            : PasswordHints(texts: all).refusal(entered.unmetRequirements)
        var page = Page(
            language: visit.language, title: texts.signUpTitle,
            content: """
                \(purpose)
                \(summary)
                \(form(
                    HostedSignInPages.registerPath, flow,
                    """
                    \(HTML.hidden([("passkeys", "")]))\(fields.map(\.html))\(showPassword)
                    <p>\(HTML.button(texts.createAccount))</p>
                    """))
                \(numberLink)
                \(link(texts.haveAccount, all.signIn.title, to: HostedSignInPages.path))
                """, status: entered.isRefused ? 400 : 200)
        addScript(to: &page)
        return page
    }

    /// Offers a passkey to a user who is signed in.
    func passkeyOfferPage(
        _ options: CreationOptionsReply.Options, unasked: CreationOptionsReply.Options?, _ flow: HostedFlow,
        _ refusal: String?
    ) -> Page {
        var page = Page(
            language: visit.language, title: texts.offerPasskey.title,
            content: """
                <p>\(texts.offerPasskey.body)</p>
                \(self.refusal(refusal, field: nil))
                \(passkeyCreation(
                    HostedSignInPages.addPasskeyPath, flow, options, unasked: unasked, hasAlarm: refusal == nil))
                \(form(
                    HostedSignInPages.addPasskeyPath, flow,
                    HTML.button(texts.notNow, .quiet, item: ("skip", "1"), isWide: true)))
                """, status: refusal == nil ? 200 : 400, script: ScriptFile.accountPasskey.onPage(),
            usesPasskeys: true)
        page.script?.submitsForm = true
        return page
    }

    /// Leads to an application or a provider. The answer to a form does not lead there itself: the content security policy
    /// would have to name every address to which they redirect.
    func leavingPage(_ title: String, to url: String) -> Page {
        var page = Page(
            language: visit.language, title: title,
            content: "<p>\(HTML.buttonLink(to: url, all.continueLabel))</p>")
        page.headers.append((name: "Refresh", value: "0; url=\(url)"))
        return page
    }

    /// Somebody is signed in here.
    /// - Parameter others: the sessions of other accounts in this browser.
    func sessionPage(_ session: HostedSession, others: [HostedSession], _ flow: HostedFlow) -> Page {
        let name = session.accountName
        return Page(
            language: visit.language, title: texts.signedIn,
            content: """
                \(visit.continueURL.map { continuing(as: name, to: $0, flow) } ?? HTML.value(name))
                <div class="stack">
                \(others.map { other in
                    form(
                        HostedSignInPages.switchPath, flow,
                        HTML.button(
                            texts.continueAs(other.accountName), .plain, icon: .person,
                            item: ("account", other.account.id.rawValue), isWide: true))
                })
                \(HTML.buttonLink(
                        to: visit.address(HostedSignInPages.path, ("prompt", HostedPrompt.account.rawValue)), texts.otherAccount,
                        .plain,
                        isWide: true))
                \(form(
                        HostedSignInPages.logoutPath, flow,
                        "\(HTML.button(all.passkeyPage.signOut, .plain, id: "signOut", isWide: true))"))
                \(form(
                        HostedSignInPages.logoutPath, flow,
                        "\(HTML.button(texts.signOutEverywhere, .quiet, item: ("everywhere", "1"), isWide: true))"))
                </div>
                """)
    }

    /// Goes on with the account. For a request of an application it is a form, which a page of another site cannot send.
    private func continuing(as name: String, to url: WebURL, _ flow: HostedFlow) -> HTML {
        guard visit.authorization != nil else {
            return "<p>\(HTML.buttonLink(to: url.text, texts.continueAs(name)))</p>"
        }
        return form(HostedSignInPages.continuePath, flow, "<p>\(HTML.button(texts.continueAs(name)))</p>")
    }

    /// The link to the first page.
    var again: HTML {
        "<p>\(HTML.buttonLink(to: visit.address(HostedSignInPages.path), texts.otherAccount, .quiet))</p>"
    }

    /// The same link on a page that says why a sign-in has ended.
    var startAgain: HTML {
        "<p>\(HTML.buttonLink(to: visit.address(HostedSignInPages.path), texts.startAgain, .plain))</p>"
    }

    // MARK: Parts

    /// What the user signs in for.
    private var purpose: HTML? {
        (visit.applicationName ?? visit.branding.name).map {
            #"<p class="muted"><bdi>\#(texts.toContinue($0))</bdi></p>"#
        }
    }

    func refusal(_ sentence: String?, field: String?) -> HTML? {
        sentence.map { .errorSummary("\($0)", field: field) }
    }

    /// A form of this visit.
    func form(_ path: String, _ flow: HostedFlow, _ content: HTML, id: String? = nil) -> HTML {
        let name: HTML? = id.map { #" id="\#($0)" class="scripted""# }
        return """
            <form method="post" action="\(visit.address(path))"\(name)>
            \(HTML.hidden([(HostedFlow.tokenField, flow.token ?? "")]))
            \(content)
            </form>
            """
    }

    /// Shows the field of the password.
    private var showPassword: HTML {
        """
        <label class="check scripted"><input type="checkbox" data-shows="password" /><span>\(texts.showPassword)</span>\
        </label>
        """
    }

    private func emailForm(
        _ purpose: HostedSignInPages.EmailPurpose, _ label: String, _ kind: PageButtonKind, _ flow: HostedFlow
    ) -> HTML {
        form(
            HostedSignInPages.emailPath, flow,
            "\(HTML.button(label, kind, item: ("purpose", purpose.rawValue), isWide: true))")
    }

    /// Passkeys, and the pages of providers. Nil without any.
    private func others(
        _ offer: HostedOffer, _ flow: HostedFlow, isDivided: Bool, hasAlarm: Bool, start: PasskeyStart = .atOnce
    ) -> HTML? {
        guard !offer.isEmpty else { return nil }
        let divider: HTML? = isDivided ? #"<p class="or">\#(texts.or)</p>"# : nil
        let providers = offer.providers.map { provider in
            form(
                HostedSignInPages.providerPath, flow,
                HTML.button(
                    texts.continueWith(provider.name), .plain, icon: PageIcon(provider: provider.id) ?? .globe,
                    item: ("provider", provider.id), isWide: true))
        }
        // Without a script there is nothing between two lines.
        let isScripted = offer.providers.isEmpty
        let passkeys = offer.passkeys ? passkeyForm(flow, hasAlarm: hasAlarm, start) : nil
        return """
            <div\(isScripted ? #" class="scripted""# : nil)>
            \(divider)
            <div class="stack">\(passkeys)\(providers)</div>
            </div>
            """
    }

    /// When the script of the page asks the browser for a passkey.
    enum PasskeyStart: String, Sendable {
        /// The browser offers passkeys in the field of the address.
        case atOnce
        /// The same, once the user has done something: a passkey was refused.
        case afterAnAct
        /// The page has no such field.
        case byButton
    }

    /// - Parameter hasAlarm: a refusal stands elsewhere on the page otherwise.
    func passkeyForm(_ flow: HostedFlow, hasAlarm: Bool, _ start: PasskeyStart) -> HTML {
        let messages = all.passkeyPage.messages
        return scriptedForm(
            HostedSignInPages.passkeyPath, flow,
            [
                ("api-key", visit.apiKey), ("tenant-id", visit.realm.tenant?.rawValue ?? ""),
                ("ceremony-milliseconds", String(Passkey.ceremonyLifetime.saturatedMilliseconds)),
                ("canceled", messages.canceled), ("unsupported", messages.unsupported), ("start", start.rawValue),
            ],
            """
            \(hasAlarm ? HTML.alarm(isHidden: true) : nil)
            \(HTML.button(
                all.passkeyPage.signIn, .plain, icon: .passkey, id: "usePasskey", waitsForScript: true, isWide: true))
            """)
    }

    /// The form of a page that creates a passkey. Its script is `ScriptFile.accountPasskey`.
    /// - Parameters:
    ///   - options: of `navigator.credentials.create`.
    ///   - unasked: the same, with which the script lets a password manager create a passkey without asking.
    ///   - hasAlarm: a refusal stands elsewhere on the page otherwise.
    func passkeyCreation(
        _ path: String, _ flow: HostedFlow, _ options: CreationOptionsReply.Options,
        unasked: CreationOptionsReply.Options? = nil, hasAlarm: Bool
    ) -> HTML {
        let messages = all.passkeyPage.messages
        return scriptedForm(
            path, flow,
            [
                ("options", EmbeddedJSON.json(options)), ("canceled", messages.canceled),
                ("exists", messages.exists), ("unsupported", messages.unsupported),
            ] + (unasked.map { [("unasked", EmbeddedJSON.json($0))] } ?? []),
            """
            \(hasAlarm ? HTML.alarm(isHidden: true) : nil)
            <p>\(HTML.button(all.passkeyPage.add, icon: .passkey, id: "addPasskey", waitsForScript: true))</p>
            """)
    }

    /// A form that the script of the page completes and sends.
    private func scriptedForm(
        _ path: String, _ flow: HostedFlow, _ data: [(name: String, value: String)], _ content: HTML
    ) -> HTML {
        let attributes = data.map { #" data-\#($0.name)="\#($0.value)""# as HTML }
        return """
            <form method="post" action="\(visit.address(path))" id="passkeyForm" class="scripted"\(attributes)>
            \(HTML.hidden([(HostedFlow.tokenField, flow.token ?? ""), ("response", "")]))
            \(content)
            </form>
            """
    }

    /// The script of the page says whether the device can have passkeys.
    func addScript(to page: inout Page) {
        page.script = ScriptFile.hostedPasskey.onPage()
        page.script?.submitsForm = true
        page.usesPasskeys = true
    }

    private func link(_ sentence: String, _ label: String, to path: String) -> HTML {
        #"<p class="small">\#(sentence) <a href="\#(visit.address(path))">\#(label)</a></p>"#
    }
}

/// What a refused password lacks.
struct PasswordHints: Sendable {
    let texts: PageTexts

    func refusal(_ unmet: [UnmetPasswordRequirement]) -> HTML {
        let hints = list(unmet)
        let needs: HTML? = hints.isEmpty ? nil : .list(texts.passwordRequirements, id: "unmet", hints)
        let guessable: HTML? = unmet.contains(.hardToGuess) ? "<p>\(texts.guessablePassword)</p>" : nil
        return .errorSummary("\(guessable)\(needs)")
    }

    func list(_ requirements: [UnmetPasswordRequirement]) -> [HTML] {
        requirements.compactMap { requirement in
            switch requirement {
            case .atLeast(let characters): "\(texts.atLeast(characters))"
            case .atMost(let characters): "\(texts.atMost(characters))"
            case .lowercase: "\(texts.lowercase)"
            case .uppercase: "\(texts.uppercase)"
            case .numeric: "\(texts.numeric)"
            case .nonAlphanumeric: "\(texts.nonAlphanumeric)"
            case .hardToGuess: nil  // It has a sentence of its own.
            }
        }
    }
}
