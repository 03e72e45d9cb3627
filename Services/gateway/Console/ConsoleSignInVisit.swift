import Contracts
import HTTPServer
import Pages
import Vocabulary

/// One request of an operator who signs in. What the visit keeps is in a cookie (`HostedFlow`), as on the pages of users.
struct ConsoleSignInVisit: Sendable {
    let call: Call
    let language: Language
    var flow: HostedFlow
    var form: [String: String] = [:]

    /// The parameter with the page that the operator wanted.
    static let target = "to"
    static let maximumTargetBytes = 1024
    /// A passkey was added, which signs in now.
    static let added = "added"

    init(_ call: Call) {
        self.call = call
        language = Language.find(nil, acceptLanguage: call.request.headers["accept-language"])
        flow = HostedFlow(in: call.request.headers, of: .operators, isSecure: true).begun()
    }

    var texts: PageTexts.Console { language.consoleTexts }
    var passkeyTexts: PageTexts.ConsolePasskeys { language.consolePasskeyTexts }

    func with(_ form: [String: String]) -> ConsoleSignInVisit {
        var visit = self
        visit.form = form
        return visit
    }

    /// - Returns: nil for a form of another site, and for one that this browser did not get.
    func ownForm() throws -> [String: String]? {
        guard call.isConsoleForm() else { return nil }
        let form = try RequestBody.form(from: call.request)
        let stored = HostedFlow(in: call.request.headers, of: .operators, isSecure: true).token
        guard let stored, form[HostedFlow.tokenField] == stored else { return nil }
        return form
    }

    /// Of an authenticator app.
    var digits: String { HostedSignInPages.digits(form["code"]) }

    /// A page of the console, and nothing else.
    var targetPath: String? {
        guard let text = call.request.queryItem(Self.target).nilIfEmpty, text.utf8.count <= Self.maximumTargetBytes,
            text.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "\\") })
        else { return nil }
        let path = text.halves(at: "?").before
        let isPage = path == ConsolePages.path || path.hasPrefix("\(ConsolePages.path)/")
        return isPage && !path.pieces(at: "/").contains("..") ? text : nil
    }

    func address(_ path: String) -> String {
        HostedVisit.address(path, targetPath.map { [(Self.target, $0)] } ?? [])
    }

    // MARK: Answers

    func redirect(to path: String, _ flow: HostedFlow? = nil) -> HTTPResponse {
        let cookie = flow.map { [$0.field(of: .operators, isSecure: true)] } ?? []
        return HTTPResponse(status: 303, headers: [("Location", address(path))] + cookie)
    }

    func message(_ message: PageTexts.Message, status: Int) -> HTTPResponse {
        var page = Page.message(message, in: language, status: status)
        page.branding = ConsoleView.branding
        return page.response
    }

    /// - Parameter script: of a page with passkeys.
    func respond(
        _ title: String, refusal: String?, field: String?, script: ScriptFile? = nil, _ content: HTML
    ) -> HTTPResponse {
        var page = Page(
            language: language, title: title,
            content: "\(refusal.map { HTML.errorSummary("\($0)", field: field) })\(content)",
            branding: ConsoleView.branding, status: refusal == nil ? 200 : 400)
        if let script {
            page.script = script.onPage()
            page.script?.submitsForm = true
            page.usesPasskeys = true
        }
        var response = page.response
        response.headers.append(flow.field(of: .operators, isSecure: true))
        return response
    }

    func form(_ path: String, _ content: HTML) -> HTML {
        """
        <form method="post" action="\(address(path))">
        \(HTML.hidden([(HostedFlow.tokenField, flow.token ?? "")]))
        \(content)
        </form>
        """
    }

    // MARK: Pages

    func signInPage(
        email: String = "", refusal: String? = nil, passkeys: ConsolePasskeyOffer = .none
    ) -> HTTPResponse {
        let texts = language.pageTexts
        let fields = [
            PageField(
                id: "email", label: texts.hostedSignIn.email,
                autocomplete: passkeys.isOffered ? "username webauthn" : "username"
            ) { field in
                field.kind = .email
                field.inputMode = "email"
                field.maximumLength = EmailAddress.maximumBytes
                field.isRequired = true
                field.isVerbatim = true
                field.value = email
                field.takesFocus = refusal == nil
            },
            PageField(id: "password", label: texts.passkeyPage.password, autocomplete: "current-password") { field in
                field.kind = .password
                field.isRequired = true
                field.isInvalid = refusal != nil
            },
        ]
        return respond(
            self.texts.title, refusal: refusal, field: "password",
            script: passkeys.isOffered ? .hostedPasskey : nil,
            """
            \(call.request.queryItem(Self.added) == nil ? nil : HTML.note(.good, "<p role=\"status\">\(passkeyTexts.signInNow)</p>"))
            \(form(
                ConsoleSignIn.path, "\(fields.map(\.html))<p>\(HTML.button(texts.signIn.title))</p>"))
            \(passkeySignIn(passkeys, hasAlarm: refusal == nil))
            <p class="small muted">\(self.texts.lostAccess)</p>
            """)
    }

    func codePage(refusal: String? = nil) -> HTTPResponse {
        var field = PageField.code(id: "code", label: language.pageTexts.hostedSignIn.codeLabel)
        field.error = refusal
        field.takesFocus = refusal == nil
        return respond(
            language.pageTexts.hostedSignIn.appCode, refusal: refusal, field: "code",
            form(
                ConsoleSignIn.codePath,
                "\(field.html)<p>\(HTML.button(language.pageTexts.hostedSignIn.confirm))</p>"))
    }

    private var app: TOTPEnrollmentView {
        TOTPEnrollmentView(texts: language.pageTexts, account: language.accountTexts)
    }

    func enrollmentPage(_ started: MFATOTP.StartEnrollment.Reply) -> HTTPResponse {
        respond(
            language.accountTexts.addApp, refusal: nil, field: "code",
            """
            <p>\(texts.appNeeded)</p>
            \(app.secret(started))
            \(form(ConsoleSignIn.enrollPath, app.fields(session: started.sessionInfo.reveal())))
            """)
    }

    /// A code was refused. The key is in the app, and is not shown again.
    func enrollmentPage(session: String, refusal: String) -> HTTPResponse {
        respond(
            language.accountTexts.addApp, refusal: refusal, field: "code",
            """
            \(form(ConsoleSignIn.enrollPath, app.fields(session: session, refusal: refusal)))
            <p>\(HTML.buttonLink(to: address(ConsoleSignIn.enrollPath), language.pageTexts.hostedSignIn.startAgain, .quiet))</p>
            """)
    }

    func welcomePage(code: String, refusal: String? = nil) -> HTTPResponse {
        let field = PageField(
            id: "password", label: language.pageTexts.newPassword, autocomplete: "new-password"
        ) { field in
            field.kind = .password
            field.isRequired = true
            field.hint = "\(texts.passwordHint)"
            field.error = refusal
        }
        return respond(
            texts.welcome.title, refusal: refusal, field: "password",
            """
            <p>\(texts.welcome.body)</p>
            \(form(
                ConsoleSignIn.welcomePath,
                "\(HTML.hidden([("code", code)]))\(field.html)<p>\(HTML.button(texts.setPassword))</p>"))
            """)
    }
}
