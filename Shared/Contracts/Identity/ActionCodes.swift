package import Vocabulary

extension Identity {
    /// The purpose of an action code. Stored by these names.
    package enum ActionPurpose: String, CaseIterable, Codable, Sendable {
        case passwordReset, emailSignIn, verifyEmail, verifyAndChangeEmail
        /// Restores a changed address. Created only by an address change.
        case recoverEmail
        /// Removes a new second factor. Created only by its enrollment.
        case revertSecondFactorAddition
        /// Removes a new passkey. Created only by its enrollment.
        case revertPasskeyAddition
    }
}

extension Identity.ActionPurpose {
    /// How long a code is valid. Security rules, section 0: an hour for a code that signs in, a day for one that verifies
    /// an address, three days for one that reverts a change, because the owner may be away.
    package var lifetime: Duration {
        switch self {
        case .passwordReset, .emailSignIn: .seconds(60 * 60)
        case .verifyEmail, .verifyAndChangeEmail: .seconds(24 * 60 * 60)
        case .recoverEmail, .revertSecondFactorAddition, .revertPasskeyAddition: .seconds(3 * 24 * 60 * 60)
        }
    }

    /// The value of `mode` in links (REST 2.10).
    package var mode: String {
        switch self {
        case .passwordReset: "resetPassword"
        case .emailSignIn: "signIn"
        case .verifyEmail: "verifyEmail"
        case .verifyAndChangeEmail: "verifyAndChangeEmail"
        case .recoverEmail: "recoverEmail"
        case .revertSecondFactorAddition: "revertSecondFactorAddition"
        case .revertPasskeyAddition: "revertPasskeyAddition"
        }
    }
}

extension Identity {
    /// The link settings that an application requests for an action code (REST 2.10).
    package struct ActionSettings: Codable, Equatable, Sendable {
        /// The destination afterwards: an absolute URL whose host the project authorizes.
        package var continueURL: String?
        /// The application itself handles the code; requires a `continueURL`.
        package var isHandledInApp: Bool
        /// The host of the link, which belongs to the application.
        package var linkDomain: String?
        /// The same setting of older clients.
        package var dynamicLinkDomain: String?
        package var iOSBundleID: String?
        package var iOSAppStoreID: String?
        package var androidPackageName: String?
        package var androidMinimumVersion: String?
        package var androidInstallsApp: Bool

        package init(
            continueURL: String? = nil, isHandledInApp: Bool = false, linkDomain: String? = nil,
            dynamicLinkDomain: String? = nil, iOSBundleID: String? = nil, iOSAppStoreID: String? = nil,
            androidPackageName: String? = nil, androidMinimumVersion: String? = nil, androidInstallsApp: Bool = false
        ) {
            self.continueURL = continueURL
            self.isHandledInApp = isHandledInApp
            self.linkDomain = linkDomain
            self.dynamicLinkDomain = dynamicLinkDomain
            self.iOSBundleID = iOSBundleID
            self.iOSAppStoreID = iOSAppStoreID
            self.androidPackageName = androidPackageName
            self.androidMinimumVersion = androidMinimumVersion
            self.androidInstallsApp = androidInstallsApp
        }
    }

    /// Creates an action code and sends it, or returns its link to an administrator. Older codes of the same purpose
    /// and address become invalid. Clients name an address (`passwordReset`, `emailSignIn`) or authenticate with
    /// `idToken` (the two purposes that verify an address). Administrators name the address of an account for any
    /// purpose.
    package struct SendActionCode: BusRequest {
        package static let operation = Identity.Operation.sendActionCode
        // Each e-mail is counted against its address.
        package static let retrySemantics = RetrySemantics.atMostOnce
        package var realm: Realm
        /// `recoverEmail`, `revertSecondFactorAddition` and `revertPasskeyAddition` are refused: callers cannot request
        /// them.
        package var purpose: ActionPurpose
        package var email: String?
        /// For `verifyAndChangeEmail`.
        package var newEmail: String?
        package var idToken: Secret<String>?
        package var settings: ActionSettings
        /// BCP 47, as the client sent it.
        package var locale: String?
        package var isByAdministrator: Bool
        /// No e-mail is sent: the administrator delivers the link. Requires `isByAdministrator`.
        package var returnsLink: Bool
        package var client: ClientContext

        package init(
            realm: Realm, purpose: ActionPurpose, email: String? = nil, newEmail: String? = nil,
            idToken: Secret<String>? = nil, settings: ActionSettings = .init(), locale: String? = nil,
            isByAdministrator: Bool = false, returnsLink: Bool = false, client: ClientContext = .init()
        ) {
            self.realm = realm
            self.purpose = purpose
            self.email = email
            self.newEmail = newEmail
            self.idToken = idToken
            self.settings = settings
            self.locale = locale
            self.isByAdministrator = isByAdministrator
            self.returnsLink = returnsLink
            self.client = client
        }

        package struct Reply: Codable, Equatable, Sendable {
            /// The address of the request, or the account's.
            package var email: EmailAddress
            /// Present only with `returnsLink`.
            package var code: Secret<String>?
            package var link: Secret<String>?

            package init(email: EmailAddress, code: Secret<String>? = nil, link: Secret<String>? = nil) {
                self.email = email
                self.code = code
                self.link = link
            }
        }
    }

    /// The unused codes of a realm, oldest first, at most `maximumCount` of the newest. Dev mode only.
    package struct ListActionCodes: BusRequest {
        package static let operation = Identity.Operation.listActionCodes
        package static let retrySemantics = RetrySemantics.idempotent
        package static let maximumCount = 250
        package var realm: Realm

        package init(realm: Realm) {
            self.realm = realm
        }

        package struct Entry: Codable, Equatable, Sendable {
            package var purpose: ActionPurpose
            package var email: EmailAddress
            package var newEmail: EmailAddress?
            package var code: Secret<String>
            package var link: Secret<String>

            package init(
                purpose: ActionPurpose, email: EmailAddress, newEmail: EmailAddress?, code: Secret<String>,
                link: Secret<String>
            ) {
                self.purpose = purpose
                self.email = email
                self.newEmail = newEmail
                self.code = code
                self.link = link
            }
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var codes: [Entry]

            package init(codes: [Entry]) {
                self.codes = codes
            }
        }
    }

    /// The purpose of a code. Changes nothing, because mail scanners follow links too.
    package struct InspectActionCode: BusRequest {
        package static let operation = Identity.Operation.inspectActionCode
        package static let retrySemantics = RetrySemantics.idempotent
        package var realm: Realm
        package var code: Secret<String>?
        /// The continue URL of the page.
        package var continueURL: String?

        package init(realm: Realm, code: Secret<String>?, continueURL: String? = nil) {
            self.realm = realm
            self.code = code
            self.continueURL = continueURL
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var purpose: ActionPurpose
            /// The account's address; for `recoverEmail` the address to restore.
            package var email: EmailAddress
            package var newEmail: EmailAddress?
            /// For `revertSecondFactorAddition`, while the account has the factor.
            package var secondFactor: SecondFactor?
            /// For `passwordReset`.
            package var passwordRequirements: PasswordRequirements?
            /// The one of the request, if the project authorizes its host.
            package var continueURL: String?
            /// For `verifyEmail` while the address is unverified, and for `verifyAndChangeEmail`: then
            /// `RejectEmailVerification` also accepts the code.
            package var signInMethods: SignInMethods?
            /// For `revertPasskeyAddition` the passkey, while the account has it. For `recoverEmail` every passkey of the
            /// account: `ApplyActionCode` can also remove them. For `passwordReset` those that stay.
            package var passkeys: [ListedPasskey]?
            /// For `passwordReset` the identities that were linked lately and stay. Absent: there are none.
            package var recentProviders: [LinkedProvider]?

            package init(
                purpose: ActionPurpose, email: EmailAddress, newEmail: EmailAddress? = nil,
                secondFactor: SecondFactor? = nil, passwordRequirements: PasswordRequirements? = nil,
                continueURL: String? = nil, signInMethods: SignInMethods? = nil, passkeys: [ListedPasskey]? = nil,
                recentProviders: [LinkedProvider]? = nil
            ) {
                self.purpose = purpose
                self.email = email
                self.newEmail = newEmail
                self.secondFactor = secondFactor
                self.passwordRequirements = passwordRequirements
                self.continueURL = continueURL
                self.signInMethods = signInMethods
                self.passkeys = passkeys
                self.recentProviders = recentProviders
            }
        }

        /// An identity of an account that was linked within `recentPeriod`.
        package struct LinkedProvider: Codable, Equatable, Sendable {
            package static let recentPeriod = Duration.seconds(7 * 24 * 60 * 60)

            /// `google.com`, `oidc.…`
            package var id: String
            package var linkedAt: Moment

            package init(id: String, linkedAt: Moment) {
                self.id = id
                self.linkedAt = linkedAt
            }
        }

        /// A passkey of an account, so that the reader of its address can recognize it.
        package struct ListedPasskey: Codable, Equatable, Sendable {
            /// Absent: the address is unverified, and to its reader the name would be a text from another user.
            package var name: String?
            package var createdAt: Moment
            package var lastUsedAt: Moment?

            package init(name: String?, createdAt: Moment, lastUsedAt: Moment? = nil) {
                self.name = name
                self.createdAt = createdAt
                self.lastUsedAt = lastUsedAt
            }
        }

        /// The sign-in methods of an account, so that the reader of its address can recognize them.
        package struct SignInMethods: Codable, Equatable, Sendable {
            package var hasPassword: Bool
            package var hasEmailLink: Bool
            package var phoneNumber: PhoneNumber?
            /// Ids of linked providers, in the order they were linked.
            package var providers: [String]
            /// Absent: the account has none.
            package var passkeys: [ListedPasskey]?

            package init(
                hasPassword: Bool, hasEmailLink: Bool, phoneNumber: PhoneNumber? = nil, providers: [String] = [],
                passkeys: [ListedPasskey]? = nil
            ) {
                self.hasPassword = hasPassword
                self.hasEmailLink = hasEmailLink
                self.phoneNumber = phoneNumber
                self.providers = providers
                self.passkeys = passkeys
            }
        }
    }

    /// Applies a code of `verifyEmail`, `verifyAndChangeEmail`, `recoverEmail`, `revertSecondFactorAddition` or
    /// `revertPasskeyAddition`.
    package struct ApplyActionCode: BusRequest {
        package static let operation = Identity.Operation.applyActionCode
        package static let retrySemantics = RetrySemantics.deduplicated
        package var realm: Realm
        package var code: Secret<String>?
        /// The recovery also removes every passkey of the account. Absent: false. Refused for a code that is not of
        /// `recoverEmail`.
        package var removesPasskeys: Bool?
        /// The language of the notice to the previous address.
        package var locale: String?
        package var client: ClientContext

        package init(
            realm: Realm, code: Secret<String>?, removesPasskeys: Bool? = nil, locale: String? = nil,
            client: ClientContext = .init()
        ) {
            self.realm = realm
            self.code = code
            self.removesPasskeys = removesPasskeys
            self.locale = locale
            self.client = client
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var purpose: ActionPurpose
            package var account: Account
            /// For `verifyAndChangeEmail`: the new address of the account.
            package var newEmail: EmailAddress?

            package init(purpose: ActionPurpose, account: Account, newEmail: EmailAddress? = nil) {
                self.purpose = purpose
                self.account = account
                self.newEmail = newEmail
            }
        }
    }

    /// Redeems a code of `verifyEmail` to reject the account: the reader of the address did not create it. It removes
    /// password, e-mail link sign-in, linked providers, passkeys and phone number, ends every session and voids every code of the
    /// account. The address stays, unverified, so that its owner can claim the account by a password reset. Second
    /// factors stay, because access to a mailbox alone never removes them.
    ///
    /// A code of `verifyAndChangeEmail` rejects the change: the account does not get the address of the reader, and
    /// stays as it is.
    package struct RejectEmailVerification: BusRequest {
        package static let operation = Identity.Operation.rejectEmailVerification
        package static let retrySemantics = RetrySemantics.deduplicated
        package var realm: Realm
        package var code: Secret<String>?
        package var client: ClientContext

        package init(realm: Realm, code: Secret<String>?, client: ClientContext = .init()) {
            self.realm = realm
            self.code = code
            self.client = client
        }

        package typealias Reply = ResetPassword.Reply
    }
}
