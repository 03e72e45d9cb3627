import Vocabulary

extension PageTexts {
    /// The console. What other pages say, too, is in their texts.
    package struct Console: TranslatedTexts, Sendable {
        package var title: String
        package var overview: String
        package var users: String
        package var audit: String
        package var wholeAudit: String
        package var operators: String
        package var yourSessions: String
        package var installation: String
        /// Precedes the id of the request.
        package var requestID: String
        package var notFound: Message
        package var forbidden: Message
        package var foreignForm: Message
        package var refused: Message
        /// The results of a form, on the next page.
        package var done: String
        package var saved: String
        package var sent: String
        /// Instead of a time.
        package var never: String
        /// The roles.
        package var viewer: String
        package var support: String
        package var administrator: String
        /// Below the sign-in.
        package var lostAccess: String
        package var appNeeded: String
        package var passwordHint: String
        package var welcome: Message
        package var setPassword: String
        package var weakPassword: String
        package var notYourself: String
        package var noProject: String
        package var hasApp: String
        package var noApp: String
        package var lastSignIn: String
        package var endSessions: String
        package var everyProject: String
        package var remove: String
        package var operatorsBody: String
        package var addOperator: String
        package var projectOfRole: String
        package var projectOfRoleHint: String
        package var viewerBody: String
        package var supportBody: String
        package var administratorBody: String
        package var role: String
        package var grantRole: String
        package var linkNotice: String
        package var removeOperator: String
        package var removeOperatorBody: String
        package var end: String
        package var sessionsBody: String
        package var endAllSessions: String
        /// What an operator does to an account, with its consequence.
        package var disable: Message
        package var enable: Message
        package var cancelDeletion: Message
        package var unlock: Message
        package var endSessionsOfUser: Message
        package var endSession: Message
        package var removeFactor: Message
        package var removePasskey: Message
        package var sendReset: Message
        package var sendVerification: Message
        package var deleteUser: Message
        package var searchUsers: String
        package var searchHint: String
        package var filter: String
        package var sort: String
        package var search: String
        package var nextPage: String
        package var noUsers: String
        package var user: String
        package var displayName: String
        package var id: String
        package var created: String
        package var tenant: String
        package var moreMatches: String
        /// The filters of the list.
        package var everyUser: String
        package var disabledUsers: String
        package var usersWithFactor: String
        package var disabled: String
        package var claims: String
        package var profile: String
        /// Instead of obstacles.
        package var canSignIn: String
        /// Precedes obstacles, one of which blocks every sign-in.
        package var cannotSignIn: String
        /// Precedes the other obstacles.
        package var mayNotSignIn: String
        package var obstacleDisabled: String
        /// With a time.
        package var obstacleDeletion: @Sendable (String) -> String
        package var obstacleTenant: String
        package var obstacleNoMethod: String
        package var obstacleNotPermitted: String
        /// With a time.
        package var obstacleAttempts: @Sendable (String) -> String
        package var obstacleAddress: String
        /// With a way to sign in.
        package var obstacleMethod: @Sendable (String) -> String
        package var obstacleFactor: String
        package var provider: String
        package var methods: String
        package var secondFactors: String
        package var noFactors: String
        package var sessions: String
        package var noSessions: String
        package var events: String
        package var noRecords: String
        package var actor: String
        package var action: String
        package var time: String
        package var outcome: String
        package var address: String
        package var verifyLog: String
        package var verifyLogBody: String
        package var export: String
        /// With a number.
        package var logVerified: @Sendable (String) -> String
        /// With a number.
        package var logPartlyVerified: @Sendable (String) -> String
        package var attention: String
        /// With the name of a service.
        package var serviceAway: @Sendable (String) -> String
        /// With the name of a component.
        package var componentAway: @Sendable (String) -> String
        package var projects: String
        package var latestChanges: String
        package var settings: String
        package var review: String
        package var noChanges: String
        package var setting: String
        /// The columns of the differences.
        package var before: String
        package var after: String
        package var conflict: String
        package var changeHistory: String
        /// With the line.
        package var badLine: @Sendable (String) -> String
    }
}

extension Language {
    /// The texts of the console.
    package var consoleTexts: PageTexts.Console { texts() }
}
