/// The REST protocol: the sibling folders add the routes of each area to it.
enum IdentityToolkit {}

/// All paths of the gateway.
enum RouteTable {
    static let routes: [Route] =
        IdentityToolkit.signUp + IdentityToolkit.passwordSignIn + IdentityToolkit.lookup + IdentityToolkit.update
        + IdentityToolkit.ownSessions + IdentityToolkit.download + IdentityToolkit.deletion + IdentityToolkit.tokens
        + IdentityToolkit.publishedKeys
        + IdentityToolkit.customTokens + IdentityToolkit.accessTokens + IdentityToolkit.configuration
        + IdentityToolkit.tenants + IdentityToolkit.passkeyConfiguration + IdentityToolkit.deliveries
        + IdentityToolkit.smsSending
        + IdentityToolkit.webhooks + IdentityToolkit.applications + IdentityToolkit.apnsKeys
        + IdentityToolkit.providers
        + IdentityToolkit.multiFactor + IdentityToolkit.recoveryCodes + IdentityToolkit.passkeys
        + IdentityToolkit.wellKnownFiles + IdentityToolkit.phone
        + IdentityToolkit.emailActions + IdentityToolkit.emailCodes + IdentityToolkit.signInMethods
        + IdentityToolkit.bulkAccounts
        + IdentityToolkit.accountImport
        + IdentityToolkit.publicConfiguration + IdentityToolkit.emulator + IdentityToolkit.emulatorActions
        + IdentityToolkit.emulatorMessages
        + IdentityToolkit.appVerification + SignInPages.routes + PracticePage.routes + ActionPage.routes
        + PasskeyPage.routes + LogoRoute.routes + HostedSignInPages.routes + AccountPages.routes
        + AuthorizationPage.routes + AuthorizationTokens.routes + DevInbox.routes + DevStartPage.routes
        + ConsolePages.routes + ConsoleSignIn.routes + HealthRoutes.routes
}
