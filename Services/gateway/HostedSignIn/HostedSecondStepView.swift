import Contracts
import Pages
import Vocabulary

/// The HTML of the second step.
struct HostedSecondStepView: Sendable {
    let visit: HostedVisit
    let flow: HostedFlow
    let factors: [SecondFactor]
    /// The account has passkeys, and they work here.
    let offersPasskeys: Bool

    private var texts: PageTexts.HostedSignIn { visit.texts }
    private var base: HostedSignInView { HostedSignInView(visit: visit) }

    /// The factor that the user chose. Without a choice, the only one or that of the last sign-in if it is an authenticator
    /// app: a text message is not sent unasked.
    var factor: SecondFactor? {
        if let id = flow.factorID { return factors.first { $0.id.rawValue == id } }
        guard let first = factors.first, first.kind.method == .totp,
            factors.count == 1 || first.id.rawValue == visit.lastFactorID
        else { return nil }
        return first
    }

    var choicePage: Page {
        page(texts.chooseFactor, others(than: nil, .primary))
    }

    /// - Returns: nil while there is no code to enter.
    func codePage(refusal: String? = nil, remembersDevice: Bool = false) -> Page? {
        guard let factor else { return nil }
        let about: HTML?
        let title: String
        switch factor.kind {
        case .totp: (title, about) = (texts.appCode, nil)
        case .phone(let number):
            guard flow.smsSession != nil else { return nil }
            title = texts.smsCode
            about = #"<p class="muted"><bdi>\#(texts.smsSentTo(number.masked))</bdi></p>"#
        }
        var field = PageField.code(id: "code", label: texts.codeLabel)
        field.error = refusal
        field.takesFocus = refusal == nil
        let again: HTML? =
            factor.kind.method == .phone ? factorForm(factor, texts.sendAgain, .quiet) : nil
        return page(
            title,
            """
            \(base.refusal(refusal, field: "code"))
            \(about)
            \(base.form(
                    HostedSignInPages.codePath, flow,
                    """
                    \(field.html)
                    \(rememberBox(isChecked: remembersDevice))
                    <p>\(HTML.button(texts.confirm))</p>
                    """))
            \(again)
            \(others(than: factor, .plain, hasAlarm: refusal == nil))
            """, status: refusal == nil ? 200 : 400)
    }

    /// With the script of passkeys, where the page offers them.
    private func page(_ title: String, _ content: HTML?, status: Int = 200) -> Page {
        var page = Page(language: visit.language, title: title, content: "\(content)", status: status)
        if offersPasskeys { base.addScript(to: &page) }
        return page
    }

    func recoveryPage(refusal: String? = nil) -> Page {
        var field = PageField.code(id: "code", label: texts.recoveryCode, digits: false)
        field.autocomplete = "off"
        field.hint = "\(texts.recoveryCodeHint)"
        field.error = refusal
        field.takesFocus = refusal == nil
        return Page(
            language: visit.language, title: texts.enterRecoveryCode,
            content: """
                \(base.refusal(refusal, field: "code"))
                \(base.form(
                        HostedSignInPages.recoveryPath, flow, "\(field.html)<p>\(HTML.button(texts.confirm))</p>"))
                <div class="stack">\(factors.map { factorForm($0, label(of: $0), .plain) })</div>
                """, status: refusal == nil ? 200 : 400)
    }

    // MARK: Parts

    private func others(than current: SecondFactor?, _ kind: PageButtonKind, hasAlarm: Bool = true) -> HTML? {
        let rest = factors.filter { $0.id != current?.id }
        let recovery: HTML? =
            flow.hasRecoveryCodes == true
            ? .buttonLink(
                to: visit.address(HostedSignInPages.path, ("step", HostedStep.recoveryCode.rawValue)),
                texts.useRecoveryCode, .quiet, isWide: true) : nil
        let passkeys = offersPasskeys ? base.passkeyForm(flow, hasAlarm: hasAlarm, .byButton) : nil
        guard !rest.isEmpty || recovery != nil || passkeys != nil else { return nil }
        let divider: HTML? = current == nil ? nil : #"<p class="or">\#(texts.or)</p>"#
        let buttons = rest.enumerated().map { place, factor in
            factorForm(factor, label(of: factor), place == 0 ? kind : .plain)
        }
        return #"\#(divider)<div class="stack">\#(buttons)\#(passkeys)\#(recovery)</div>"#
    }

    private func factorForm(_ factor: SecondFactor, _ label: String, _ kind: PageButtonKind) -> HTML {
        let icon: PageIcon? = kind == .quiet ? nil : factor.kind.method == .totp ? .code : .phone
        return base.form(
            HostedSignInPages.factorPath, flow,
            "\(HTML.button(label, kind, icon: icon, item: ("factor", factor.id.rawValue), isWide: true))")
    }

    private func label(of factor: SecondFactor) -> String {
        switch factor.kind {
        case .totp: texts.useApp
        case .phone(let number): texts.useSMS(number.masked)
        }
    }
}
