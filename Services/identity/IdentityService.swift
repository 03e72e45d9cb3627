package import Bus
package import Contracts
package import PasswordFilter
package import Vocabulary

/// Everything about who someone is. This file is the table of contents: one operation, one handler; the handlers stand
/// in the extensions beside it.
package struct IdentityService: Sendable {
    package struct Dependencies: Sendable {
        package var now: @Sendable () -> Moment
        package var randomBytes: @Sendable (_ count: Int) -> [UInt8]
        package var store: IdentityStore
        package var projects: ProjectCache
        package var keys: SigningKeyRing
        package var tokens: IDTokenIssuer
        package var passwords: PasswordHasher
        package var attemptLimiter: AttemptConcurrencyLimiter
        /// Tells the other processes; lost events cost them a moment, nothing else.
        package var publish: @Sendable (BusEvent) -> Void
        /// Called when mails were committed: `MailDispatcher` gives them to the notifier.
        package var wakeMailDispatcher: @Sendable () -> Void
        /// Called with what is wrong with a project's own mail text, where ours is sent instead: for the log.
        package var reportTemplate: @Sendable (EmailTemplateError, TraceContext) -> Void
        /// The page of this installation that action links open.
        package var actionPage: WebURL
        package var isDev: Bool
        /// How long a spent refresh token is good again.
        package var refreshGrace: Duration
        package var auditRetention: AuditRetention
        /// Of widely used passwords.
        package var passwordFilter: PasswordFilter

        package init(
            now: @escaping @Sendable () -> Moment, randomBytes: @escaping @Sendable (_ count: Int) -> [UInt8],
            store: IdentityStore, projects: ProjectCache, keys: SigningKeyRing, tokens: IDTokenIssuer,
            passwords: PasswordHasher,
            attemptLimiter: AttemptConcurrencyLimiter, publish: @escaping @Sendable (BusEvent) -> Void,
            wakeMailDispatcher: @escaping @Sendable () -> Void,
            reportTemplate: @escaping @Sendable (EmailTemplateError, TraceContext) -> Void, actionPage: WebURL,
            isDev: Bool, refreshGrace: Duration, auditRetention: AuditRetention = .standard,
            passwordFilter: PasswordFilter = .standard
        ) {
            self.now = now
            self.randomBytes = randomBytes
            self.store = store
            self.projects = projects
            self.keys = keys
            self.tokens = tokens
            self.passwords = passwords
            self.attemptLimiter = attemptLimiter
            self.publish = publish
            self.wakeMailDispatcher = wakeMailDispatcher
            self.reportTemplate = reportTemplate
            self.actionPage = actionPage
            self.isDev = isDev
            self.refreshGrace = refreshGrace
            self.auditRetention = auditRetention
            self.passwordFilter = passwordFilter
        }
    }

    let dependencies: Dependencies

    package init(_ dependencies: Dependencies) {
        self.dependencies = dependencies
    }

    package func handle(_ operation: Identity.Operation, _ call: BusCall) async throws -> BusReply {
        switch operation {
        case .signUp: try await call.reply(with: signUp)
        case .signInWithPassword: try await call.reply(with: signInWithPassword)
        case .signInWithCustomToken: try await call.reply(with: signInWithCustomToken)
        case .refreshSession: try await call.reply(with: refreshSession)
        case .lookUpOwnAccount: try await call.reply(with: lookUpOwnAccount)
        case .deleteOwnAccount: try await call.reply(with: deleteOwnAccount)
        case .updateOwnAccount: try await call.reply(with: updateOwnAccount)
        case .changePassword: try await call.reply(with: changePassword)
        case .resolvePendingSignIn: try await call.reply(with: resolvePendingSignIn)
        case .completeSignIn: try await call.reply(with: completeSignIn)
        case .checkEnrollment: try await call.reply(with: checkEnrollment)
        case .enrollFactor: try await call.reply(with: enrollFactor)
        case .withdrawFactor: try await call.reply(with: withdrawFactor)
        case .generateRecoveryCodes: try await call.reply(with: generateRecoveryCodes)
        case .countRecoveryCodes: try await call.reply(with: countRecoveryCodes)
        case .signInWithRecoveryCode: try await call.reply(with: signInWithRecoveryCode)
        case .checkPhoneSignIn: try await call.reply(with: checkPhoneSignIn)
        case .signInWithPhone: try await call.reply(with: signInWithPhone)
        case .signInWithTemporaryProof: try await call.reply(with: signInWithTemporaryProof)
        case .sendActionCode: try await call.reply(with: sendActionCode)
        case .inspectActionCode: try await call.reply(with: inspectActionCode)
        case .resetPassword: try await call.reply(with: resetPassword)
        case .applyActionCode: try await call.reply(with: applyActionCode)
        case .rejectEmailVerification: try await call.reply(with: rejectEmailVerification)
        case .signInWithEmailLink: try await call.reply(with: signInWithEmailLink)
        case .findSignInMethods: try await call.reply(with: findSignInMethods)
        case .listActionCodes: try await call.reply(with: listActionCodes)
        case .verifyIDToken: try await call.reply(with: verifyIDToken)
        case .resolveConfiguration: try await call.reply(with: resolveConfiguration)
        case .createAccount: try await call.reply(with: createAccount)
        case .updateAccount: try await call.reply(with: updateAccount)
        case .findAccounts: try await call.reply(with: findAccounts)
        case .deleteAccount: try await call.reply(with: deleteAccount)
        case .listAccounts: try await call.reply(with: listAccounts)
        case .queryAccounts: try await call.reply(with: queryAccounts)
        case .deleteAccounts: try await call.reply(with: deleteAccounts)
        case .readConfiguration: try await call.reply(with: readConfiguration)
        case .replaceConfiguration: try await call.reply(with: replaceConfiguration)
        case .createTenant: try await call.reply(with: createTenant)
        case .readTenant: try await call.reply(with: readTenant)
        case .replaceTenant: try await call.reply(with: replaceTenant)
        case .deleteTenant: try await call.reply(with: deleteTenant)
        case .listTenants: try await call.reply(with: listTenants)
        case .createSessionCookie: try await call.reply(with: createSessionCookie)
        case .clearAccounts: try await call.reply(with: clearAccounts)
        case .addServiceAccountKey: try await call.reply(with: addServiceAccountKey)
        case .listServiceAccountKeys: try await call.reply(with: listServiceAccountKeys)
        case .removeServiceAccountKeys: try await call.reply(with: removeServiceAccountKeys)
        case .verifyAuditLog: try await call.reply(with: verifyAuditLog)
        case .listAuditRecords: try await call.reply(with: listAuditRecords)
        case .issueAccessToken: try await call.reply(with: issueAccessToken)
        case .introspectAccessToken: try await call.reply(with: introspectAccessToken)
        case .resolveAPIKey: try await call.reply(with: resolveAPIKey)
        case .listSigningKeys: try await call.reply(with: listSigningKeys)
        }
    }

    /// What `error` is on the wire; nil for anything we did not expect.
    package func wireError(_ error: any Error) -> WireError? {
        (error as? IdentityError).map { WireError($0, now: dependencies.now()) }
    }

    /// Drops what an event of another process made stale.
    package func receive(_ event: BusEvent) async {
        switch event {
        case .configurationChanged(let realm): await dependencies.projects.invalidate(realm.project)
        // `try?`: the upkeep looks again within the second.
        case .signingKeysChanged: try? await dependencies.keys.refresh()
        case .sessionsRevoked, .messagesQueued, .processReport: break
        }
    }
}
