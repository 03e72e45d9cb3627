/// The operations of the identity service: accounts, sessions and tokens, projects and their configuration, signing
/// keys.
package enum Identity {
    package enum Operation: String, ServiceOperation {
        // Sign-in and sessions, for users.
        case signUp, signInWithPassword, signInWithCustomToken, refreshSession, lookUpOwnAccount, deleteOwnAccount
        case updateOwnAccount, changePassword, listOwnSessions, endOwnSessions
        case downloadOwnAccount, scheduleOwnDeletion, restoreOwnAccount
        // For the services of second factors.
        case resolvePendingSignIn, completeSignIn, checkEnrollment, enrollFactor
        /// For the passkey service, too.
        case recordRefusedSignIn
        // Second factors and phone sign-in, for users.
        case withdrawFactor, generateRecoveryCodes, countRecoveryCodes, signInWithRecoveryCode
        // Devices that the hosted pages ask for no second factor.
        case rememberDevice, signInWithRememberedDevice, listRememberedDevices, forgetRememberedDevice
        case checkPhoneSignIn, signInWithPhone, signInWithTemporaryProof
        // For federation.
        case signInWithProvider, recordProviderChange
        // For the notifier.
        case recordNotifierChange
        /// For every service: what it has refused to a process that may not send it.
        case recordRefusedCaller
        // For the passkey service.
        case checkPasskeyEnrollment, enrollPasskey, signInWithPasskey
        // Action codes by e-mail.
        case sendActionCode, inspectActionCode, resetPassword, applyActionCode, rejectEmailVerification
        case signInWithEmailLink, findSignInMethods
        // Codes by e-mail that users type.
        case sendEmailCode, signInWithEmailCode, verifyEmailWithCode
        /// Dev mode only.
        case listActionCodes, listEmailCodes
        /// For the other services: the principal of an ID token.
        case verifyIDToken
        /// For all services: the configuration of a realm.
        case resolveConfiguration
        // For administrators.
        case createAccount, updateAccount, findAccounts, deleteAccount
        case listAccounts, queryAccounts, deleteAccounts
        case readConfiguration, replaceConfiguration
        case listConfigurationRevisions, readConfigurationRevision
        case createTenant, readTenant, replaceTenant, deleteTenant, listTenants
        case createWebhook, listWebhooks, readWebhook, updateWebhook, deleteWebhook, rotateWebhookSecret, testWebhook
        case createApplication, listApplications, readApplication, replaceApplication, deleteApplication
        // For hosted pages and registered applications.
        case resolveApplication, issueAuthorizationCode, redeemAuthorizationCode
        case createSessionCookie
        case importAccounts, exportAccounts
        /// Dev mode only.
        case clearAccounts
        // For the operators' command.
        case addServiceAccountKey, listServiceAccountKeys, removeServiceAccountKeys
        case verifyAuditLog, listAuditRecords, exportAuditRecords, revokeSigningKey
        case listProjects, createProject, listSessions, endSession
        // For the console, and for the operators' command.
        case searchAccounts, explainSignIn, clearSignInAttempts
        case grantOperatorRole, resetOperator, removeOperator, listOperators
        case openOperatorSession, resolveOperatorSession, listOperatorSessions, endOperatorSessions
        // For services that count, and for the overview of the console.
        case recordActivity, readActivity
        // For the gateway.
        case resolveAPIKey, listSigningKeys, issueAccessToken, introspectAccessToken, readLogo

        package static let service = ServiceName.identity
    }
}
