internal import Vocabulary

/// Everything our pages say, in one language. A language that lacks a sentence does not compile.
struct PageTexts: Sendable {
    /// A page: what stands above, and what it says below.
    struct Message: Sendable {
        var title: String
        var body: String
    }

    /// A page that asks before it does something.
    struct ConfirmationPage: Sendable {
        var title: String
        var body: String
        var button: String
        var done: Message
    }

    /// How an account is signed in to, on the page that verifies its address.
    struct AccountMethods: Sendable {
        /// Above the list.
        var list: String
        var none: String
        var password: String
        var emailLink: String
        /// The number follows.
        var phoneNumber: String
    }

    /// What somebody may do who reads of an account that they did not make.
    struct Rejection: Sendable {
        var body: String
        var button: String
        var done: Message
    }

    /// The page that checks for an application whether it may have messages sent.
    struct AppVerification: Sendable {
        var title: String
        var body: String
        /// Above what reCAPTCHA shows.
        var prompt: String
        var done: String
        var goBack: String
        var failed: String
        var tryAgain: String
        var noScript: String
        /// Opened by an application, or at a place, that the project does not have.
        var unknownApp: Message
    }

    var resetPassword: ConfirmationPage
    var newPassword: String
    /// Above what the project demands of a password.
    var passwordDemands: String
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
    /// The new address follows.
    var changeEmail: ConfirmationPage
    /// The address of before follows.
    var recoverEmail: ConfirmationPage
    /// Offers a link for another password; the question's `done` says that it is on its way.
    var changePassword: ConfirmationPage
    /// The factor follows.
    var removeSecondFactor: ConfirmationPage
    /// How a factor that makes its own codes is called.
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
