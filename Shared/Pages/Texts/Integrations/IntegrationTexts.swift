import Vocabulary

extension PageTexts {
    /// What other programs use of a project, at the console.
    package struct Integrations: TranslatedTexts, Sendable {
        package var title: String
        /// Under the title of the list.
        package var body: String
        /// Above a secret.
        package var shownOnce: String
        package var back: String
        package var webhooks: String
        package var webhooksBody: String
        package var addWebhook: String
        package var webhookURL: String
        package var eventTypes: String
        package var eventTypesHint: String
        package var everyEvent: String
        package var working: String
        package var failing: String
        package var gone: String
        package var state: String
        package var waiting: String
        package var dropped: String
        package var deliveries: String
        package var noDeliveries: String
        package var pending: String
        package var delivered: String
        package var failed: String
        package var attempts: String
        /// Of the last attempt.
        package var problem: String
        package var sendTest: String
        package var replay: String
        package var turnOff: String
        package var turnOn: String
        package var rotateSecret: Message
        package var removeWebhook: Message
        package var applications: String
        package var applicationsBody: String
        package var addApplication: String
        package var applicationName: String
        /// Of an application.
        package var kind: String
        package var webKind: String
        package var toolKind: String
        package var redirects: String
        package var redirectsHint: String
        package var clientID: String
        package var removeApplication: Message
        package var clientConfiguration: String
        package var clientConfigurationBody: String
        package var apiKey: String
        package var show: String
        package var serviceAccounts: String
        package var serviceAccountsBody: String
        package var addServiceAccount: String
        package var serviceAccountName: String
        package var serviceAccountNameHint: String
        package var keyFile: String
        package var removeServiceAccount: Message
        package var pushKeys: String
        package var pushKeysBody: String
        package var addPushKey: String
        package var bundleID: String
        package var keyID: String
        package var teamID: String
        package var environment: String
        /// Of a key for pushes.
        package var everyEnvironment: String
        package var privateKey: String
        package var privateKeyHint: String
        package var removePushKey: Message
        package var functions: String
        package var functionsBody: String
        package var beforeCreate: String
        package var beforeSignIn: String
        package var functionHint: String
        package var sendIDToken: String
        package var sendAccessToken: String
        package var sendRefreshToken: String
        /// In an empty panel.
        package var none: String
    }
}

extension Language {
    package var integrationTexts: PageTexts.Integrations { texts() }
}
