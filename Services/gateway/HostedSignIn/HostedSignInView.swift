import Contracts
import Pages
import Vocabulary

/// The HTML of the hosted sign-in and sign-up.
struct HostedSignInView: Sendable {
    let visit: HostedVisit

    private var all: PageTexts { visit.language.pageTexts }
    private var texts: PageTexts.HostedSignIn { visit.texts }

    // MARK: Pages

    /// One field first; other ways below it.
    func firstPage(
        _ flow: HostedFlow, passkeys: Bool, isRefused: Bool = false, passkeyRefusal: String? = nil
    ) -> Page {
        let hasEmail = visit.configuration.allowsPasswordSignIn || visit.configuration.allowsEmailLinkSignIn
        let field = PageField(
            id: "email", label: texts.email, autocomplete: passkeys ? "username webauthn" : "username"
        ) { field in
            field.kind = .email
            field.inputMode = "email"
            field.enterKeyHint = "next"
            field.maximumLength = EmailAddress.maximumBytes
            field.isRequired = true
            field.isVerbatim = true
            field.value = flow.email
            field.error = isRefused ? texts.invalidEmail : nil
            field.takesFocus = !isRefused && passkeyRefusal == nil
        }
        let emailForm: HTML? =
            hasEmail
            ? form(HostedSignInPages.path, flow, "\(field.html)<p>\(HTML.button(all.continueLabel))</p>") : nil
        let refusal = refusal(isRefused ? texts.invalidEmail : passkeyRefusal, field: isRefused ? "email" : nil)
        let divider: HTML? = hasEmail ? #"<p class="or">\#(texts.or)</p>"# : nil
        var page = Page(
            language: visit.language, title: all.signIn.title,
            content: """
                \(purpose)
                \(refusal)
                \(emailForm)
                \(passkeys ? "<div class=\"scripted\">\(divider)\(passkeyForm(flow, hasAlarm: refusal == nil))</div>" : nil)
                \(hasEmail && visit.configuration.allowsSelfSignUp ? link(
                    texts.newHere, texts.createAccount, to: HostedSignInPages.registerPath) : nil)
                """, status: isRefused || passkeyRefusal != nil ? 400 : 200)
        if passkeys {
            page.script = ScriptFile.hostedPasskey.onPage()
            page.script?.submitsForm = true
            page.usesPasskeys = true
        }
        return page
    }

    func passwordPage(_ flow: HostedFlow, refusal: String? = nil) -> Page {
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
                \(field.html)<p>\(HTML.button(all.signIn.title))</p>
                """) : nil
        let mails = [
            visit.configuration.allowsEmailLinkSignIn ? ("link", texts.emailLink) : nil,
            visit.configuration.allowsPasswordSignIn ? ("reset", texts.forgotten) : nil,
        ].compactMap { $0 }
        let buttons = mails.map { purpose, label in
            form(
                HostedSignInPages.emailPath, flow,
                "\(HTML.button(label, passwordForm == nil ? .primary : .plain, item: ("purpose", purpose), isWide: true))"
            )
        }
        return Page(
            language: visit.language, title: passwordForm == nil ? all.signIn.title : texts.enterPassword,
            content: """
                \(self.refusal(refusal, field: "password"))
                \(HTML.value(email))
                \(passwordForm)
                <div class="stack">\(buttons)</div>
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
        return Page(
            language: visit.language, title: texts.createAccount,
            content: """
                \(purpose)
                \(summary)
                \(form(
                        HostedSignInPages.registerPath, flow,
                        "\(fields.map(\.html))<p>\(HTML.button(texts.createAccount))</p>"))
                \(link(texts.haveAccount, all.signIn.title, to: HostedSignInPages.path))
                """, status: entered.isRefused ? 400 : 200)
    }

    /// Leads to the application. The answer to a form does not lead there itself: the content security policy would have
    /// to name every address to which the application redirects.
    func leavingPage(to url: WebURL) -> Page {
        var page = Page(
            language: visit.language, title: texts.signedIn,
            content: "<p>\(HTML.buttonLink(to: url.text, all.continueLabel))</p>")
        page.headers.append((name: "Refresh", value: "0; url=\(url.text)"))
        return page
    }

    /// Somebody is signed in here.
    func sessionPage(_ session: HostedSession, _ flow: HostedFlow) -> Page {
        let name = session.accountName
        return Page(
            language: visit.language, title: texts.signedIn,
            content: """
                <p>\(all.passkeyPage.signedInAs)</p>
                \(HTML.value(name))
                \(visit.continueURL.map { "<p>\(HTML.buttonLink(to: $0.text, texts.continueAs(name)))</p>" })
                <div class="stack">
                \(HTML.buttonLink(
                        to: visit.address(HostedSignInPages.path, ("prompt", "login")), texts.otherAccount, .plain,
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
        visit.branding.name.map { #"<p class="muted"><bdi>\#(texts.toContinue($0))</bdi></p>"# }
    }

    func refusal(_ sentence: String?, field: String?) -> HTML? {
        sentence.map { .errorSummary("\($0)", field: field) }
    }

    /// A form of this visit.
    func form(_ path: String, _ flow: HostedFlow, _ content: HTML, id: String? = nil) -> HTML {
        let name: HTML? = id.map { #" id="\#($0)""# }
        return """
            <form method="post" action="\(visit.address(path))"\(name)>
            \(HTML.hidden([(HostedFlow.tokenField, flow.token ?? "")]))
            \(content)
            </form>
            """
    }

    /// - Parameter hasAlarm: a refusal stands elsewhere on the page otherwise.
    private func passkeyForm(_ flow: HostedFlow, hasAlarm: Bool) -> HTML {
        let messages = all.passkeyPage.messages
        return form(
            HostedSignInPages.passkeyPath, flow,
            """
            <input type="hidden" name="response" />
            \(hasAlarm ? HTML.alarm(isHidden: true) : nil)
            <p>\(HTML.button(all.passkeyPage.signIn, .plain, icon: .passkey, id: "usePasskey", submits: false))</p>
            <div id="passkey" hidden="hidden" data-api-key="\(visit.items.first { $0.name == "apiKey" }?.value ?? "dev")" \
            data-tenant-id="\(visit.realm.tenant?.rawValue ?? "")" data-canceled="\(messages.canceled)" \
            data-unsupported="\(messages.unsupported)"></div>
            """, id: "passkeyForm")
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
