package import Bus
package import Contracts
import Vocabulary

/// Accounts, sessions and tokens. This file dispatches each operation to its handler. The handlers are in the folders
/// of their features.
package final class IdentityService: Sendable {
    let dependencies: Dependencies

    private let signUp: SignUpHandler
    private let passwordSignIn: PasswordSignInHandler
    private let passwordChange: PasswordChangeHandler
    private let customTokenSignIn: CustomTokenSignInHandler
    private let emailLinkSignIn: EmailLinkSignInHandler
    private let phoneSignIn: PhoneSignInHandler
    private let providerSignIn: ProviderSignInHandler
    private let secondFactorSignIn: SecondFactorSignInHandler
    private let signInMethods: SignInMethodsHandler
    private let sessionRefresh: SessionRefreshHandler
    private let sessionCookies: SessionCookieHandler
    private let tokenVerification: TokenVerificationHandler
    private let ownAccount: OwnAccountHandler
    private let factorEnrollment: FactorEnrollmentHandler
    private let factorWithdrawal: FactorWithdrawalHandler
    private let recoveryCodes: RecoveryCodeHandler
    private let passkeyEnrollment: PasskeyEnrollmentHandler
    private let passkeySignIn: PasskeySignInHandler
    private let actionCodeSending: ActionCodeSendingHandler
    private let actionCodeRedemption: ActionCodeRedemptionHandler
    private let accountAdministration: AccountAdministrationHandler
    private let bulkAccounts: BulkAccountHandler
    private let accountImport: AccountImportHandler
    private let accountExport: AccountExportHandler
    private let configuration: ConfigurationHandler
    private let tenants: TenantHandler
    private let projectAdministration: ProjectHandler
    private let sessionList: SessionListHandler
    /// `IdentityProgram` registers the keys of the settings with it.
    package let serviceAccountKeys: ServiceAccountKeyHandler
    private let accessTokens: AccessTokenHandler
    private let webhooks: WebhookHandler
    private let auditLog: AuditLogHandler
    private let auditRecording: AuditRecordingHandler
    private let signingKeyRevocation: SigningKeyRevocationHandler

    /// `maintenance` runs it.
    let oldHashMeasurement: OldHashMeasurement

    package init(_ dependencies: Dependencies) {
        self.dependencies = dependencies
        oldHashMeasurement = OldHashMeasurement(store: dependencies.store, hasher: dependencies.passwords)
        let (store, projects, isDev) = (dependencies.store, dependencies.projects, dependencies.isDev)
        let (now, randomBytes) = (dependencies.now, dependencies.randomBytes)
        let (publish, wakeMailDispatcher) = (dependencies.publish, dependencies.wakeMailDispatcher)
        let authenticator = SessionAuthenticator(
            now: now, idTokens: dependencies.tokens, store: store, projects: projects)
        let sessions = SessionIssuer(now: now, randomBytes: randomBytes, store: store, idTokens: dependencies.tokens)
        let pendingSignIns = PendingSignInResolver(now: now, store: store, projects: projects)
        let verification = PasswordVerification(
            now: now, store: store, hasher: dependencies.passwords, limiter: dependencies.attemptLimiter,
            oldHashBudgets: isDev ? nil : OldHashBudgetLimiter(steadyNow: dependencies.passwords.steadyNow))
        let newPasswords = NewPasswordHasher(
            hasher: dependencies.passwords, filter: dependencies.passwordFilter, isDev: isDev)
        let codes = ActionCodeIssuer(randomBytes: randomBytes, actionPage: dependencies.actionPage, isDev: isDev)
        let notices = AccountNotices(now: now, codes: codes, reportTemplate: dependencies.reportTemplate)
        let blockingFunctions = BlockingFunctionCaller(
            now: now, randomBytes: randomBytes, store: store, idTokens: dependencies.tokens,
            client: dependencies.blockingFunctions, metrics: dependencies.blockingFunctionMetrics,
            coversEverySignIn: dependencies.blockingFunctionsCoverEverySignIn, publish: publish)
        let updater = AccountUpdater(store: store, publish: publish, wakeMailDispatcher: wakeMailDispatcher)

        ownAccount = OwnAccountHandler(
            now: now, store: store, sessions: sessions, authenticator: authenticator, newPasswords: newPasswords,
            notices: notices, updater: updater, blockingFunctions: blockingFunctions, publish: publish)
        signUp = SignUpHandler(
            now: now, randomBytes: randomBytes, store: store, projects: projects, sessions: sessions,
            newPasswords: newPasswords, ownAccount: ownAccount, blockingFunctions: blockingFunctions, isDev: isDev)
        passwordSignIn = PasswordSignInHandler(
            now: now, store: store, projects: projects, verification: verification, sessions: sessions,
            blockingFunctions: blockingFunctions, isDev: isDev)
        passwordChange = PasswordChangeHandler(
            now: now, store: store, projects: projects, verification: verification, newPasswords: newPasswords,
            notices: notices, updater: updater)
        customTokenSignIn = CustomTokenSignInHandler(
            now: now, store: store, projects: projects, sessions: sessions, blockingFunctions: blockingFunctions,
            isDev: isDev)
        emailLinkSignIn = EmailLinkSignInHandler(
            now: now, randomBytes: randomBytes, store: store, projects: projects, sessions: sessions,
            authenticator: authenticator, notices: notices, blockingFunctions: blockingFunctions, publish: publish,
            wakeMailDispatcher: wakeMailDispatcher)
        phoneSignIn = PhoneSignInHandler(
            now: now, randomBytes: randomBytes, store: store, projects: projects, sessions: sessions,
            authenticator: authenticator, blockingFunctions: blockingFunctions, publish: publish)
        providerSignIn = ProviderSignInHandler(
            now: now, randomBytes: randomBytes, store: store, projects: projects, sessions: sessions,
            authenticator: authenticator, notices: notices, blockingFunctions: blockingFunctions, publish: publish,
            wakeMailDispatcher: wakeMailDispatcher)
        secondFactorSignIn = SecondFactorSignInHandler(
            now: now, store: store, sessions: sessions, pendingSignIns: pendingSignIns, notices: notices,
            blockingFunctions: blockingFunctions, wakeMailDispatcher: wakeMailDispatcher)
        signInMethods = SignInMethodsHandler(randomBytes: randomBytes, store: store, projects: projects)
        sessionRefresh = SessionRefreshHandler(
            now: now, randomBytes: randomBytes, store: store, projects: projects, sessions: sessions,
            refreshGrace: dependencies.refreshGrace)
        sessionCookies = SessionCookieHandler(
            now: now, store: store, authenticator: authenticator, idTokens: dependencies.tokens,
            keys: dependencies.keys, publish: publish)
        tokenVerification = TokenVerificationHandler(now: now, authenticator: authenticator, keys: dependencies.keys)
        factorEnrollment = FactorEnrollmentHandler(
            now: now, store: store, projects: projects, sessions: sessions, authenticator: authenticator,
            notices: notices, publish: publish, wakeMailDispatcher: wakeMailDispatcher)
        factorWithdrawal = FactorWithdrawalHandler(
            now: now, store: store, sessions: sessions, authenticator: authenticator, notices: notices,
            publish: publish, wakeMailDispatcher: wakeMailDispatcher)
        recoveryCodes = RecoveryCodeHandler(
            now: now, randomBytes: randomBytes, store: store, sessions: sessions, authenticator: authenticator,
            pendingSignIns: pendingSignIns, notices: notices, blockingFunctions: blockingFunctions,
            wakeMailDispatcher: wakeMailDispatcher)
        passkeyEnrollment = PasskeyEnrollmentHandler(
            now: now, store: store, sessions: sessions, authenticator: authenticator, notices: notices,
            wakeMailDispatcher: wakeMailDispatcher)
        passkeySignIn = PasskeySignInHandler(
            now: now, store: store, projects: projects, sessions: sessions, blockingFunctions: blockingFunctions)
        actionCodeSending = ActionCodeSendingHandler(
            now: now, store: store, projects: projects, authenticator: authenticator, codes: codes,
            wakeMailDispatcher: wakeMailDispatcher, isDev: isDev, emailsPerProject: dependencies.emailsPerProject)
        actionCodeRedemption = ActionCodeRedemptionHandler(
            now: now, store: store, projects: projects, newPasswords: newPasswords, hasher: dependencies.passwords,
            notices: notices, publish: publish, wakeMailDispatcher: wakeMailDispatcher, isDev: isDev)
        accountAdministration = AccountAdministrationHandler(
            now: now, randomBytes: randomBytes, store: store, projects: projects, newPasswords: newPasswords,
            updater: updater, publish: publish)
        bulkAccounts = BulkAccountHandler(now: now, store: store, projects: projects, publish: publish, isDev: isDev)
        accountImport = AccountImportHandler(
            now: now, randomBytes: randomBytes, store: store, projects: projects, hasher: dependencies.passwords,
            maximumBcryptCost: dependencies.importBcryptCost, publish: publish)
        accountExport = AccountExportHandler(
            now: now, store: store, projects: projects, hasher: dependencies.passwords)
        configuration = ConfigurationHandler(
            now: now, store: store, projects: projects, publish: publish, isDev: isDev)
        tenants = TenantHandler(
            now: now, randomBytes: randomBytes, store: store, projects: projects, publish: publish, isDev: isDev)
        projectAdministration = ProjectHandler(
            now: now, randomBytes: randomBytes, store: store, isDev: isDev, publicHost: dependencies.actionPage.host)
        sessionList = SessionListHandler(now: now, store: store, projects: projects)
        webhooks = WebhookHandler(
            now: now, randomBytes: randomBytes, store: store, projects: projects, isDev: isDev)
        serviceAccountKeys = ServiceAccountKeyHandler(now: now, store: store, projects: projects, publish: publish)
        accessTokens = AccessTokenHandler(
            now: now, randomBytes: randomBytes, store: store, passwordHashReaders: dependencies.passwordHashReaders)
        auditLog = AuditLogHandler(now: dependencies.now, store: store)
        auditRecording = AuditRecordingHandler(now: now, store: store)
        signingKeyRevocation = SigningKeyRevocationHandler(
            now: now, store: store, keys: dependencies.keys, publish: publish)
    }

    package func handle(_ operation: Identity.Operation, _ call: BusCall) async throws -> BusReply {
        switch operation {
        case .signUp: try await call.reply(with: signUp.signUp)
        case .signInWithPassword: try await call.reply(with: passwordSignIn.signIn)
        case .signInWithCustomToken: try await call.reply(with: customTokenSignIn.signIn)
        case .refreshSession: try await call.reply(with: sessionRefresh.refresh)
        case .lookUpOwnAccount: try await call.reply(with: ownAccount.lookUp)
        case .deleteOwnAccount: try await call.reply(with: ownAccount.delete)
        case .updateOwnAccount: try await call.reply(with: ownAccount.update)
        case .changePassword: try await call.reply(with: passwordChange.change)
        case .resolvePendingSignIn: try await call.reply(with: secondFactorSignIn.resolve)
        case .completeSignIn: try await call.reply(with: secondFactorSignIn.completeSignIn)
        case .checkEnrollment: try await call.reply(with: factorEnrollment.check)
        case .enrollFactor: try await call.reply(with: factorEnrollment.enroll)
        case .recordRefusedSignIn: try await call.reply(with: auditRecording.recordRefusedSignIn)
        case .withdrawFactor: try await call.reply(with: factorWithdrawal.withdraw)
        case .generateRecoveryCodes: try await call.reply(with: recoveryCodes.generate)
        case .countRecoveryCodes: try await call.reply(with: recoveryCodes.count)
        case .signInWithRecoveryCode: try await call.reply(with: recoveryCodes.signIn)
        case .checkPhoneSignIn: try await call.reply(with: phoneSignIn.check)
        case .signInWithPhone: try await call.reply(with: phoneSignIn.signIn)
        case .signInWithTemporaryProof: try await call.reply(with: phoneSignIn.signInWithTemporaryProof)
        case .checkPasskeyEnrollment: try await call.reply(with: passkeyEnrollment.check)
        case .enrollPasskey: try await call.reply(with: passkeyEnrollment.enroll)
        case .signInWithPasskey: try await call.reply(with: passkeySignIn.signIn)
        case .signInWithProvider: try await call.reply(with: providerSignIn.signIn)
        case .recordProviderChange: try await call.reply(with: auditRecording.recordProviderChange)
        case .sendActionCode: try await call.reply(with: actionCodeSending.send)
        case .inspectActionCode: try await call.reply(with: actionCodeRedemption.inspect)
        case .resetPassword: try await call.reply(with: actionCodeRedemption.resetPassword)
        case .applyActionCode: try await call.reply(with: actionCodeRedemption.apply)
        case .rejectEmailVerification: try await call.reply(with: actionCodeRedemption.rejectVerification)
        case .signInWithEmailLink: try await call.reply(with: emailLinkSignIn.signIn)
        case .findSignInMethods: try await call.reply(with: signInMethods.find)
        case .listActionCodes: try await call.reply(with: actionCodeSending.list)
        case .verifyIDToken: try await call.reply(with: tokenVerification.verify)
        case .resolveConfiguration: try await call.reply(with: configuration.resolve)
        case .createAccount: try await call.reply(with: accountAdministration.create)
        case .updateAccount: try await call.reply(with: accountAdministration.update)
        case .findAccounts: try await call.reply(with: accountAdministration.find)
        case .deleteAccount: try await call.reply(with: accountAdministration.delete)
        case .listAccounts: try await call.reply(with: bulkAccounts.list)
        case .queryAccounts: try await call.reply(with: bulkAccounts.query)
        case .deleteAccounts: try await call.reply(with: bulkAccounts.delete)
        case .readConfiguration: try await call.reply(with: configuration.read)
        case .replaceConfiguration: try await call.reply(with: configuration.replace)
        case .createTenant: try await call.reply(with: tenants.create)
        case .readTenant: try await call.reply(with: tenants.read)
        case .replaceTenant: try await call.reply(with: tenants.replace)
        case .deleteTenant: try await call.reply(with: tenants.delete)
        case .listTenants: try await call.reply(with: tenants.list)
        case .createWebhook: try await call.reply(with: webhooks.create)
        case .listWebhooks: try await call.reply(with: webhooks.list)
        case .readWebhook: try await call.reply(with: webhooks.read)
        case .updateWebhook: try await call.reply(with: webhooks.update)
        case .deleteWebhook: try await call.reply(with: webhooks.delete)
        case .rotateWebhookSecret: try await call.reply(with: webhooks.rotateSecret)
        case .testWebhook: try await call.reply(with: webhooks.test)
        case .createSessionCookie: try await call.reply(with: sessionCookies.create)
        case .importAccounts: try await call.reply(with: accountImport.importAccounts)
        case .exportAccounts: try await call.reply(with: accountExport.export)
        case .clearAccounts: try await call.reply(with: bulkAccounts.clear)
        case .addServiceAccountKey: try await call.reply(with: serviceAccountKeys.add)
        case .listServiceAccountKeys: try await call.reply(with: serviceAccountKeys.list)
        case .removeServiceAccountKeys: try await call.reply(with: serviceAccountKeys.remove)
        case .verifyAuditLog: try await call.reply(with: auditLog.verify)
        case .listAuditRecords: try await call.reply(with: auditLog.list)
        case .listProjects: try await call.reply(with: projectAdministration.list)
        case .createProject: try await call.reply(with: projectAdministration.create)
        case .listSessions: try await call.reply(with: sessionList.list)
        case .endSession: try await call.reply(with: sessionList.end)
        case .exportAuditRecords: try await call.reply(with: auditLog.export)
        case .revokeSigningKey: try await call.reply(with: signingKeyRevocation.revoke)
        case .issueAccessToken: try await call.reply(with: accessTokens.issue)
        case .introspectAccessToken: try await call.reply(with: accessTokens.introspect)
        case .resolveAPIKey: try await call.reply(with: configuration.resolveAPIKey)
        case .listSigningKeys: try await call.reply(with: tokenVerification.listSigningKeys)
        }
    }

    /// `error` in its form on the bus; nil for an unexpected error.
    package func wireError(_ error: any Error) -> WireError? {
        (error as? ServiceError).map { WireError($0, now: dependencies.now()) }
    }

    /// Invalidates cached values after an event of another process.
    package func receive(_ event: BusEvent) async {
        switch event {
        case .configurationChanged(let realm): await dependencies.projects.invalidate(realm.project)
        // `try?`: maintenance reads the keys again within a second.
        case .signingKeysChanged: try? await dependencies.keys.refresh()
        case .sessionsRevoked, .messagesQueued: break
        }
    }
}
