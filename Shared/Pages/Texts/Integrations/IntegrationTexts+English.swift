extension PageTexts.Integrations {
    static let english = PageTexts.Integrations(
        title: "Integrations",
        body: "What other programs use: webhooks, applications, keys of backends, and keys for pushes.",
        shownOnce: "Copy this now: it is not shown again.",
        back: "Back to the integrations",
        webhooks: "Webhooks",
        webhooksBody: "Signed requests tell a server of yours what happens to accounts.",
        addWebhook: "Add a webhook",
        webhookURL: "URL of your server",
        eventTypes: "Types of events",
        eventTypesHint: "One in each line, such as account.created. Empty: all.",
        everyEvent: "all events",
        working: "works",
        failing: "does not answer properly",
        gone: "answered that it is gone",
        state: "State",
        waiting: "Waiting events",
        dropped: "Events that were deleted because there were too many",
        deliveries: "Latest events",
        noDeliveries: "No event yet. Send a test to see whether your server answers.",
        pending: "waiting",
        delivered: "delivered",
        failed: "failed",
        attempts: "Attempts",
        problem: "Problem",
        sendTest: "Send a test",
        replay: "Send again",
        turnOff: "Turn off",
        turnOn: "Turn on",
        rotateSecret: .init(
            title: "New secret",
            body:
                "Your server accepts events only after it has the new secret. The former one signs beside it for a day."
        ),
        removeWebhook: .init(
            title: "Remove this webhook",
            body:
                "Its waiting events are deleted, and your server gets no more. This cannot be undone."
        ),
        applications: "Applications",
        applicationsBody: "They get their users from the sign-in pages.",
        addApplication: "Add an application",
        applicationName: "Name that users see",
        kind: "Where it runs",
        webKind: "web page",
        toolKind: "command line or desktop",
        redirects: "Addresses to which users may return",
        redirectsHint: "One in each line.",
        clientID: "Client ID",
        removeApplication: .init(
            title: "Remove this application",
            body:
                "It can sign in nobody from now on. This cannot be undone."
        ),
        clientConfiguration: "API key and code for applications",
        clientConfigurationBody: "This is no secret: every copy of an application contains it.",
        apiKey: "API key",
        show: "Show",
        serviceAccounts: "Service accounts",
        serviceAccountsBody: "With such a key a backend administers this project.",
        addServiceAccount: "Create a key",
        serviceAccountName: "Name of the account",
        serviceAccountNameHint: "Lower-case letters, digits and hyphens. An existing account gets a further key.",
        keyFile: "Key file",
        removeServiceAccount: .init(
            title: "Revoke this key",
            body:
                "It opens nothing any more, and its access tokens end at once. This cannot be undone."
        ),
        pushKeys: "Keys for pushes to Apple devices",
        pushKeysBody: "Applications without one use the key of the installation.",
        addPushKey: "Add a key for pushes",
        bundleID: "Bundle ID",
        keyID: "Key ID",
        teamID: "Team ID",
        environment: "Environment",
        everyEnvironment: "sandbox and production",
        privateKey: "Private key",
        privateKeyHint: "The content of the file AuthKey_….p8 of Apple. It is sealed, and not shown again.",
        removePushKey: .init(
            title: "Remove this key",
            body:
                "It sends no push any more. The application then uses another key, or the page with the challenge. This cannot be undone."
        ),
        functions: "Blocking functions",
        functionsBody: "They decide about a sign-up or sign-in before it happens.",
        beforeCreate: "Function before a new account",
        beforeSignIn: "Function before a sign-in",
        functionHint: "An https URL, which has seven seconds to answer. Empty: none.",
        sendIDToken: "Send the ID token of the identity provider",
        sendAccessToken: "Send the access token of the identity provider",
        sendRefreshToken: "Send the refresh token of the identity provider",
        none: "None yet.")
}
