import Contracts
import Pages
import Vocabulary

/// The pages of an action link.
struct ActionView: Sendable {
    /// Not a mode of a link: the form on the page that recovers an address uses it to request a password reset.
    static let changePasswordMode = "changePassword"
    /// The second button of the pages that verify, change or recover an address.
    static let answerField = "answer"
    static let notMeAnswer = "notMe"

    var link: ActionLinkQuery
    var allTexts: PageTextSet

    var language: Language { allTexts.language }
    var texts: PageTexts { allTexts.pages }

    /// The page with the effect of the link and its one button.
    func confirmationPage(for action: Identity.InspectActionCode.Reply) -> Page {
        switch action.purpose {
        case .passwordReset: passwordForm(action, refusal: nil)
        case .verifyEmail:
            confirmation(
                texts.verifyEmail, action.email.rawValue, about: action.signInMethods.map(methods),
                otherwise: action.signInMethods.map { _ in notMe(texts.notMe) })
        case .verifyAndChangeEmail:
            confirmation(
                texts.changeEmail, (action.newEmail ?? action.email).rawValue,
                about: action.signInMethods.map { methods in
                    "<p>\(texts.changedAccount)</p>\(HTML.value(action.email.rawValue))\(self.methods(methods))"
                },
                otherwise: action.signInMethods.map { _ in notMe(texts.notMyChange) })
        case .recoverEmail:
            confirmation(
                texts.recoverEmail, action.email.rawValue, about: passkeys(of: action),
                otherwise: passkeys(of: action).map { _ in notMe(texts.accountPasskeys.removal) })
        case .revertSecondFactorAddition: confirmation(texts.removeSecondFactor, factorName(action))
        case .revertPasskeyAddition:
            confirmation(
                texts.removePasskey, action.passkeys?.first?.name ?? texts.accountPasskeys.unnamed,
                about: action.passkeys?.first.map {
                    "<p>\(texts.accountPasskeys.added(language.date($0.createdAt)))</p>"
                })
        case .emailSignIn: signIn(action)
        }
    }

    /// Why the password of a form was refused.
    struct PasswordRefusal {
        /// Empty when the form had no password.
        var unmetRequirements: [UnmetPasswordRequirement]
    }

    /// - Parameter refusal: of the password that the form had before.
    func passwordForm(_ action: Identity.InspectActionCode.Reply, refusal: PasswordRefusal?) -> Page {
        let isRefused = refusal != nil
        let demands = action.passwordRequirements ?? .init(minimumLength: 1)
        let field = PageField(id: "newPassword", label: texts.newPassword, autocomplete: "new-password") { field in
            field.kind = .password
            field.isRequired = true
            field.maximumLength = 4096
            field.isInvalid = isRefused
            field.descriptions = isRefused ? ["alarm", "demands"] : ["demands"]
        }
        return Page(
            language: language, title: texts.resetPassword.title,
            content: """
                <p>\(texts.resetPassword.body)</p>
                \(HTML.value(action.email.rawValue))
                \(recentProviders(of: action))
                \(refusal.map { alarm($0, demands) })
                <form method="post" action="\(ActionPage.path)">
                \(hiddenItems)
                <input name="username" type="text" autocomplete="username" hidden="hidden" \
                value="\(action.email.rawValue)" />
                \(field.html)
                \(HTML.list(texts.passwordRequirements, id: "demands", PasswordHints(texts: texts).list(requirements(of: demands))))
                <p>\(HTML.button(texts.resetPassword.button))</p>
                </form>
                \(passkeys(of: action).map { "\($0)<p>\(texts.accountPasskeys.stay)</p>" })
                """, status: isRefused ? 400 : 200)
    }

    /// The completed effect and the link back to the application.
    func completionPage(for action: Identity.InspectActionCode.Reply) -> Page {
        let rest: HTML = "\(continueLink(to: action.continueURL, label: texts.continueLabel))"
        return switch action.purpose {
        case .passwordReset: .message(texts.resetPassword.done, in: language, rest: rest)
        case .verifyEmail: .message(texts.verifyEmail.done, in: language, rest: rest)
        case .verifyAndChangeEmail: .message(texts.changeEmail.done, in: language, rest: rest)
        case .recoverEmail:
            .message(texts.recoverEmail.done, in: language, rest: "\(changePassword(of: action.email))\(rest)")
        case .revertSecondFactorAddition:
            .message(texts.removeSecondFactor.done, in: language, rest: "\(changePassword(of: action.email))\(rest)")
        case .revertPasskeyAddition:
            .message(texts.removePasskey.done, in: language, rest: "\(changePassword(of: action.email))\(rest)")
        case .emailSignIn: confirmationPage(for: action)
        }
    }

    /// The account does not get the address of the reader.
    func changeRejected() -> Page { .message(texts.notMyChange.done, in: language) }

    /// The account's sign-in methods are removed; the reader may choose a password.
    func rejected(_ email: EmailAddress) -> Page {
        .message(texts.notMe.done, in: language, rest: changePassword(of: email))
    }

    /// The address is recovered, and the account has no passkeys any more.
    func recoveredWithoutPasskeys(_ action: Identity.InspectActionCode.Reply) -> Page {
        .message(
            texts.accountPasskeys.removal.done, in: language,
            rest:
                "\(changePassword(of: action.email))\(continueLink(to: action.continueURL, label: texts.continueLabel))"
        )
    }

    // MARK: Parts

    /// - Parameters:
    ///   - about: further information before the decision.
    ///   - otherwise: another control of the same form.
    private func confirmation(
        _ page: PageTexts.ConfirmationPage, _ subject: String, about: HTML? = nil, otherwise: HTML? = nil
    ) -> Page {
        Page(
            language: language, title: page.title,
            content: """
                <p>\(page.body)</p>
                \(HTML.value(subject))
                \(about)
                <form method="post" action="\(ActionPage.path)">
                \(hiddenItems)
                <p>\(HTML.button(page.button))</p>
                \(otherwise)
                </form>
                """)
    }

    /// The sign-in methods of the account's creator, so that the reader of the address can recognize them.
    private func methods(_ methods: Identity.InspectActionCode.SignInMethods) -> HTML {
        let texts = texts.accountMethods
        var items: [HTML] = []
        if methods.hasPassword { items.append("\(texts.password)") }
        if methods.hasEmailLink { items.append("\(texts.emailLink)") }
        if let number = methods.phoneNumber { items.append("\(texts.phoneNumber) <bdi>\(number.masked)</bdi>") }
        items += methods.providers.map { "<bdi>\($0)</bdi>" }
        items += (methods.passkeys ?? []).map(passkey)
        guard !items.isEmpty else { return "<p>\(texts.none)</p>" }
        return .list(texts.list, id: "methods", items)
    }

    /// - Returns: nil for an account without passkeys.
    private func passkeys(of action: Identity.InspectActionCode.Reply) -> HTML? {
        guard let passkeys = action.passkeys, !passkeys.isEmpty else { return nil }
        return .list(texts.accountPasskeys.list, id: "passkeys", passkeys.map(passkey))
    }

    /// - Returns: nil if none was linked lately.
    private func recentProviders(of action: Identity.InspectActionCode.Reply) -> HTML? {
        guard let providers = action.recentProviders, !providers.isEmpty else { return nil }
        let items = providers.map { provider -> HTML in
            "<bdi>\(provider.id)</bdi><br />\(texts.recentProviders.linked(language.date(provider.linkedAt)))"
        }
        return "\(HTML.list(texts.recentProviders.list, id: "providers", items))<p>\(texts.recentProviders.stay)</p>"
    }

    private func passkey(_ passkey: Identity.InspectActionCode.ListedPasskey) -> HTML {
        let texts = texts.accountPasskeys
        let lastUsed = passkey.lastUsedAt.map { "<br />\(texts.lastUsed(language.date($0)))" as HTML }
        return
            "<bdi>\(passkey.name ?? texts.unnamed)</bdi><br />\(texts.added(language.date(passkey.createdAt)))\(lastUsed)"
    }

    private func notMe(_ rejection: PageTexts.Rejection) -> HTML {
        """
        <p id="notMe">\(rejection.body)</p>
        <p>\(HTML.button(
            rejection.button, .danger, item: (Self.answerField, Self.notMeAnswer), describedBy: "notMe"))</p>
        """
    }

    /// Passes the code to the application, which signs in with it.
    private func signIn(_ action: Identity.InspectActionCode.Reply) -> Page {
        let target = action.continueURL.flatMap(WebURL.init)?.appending(link.items)
        guard let target else {
            return .message(.init(title: texts.signIn.title, body: texts.signInHasNoTarget), in: language)
        }
        return .message(texts.signIn, in: language, rest: "\(continueLink(to: target, label: texts.signIn.title))")
    }

    private func changePassword(of email: EmailAddress) -> HTML {
        """
        <form method="post" action="\(ActionPage.path)">
        \(HTML.hidden([("mode", Self.changePasswordMode), ("email", email.rawValue)] + link.items.filter { name, _ in
            name == "apiKey" || name == "lang" || name == "tenantId"
        }))
        <p>\(texts.changePassword.body)</p>
        \(HTML.value(email.rawValue))
        <p>\(HTML.button(texts.changePassword.button))</p>
        </form>
        """
    }

    private func continueLink(to target: String?, label text: String) -> HTML? {
        target.map { "<p>\(HTML.buttonLink(to: $0, text))</p>" }
    }

    private var hiddenItems: HTML {
        .hidden(link.items + (link.continueURL.map { [("continueUrl", $0)] } ?? []))
    }

    private func factorName(_ action: Identity.InspectActionCode.Reply) -> String {
        action.secondFactor?.name(in: texts) ?? texts.authenticatorApp
    }

    /// What the refused password lacks. Without a password, that is everything the project demands.
    private func alarm(_ refusal: PasswordRefusal, _ demands: Identity.PasswordRequirements) -> HTML {
        PasswordHints(texts: texts).refusal(
            refusal.unmetRequirements.isEmpty ? requirements(of: demands) : refusal.unmetRequirements)
    }

    private func requirements(of demands: Identity.PasswordRequirements) -> [UnmetPasswordRequirement] {
        var requirements: [UnmetPasswordRequirement] = [.atLeast(characters: demands.minimumLength)]
        if let maximumLength = demands.maximumLength { requirements.append(.atMost(characters: maximumLength)) }
        if demands.lowercase { requirements.append(.lowercase) }
        if demands.uppercase { requirements.append(.uppercase) }
        if demands.numeric { requirements.append(.numeric) }
        if demands.nonAlphanumeric { requirements.append(.nonAlphanumeric) }
        return requirements
    }
}

extension AccountPasskey {
    /// What its user calls it, or its model, or words for a passkey without a name.
    func name(in texts: PageTexts) -> String { chosenName ?? texts.accountPasskeys.unnamed }
}

extension SecondFactor {
    /// What its user calls it, and its kind.
    func name(in texts: PageTexts) -> String {
        let kind =
            switch self.kind {
            case .phone(let number): number.masked
            case .totp: texts.authenticatorApp
            }
        guard let displayName, displayName != kind else { return kind }
        return "\(displayName) (\(kind))"
    }
}
