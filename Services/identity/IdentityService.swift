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
        package var projects: Projects
        package var keys: KeyRing
        package var tokens: IDTokens
        package var passwords: PasswordHasher
        package var lanes: AttemptLanes
        /// Tells the other processes; lost events cost them a moment, nothing else.
        package var publish: @Sendable (BusEvent) -> Void
        /// Called when mails were committed: `MailDispatcher` gives them to the notifier.
        package var wakeMailDispatcher: @Sendable () -> Void
        /// Called with what is wrong with a project's own mail text, where ours is sent instead: for the log.
        package var reportTemplate: @Sendable (EmailTemplateFault, TraceContext) -> Void
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
            store: IdentityStore, projects: Projects, keys: KeyRing, tokens: IDTokens, passwords: PasswordHasher,
            lanes: AttemptLanes, publish: @escaping @Sendable (BusEvent) -> Void,
            wakeMailDispatcher: @escaping @Sendable () -> Void,
            reportTemplate: @escaping @Sendable (EmailTemplateFault, TraceContext) -> Void, actionPage: WebURL,
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
            self.lanes = lanes
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
        case .signUp: try await call.answer(signUp)
        case .signInWithPassword: try await call.answer(signInWithPassword)
        case .signInWithCustomToken: try await call.answer(signInWithCustomToken)
        case .refreshSession: try await call.answer(refreshSession)
        case .lookUpOwnAccount: try await call.answer(lookUpOwnAccount)
        case .deleteOwnAccount: try await call.answer(deleteOwnAccount)
        case .updateOwnAccount: try await call.answer(updateOwnAccount)
        case .changePassword: try await call.answer(changePassword)
        case .resolvePendingSignIn: try await call.answer(resolvePendingSignIn)
        case .completeSignIn: try await call.answer(completeSignIn)
        case .checkEnrollment: try await call.answer(checkEnrollment)
        case .enrollFactor: try await call.answer(enrollFactor)
        case .withdrawFactor: try await call.answer(withdrawFactor)
        case .generateRecoveryCodes: try await call.answer(generateRecoveryCodes)
        case .countRecoveryCodes: try await call.answer(countRecoveryCodes)
        case .signInWithRecoveryCode: try await call.answer(signInWithRecoveryCode)
        case .checkPhoneSignIn: try await call.answer(checkPhoneSignIn)
        case .signInWithPhone: try await call.answer(signInWithPhone)
        case .signInWithTemporaryProof: try await call.answer(signInWithTemporaryProof)
        case .sendActionCode: try await call.answer(sendActionCode)
        case .inspectActionCode: try await call.answer(inspectActionCode)
        case .resetPassword: try await call.answer(resetPassword)
        case .applyActionCode: try await call.answer(applyActionCode)
        case .rejectEmailVerification: try await call.answer(rejectEmailVerification)
        case .signInWithEmailLink: try await call.answer(signInWithEmailLink)
        case .findSignInMethods: try await call.answer(findSignInMethods)
        case .listActionCodes: try await call.answer(listActionCodes)
        case .resolvePrincipal: try await call.answer(resolvePrincipal)
        case .resolveConfiguration: try await call.answer(resolveConfiguration)
        case .createAccount: try await call.answer(createAccount)
        case .updateAccount: try await call.answer(updateAccount)
        case .findAccounts: try await call.answer(findAccounts)
        case .deleteAccount: try await call.answer(deleteAccount)
        case .listAccounts: try await call.answer(listAccounts)
        case .queryAccounts: try await call.answer(queryAccounts)
        case .deleteAccounts: try await call.answer(deleteAccounts)
        case .readConfiguration: try await call.answer(readConfiguration)
        case .replaceConfiguration: try await call.answer(replaceConfiguration)
        case .createTenant: try await call.answer(createTenant)
        case .readTenant: try await call.answer(readTenant)
        case .replaceTenant: try await call.answer(replaceTenant)
        case .deleteTenant: try await call.answer(deleteTenant)
        case .listTenants: try await call.answer(listTenants)
        case .createSessionCookie: try await call.answer(createSessionCookie)
        case .clearAccounts: try await call.answer(clearAccounts)
        case .addServiceAccountKey: try await call.answer(addServiceAccountKey)
        case .listServiceAccountKeys: try await call.answer(listServiceAccountKeys)
        case .removeServiceAccountKeys: try await call.answer(removeServiceAccountKeys)
        case .verifyAuditLog: try await call.answer(verifyAuditLog)
        case .listAuditRecords: try await call.answer(listAuditRecords)
        case .grantAccessToken: try await call.answer(grantAccessToken)
        case .resolveAccessToken: try await call.answer(resolveAccessToken)
        case .resolveAPIKey: try await call.answer(resolveAPIKey)
        case .readSigningKeys: try await call.answer(readSigningKeys)
        }
    }

    /// What `error` is on the wire; nil for anything we did not expect.
    package func wireError(_ error: any Error) -> WireError? {
        (error as? IdentityError).map { WireError($0, now: dependencies.now()) }
    }

    /// Drops what an event of another process made stale.
    package func receive(_ event: BusEvent) async {
        switch event {
        case .configurationChanged(let realm): await dependencies.projects.forget(realm.project)
        // `try?`: the upkeep looks again within the second.
        case .signingKeysChanged: try? await dependencies.keys.refresh()
        case .sessionsRevoked, .messagesWaiting, .processReport: break
        }
    }
}
