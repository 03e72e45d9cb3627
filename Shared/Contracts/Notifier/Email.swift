package import Vocabulary

extension Notifier {
    /// The purpose of an e-mail. These names are used on the wire and in the history.
    package enum EmailPurpose: String, CaseIterable, Codable, Sendable {
        case verifyEmail, resetPassword, emailSignIn
        /// With six digits in place of a link, as `emailVerificationCode`.
        case emailSignInCode
        case emailVerificationCode
        /// To the new address.
        case verifyAndChangeEmail
        /// To the previous address; its link reverts the change (RECOVER_EMAIL).
        case emailChanged
        /// To the removed address; its link restores it (RECOVER_EMAIL).
        case emailRemoved
        /// Its link removes the second factor (REVERT_SECOND_FACTOR_ADDITION).
        case secondFactorAdded
        case secondFactorRemoved, passwordChanged
        /// A recovery code was used in place of a second factor.
        case recoveryCodeUsed
        /// Its link removes the passkey (REVERT_PASSKEY_ADDITION).
        case passkeyAdded
        case passkeyRemoved
        /// An identity of a provider signs in to the account from now on.
        case providerLinked
        /// Another identity of a provider of the account has its address, and was not let in.
        case providerRefused
        /// A sign-in with a new device from a new network. Its link resets the password.
        case newSignIn
        /// The owner has deleted the account, and it is deleted later. Its link leads to a sign-in, which restores it.
        case deletionScheduled

        /// A notice reports an event, and may have no link. Any other e-mail was requested, possibly by a caller who
        /// only knows the address, and requires its link or code.
        package var isNotice: Bool { requiredPlaceholder == nil }

        /// What a requested e-mail is sent for; nil for a notice.
        package var requiredPlaceholder: EmailPlaceholder? {
            switch self {
            case .verifyEmail, .resetPassword, .emailSignIn, .verifyAndChangeEmail: .link
            case .emailSignInCode, .emailVerificationCode: .code
            case .emailChanged, .emailRemoved, .secondFactorAdded, .secondFactorRemoved, .passwordChanged,
                .recoveryCodeUsed, .passkeyAdded, .passkeyRemoved, .providerLinked,
                .providerRefused, .newSignIn, .deletionScheduled:
                nil
            }
        }

        /// How long after its acceptance a message is useful: the lifetime of its link or code (security rules,
        /// section 0), and three days for a notice.
        package var lifetime: Duration {
            switch self {
            case .resetPassword: Identity.ActionPurpose.passwordReset.lifetime
            case .emailSignIn: Identity.ActionPurpose.emailSignIn.lifetime
            case .emailSignInCode, .emailVerificationCode: Identity.emailCodeLifetime
            case .verifyEmail: Identity.ActionPurpose.verifyEmail.lifetime
            case .verifyAndChangeEmail: Identity.ActionPurpose.verifyAndChangeEmail.lifetime
            case .emailChanged, .emailRemoved, .secondFactorAdded, .secondFactorRemoved, .passwordChanged,
                .recoveryCodeUsed, .passkeyAdded, .passkeyRemoved, .providerLinked,
                .providerRefused, .newSignIn, .deletionScheduled:
                .seconds(3 * 24 * 60 * 60)
            }
        }
    }

    /// Accepts an e-mail. The reply means that the e-mail is stored, not that it was sent: delivery is tried until
    /// `EmailPurpose.lifetime` has passed. A recipient over the limit gets no more e-mails for some time. The reply
    /// does not report this, because it would reveal which addresses have an account.
    package struct SendEmail: BusRequest, Equatable {
        package static let operation = Notifier.Operation.sendEmail
        package static let retrySemantics = RetrySemantics.deduplicated

        package var realm: Realm
        package var recipient: EmailAddress
        package var purpose: EmailPurpose
        /// BCP 47, as the client sent it. Each tag falls back along its chain (`pt-BR`, `pt`), then `defaultLocale`
        /// along its own, then English.
        package var locale: String?
        /// The language of the project.
        package var defaultLocale: String?
        /// The display name of the project.
        package var appName: String
        /// The link for the recipient: `http` or `https`. Contains an action code.
        package var link: String?
        /// The six digits for the recipient, for `emailSignInCode` and `emailVerificationCode`.
        package var code: Secret<String>?
        /// The recipient's name.
        package var displayName: String?
        /// For `verifyAndChangeEmail` and `emailChanged`.
        package var newEmail: EmailAddress?
        /// For `verifyAndChangeEmail`: the account that is to get the new address.
        package var account: AccountDescription?
        /// A masked description, for `secondFactorAdded` and `secondFactorRemoved`.
        package var secondFactor: String?
        /// The name of the passkey, for `passkeyAdded` and `passkeyRemoved`. Chosen by the user who added it; absent: the
        /// recipient must not see it.
        package var passkey: String?
        /// The ID of the provider, for `providerLinked` and `providerRefused`.
        package var provider: String?
        /// For `newSignIn`.
        package var signIn: SignInDescription?
        /// For `deletionScheduled`: when the account is deleted, as the recipient reads it, with its time zone.
        package var deletionTime: String?
        /// The project's own text, see `ProjectConfiguration.emailTemplate(for:)`. Absent: the built-in, translated
        /// text.
        package var template: EmailTemplate?
        /// The look of the project or tenant, without the content of its logo.
        package var branding: ProjectConfiguration.Branding?
        /// Where the logo of the branding is: `http` or `https`.
        package var logoURL: String?

        package init(
            realm: Realm, recipient: EmailAddress, purpose: EmailPurpose, locale: String? = nil,
            defaultLocale: String? = nil, appName: String, link: String? = nil, code: Secret<String>? = nil,
            displayName: String? = nil, newEmail: EmailAddress? = nil, account: AccountDescription? = nil,
            secondFactor: String? = nil,
            passkey: String? = nil, provider: String? = nil, template: EmailTemplate? = nil,
            branding: ProjectConfiguration.Branding? = nil, logoURL: String? = nil
        ) {
            self.realm = realm
            self.recipient = recipient
            self.purpose = purpose
            self.locale = locale
            self.defaultLocale = defaultLocale
            self.appName = appName
            self.link = link
            self.code = code
            self.displayName = displayName
            self.newEmail = newEmail
            self.account = account
            self.secondFactor = secondFactor
            self.passkey = passkey
            self.provider = provider
            self.template = template
            self.branding = branding
            self.logoURL = logoURL
        }

        /// A sign-in as its user recognizes it.
        package struct SignInDescription: Codable, Equatable, Sendable {
            /// As the recipient reads it, with its time zone.
            package var time: String
            /// Browser and system; absent for an unknown client.
            package var device: String?
            /// The /24 or /48 of the client.
            package var network: String?

            package init(time: String, device: String? = nil, network: String? = nil) {
                self.time = time
                self.device = device
                self.network = network
            }
        }

        /// An account, so that a reader who does not own it notices. Without names, which its user chooses.
        package struct AccountDescription: Codable, Equatable, Sendable {
            /// Its address now.
            package var email: EmailAddress
            package var hasPassword: Bool
            package var hasEmailLink: Bool
            package var hasPhoneNumber: Bool
            package var hasPasskeys: Bool
            /// IDs of linked providers.
            package var providers: [String]

            package init(
                email: EmailAddress, hasPassword: Bool, hasEmailLink: Bool, hasPhoneNumber: Bool, hasPasskeys: Bool,
                providers: [String]
            ) {
                self.email = email
                self.hasPassword = hasPassword
                self.hasEmailLink = hasEmailLink
                self.hasPhoneNumber = hasPhoneNumber
                self.hasPasskeys = hasPasskeys
                self.providers = providers
            }
        }

        package typealias Reply = AcceptedMessage
    }
}
