import Contracts
import FoundationEssentials
import HTTPServer
import Pages
import Vocabulary

/// The page where users sign in with passkeys and manage them (docs/use/passkeys.md). Its scripts, which developers copy,
/// use the REST protocol and nothing else. Served in dev mode, and with `LATCHKEY_PASSKEY_PAGE`.
enum PasskeyPage {
    static let routes: [Route] =
        [
            Route(.get, .local("/__/auth/passkeys"), .page, .unauthenticated) { call in
                try checkIsServed(call)
                let language = Language.find(
                    call.request.queryItem("hl"), acceptLanguage: call.request.headers["accept-language"])
                guard let key = call.request.queryItem("apiKey").nilIfEmpty ?? (call.settings.isDev ? devKey : nil)
                else {
                    return Page.message(language.pageTexts.invalidLink, in: language, status: 400).response
                }
                let tenantID = call.request.queryItem("tenantId").nilIfEmpty
                return PasskeyView(
                    language: language, apiKey: key, tenantID: tenantID, hasPasswordForm: call.settings.isDev,
                    branding: await call.branding(apiKey: key, tenant: tenantID)
                ).page.response
            }
        ] + [ScriptFile.passkeys, .passkeySession].map { $0.route(checkIsServed) } + [
            ScriptFile.passkeyEncoding.route(), ScriptFile.passkeySignals.route(),
        ]

    /// In dev mode every key belongs to the project.
    private static let devKey = "dev"

    @Sendable private static func checkIsServed(_ call: Call) throws(APIError) {
        guard call.settings.hasPasskeyPage else { throw .pathNotFound }
    }
}

/// The HTML of the page. The script shows the part whose `data-state` is the current one.
struct PasskeyView: Sendable {
    var language: Language
    var apiKey: String
    var tenantID: String?
    /// For a first session in dev mode, where no application signs in.
    var hasPasswordForm: Bool
    var branding = PageBranding()

    private var all: PageTexts { branding.texts(in: language).pages }
    private var texts: PageTexts.PasskeyPage { all.passkeyPage }

    var page: Page {
        Page(
            language: language, title: texts.title,
            content: """
                \(HTML.noScript(texts.noScript))
                <div id="passkeys" data-api-key="\(apiKey)" data-tenant-id="\(tenantID ?? "")" \
                data-ceremony-milliseconds="\(String(Passkey.ceremonyLifetime.saturatedMilliseconds))" \
                data-messages="\(EmbeddedJSON.json(texts.messages))" \
                data-default-name="\(AccountPasskey.defaultName)" data-unnamed="\(all.accountPasskeys.unnamed)" \
                data-too-many-attempts="\(all.tooManyAttempts.body)" \
                data-account-disabled="\(all.accountDisabled.title)">
                <p id="status" role="status"></p>
                \(HTML.alarm())
                <div data-state="signedOut" hidden="hidden">
                \(signInForm)
                \(hasPasswordForm ? passwordForm : nil)
                <p>\(texts.signUpBody)</p>
                <p>\(HTML.button(texts.signUp, .plain, id: "signUp", submits: false))</p>
                </div>
                <div data-state="signedIn" hidden="hidden">
                <p>\(texts.signedInAs)</p>
                <p id="account" class="value"></p>
                <h2>\(texts.list)</h2>
                <p id="noPasskeys" hidden="hidden">\(texts.noPasskeys)</p>
                <div id="list" class="stack"></div>
                <template id="entry">\(entry)</template>
                \(removalDialog)
                <p>\(HTML.button(texts.add, icon: .passkey, id: "add", submits: false))</p>
                <p>\(HTML.button(texts.signOut, .plain, id: "signOut", submits: false))</p>
                </div>
                </div>
                """, branding: branding, script: ScriptFile.passkeys.onPage(), usesPasskeys: true)
    }

    /// The browser offers passkeys in the input field because of `webauthn`.
    private var signInForm: HTML {
        let field = PageField(id: "identifier", label: texts.identifier, autocomplete: "username webauthn") { field in
            field.isVerbatim = true
            field.maximumLength = 256
        }
        return """
            <form id="signIn">
            \(field.html)
            <p>\(HTML.button(texts.signIn, icon: .passkey))</p>
            </form>
            """
    }

    private var passwordForm: HTML {
        let autocomplete = "current-password webauthn"
        let field = PageField(id: "password", label: texts.password, autocomplete: autocomplete) { field in
            field.kind = .password
            field.isRequired = true
            field.maximumLength = 4096
        }
        return """
            <form id="passwordSignIn">
            \(field.html)
            <p>\(HTML.button(texts.signInWithPassword, .plain))</p>
            </form>
            """
    }

    /// Asks before a passkey is removed. Escape and the first button keep it.
    private var removalDialog: HTML {
        """
        <dialog id="removal" aria-labelledby="removalQuestion">
        <p id="removalQuestion">\(texts.removalQuestion)</p>
        <p id="removalName" class="value"></p>
        <form id="removalAnswer" class="actions" method="dialog">
        <button class="plain" value="keep">\(texts.cancel)</button> \
        <button class="danger" value="remove">\(texts.remove)</button>
        </form>
        </dialog>
        """
    }

    /// One passkey of the list.
    private var entry: HTML {
        """
        <form>
        <p><input name="name" type="text" aria-label="\(texts.name)" autocomplete="off" required="required" \
        maxlength="\(String(AccountPasskey.maximumNameLength))" /></p>
        <div class="actions"><button type="submit" class="plain">\(texts.rename)</button> \
        <button class="danger" name="remove" type="button">\(texts.remove)</button></div>
        </form>
        """
    }
}
