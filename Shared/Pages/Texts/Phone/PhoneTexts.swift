import Vocabulary

extension PageTexts {
    /// Phone numbers on the sign-in pages and on the account page.
    package struct Phone: TranslatedTexts, Sendable {
        /// Label of the one field of the first page.
        package var emailOrNumber: String
        package var invalidEmailOrNumber: String
        /// Leads to the field of a number.
        package var useNumber: String
        package var numberHint: String
        package var invalidNumber: String
        package var sendCode: String
        /// The region is not served, or the project sends no messages.
        package var cannotSend: String
        package var numberTaken: String
        /// A number for sign-in and one for the second step exclude each other.
        package var oneRole: String

        // The number with which the user signs in.
        package var addNumber: String
        package var changeNumber: String
        package var numberBody: String
        package var removeNumber: String
        package var removeNumberBody: String

        // Text messages as the second step.
        package var addMessages: String
        package var addMessagesBody: String
        /// Label of the name of a phone.
        package var phoneName: String
        package var alreadyAdded: String
        package var tooManyFactors: String
        /// The first factor of this session has no second one.
        package var noSecondStep: String
        /// Label of the name of a second factor.
        package var factorName: String
        package var invalidName: String
    }
}

extension Language {
    package var phoneTexts: PageTexts.Phone { texts() }
}
