import Contracts
import Pages
import Vocabulary

extension HostedSignInView {
    private var phoneTexts: PageTexts.Phone { visit.allTexts.phone }

    /// What the one field of the first page takes. Nil where neither addresses nor numbers sign in.
    var identifier: Identifier? {
        let configuration = visit.configuration
        let hasEmail =
            configuration.allowsPasswordSignIn || configuration.allowsEmailLinkSignIn || configuration.allowsEmailCodes
        switch (hasEmail, visit.offersPhoneSignIn) {
        case (true, true): return .addressOrNumber
        case (true, false): return .address
        case (false, true): return .number
        case (false, false): return nil
        }
    }

    enum Identifier: Sendable { case address, number, addressOrNumber }

    /// - Parameter offersPasskeys: browsers offer them in the field.
    func identifierField(_ identifier: Identifier, offersPasskeys: Bool, isRefused: Bool) -> PageField {
        let label =
            switch identifier {
            case .address: visit.texts.email
            case .number: visit.allTexts.account.phone
            case .addressOrNumber: phoneTexts.emailOrNumber
            }
        return PageField(
            id: "email", label: label, autocomplete: offersPasskeys ? "username webauthn" : "username"
        ) { field in
            switch identifier {
            case .address: (field.kind, field.inputMode) = (.email, "email")
            case .number: (field.kind, field.inputMode) = (.tel, "tel")
            case .addressOrNumber: break
            }
            field.enterKeyHint = "next"
            field.maximumLength = EmailAddress.maximumBytes
            field.isRequired = true
            field.isVerbatim = true
            field.error = isRefused ? refusal(of: identifier) : nil
        }
    }

    func refusal(of identifier: Identifier) -> String {
        switch identifier {
        case .address: visit.texts.invalidEmail
        case .number: phoneTexts.invalidNumber
        case .addressOrNumber: phoneTexts.invalidEmailOrNumber
        }
    }

    /// Leads to the field of a number, on the page of the sign-up.
    var numberLink: HTML? {
        guard visit.offersPhoneSignIn else { return nil }
        let address = visit.address(HostedSignInPages.path, ("step", HostedStep.phone.rawValue))
        return "<p>\(HTML.buttonLink(to: address, phoneTexts.useNumber, .plain, icon: .phone, isWide: true))</p>"
    }

    func numberPage(
        _ task: HostedPhoneTask, _ flow: HostedFlow, _ number: String = "", refusal: String? = nil
    ) -> Page {
        let field = PageField.phoneNumber(id: "number", label: visit.allTexts.account.phone) { field in
            field.value = number
            field.hint = "\(phoneTexts.numberHint)"
            field.error = refusal
            field.takesFocus = refusal == nil
        }
        let (title, body): (String, HTML?) =
            switch task {
            case .signIn: (phoneTexts.useNumber, nil)
            case .enrollment: (phoneTexts.addMessages, "<p>\(visit.texts.secondStepNeeded)</p>")
            }
        return Page(
            language: visit.language, title: title,
            content: """
                \(self.refusal(refusal, field: "number"))
                \(body)
                \(form(task.path, flow, "\(field.html)<p>\(HTML.button(phoneTexts.sendCode))</p>"))
                \(task == .enrollment ? HostedEnrollmentView(visit: visit, flow: flow).link(to: .totp) : nil)
                \(again)
                """, status: refusal == nil ? 200 : 400)
    }

    func phoneCodePage(_ task: HostedPhoneTask, _ flow: HostedFlow, refusal: String? = nil) -> Page {
        var field = PageField.code(id: "code", label: visit.texts.codeLabel)
        field.error = refusal
        field.takesFocus = refusal == nil
        return Page(
            language: visit.language, title: visit.texts.smsCode,
            content: """
                \(self.refusal(refusal, field: "code"))
                <p class="muted"><bdi>\(visit.texts.smsSentTo(flow.phoneNumber ?? ""))</bdi></p>
                \(form(task.codePath, flow, "\(field.html)<p>\(HTML.button(visit.texts.confirm))</p>"))
                \(form(task.path, flow, HTML.button(visit.texts.sendAgain, .quiet, isWide: true)))
                \(again)
                """, status: refusal == nil ? 200 : 400)
    }
}
