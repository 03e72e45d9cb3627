package import Vocabulary

extension Notifier {
    /// Why an e-mail is sent. On the wire and in the history by these names.
    package enum EmailPurpose: String, CaseIterable, Codable, Sendable {
        case verifyEmail, resetPassword, emailSignIn
        /// To the new address.
        case verifyAndChangeEmail
        /// To the former address; its link takes the change back (RECOVER_EMAIL).
        case emailChanged
        /// To the address that the account had; its link gives it back (RECOVER_EMAIL).
        case emailRemoved
        /// Its link takes the second factor away again (REVERT_SECOND_FACTOR_ADDITION).
        case secondFactorAdded
        case secondFactorRemoved, passwordChanged
        /// Somebody signed in with one in place of a second factor.
        case recoveryCodeUsed

        /// A notice tells of what has happened, and may come without a link. What is no notice was asked for, by anybody
        /// who knows the address, and is nothing without its link.
        package var isNotice: Bool {
            switch self {
            case .verifyEmail, .resetPassword, .emailSignIn, .verifyAndChangeEmail: false
            case .emailChanged, .emailRemoved, .secondFactorAdded, .secondFactorRemoved, .passwordChanged,
                .recoveryCodeUsed:
                true
            }
        }

        /// How long after its acceptance a message is still worth sending: as long as its link works (security
        /// rules, section 0), and three days for a notice.
        package var lifetime: Duration {
            switch self {
            case .resetPassword, .emailSignIn: .seconds(60 * 60)
            case .verifyEmail, .verifyAndChangeEmail: .seconds(24 * 60 * 60)
            case .emailChanged, .emailRemoved, .secondFactorAdded, .secondFactorRemoved, .passwordChanged,
                .recoveryCodeUsed:
                .seconds(3 * 24 * 60 * 60)
            }
        }
    }

    /// Accepts an e-mail. The reply means that it is stored, not that it was sent: delivery is tried until the message
    /// has lost its meaning (`EmailPurpose.lifetime`). A recipient who gets too many is written to no more for a while,
    /// which the reply does not tell, since it would tell who has an account.
    /// Errors: `invalidRequest` for a link that is missing or no web address, or a new address that is missing;
    /// `invalidEmailTemplate` for the project's own text; `overloaded`.
    package struct SendEmail: BusRequest, Equatable {
        package static let operation = Notifier.Operation.sendEmail
        package static let delivery = Delivery.deduplicated

        package var realm: Realm
        package var recipient: EmailAddress
        package var purpose: EmailPurpose
        /// BCP 47, as the client asked for it. Each tag falls back along its chain (`pt-BR`, `pt`), then
        /// `defaultLocale` along its own, then English.
        package var locale: String?
        /// The language of the project.
        package var defaultLocale: String?
        /// How the project calls itself.
        package var appName: String
        /// What the recipient is to follow: `http` or `https`. Holds a one-time code.
        package var link: String?
        /// Of the recipient.
        package var displayName: String?
        /// For `verifyAndChangeEmail` and `emailChanged`.
        package var newEmail: EmailAddress?
        /// A hint that is fit to be read by others, for `secondFactorAdded` and `secondFactorRemoved`.
        package var secondFactor: String?
        /// The project's own text, see `ProjectConfiguration.emailTemplate(for:)`. Absent: ours, translated.
        package var template: EmailTemplate?

        package init(
            realm: Realm, recipient: EmailAddress, purpose: EmailPurpose, locale: String? = nil,
            defaultLocale: String? = nil, appName: String, link: String? = nil, displayName: String? = nil,
            newEmail: EmailAddress? = nil, secondFactor: String? = nil, template: EmailTemplate? = nil
        ) {
            self.realm = realm
            self.recipient = recipient
            self.purpose = purpose
            self.locale = locale
            self.defaultLocale = defaultLocale
            self.appName = appName
            self.link = link
            self.displayName = displayName
            self.newEmail = newEmail
            self.secondFactor = secondFactor
            self.template = template
        }

        package typealias Reply = AcceptedMessage
    }
}
