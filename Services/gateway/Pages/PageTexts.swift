internal import Vocabulary

/// All page texts in one language. A language with a missing text does not compile.
struct PageTexts: Sendable {
    /// A page: the heading and the text.
    struct Message: Sendable {
        var title: String
        var body: String
    }

    /// A page that requests a confirmation.
    struct ConfirmationPage: Sendable {
        var title: String
        var body: String
        var button: String
        var done: Message
    }

    /// The sign-in methods of an account, on the page that verifies its address.
    struct AccountMethods: Sendable {
        /// Heading of the list.
        var list: String
        var none: String
        var password: String
        var emailLink: String
        /// Precedes the number.
        var phoneNumber: String
    }

    /// The option for a reader who did not create the account.
    struct Rejection: Sendable {
        var body: String
        var button: String
        var done: Message
    }

    /// The page that verifies an application before an SMS is sent.
    struct AppVerification: Sendable {
        var title: String
        var body: String
        /// Above the reCAPTCHA widget.
        var prompt: String
        var done: String
        var goBack: String
        var failed: String
        var tryAgain: String
        var noScript: String
        /// The project has no such application or does not authorize the host.
        var unknownApp: Message
    }

    var resetPassword: ConfirmationPage
    var newPassword: String
    /// Above the requirements of the password policy.
    var passwordRequirements: String
    var atLeast: @Sendable (Int) -> String
    var atMost: @Sendable (Int) -> String
    var lowercase: String
    var uppercase: String
    var numeric: String
    var nonAlphanumeric: String
    var weakPassword: String

    var verifyEmail: ConfirmationPage
    var accountMethods: AccountMethods
    var notMe: Rejection
    /// Precedes the new address.
    var changeEmail: ConfirmationPage
    /// Precedes the former address.
    var recoverEmail: ConfirmationPage
    /// Offers a password-reset link; `done` says that it was sent.
    var changePassword: ConfirmationPage
    /// Precedes the factor.
    var removeSecondFactor: ConfirmationPage
    /// The display name of a TOTP factor.
    var authenticatorApp: String
    var signIn: Message
    var signInHasNoTarget: String
    var continueLabel: String

    var appVerification: AppVerification

    var invalidLink: Message
    var expiredLink: Message
    var accountDisabled: Message
    var emailAlreadyInUse: Message
    var crossSiteForm: Message
    var tooManyAttempts: Message
    var unavailable: Message
}

extension Language {
    /// The texts of the pages.
    var pageTexts: PageTexts {
        switch self {
        case .english: .english
        case .spanish: .spanish
        case .korean: .korean
        case .thai: .thai
        case .german: .german
        case .french: .french
        case .japanese: .japanese
        case .arabic: .arabic
        }
    }
}
