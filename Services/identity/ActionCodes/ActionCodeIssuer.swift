import Contracts
import Vocabulary

/// A new action code with its link.
struct IssuedCode: Sendable {
    var new: NewActionCode
    var link: String
}

/// Issues action codes. It stores nothing.
struct ActionCodeIssuer: IdentityComponent {
    let context: IdentityContext

    /// Draws the text of a code and builds its link.
    func issue(
        _ code: ActionCode, _ settings: ValidatedActionSettings, locale: String?, _ project: Project
    ) throws -> IssuedCode {
        let text = ActionCode.Text(bytes: randomBytes(ActionCode.Text.byteCount))
        let configuration = project.configuration
        let link = ActionLink(
            page: configuration.actionPage(installed: context.actionPage), purpose: code.purpose,
            apiKey: project.apiKey,
            language: locale?.nilIfEmpty ?? configuration.notification?.defaultLocale?.nilIfEmpty ?? "en",
            tenant: code.realm.tenant, settings: settings
        ).text(with: text)
        return IssuedCode(
            new: .init(text: text, code: code, owner: code.accountID, readableLink: isDev ? link : nil), link: link)
    }
}
