import Contracts
import Pages
import Vocabulary

/// The HTML of the enrollment.
struct HostedEnrollmentView: Sendable {
    let visit: HostedVisit
    let flow: HostedFlow

    private var texts: PageTexts.HostedSignIn { visit.texts }
    private var account: PageTexts.Account { visit.allTexts.account }
    private var base: HostedSignInView { HostedSignInView(visit: visit) }
    private var app: TOTPEnrollmentView { TOTPEnrollmentView(texts: visit.pageTexts, account: account) }

    /// The address of the account is not verified yet.
    func addressPage(_ address: String, refusal: String? = nil) -> Page {
        var field = PageField.code(id: "code", label: texts.codeLabel)
        field.error = refusal
        field.takesFocus = refusal == nil
        let path = HostedSignInPages.enrollEmailPath
        let codeForm: HTML? =
            flow.emailSession == nil
            ? nil
            : """
            <p class="muted"><bdi>\(texts.emailSentTo(address))</bdi></p>
            \(base.form(path, flow, "\(field.html)<p>\(HTML.button(texts.confirm))</p>"))
            """
        let send =
            codeForm == nil
            ? HTML.button(texts.sendEmail) : HTML.button(texts.sendAgain, .quiet, isWide: true)
        return Page(
            language: visit.language, title: texts.verifyFirst.title,
            content: """
                <p>\(texts.verifyFirst.body)</p>
                \(base.refusal(refusal, field: "code"))
                \(codeForm ?? HTML.value(address))
                \(base.form(path, flow, send))
                """, status: refusal == nil ? 200 : 400)
    }

    /// The link of the e-mail leads back. It may be opened elsewhere, so this page leads on too.
    var sentPage: Page {
        let address = visit.address(HostedSignInPages.path, ("step", HostedStep.enroll.rawValue))
        return .message(
            .init(title: texts.verifyFirst.title, body: texts.verificationSent), in: visit.language,
            rest: "<p>\(HTML.buttonLink(to: address, visit.pageTexts.continueLabel))</p>")
    }

    func appPage(_ started: MFATOTP.StartEnrollment.Reply) -> Page {
        Page(
            language: visit.language, title: account.addApp,
            content: """
                <p>\(texts.secondStepNeeded)</p>
                \(app.secret(started))
                \(base.form(
                    HostedSignInPages.enrollPath, flow, app.fields(session: started.sessionInfo.reveal())))
                \(link(to: .phone))
                """)
    }

    /// Leads to another kind of factor. Nil where the project does not permit it.
    func link(to method: SecondFactor.Method) -> HTML? {
        guard visit.configuration.isEnabled(method) else { return nil }
        let (step, label): (HostedStep, String) =
            switch method {
            case .totp: (.enroll, texts.useApp)
            case .phone: (.enrollPhone, visit.allTexts.phone.addMessages)
            }
        let address = visit.address(HostedSignInPages.path, ("step", step.rawValue))
        return "<p>\(HTML.buttonLink(to: address, label, .plain, isWide: true))</p>"
    }

    /// A code was refused. The key is in the app, and is not shown again.
    func appCodePage(session: String, refusal: String) -> Page {
        let again = visit.address(HostedSignInPages.path, ("step", HostedStep.enroll.rawValue))
        return Page(
            language: visit.language, title: account.addApp,
            content: """
                \(base.refusal(refusal, field: "code"))
                \(base.form(HostedSignInPages.enrollPath, flow, app.fields(session: session, refusal: refusal)))
                <p>\(HTML.buttonLink(to: again, texts.startAgain, .quiet))</p>
                """, status: 400)
    }

    func recoveryCodesPage(_ codes: [Secret<String>]) -> Page {
        let next =
            visit.continueURL == nil
            ? visit.address(HostedSignInPages.path)
            : visit.address(HostedSignInPages.path, ("step", HostedStep.done.rawValue))
        return Page(
            language: visit.language, title: account.recoveryCodes,
            content: """
                \(app.recoveryCodes(codes))
                <p>\(HTML.buttonLink(to: next, account.codesKept))</p>
                """)
    }
}
