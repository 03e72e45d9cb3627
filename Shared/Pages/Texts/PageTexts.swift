package import Vocabulary

/// All page texts in one language. A language with a missing text does not compile.
package struct PageTexts: TranslatedTexts, Sendable {
    /// A page: the heading and the text.
    package struct Message: Sendable {
        package var title: String
        package var body: String

        package init(title: String, body: String) {
            self.title = title
            self.body = body
        }
    }

    /// A page that requests a confirmation.
    package struct ConfirmationPage: Sendable {
        package var title: String
        package var body: String
        package var button: String
        package var done: Message
    }

    /// The hosted sign-in and sign-up.
    package struct HostedSignIn: Sendable {
        /// Of the first page.
        package var title: String
        package var signUpTitle: String
        /// With the name of the application.
        package var toContinue: @Sendable (String) -> String
        package var email: String
        /// Precedes the link to sign-up.
        package var newHere: String
        package var createAccount: String
        /// Precedes the link to sign-in.
        package var haveAccount: String
        /// Title of the page that asks for the password.
        package var enterPassword: String
        package var showPassword: String
        package var forgotten: String
        package var emailLink: String
        package var emailCode: String
        package var otherAccount: String
        /// Between the first way to sign in and the others.
        package var or: String
        /// With the name of an identity provider.
        package var continueWith: @Sendable (String) -> String
        package var invalidEmail: String
        package var missingPassword: String
        package var name: String
        package var emailHasAccount: String
        /// To the user of an identity provider whose address belongs to an account without it.
        package var otherMethod: String
        /// Says the same for an address without an account.
        package var resetSent: String
        package var linkSent: String
        /// Under the field of the address, for a link that was opened in another browser.
        package var linkEmail: String
        /// Title of the list of factors.
        package var chooseFactor: String
        /// Title of the page that asks for the code of an authenticator app.
        package var appCode: String
        /// Title of the page that asks for the code of a text message.
        package var smsCode: String
        /// With the masked number.
        package var smsSentTo: @Sendable (String) -> String
        /// Title of the page that asks for the code of an e-mail.
        package var enterEmailCode: String
        /// With the address.
        package var emailSentTo: @Sendable (String) -> String
        package var codeLabel: String
        package var confirm: String
        package var wrongCode: String
        package var codeExpired: String
        package var sendAgain: String
        package var useApp: String
        /// With the masked number.
        package var useSMS: @Sendable (String) -> String
        package var useRecoveryCode: String
        /// Title of the page that asks for a recovery code.
        package var enterRecoveryCode: String
        package var recoveryCode: String
        package var recoveryCodeHint: String
        /// A factor can be added once the address is verified.
        package var verifyFirst: Message
        package var sendEmail: String
        package var verificationSent: String
        package var secondStepNeeded: String
        /// Instead of the QR code.
        package var openApp: String
        package var offerPasskey: Message
        /// Skips the offer.
        package var notNow: String
        /// Below the sentence that a sign-in has ended.
        package var startAgain: String
        /// Title of the page of a session.
        package var signedIn: String
        /// With the account.
        package var continueAs: @Sendable (String) -> String
        package var signOutEverywhere: String
        package var signUpClosed: String
        package var signedOut: Message
        /// The form of another site, or of a visit that has ended.
        package var foreignForm: Message
    }

    /// The links at the foot of a page.
    package struct Foot: Sendable {
        package var help: String
        package var terms: String
        package var privacy: String
    }

    /// The sign-in methods of an account, on the page that verifies its address.
    package struct AccountMethods: Sendable {
        /// Heading of the list.
        package var list: String
        package var none: String
        package var password: String
        package var emailLink: String
        /// Precedes the number.
        package var phoneNumber: String
    }

    /// The option for a reader who did not create the account.
    package struct Rejection: Sendable {
        package var body: String
        package var button: String
        package var done: Message
    }

    /// The passkeys of an account, on the pages of action links.
    package struct AccountPasskeys: Sendable {
        /// Heading of the list.
        package var list: String
        /// In place of a name that the reader must not see.
        package var unnamed: String
        /// With a date.
        package var added: @Sendable (String) -> String
        package var lastUsed: @Sendable (String) -> String
        /// On the page of a new password, which does not remove them.
        package var stay: String
        /// Recovers the address and removes every passkey.
        package var removal: Rejection
    }

    /// The identities that were linked lately, on the page of a new password.
    package struct RecentProviders: Sendable {
        /// Heading of the list.
        package var list: String
        /// With a date.
        package var linked: @Sendable (String) -> String
        /// A new password does not remove them.
        package var stay: String
    }

    /// The page that verifies an application before an SMS is sent.
    package struct AppVerification: Sendable {
        package var title: String
        package var body: String
        /// Above the reCAPTCHA widget.
        package var prompt: String
        package var done: String
        package var goBack: String
        package var failed: String
        package var tryAgain: String
        package var noScript: String
        /// The project has no such application or does not authorize the host.
        package var unknownApp: Message
    }

    /// The pages of sign-in with an identity provider.
    package struct ProviderSignIn: Sendable {
        /// Shown for a moment.
        package var returning: Message
        /// The user ended the sign-in at the provider.
        package var canceled: Message
        /// The provider reports an error, or its response is not valid.
        package var refused: Message
        package var unreachable: Message
        /// The project does not offer the provider.
        package var notOffered: Message
        /// This browser has not started the sign-in, or too long ago.
        package var expired: Message
        /// The application, its address or the host is not registered.
        package var unknownApp: Message
        /// The window of the application is closed.
        package var noWindow: String
    }

    /// The page of passkeys.
    package struct PasskeyPage: Sendable {
        /// The texts that the script shows.
        package struct Messages: Encodable, Sendable {
            package var added: String
            package var renamed: String
            package var removed: String
            /// The user or the browser ended the request.
            package var canceled: String
            /// The authenticator has a passkey for the account.
            package var exists: String
            /// No account has the passkey.
            package var unknown: String
            package var timedOut: String
            package var secondFactor: String
            /// The address is unknown or the password is wrong.
            package var invalidCredentials: String
            /// The passkey is the only sign-in method of the account, so it is not removed.
            package var lastMethod: String
            /// Precedes an error code.
            package var failed: String
            package var unsupported: String
        }

        package var title: String
        package var identifier: String
        package var signIn: String
        package var password: String
        package var signInWithPassword: String
        package var signUpBody: String
        package var signUp: String
        /// Precedes the account.
        package var signedInAs: String
        /// Heading of the list.
        package var list: String
        package var noPasskeys: String
        /// The label of a passkey's name.
        package var name: String
        package var rename: String
        package var remove: String
        package var add: String
        package var signOut: String
        package var noScript: String
        /// Asks before a removal, with its consequence.
        package var removalQuestion: String
        package var cancel: String
        package var messages: Messages
    }

    package var resetPassword: ConfirmationPage
    package var newPassword: String
    /// Above the requirements of the password policy, and above those that a refused password does not meet.
    package var passwordRequirements: String
    package var atLeast: @Sendable (Int) -> String
    package var atMost: @Sendable (Int) -> String
    package var lowercase: String
    package var uppercase: String
    package var numeric: String
    package var nonAlphanumeric: String
    package var guessablePassword: String

    package var verifyEmail: ConfirmationPage
    package var accountMethods: AccountMethods
    package var notMe: Rejection
    /// Precedes the new address.
    package var changeEmail: ConfirmationPage
    /// Precedes the present address of the account that is to get the new one.
    package var changedAccount: String
    /// For a reader of the new address who does not own the account.
    package var notMyChange: Rejection
    /// Precedes the former address.
    package var recoverEmail: ConfirmationPage
    /// Offers a password-reset link; `done` says that it was sent.
    package var changePassword: ConfirmationPage
    /// Precedes the factor.
    package var removeSecondFactor: ConfirmationPage
    /// Precedes the passkey.
    package var removePasskey: ConfirmationPage
    package var accountPasskeys: AccountPasskeys
    package var recentProviders: RecentProviders
    /// The display name of a TOTP factor.
    package var authenticatorApp: String
    package var signIn: Message
    package var signInHasNoTarget: String
    package var continueLabel: String

    package var appVerification: AppVerification
    package var providerSignIn: ProviderSignIn
    package var passkeyPage: PasskeyPage

    package var hostedSignIn: HostedSignIn
    package var foot: Foot
    /// The link has no code, no key or another mode than its code.
    package var incompleteLink: Message
    /// The key or the tenant of the link is unknown here.
    package var unknownApplication: Message
    /// The code was used, or a newer one was sent.
    package var invalidLink: Message
    package var expiredLink: Message
    package var accountDisabled: Message
    package var emailAlreadyInUse: Message
    package var crossSiteForm: Message
    package var tooManyAttempts: Message
    package var unavailable: Message
}

extension Language {
    /// The texts of the pages.
    package var pageTexts: PageTexts { texts() }
}
