import Vocabulary

extension PageTexts {
    /// The account page. What other pages say, too, is in their texts.
    package struct Account: TranslatedTexts, Sendable {
        /// Of the list of pages, for screen readers.
        package var title: String
        package var details: String
        package var security: String
        package var devices: String
        package var connections: String
        package var data: String
        /// With the account.
        package var signedInAs: @Sendable (String) -> String
        package var backToApp: String

        // Results of a form, on the next page.
        package var saved: String
        package var added: String
        package var removed: String
        package var ended: String
        package var mailSent: String

        package var save: String
        package var change: String
        package var notSet: String
        package var name: String
        package var picture: String
        package var pictureHint: String
        package var profileTooLong: String
        package var confirmed: String
        package var notConfirmed: String
        package var sendConfirmation: String
        package var newEmail: String
        package var newEmailHint: String
        package var sendLink: String
        package var phone: String

        package var secondStep: String
        package var on: String
        package var off: String
        package var noSecondStep: String
        package var addApp: String
        package var scan: String
        /// Precedes the key.
        package var orKey: String
        package var confirmEmailFirst: String
        package var recoveryCodes: String
        package var codesLeft: @Sendable (Int) -> String
        package var noCodes: String
        package var makeCodes: String
        /// Before new codes are made.
        package var codesReplace: String
        /// Above the new codes.
        package var keepCodes: String
        package var codesKept: String
        package var synced: String
        package var addPasskeyBody: String
        package var passwordChanged: @Sendable (String) -> String
        package var noPassword: String
        package var setPassword: String
        /// Of a change of the password.
        package var endsOtherSessions: String
        package var removePassword: String

        package var thisDevice: String
        package var unknownDevice: String
        /// With the time of the sign-in.
        package var signedInOn: @Sendable (String) -> String
        package var lastUsed: @Sendable (String) -> String
        package var signOutOthers: String
        package var moreSessions: String

        package var disconnect: String
        package var noConnections: String
        /// With the name of the provider.
        package var disconnectBody: @Sendable (String) -> String
        package var removePasswordBody: String
        package var onlyWayIn: String

        package var download: String
        package var downloadBody: String
        package var delete: String
        package var deleteBody: String
        package var deleted: Message
        /// The project does not let users delete their accounts.
        package var deletionClosed: String
    }
}

extension Language {
    /// The texts of the account page.
    package var accountTexts: PageTexts.Account { texts() }
}
