import Contracts
import JSON
import Vocabulary

/// A new action code, with what its e-mail contains: a link, or digits.
struct IssuedCode: Sendable {
    var new: NewActionCode
    /// Of a link the code, of digits the session.
    var text: ActionCode.Text
    var link: String?
    var digits: OneTimeCode?
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
            new: .init(hash: text.hash, code: code, owner: code.accountID, readable: isDev ? link : nil), text: text,
            link: link)
    }

    /// Draws six digits, and the session for which they are valid.
    func issueDigits(
        _ purpose: Identity.EmailCodePurpose, in realm: Realm, accountID: AccountID?, email: EmailAddress,
        at now: Moment
    ) throws -> IssuedCode {
        let text = ActionCode.Text(bytes: randomBytes(ActionCode.Text.byteCount))
        let digits = OneTimeCode(randomBytes: randomBytes)
        let session = store.sessionHash(of: text)
        let code = ActionCode(
            purpose.actionPurpose, in: realm, accountID: accountID, email: email,
            digits: EmailCode(digest: store.digest(of: digits.text, in: session)), at: now)
        let readable = ReadableEmailCode(digits: digits.text, sessionInfo: Secret(text.text))
        return IssuedCode(
            new: .init(
                hash: session, code: code, owner: accountID,
                readable: isDev ? String(decoding: try WireJSON.encode(readable), as: UTF8.self) : nil), text: text,
            digits: digits)
    }
}

/// What test tools read of an e-mail code.
struct ReadableEmailCode: Codable, Sendable {
    var digits: Secret<String>
    var sessionInfo: Secret<String>
}

extension Identity.EmailCodePurpose {
    /// The purpose of the link that has the same effect.
    var actionPurpose: Identity.ActionPurpose {
        switch self {
        case .signIn: .emailSignIn
        case .verifyEmail: .verifyEmail
        }
    }

    /// - Returns: nil for a purpose that has links only.
    init?(_ purpose: Identity.ActionPurpose) {
        switch purpose {
        case .emailSignIn: self = .signIn
        case .verifyEmail: self = .verifyEmail
        case .passwordReset, .verifyAndChangeEmail, .recoverEmail, .revertSecondFactorAddition,
            .revertPasskeyAddition:
            return nil
        }
    }
}
