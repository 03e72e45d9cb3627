package import Vocabulary

extension PageTexts {
    /// Filters, acts on many users, imports and exports at the console.
    package struct ConsoleUsers: TranslatedTexts, Sendable {
        /// The filters of the list.
        package var unverified: String
        package var withoutFactor: String
        package var ofProvider: String
        package var createdSince: String
        package var moreFilters: String
        package var sortHint: String
        package var provider: String
        package var providerMissing: String
        package var since: String
        package var dayMalformed: String
        /// Heading of the column of boxes.
        package var chosen: String
        /// With the name of a user.
        package var choose: @Sendable (String) -> String
        package var choosing: String
        /// What an operator does to many accounts, with its consequence.
        package var disableAll: Message
        package var enableAll: Message
        package var endSessionsOfAll: Message
        package var sendVerificationToAll: Message
        package var deleteAll: Message
        package var nothingToDo: String
        package var countOfUsers: @Sendable (Int) -> String
        package var skipped: @Sendable (Int) -> String
        package var atLeastUsers: @Sendable (Int) -> String
        /// Others match, and the act is for them, too.
        package var uncounted: String
        /// Others match, which the act does not reach.
        package var cutOff: String
        /// What is done, of how many if that is known.
        package var progress: @Sendable (Int, Int?) -> String
        package var lookAgain: String
        package var lookNow: String
        package var stop: String
        package var complete: String
        package var stopped: String
        package var roleEnded: String
        /// Precedes a reason.
        package var failed: String
        package var failures: @Sendable (Int) -> String
        package var unknownWork: Message
        package var busy: Message
        package var importUsers: String
        package var importBody: String
        package var file: String
        package var fileHint: String
        package var fileMissing: String
        package var hashParameters: String
        package var hashParametersHint: String
        package var hashParametersMalformed: String
        package var hashParametersMissing: String
        package var keepExisting: String
        package var check: String
        package var existingAreKept: String
        package var existingAreReplaced: String
        /// With the number of a record.
        package var unreadableFrom: @Sendable (Int) -> String
        package var exportUsers: String
        package var exportBody: String
        package var exportProfiles: String
        package var exportHashesBody: String
        package var exportHashes: String
        package var exportCutOff: String
        /// With the name of a factor and a time.
        package var codesBlocked: @Sendable (String, String) -> String
        package var codesBlockedForGood: @Sendable (String) -> String
        package var codesUnknown: String
    }
}

extension Language {
    package var consoleUserTexts: PageTexts.ConsoleUsers { texts() }
}
