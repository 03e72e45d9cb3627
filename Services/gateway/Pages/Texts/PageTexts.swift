import Vocabulary

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

    /// The passkeys of an account, on the pages of action links.
    struct AccountPasskeys: Sendable {
        /// Heading of the list.
        var list: String
        /// In place of a name that the reader must not see.
        var unnamed: String
        /// With a date.
        var added: @Sendable (String) -> String
        var lastUsed: @Sendable (String) -> String
        /// On the page of a new password, which does not remove them.
        var stay: String
        /// Recovers the address and removes every passkey.
        var removal: Rejection
    }

    /// The identities that were linked lately, on the page of a new password.
    struct RecentProviders: Sendable {
        /// Heading of the list.
        var list: String
        /// With a date.
        var linked: @Sendable (String) -> String
        /// A new password does not remove them.
        var stay: String
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

    /// The pages of sign-in with an identity provider.
    struct ProviderSignIn: Sendable {
        /// Shown for a moment.
        var returning: Message
        /// The user ended the sign-in at the provider.
        var canceled: Message
        /// The provider reports an error, or its response is not valid.
        var refused: Message
        var unreachable: Message
        /// The project does not offer the provider.
        var notOffered: Message
        /// This browser has not started the sign-in, or too long ago.
        var expired: Message
        /// The application, its address or the host is not registered.
        var unknownApp: Message
        /// The window of the application is closed.
        var noWindow: String
    }

    /// The page of passkeys.
    struct PasskeyPage: Sendable {
        /// The texts that the script shows.
        struct Messages: Encodable, Sendable {
            var added: String
            var renamed: String
            var removed: String
            /// The user or the browser ended the request.
            var canceled: String
            /// The authenticator has a passkey for the account.
            var exists: String
            /// No account has the passkey.
            var unknown: String
            var timedOut: String
            var secondFactor: String
            /// The address is unknown or the password is wrong.
            var invalidCredentials: String
            /// The passkey is the only sign-in method of the account, so it is not removed.
            var lastMethod: String
            /// Precedes an error code.
            var failed: String
            var unsupported: String
        }

        var title: String
        var identifier: String
        var signIn: String
        var password: String
        var signInWithPassword: String
        var signUpBody: String
        var signUp: String
        /// Precedes the account.
        var signedInAs: String
        /// Heading of the list.
        var list: String
        var noPasskeys: String
        /// The label of a passkey's name.
        var name: String
        var rename: String
        var remove: String
        var add: String
        var signOut: String
        var noScript: String
        /// Asks before a removal, with its consequence.
        var removalQuestion: String
        var cancel: String
        var messages: Messages
    }

    var resetPassword: ConfirmationPage
    var newPassword: String
    /// Above the requirements of the password policy, and above those that a refused password does not meet.
    var passwordRequirements: String
    var atLeast: @Sendable (Int) -> String
    var atMost: @Sendable (Int) -> String
    var lowercase: String
    var uppercase: String
    var numeric: String
    var nonAlphanumeric: String
    var guessablePassword: String

    var verifyEmail: ConfirmationPage
    var accountMethods: AccountMethods
    var notMe: Rejection
    /// Precedes the new address.
    var changeEmail: ConfirmationPage
    /// Precedes the present address of the account that is to get the new one.
    var changedAccount: String
    /// For a reader of the new address who does not own the account.
    var notMyChange: Rejection
    /// Precedes the former address.
    var recoverEmail: ConfirmationPage
    /// Offers a password-reset link; `done` says that it was sent.
    var changePassword: ConfirmationPage
    /// Precedes the factor.
    var removeSecondFactor: ConfirmationPage
    /// Precedes the passkey.
    var removePasskey: ConfirmationPage
    var accountPasskeys: AccountPasskeys
    var recentProviders: RecentProviders
    /// The display name of a TOTP factor.
    var authenticatorApp: String
    var signIn: Message
    var signInHasNoTarget: String
    var continueLabel: String

    var appVerification: AppVerification
    var providerSignIn: ProviderSignIn
    var passkeyPage: PasskeyPage

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
