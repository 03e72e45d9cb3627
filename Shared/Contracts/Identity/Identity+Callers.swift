extension Identity.Operation {
    package var callers: Set<BusCaller> {
        switch self {
        // A proven second factor is the word of the service that proved it.
        case .completeSignIn, .checkEnrollment, .enrollFactor: [.mfaSMS, .mfaTOTP]
        case .checkPhoneSignIn, .signInWithPhone: [.mfaSMS]
        case .checkPasskeyEnrollment, .enrollPasskey, .signInWithPasskey: [.passkey]
        case .signInWithProvider, .recordProviderChange: [.federation]
        case .recordRefusedSignIn: [.mfaSMS, .mfaTOTP, .passkey]
        case .recordNotifierChange: [.notifier]
        case .recordRefusedCaller: [.identity, .mfaSMS, .mfaTOTP, .passkey, .federation, .notifier]
        case .resolvePendingSignIn: .everyGateway.union([.mfaSMS, .mfaTOTP])
        case .verifyIDToken: .everyGateway.union([.passkey])
        case .lookUpOwnAccount: .everyGateway.union([.federation])
        case .resolveConfiguration: .everyGateway.union([.mfaSMS, .passkey, .federation, .notifier])
        case .recordActivity: .everyGateway.union([.mfaSMS, .notifier])
        case .findAccounts: .administrationAndCommand.union([.mfaTOTP, .passkey, .federation])
        case .updateAccount: .administrationAndCommand.union([.federation])
        case .sendActionCode, .listSigningKeys: .everyGateway.union([.operatorCommand])

        case .signUp, .signInWithPassword, .signInWithCustomToken, .refreshSession, .deleteOwnAccount,
            .updateOwnAccount, .changePassword, .listOwnSessions, .endOwnSessions, .downloadOwnAccount,
            .scheduleOwnDeletion, .restoreOwnAccount:
            .everyGateway
        case .withdrawFactor, .generateRecoveryCodes, .countRecoveryCodes, .signInWithRecoveryCode,
            .rememberDevice, .signInWithRememberedDevice, .listRememberedDevices, .forgetRememberedDevice,
            .signInWithTemporaryProof:
            .everyGateway
        case .inspectActionCode, .resetPassword, .applyActionCode, .rejectEmailVerification, .signInWithEmailLink,
            .findSignInMethods, .sendEmailCode, .signInWithEmailCode, .verifyEmailWithCode:
            .everyGateway
        case .resolveApplication, .issueAuthorizationCode, .redeemAuthorizationCode, .resolveAPIKey, .readLogo:
            .everyGateway

        case .createAccount, .deleteAccount, .listAccounts, .queryAccounts, .importAccounts, .exportAccounts,
            .readConfiguration, .replaceConfiguration, .createTenant, .readTenant, .deleteTenant, .listTenants,
            .createApplication, .listApplications, .deleteApplication, .addServiceAccountKey,
            .listServiceAccountKeys, .removeServiceAccountKeys, .listProjects, .listSessions, .endSession,
            .verifyAuditLog, .listAuditRecords, .exportAuditRecords, .grantOperatorRole, .removeOperator,
            .listOperators:
            .administrationAndCommand
        case .deleteAccounts, .createSessionCookie, .issueAccessToken, .introspectAccessToken,
            .listConfigurationRevisions, .readConfigurationRevision, .replaceTenant, .readApplication,
            .replaceApplication, .createWebhook, .listWebhooks, .readWebhook, .updateWebhook, .deleteWebhook,
            .rotateWebhookSecret, .testWebhook, .searchAccounts, .explainSignIn, .clearSignInAttempts,
            .openOperatorSession, .resolveOperatorSession, .listOperatorSessions, .endOperatorSessions,
            .readActivity:
            .administration
        // Dev mode, in which one listener serves everything.
        case .listActionCodes, .listEmailCodes, .clearAccounts: .administration
        case .revokeSigningKey, .createProject, .resetOperator: [.operatorCommand]
        }
    }
}
