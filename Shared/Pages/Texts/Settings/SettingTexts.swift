import Vocabulary

extension PageTexts {
    /// The settings of projects and tenants at the console.
    package struct Settings: TranslatedTexts, Sendable {
        package var signIn: Setting
        package var factors: Setting
        package var passkeys: Setting
        package var passwords: Setting
        package var mails: Setting
        package var branding: Setting
        package var messages: Setting
        package var hosts: Setting
        package var protection: Setting
        package var passwordSignIn: Setting
        package var linkSignIn: Setting
        package var codeSignIn: Setting
        package var phoneSignIn: Setting
        package var anonymousSignIn: Setting
        package var selfSignUp: Setting
        package var selfDeletion: Setting
        package var duplicateEmails: Setting
        package var tenants: Setting
        package var tenantName: Setting
        package var isClosed: Setting
        package var appFactor: Setting
        package var appSteps: Setting
        package var smsFactor: Setting
        package var rememberedDays: Setting
        package var passkeyState: Setting
        package var relyingParty: Setting
        package var relyingPartyName: Setting
        package var passkeyOrigins: Setting
        package var userVerification: Setting
        package var counterRegression: Setting
        package var attestation: Setting
        package var requireTrusted: Setting
        package var allowedModels: Setting
        package var deniedModels: Setting
        package var appleApps: Setting
        package var enrollPage: Setting
        package var managePage: Setting
        package var offerInterval: Setting
        package var policyState: Setting
        package var forceUpgrade: Setting
        package var minimumLength: Setting
        package var maximumLength: Setting
        package var needsLowercase: Setting
        package var needsUppercase: Setting
        package var needsDigit: Setting
        package var needsSymbol: Setting
        package var defaultLocale: Setting
        package var signInNotices: Setting
        package var callbackPage: Setting
        package var inheritsMails: Setting
        package var applicationName: Setting
        package var senderName: Setting
        package var supportContact: Setting
        package var termsPage: Setting
        package var privacyPage: Setting
        package var colorScheme: Setting
        package var lightBrand: Setting
        package var lightCanvas: Setting
        package var darkBrand: Setting
        package var darkCanvas: Setting
        package var cornerRadius: Setting
        package var allowedRegions: Setting
        package var deniedRegions: Setting
        package var testNumbers: Setting
        package var deviceLocale: Setting
        package var messageText: Setting
        package var domains: Setting
        package var emailPrivacy: Setting
        package var signUpQuota: Setting
        package var quotaStart: Setting
        package var quotaDuration: Setting
        package var deletionGrace: Setting
        package var mailReset: Setting
        package var mailVerification: Setting
        package var mailAddressChange: Setting
        package var mailFactor: Setting
        package var mailSubject: Setting
        package var mailBody: Setting
        package var mailIsHTML: Setting
        package var mailSender: Setting
        package var mailLocalPart: Setting
        package var mailReplyTo: Setting
        package var pageTexts: Setting
        package var providers: Setting
        package var providerState: Setting
        package var providerName: Setting
        package var clientID: Setting
        package var clientSecret: Setting
        package var appleBundles: Setting
        package var appleTeam: Setting
        package var appleKey: Setting
        package var applePrivateKey: Setting
        package var issuer: Setting
        package var usesCode: Setting
        package var authoritativeDomains: Setting
        package var entityID: Setting
        package var signOnPage: Setting
        package var certificate: Setting
        package var signsRequests: Setting
        package var ownEntityID: Setting
        package var callback: Setting
        package var newProvider: Setting
        package var pageTextKeys: Setting
        package var apps: Apps
        package var optional: String
        package var mandatory: String
        package var light: String
        package var dark: String
        package var both: String
        package var fromProject: String
        package var unset: String
        package var standard: @Sendable (String) -> String
        package var tenantsOfProject: String
        package var settingsOfTenant: @Sendable (String) -> String
        package var settingsOfProject: String
        package var noHistory: String
        package var former: String
        package var showChange: String
        package var changeTitle: String
        package var undo: String
        package var undoBody: String
        package var overwrites: @Sendable (String) -> String
        package var isUndone: String
        package var logoStays: String
        package var mailTexts: String
        package var everyLanguage: String
        package var ownText: String
        package var preview: String
        package var builtInText: String
        package var openMail: String
        package var contrast: @Sendable (String, String, String) -> String
        package var secretStays: String
        package var needed: String
        package var configure: String
        package var testProvider: String
        package var testBody: String
        package var testPassed: @Sendable (String) -> String
        package var messageCosts: String
        package var spentThisHour: String
        package var spentThisDay: String
        package var ofBudget: @Sendable (String, String) -> String
        package var noBudget: @Sendable (String) -> String
        package var sentThisDay: String
        package var verifiedThisDay: String
        package var closedPrefixes: String
        package var budgetHint: String

        /// A setting or an area of settings.
        package struct Setting: Sendable {
            package var label: String
            /// What follows from it.
            package var hint: String?

            init(_ label: String, _ hint: String? = nil) {
                self.label = label
                self.hint = hint
            }
        }
    }
}

extension Language {
    package var settingTexts: PageTexts.Settings { texts() }
}
