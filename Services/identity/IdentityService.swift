package import Bus
package import Contracts
import Vocabulary

/// Accounts, sessions and tokens. This file dispatches each operation to its handler. The handlers are in the folders
/// of their features.
package final class IdentityService: Sendable {
    let context: IdentityContext
    /// `maintenance` runs it.
    let oldHashMeasurement: OldHashMeasurement

    init(_ context: IdentityContext) {
        self.context = context
        oldHashMeasurement = OldHashMeasurement(store: context.store, hasher: context.hasher)
    }

    package func handle(_ operation: Identity.Operation, _ call: BusCall) async throws -> BusReply {
        switch operation {
        case .signUp: try await call.reply(with: SignUpHandler(context: context).signUp)
        case .signInWithPassword: try await call.reply(with: PasswordSignInHandler(context: context).signIn)
        case .signInWithCustomToken: try await call.reply(with: CustomTokenSignInHandler(context: context).signIn)
        case .refreshSession: try await call.reply(with: SessionRefreshHandler(context: context).refresh)
        case .lookUpOwnAccount: try await call.reply(with: OwnAccountHandler(context: context).lookUp)
        case .deleteOwnAccount: try await call.reply(with: OwnAccountHandler(context: context).delete)
        case .scheduleOwnDeletion: try await call.reply(with: AccountDeletionHandler(context: context).schedule)
        case .restoreOwnAccount: try await call.reply(with: AccountDeletionHandler(context: context).restore)
        case .updateOwnAccount: try await call.reply(with: OwnAccountHandler(context: context).update)
        case .changePassword: try await call.reply(with: PasswordChangeHandler(context: context).change)
        case .listOwnSessions: try await call.reply(with: OwnSessionsHandler(context: context).list)
        case .endOwnSessions: try await call.reply(with: OwnSessionsHandler(context: context).end)
        case .downloadOwnAccount: try await call.reply(with: AccountDownloadHandler(context: context).download)
        case .resolvePendingSignIn: try await call.reply(with: SecondFactorSignInHandler(context: context).resolve)
        case .completeSignIn: try await call.reply(with: SecondFactorSignInHandler(context: context).completeSignIn)
        case .checkEnrollment: try await call.reply(with: FactorEnrollmentHandler(context: context).check)
        case .enrollFactor: try await call.reply(with: FactorEnrollmentHandler(context: context).enroll)
        case .recordRefusedSignIn:
            try await call.reply(with: AuditRecordingHandler(context: context).recordRefusedSignIn)
        case .withdrawFactor: try await call.reply(with: FactorWithdrawalHandler(context: context).withdraw)
        case .generateRecoveryCodes: try await call.reply(with: RecoveryCodeHandler(context: context).generate)
        case .countRecoveryCodes: try await call.reply(with: RecoveryCodeHandler(context: context).count)
        case .signInWithRecoveryCode: try await call.reply(with: RecoveryCodeHandler(context: context).signIn)
        case .rememberDevice: try await call.reply(with: RememberedDeviceHandler(context: context).remember)
        case .signInWithRememberedDevice:
            try await call.reply(with: RememberedDeviceHandler(context: context).signIn)
        case .listRememberedDevices: try await call.reply(with: RememberedDeviceHandler(context: context).list)
        case .forgetRememberedDevice: try await call.reply(with: RememberedDeviceHandler(context: context).forget)
        case .checkPhoneSignIn: try await call.reply(with: PhoneSignInHandler(context: context).check)
        case .signInWithPhone: try await call.reply(with: PhoneSignInHandler(context: context).signIn)
        case .signInWithTemporaryProof:
            try await call.reply(with: PhoneSignInHandler(context: context).signInWithTemporaryProof)
        case .checkPasskeyEnrollment: try await call.reply(with: PasskeyEnrollmentHandler(context: context).check)
        case .enrollPasskey: try await call.reply(with: PasskeyEnrollmentHandler(context: context).enroll)
        case .signInWithPasskey: try await call.reply(with: PasskeySignInHandler(context: context).signIn)
        case .signInWithProvider: try await call.reply(with: ProviderSignInHandler(context: context).signIn)
        case .recordProviderChange:
            try await call.reply(with: AuditRecordingHandler(context: context).recordProviderChange)
        case .recordNotifierChange:
            try await call.reply(with: AuditRecordingHandler(context: context).recordNotifierChange)
        case .recordRefusedCaller:
            try await call.reply(with: AuditRecordingHandler(context: context).recordRefusedCaller)
        case .sendActionCode: try await call.reply(with: ActionCodeSendingHandler(context: context).send)
        case .inspectActionCode: try await call.reply(with: ActionCodeRedemptionHandler(context: context).inspect)
        case .resetPassword: try await call.reply(with: ActionCodeRedemptionHandler(context: context).resetPassword)
        case .applyActionCode: try await call.reply(with: ActionCodeRedemptionHandler(context: context).apply)
        case .rejectEmailVerification:
            try await call.reply(with: ActionCodeRedemptionHandler(context: context).rejectVerification)
        case .signInWithEmailLink: try await call.reply(with: EmailSignInHandler(context: context).signInByLink)
        case .sendEmailCode: try await call.reply(with: EmailCodeHandler(context: context).send)
        case .signInWithEmailCode: try await call.reply(with: EmailSignInHandler(context: context).signInByCode)
        case .verifyEmailWithCode: try await call.reply(with: EmailCodeHandler(context: context).verify)
        case .listEmailCodes: try await call.reply(with: EmailCodeHandler(context: context).list)
        case .findSignInMethods: try await call.reply(with: SignInMethodsHandler(context: context).find)
        case .listActionCodes: try await call.reply(with: ActionCodeSendingHandler(context: context).list)
        case .verifyIDToken: try await call.reply(with: TokenVerificationHandler(context: context).verify)
        case .resolveConfiguration: try await call.reply(with: ConfigurationHandler(context: context).resolve)
        case .createAccount: try await call.reply(with: AccountAdministrationHandler(context: context).create)
        case .updateAccount: try await call.reply(with: AccountAdministrationHandler(context: context).update)
        case .findAccounts: try await call.reply(with: AccountAdministrationHandler(context: context).find)
        case .deleteAccount: try await call.reply(with: AccountAdministrationHandler(context: context).delete)
        case .listAccounts: try await call.reply(with: BulkAccountHandler(context: context).list)
        case .queryAccounts: try await call.reply(with: BulkAccountHandler(context: context).query)
        case .deleteAccounts: try await call.reply(with: BulkAccountHandler(context: context).delete)
        case .readConfiguration: try await call.reply(with: ConfigurationHandler(context: context).read)
        case .replaceConfiguration: try await call.reply(with: ConfigurationHandler(context: context).replace)
        case .createTenant: try await call.reply(with: TenantHandler(context: context).create)
        case .readTenant: try await call.reply(with: TenantHandler(context: context).read)
        case .replaceTenant: try await call.reply(with: TenantHandler(context: context).replace)
        case .deleteTenant: try await call.reply(with: TenantHandler(context: context).delete)
        case .listTenants: try await call.reply(with: TenantHandler(context: context).list)
        case .createWebhook: try await call.reply(with: WebhookHandler(context: context).create)
        case .listWebhooks: try await call.reply(with: WebhookHandler(context: context).list)
        case .readWebhook: try await call.reply(with: WebhookHandler(context: context).read)
        case .updateWebhook: try await call.reply(with: WebhookHandler(context: context).update)
        case .deleteWebhook: try await call.reply(with: WebhookHandler(context: context).delete)
        case .rotateWebhookSecret: try await call.reply(with: WebhookHandler(context: context).rotateSecret)
        case .testWebhook: try await call.reply(with: WebhookHandler(context: context).test)
        case .createApplication: try await call.reply(with: ApplicationHandler(context: context).create)
        case .listApplications: try await call.reply(with: ApplicationHandler(context: context).list)
        case .readApplication: try await call.reply(with: ApplicationHandler(context: context).read)
        case .replaceApplication: try await call.reply(with: ApplicationHandler(context: context).replace)
        case .deleteApplication: try await call.reply(with: ApplicationHandler(context: context).delete)
        case .resolveApplication: try await call.reply(with: ApplicationHandler(context: context).resolve)
        case .issueAuthorizationCode: try await call.reply(with: AuthorizationCodeHandler(context: context).issue)
        case .redeemAuthorizationCode: try await call.reply(with: AuthorizationCodeHandler(context: context).redeem)
        case .createSessionCookie: try await call.reply(with: SessionCookieHandler(context: context).create)
        case .importAccounts: try await call.reply(with: AccountImportHandler(context: context).importAccounts)
        case .exportAccounts: try await call.reply(with: AccountExportHandler(context: context).export)
        case .clearAccounts: try await call.reply(with: BulkAccountHandler(context: context).clear)
        case .addServiceAccountKey: try await call.reply(with: ServiceAccountKeyHandler(context: context).add)
        case .listServiceAccountKeys: try await call.reply(with: ServiceAccountKeyHandler(context: context).list)
        case .removeServiceAccountKeys: try await call.reply(with: ServiceAccountKeyHandler(context: context).remove)
        case .verifyAuditLog: try await call.reply(with: AuditLogHandler(context: context).verify)
        case .listAuditRecords: try await call.reply(with: AuditLogHandler(context: context).list)
        case .listProjects: try await call.reply(with: ProjectHandler(context: context).list)
        case .createProject: try await call.reply(with: ProjectHandler(context: context).create)
        case .listSessions: try await call.reply(with: SessionListHandler(context: context).list)
        case .endSession: try await call.reply(with: SessionListHandler(context: context).end)
        case .exportAuditRecords: try await call.reply(with: AuditLogHandler(context: context).export)
        case .revokeSigningKey: try await call.reply(with: SigningKeyRevocationHandler(context: context).revoke)
        case .issueAccessToken: try await call.reply(with: AccessTokenHandler(context: context).issue)
        case .introspectAccessToken: try await call.reply(with: AccessTokenHandler(context: context).introspect)
        case .listConfigurationRevisions:
            try await call.reply(with: ConfigurationRevisionHandler(context: context).list)
        case .readConfigurationRevision:
            try await call.reply(with: ConfigurationRevisionHandler(context: context).read)
        case .resolveAPIKey: try await call.reply(with: ConfigurationHandler(context: context).resolveAPIKey)
        case .listSigningKeys: try await call.reply(with: TokenVerificationHandler(context: context).listSigningKeys)
        case .searchAccounts: try await call.reply(with: AccountSearchHandler(context: context).search)
        case .explainSignIn: try await call.reply(with: AccountSearchHandler(context: context).explain)
        case .clearSignInAttempts: try await call.reply(with: AccountSearchHandler(context: context).clearAttempts)
        case .grantOperatorRole: try await call.reply(with: OperatorHandler(context: context).grant)
        case .resetOperator: try await call.reply(with: OperatorHandler(context: context).reset)
        case .removeOperator: try await call.reply(with: OperatorHandler(context: context).remove)
        case .listOperators: try await call.reply(with: OperatorHandler(context: context).list)
        case .openOperatorSession: try await call.reply(with: OperatorSessionHandler(context: context).open)
        case .resolveOperatorSession: try await call.reply(with: OperatorSessionHandler(context: context).resolve)
        case .listOperatorSessions: try await call.reply(with: OperatorSessionHandler(context: context).list)
        case .endOperatorSessions: try await call.reply(with: OperatorSessionHandler(context: context).end)
        case .recordActivity: try await call.reply(with: ActivityHandler(context: context).record)
        case .readActivity: try await call.reply(with: ActivityHandler(context: context).read)
        case .readLogo: try await call.reply(with: LogoHandler(context: context).read)
        }
    }

    /// Invalidates cached values after an event of another process.
    package func receive(_ event: BusEvent) async {
        switch event {
        case .configurationChanged(let realm): await context.projects.invalidate(realm.project)
        // `try?`: maintenance reads the keys again within a second.
        case .signingKeysChanged: try? await context.keys.refresh()
        case .sessionsRevoked, .messagesQueued: break
        }
    }
}
