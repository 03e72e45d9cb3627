package import Contracts
package import Vocabulary

/// Checks every built-in template, for `latchkey templates check` and for the tests.
package struct EmailTemplateCheck: Sendable {
    /// One purpose in one language.
    package struct Row: Equatable, Sendable {
        package var language: String
        package var purpose: Notifier.EmailPurpose
        package var subject: String
        /// The errors; empty if there are none.
        package var problems: [String]
    }

    /// Every purpose in every language.
    package static func builtIn() -> [Row] {
        Language.allCases.map(EmailLanguage.init).flatMap { language in
            Notifier.EmailPurpose.allCases.map { purpose in
                let text = language.text(purpose)
                return Row(
                    language: language.language.rawValue, purpose: purpose, subject: text.subject,
                    problems: problems(text, purpose, language))
            }
        }
    }

    /// The templates of a project's configuration, with the translations of each.
    package static func configured(_ configuration: ProjectConfiguration) -> [Row] {
        Notifier.EmailPurpose.allCases.flatMap { purpose in
            let languages = (configuration.storedTemplate(for: purpose)?.translations ?? [:]).keys.sorted()
            return ([nil] + languages.map(Language.init(rawValue:))).compactMap { language in
                configured(configuration, purpose, language)
            }
        }
    }

    /// - Parameter language: nil: the template without a translation.
    private static func configured(
        _ configuration: ProjectConfiguration, _ purpose: Notifier.EmailPurpose, _ language: Language?
    ) -> Row? {
        let name = language?.rawValue ?? "own"
        var subject = ""
        do throws(EmailTemplateError) {
            guard let stored = configuration.storedTemplate(for: purpose) else { return nil }
            let text = language.map { stored.translated(into: $0) } ?? stored
            guard let template = try Notifier.EmailTemplate(text) else { return nil }
            subject = template.subject ?? ""
            _ = try EmailRenderer.render(sample(purpose, language?.rawValue ?? "en", template))
            return Row(language: name, purpose: purpose, subject: subject, problems: [])
        } catch {
            return Row(language: name, purpose: purpose, subject: subject, problems: [error.description])
        }
    }

    /// An e-mail of a purpose to nobody, with a value for each placeholder.
    package static func example(
        _ purpose: Notifier.EmailPurpose, in language: Language, _ template: Notifier.EmailTemplate?
    ) -> Notifier.SendEmail {
        sample(purpose, language.rawValue, template)
    }

    private static func problems(
        _ text: EmailText, _ purpose: Notifier.EmailPurpose, _ language: EmailLanguage
    ) -> [String] {
        var problems: [String] = []
        let parts = [
            ("subject", text.subject), ("lead", text.lead), ("closing", text.closing),
            ("greeting", language.greeting), ("link hint", language.linkHint), ("support", language.support),
            ("farewell", language.farewell),
        ]
        problems += parts.filter(\.1.isEmpty).map { "The \($0.0) is empty." }
        if text.button.isEmpty != (purpose.requiredPlaceholder == .code) {
            problems.append("Every message has a button, except one with a code.")
        }
        if purpose.isNotice == text.securityAdvice.isEmpty {
            problems.append("Notices, and only notices, have an alarm.")
        }
        do throws(EmailTemplateError) {
            var placeholders: Set<Notifier.EmailPlaceholder> = []
            for (_, part) in parts { placeholders.formUnion(try EmailTemplateText(part).placeholders) }
            problems += purpose.demanded.subtracting(placeholders).map { "%\($0.rawValue)% is missing." }.sorted()
            let (tag, direction) = (language.language.rawValue, language.language.direction)
            let email = try EmailRenderer.render(sample(purpose, tag))
            if email.language != tag { problems.append("The language is not found by its tag.") }
            if !email.html.contains("<html lang=\"\(tag)\" dir=\"\(direction)\">") {
                problems.append("The page is not marked as \(direction).")
            }
            let (name, content) = purpose.requiredPlaceholder == .code ? ("code", sampleCode) : ("link", sampleLink)
            for (form, body) in [("text", email.text), ("HTML", email.html)] where !body.contains(content) {
                problems.append("The \(form) has no \(name).")
            }
            // Phones show subjects while they are locked.
            if email.subject.contains(sampleCode) { problems.append("The subject has the code.") }
        } catch {
            problems.append(error.description)
        }
        return problems
    }

    private static let sampleLink = "https://example.com/action"
    private static let sampleCode = "042917"

    private static func sample(
        _ purpose: Notifier.EmailPurpose, _ language: String, _ template: Notifier.EmailTemplate? = nil
    ) -> Notifier.SendEmail {
        guard let recipient = EmailAddress("ada@example.com"), let other = EmailAddress("countess@example.com") else {
            preconditionFailure("both are addresses")
        }
        var sample = Notifier.SendEmail(
            realm: Realm(project: ProjectID("sample")), recipient: recipient, purpose: purpose, locale: language,
            appName: "Sample", link: purpose.requiredPlaceholder == .code ? nil : sampleLink,
            code: purpose.requiredPlaceholder == .code ? Secret(sampleCode) : nil, displayName: "Ada", newEmail: other,
            account: .init(
                email: recipient, hasPassword: true, hasEmailLink: false, hasPhoneNumber: true, hasPasskeys: true,
                providers: ["google.com"]), secondFactor: "+*******89",
            passkey: "Ada’s phone", provider: "google.com", template: template)
        sample.signIn = .init(time: "2026-11-22 08:15 UTC", device: "Firefox (Windows)", network: "192.0.2.0/24")
        return sample
    }
}

extension Notifier.EmailPurpose {
    /// The placeholders that a built-in text must contain, besides the link.
    fileprivate var demanded: Set<Notifier.EmailPlaceholder> {
        switch self {
        case .verifyEmail, .resetPassword, .emailSignIn, .emailSignInCode, .emailVerificationCode, .emailRemoved,
            .secondFactorRemoved, .passwordChanged, .recoveryCodeUsed:
            [.appName, .email]
        case .verifyAndChangeEmail: [.appName, .newEmail, .account, .signInMethods]
        case .emailChanged: [.appName, .newEmail]
        case .secondFactorAdded: [.appName, .email, .secondFactor]
        case .passkeyAdded, .passkeyRemoved: [.appName, .email, .passkey]
        case .providerLinked, .providerRefused: [.appName, .email, .provider]
        case .newSignIn: [.appName, .email, .time, .device, .network]
        case .deletionScheduled: [.appName, .email, .time]
        }
    }
}
