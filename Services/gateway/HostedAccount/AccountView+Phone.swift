import Contracts
import Pages
import Vocabulary

extension AccountView {
    var phoneTexts: PageTexts.Phone { visit.visit.allTexts.phone }

    /// The number of the account. Nil where nobody signs in with one.
    var phone: HTML? {
        guard account.phoneNumber != nil || visit.visit.offersPhoneSignIn else { return nil }
        let path = AccountPages.PhoneTask.signIn.path
        let action: HTML? =
            visit.visit.offersPhoneSignIn
            ? link(to: path, account.phoneNumber == nil ? phoneTexts.addNumber : texts.change) : nil
        return .panel(
            texts.phone, action: action,
            [
                .row(
                    .phone, "<bdi>\(account.phoneNumber?.rawValue ?? texts.notSet)</bdi>",
                    actions: account.phoneNumber == nil ? [] : [removal(.phone, "", all.passkeyPage.remove)])
            ])
    }

    func title(of phoneTask: AccountPages.PhoneTask) -> String {
        switch phoneTask {
        case .secondFactor: phoneTexts.addMessages
        case .signIn: account.phoneNumber == nil ? phoneTexts.addNumber : phoneTexts.changeNumber
        }
    }

    func numberPage(_ phoneTask: AccountPages.PhoneTask, _ number: String = "", refusal: String? = nil) -> Page {
        let body =
            switch phoneTask {
            case .secondFactor: phoneTexts.addMessagesBody
            case .signIn: phoneTexts.numberBody
            }
        let field = PageField.phoneNumber(id: "number", label: texts.phone) { field in
            field.value = number
            field.hint = "\(phoneTexts.numberHint)"
            field.error = refusal
            field.takesFocus = refusal == nil
        }
        return task(
            title(of: phoneTask), of: phoneTask.overview, refusal: refusal, field: "number",
            """
            <p>\(body)</p>
            \(form(phoneTask.path, "\(field.html)<p>\(HTML.button(phoneTexts.sendCode))</p>"))
            """)
    }

    func phoneCodePage(_ phoneTask: AccountPages.PhoneTask, name: String = "", refusal: String? = nil) -> Page {
        var code = PageField.code(id: "code", label: all.hostedSignIn.codeLabel)
        code.error = refusal
        code.takesFocus = refusal == nil
        let nameField: PageField? =
            switch phoneTask {
            case .signIn: nil
            case .secondFactor:
                PageField(id: "name", label: phoneTexts.phoneName) { field in
                    field.maximumLength = AccountPasskey.maximumNameLength
                    field.value = name
                }
            }
        return task(
            all.hostedSignIn.smsCode, of: phoneTask.overview, refusal: refusal, field: "code",
            """
            <p class="muted"><bdi>\(all.hostedSignIn.smsSentTo(visit.flow.phoneNumber ?? ""))</bdi></p>
            \(form(phoneTask.codePath, "\(code.html)\(nameField?.html)<p>\(HTML.button(all.hostedSignIn.confirm))</p>"))
            \(form(phoneTask.path, .button(all.hostedSignIn.sendAgain, .quiet)))
            """)
    }
}
