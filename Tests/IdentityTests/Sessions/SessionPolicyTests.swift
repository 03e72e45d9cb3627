import Contracts
import Testing
import Vocabulary

@testable import IdentityService

/// Every operation that returns tokens, in every state of the factors: whether it opens or renews a session.
@Suite struct SessionPolicyTests {
    static let now = Timestamp(seconds: 1_700_000_100)
    static let before = Timestamp(seconds: 1_700_000_000)

    /// The second factors of the account and the requirement of the project.
    enum Factors: String, CaseIterable {
        case none, phone, totp, both, switchedOff
        case mandatoryWithout, mandatoryPhone, mandatoryTOTP, mandatorySwitchedOff

        /// The column of `table`.
        var column: Int {
            switch self {
            case .none: 0
            case .phone, .totp, .both: 1
            case .switchedOff: 2
            case .mandatoryWithout, .mandatorySwitchedOff: 3
            case .mandatoryPhone, .mandatoryTOTP: 4
            }
        }

        var policy: SessionPolicy {
            switch self {
            case .none, .phone, .totp, .both: .init(requestedMethods: [.phone, .totp])
            case .switchedOff: .init()
            case .mandatoryWithout, .mandatoryPhone, .mandatoryTOTP:
                .init(requiresSecondFactor: true, requestedMethods: [.phone, .totp])
            case .mandatorySwitchedOff: .init(requiresSecondFactor: true, requestedMethods: [.phone])
            }
        }

        var enrolled: [SecondFactor] {
            switch self {
            case .none, .mandatoryWithout: []
            case .phone, .mandatoryPhone: [SecondFactorListTests.phone]
            case .totp, .switchedOff, .mandatoryTOTP, .mandatorySwitchedOff: [SecondFactorListTests.totp]
            case .both: [SecondFactorListTests.phone, SecondFactorListTests.totp]
            }
        }
    }

    /// The session whose token the request contains.
    enum Presented: String, CaseIterable {
        case nothing, withoutFactor, withFactor, enrollmentOnly

        var facts: AuthenticationContext? {
            var authentication = AuthenticationContext(authenticatedAt: before, signInProvider: "password")
            switch self {
            case .nothing: return nil
            case .withoutFactor: break
            case .withFactor: authentication.secondFactor = .recoveryCode
            case .enrollmentOnly: authentication.scope = .enrollment
            }
            return authentication
        }
    }

    /// `F` a full session, signed in now; `f` one with the time of the presented session; `E` and `e` the same for an
    /// enrollment session; `P` a pending sign-in; refused: `S` for a missing second factor, `X` as expired, `U` for a
    /// first factor without second, `M` for a missing token.
    struct Row {
        var nothing = "MMMMM"
        var withoutFactor = ""
        var withFactor = ""
        var enrollmentOnly = ""

        static func signIn(_ outcomes: String) -> Row {
            Row(nothing: outcomes, withoutFactor: outcomes, withFactor: outcomes, enrollmentOnly: outcomes)
        }

        func outcomes(_ presented: Presented) -> String {
            switch presented {
            case .nothing: nothing
            case .withoutFactor: withoutFactor
            case .withFactor: withFactor
            case .enrollmentOnly: enrollmentOnly
            }
        }
    }

    private static let alwaysExpired = String(repeating: "X", count: 5)

    /// Columns: no factor; one that is required; one that is disabled; mandatory without one; mandatory with one.
    static func row(_ operation: SessionOperation) -> Row {
        switch operation {
        case .anonymousSignUp, .customTokenSignIn, .secondFactorSignIn, .recoveryCodeSignIn: .signIn("FFFFF")
        // Where the project remembers devices: `rememberedDeviceStandsInForARequestedFactor`.
        case .rememberedDeviceSignIn: .signIn("SSSSS")
        // `passkeySignIn` without user verification.
        case .passwordSignUp, .passwordSignIn, .emailLinkSignIn, .passkeySignIn, .providerSignIn: .signIn("FPFEP")
        case .phoneSignIn: .signIn("FPFUP")
        case .refresh, .authorizationCode: Row(withoutFactor: "fffXX", withFactor: "fffff", enrollmentOnly: "eXeeX")
        case .profileUpdate: Row(withoutFactor: "fffSS", withFactor: "fffff", enrollmentOnly: "SSSSS")
        case .credentialUpdate, .passwordLink, .emailLinkAddition, .phoneAddition, .providerLink, .sessionCookie,
            .passkeyEnrollment:
            Row(withoutFactor: "fSfSS", withFactor: "fffff", enrollmentOnly: "SSSSS")
        case .emailLinkReauthentication, .phoneReauthentication, .providerReauthentication:
            Row(withoutFactor: "FPFSS", withFactor: "fffff", enrollmentOnly: "SSSSS")
        case .factorEnrollment: Row(withoutFactor: "FSFFS", withFactor: "FFFFF", enrollmentOnly: "FSFFS")
        // The columns are the remaining factors.
        case .factorWithdrawal: Row(withoutFactor: "SSSSS", withFactor: "fffff", enrollmentOnly: "SSSSS")
        // A session of its own scope: `restorationOpensTheSessionOfItsSignIn`.
        case .restoration:
            Row(
                withoutFactor: Self.alwaysExpired, withFactor: Self.alwaysExpired, enrollmentOnly: Self.alwaysExpired)
        }
    }

    private static func provider(_ operation: SessionOperation) -> String {
        switch operation {
        case .phoneSignIn, .phoneReauthentication, .phoneAddition: "phone"
        case .anonymousSignUp: "anonymous"
        case .customTokenSignIn: "custom"
        case .passkeySignIn: "passkey"
        case .providerSignIn, .providerReauthentication, .providerLink: "oidc.company"
        case .passwordSignUp, .passwordSignIn, .emailLinkSignIn, .secondFactorSignIn, .recoveryCodeSignIn,
            .rememberedDeviceSignIn, .refresh,
            .authorizationCode, .profileUpdate, .sessionCookie, .credentialUpdate, .passwordLink,
            .emailLinkReauthentication,
            .emailLinkAddition, .factorEnrollment, .factorWithdrawal, .passkeyEnrollment, .restoration:
            "password"
        }
    }

    private static func request(
        _ operation: SessionOperation, _ factors: Factors, _ presented: Presented
    ) -> SessionPolicy.Request {
        var authentication = AuthenticationContext(authenticatedAt: now, signInProvider: provider(operation))
        switch operation {
        case .secondFactorSignIn, .recoveryCodeSignIn, .factorEnrollment: authentication.secondFactor = .recoveryCode
        case .refresh, .authorizationCode: authentication = presented.facts ?? authentication
        case .anonymousSignUp, .customTokenSignIn, .passwordSignUp, .passwordSignIn, .emailLinkSignIn, .phoneSignIn,
            .providerSignIn:
            break
        case .passkeySignIn: authentication.isUserVerified = false
        case .rememberedDeviceSignIn: authentication.isDeviceRemembered = true
        case .profileUpdate, .sessionCookie, .credentialUpdate, .passwordLink, .emailLinkReauthentication,
            .phoneReauthentication, .providerReauthentication, .emailLinkAddition, .phoneAddition, .providerLink,
            .factorWithdrawal, .passkeyEnrollment, .restoration:
            authentication.secondFactor = presented.facts?.secondFactor
        }
        return .init(
            operation: operation, stored: SecondFactorListTests.account(factors.enrolled),
            authentication: authentication,
            presented: presented.facts)
    }

    static func outcome(_ decision: SessionPolicy.Decision) -> Character {
        switch decision {
        case .open(let authentication):
            switch (authentication.scope, authentication.authenticatedAt) {
            case (.full, now): "F"
            case (.full, before): "f"
            case (.enrollment, now): "E"
            case (.enrollment, before): "e"
            default: "?"
            }
        case .awaitSecondFactor: "P"
        case .refuse(ServiceError(.secondFactorRequired)): "S"
        case .refuse(ServiceError(.sessionExpired)): "X"
        case .refuse(ServiceError(.firstFactorNotEligible)): "U"
        case .refuse(ServiceError(.missingIDToken)), .refuse(ServiceError(.missingRefreshToken)): "M"
        case .refuse: "?"
        }
    }

    @Test(arguments: SessionOperation.allCases)
    func decisionCoversEveryFactorState(operation: SessionOperation) {
        for presented in Presented.allCases {
            let outcomes = Array(Self.row(operation).outcomes(presented))
            for factors in Factors.allCases {
                let decision = factors.policy.decide(Self.request(operation, factors, presented))
                #expect(
                    Self.outcome(decision) == outcomes[factors.column],
                    "\(operation), \(factors.rawValue), \(presented.rawValue)")
            }
        }
    }

    /// Invariants of the whole table, independent of its rows.
    @Test func secondFactorIsNeverBypassed() {
        for operation in SessionOperation.allCases {
            for factors in Factors.allCases {
                for presented in Presented.allCases {
                    let request = Self.request(operation, factors, presented)
                    guard case .open(let authentication) = factors.policy.decide(request) else { continue }
                    let context = "\(operation), \(factors.rawValue), \(presented.rawValue)"
                    let isAsked = !factors.policy.requestedFactors(of: request.stored.account).isEmpty
                    let isUnchallenged = ["anonymous", "custom"].contains(authentication.signInProvider)
                    if factors.policy.requiresSecondFactor, authentication.scope == .full {
                        #expect(authentication.secondFactor != nil || isUnchallenged, "\(context)")
                    }
                    if isAsked, authentication.secondFactor == nil, !isUnchallenged {
                        #expect(authentication.authenticatedAt == Self.before, "\(context)")
                        #expect([.refresh, .authorizationCode, .profileUpdate].contains(operation), "\(context)")
                    }
                    if presented == .withFactor, authentication.authenticatedAt == Self.now, request.presented != nil {
                        #expect(
                            authentication.secondFactor != nil || isUnchallenged || isASignIn(operation), "\(context)")
                    }
                }
            }
        }
    }

    private func isASignIn(_ operation: SessionOperation) -> Bool {
        switch operation {
        case .anonymousSignUp, .customTokenSignIn, .passwordSignUp, .passwordSignIn, .emailLinkSignIn, .phoneSignIn,
            .passkeySignIn, .providerSignIn, .secondFactorSignIn, .recoveryCodeSignIn, .rememberedDeviceSignIn:
            true
        case .refresh, .authorizationCode, .profileUpdate, .sessionCookie, .credentialUpdate, .passwordLink,
            .emailLinkReauthentication,
            .phoneReauthentication, .providerReauthentication, .emailLinkAddition, .phoneAddition, .providerLink,
            .factorEnrollment, .factorWithdrawal, .passkeyEnrollment, .restoration:
            false
        }
    }

    /// An anonymous user adds a first factor: a full session stays full only if no second factor is mandatory.
    @Test(
        arguments: [
            (.credentialUpdate, "password", "f", "e"), (.passwordLink, "password", "f", "e"),
            (.emailLinkAddition, "password", "F", "E"), (.phoneAddition, "phone", "F", "U"),
            (.passkeyEnrollment, "passkey", "F", "E"), (.providerLink, "oidc.company", "F", "E"),
        ] as [(SessionOperation, String, Character, Character)])
    func anonymousUpgradeKeepsSessionUnlessFactorIsMandatory(
        operation: SessionOperation, provider: String, optional: Character, mandatory: Character
    ) {
        let request = SessionPolicy.Request(
            operation: operation, stored: SecondFactorListTests.account([]),
            authentication: AuthenticationContext(authenticatedAt: Self.now, signInProvider: provider),
            presented: AuthenticationContext(authenticatedAt: Self.before, signInProvider: "anonymous"),
            upgradesAnonymous: true)
        #expect(Self.outcome(Factors.none.policy.decide(request)) == optional)
        #expect(Self.outcome(Factors.mandatoryWithout.policy.decide(request)) == mandatory)
    }

    /// A session opened before an upgrade ends; sessions that never require a second factor continue.
    @Test(
        arguments: [
            ("anonymous", true, "f"), ("anonymous", false, "X"), ("custom", false, "f"), ("passkey", false, "X"),
        ]
            as [(String, Bool, Character)])
    func unchallengedSessionIsRefreshed(provider: String, isAnonymous: Bool, outcome: Character) {
        var stored = SecondFactorListTests.account([])
        stored.account.email = nil
        if isAnonymous { stored = StoredAccount(account: stored.account, passwordRecord: nil) }
        let authentication = AuthenticationContext(authenticatedAt: Self.before, signInProvider: provider)
        let decision = Factors.mandatoryWithout.policy.decide(
            .init(operation: .refresh, stored: stored, authentication: authentication, presented: authentication))
        #expect(Self.outcome(decision) == outcome)
    }

    /// Security rule WA12: such a passkey is asked for no second factor and counts as one.
    @Test(arguments: Factors.allCases)
    func passkeyWithUserVerificationCountsAsTwoFactors(factors: Factors) {
        func outcome(_ operation: SessionOperation, presented isPresented: Bool) -> Character {
            let verified = AuthenticationContext(
                authenticatedAt: isPresented ? Self.before : Self.now, signInProvider: "passkey", isUserVerified: true)
            return Self.outcome(
                factors.policy.decide(
                    .init(
                        operation: operation, stored: SecondFactorListTests.account(factors.enrolled),
                        authentication: verified, presented: isPresented ? verified : nil)))
        }
        #expect(outcome(.passkeySignIn, presented: false) == "F")
        for operation in [SessionOperation.refresh, .profileUpdate, .credentialUpdate, .factorWithdrawal] {
            #expect(outcome(operation, presented: true) == "f", "\(operation)")
        }
    }

    /// It opens complete sessions, which may do what a first factor permits: nothing that needs the second one.
    @Test(arguments: Factors.allCases) func rememberedDeviceStandsInForARequestedFactor(factors: Factors) {
        var policy = factors.policy
        policy.acceptsRememberedDevices = true
        func outcome(_ operation: SessionOperation, presented isPresented: Bool) -> Character {
            let remembered = AuthenticationContext(
                authenticatedAt: isPresented ? Self.before : Self.now, signInProvider: "password",
                isDeviceRemembered: true)
            return Self.outcome(
                policy.decide(
                    .init(
                        operation: operation, stored: SecondFactorListTests.account(factors.enrolled),
                        authentication: remembered, presented: isPresented ? remembered : nil)))
        }
        let isAsked = [1, 4].contains(factors.column)
        #expect(outcome(.rememberedDeviceSignIn, presented: false) == (isAsked ? "F" : "S"))
        // The first factor alone does not say so.
        #expect(outcome(.passwordSignIn, presented: false) == (isAsked ? "P" : "F"))
        for operation in [SessionOperation.refresh, .profileUpdate, .sessionCookie] {
            #expect(outcome(operation, presented: true) == "f", "\(operation)")
        }
        guard isAsked else { return }
        for operation in [
            SessionOperation.credentialUpdate, .passwordLink, .emailLinkAddition, .phoneAddition, .providerLink,
            .passkeyEnrollment, .factorEnrollment, .factorWithdrawal,
        ] {
            #expect(outcome(operation, presented: true) == "S", "\(operation)")
        }
        #expect(outcome(.emailLinkReauthentication, presented: true) == "P")
    }

    @Test func authenticationTimeFollowsRevocation() {
        var stored = SecondFactorListTests.account([])
        stored.setPassword("record", at: Moment(milliseconds: (Self.before.seconds + 50) * 1000))
        let decision = SessionPolicy().decide(
            .init(
                operation: .credentialUpdate, stored: stored,
                authentication: AuthenticationContext(authenticatedAt: Self.now, signInProvider: "password"),
                presented: AuthenticationContext(authenticatedAt: Self.before, signInProvider: "password")))
        guard case .open(let authentication) = decision else {
            Issue.record("\(decision)")
            return
        }
        #expect(authentication.authenticatedAt == Self.before + 50)
    }

    // MARK: Restoration

    private static func restoring(_ secondFactor: AuthenticationContext.Factor?) -> AuthenticationContext {
        var presented = AuthenticationContext(authenticatedAt: before, signInProvider: "password")
        presented.secondFactor = secondFactor
        presented.scope = .restoration
        return presented
    }

    @Test(arguments: [(AuthenticationContext.Factor?.none, "fSfeS"), (.recoveryCode, "fffff")])
    func restorationOpensTheSessionOfItsSignIn(secondFactor: AuthenticationContext.Factor?, row: String) {
        for factors in Factors.allCases {
            var request = Self.request(.restoration, factors, .nothing)
            request.authentication.secondFactor = secondFactor
            request.presented = Self.restoring(secondFactor)
            #expect(
                Self.outcome(factors.policy.decide(request)) == Array(row)[factors.column], "\(factors.rawValue)")
        }
    }

    @Test func sessionOfTheRestorationPermitsNothingElse() {
        let kept: Set<SessionOperation> = [.refresh, .restoration]
        for operation in SessionOperation.allCases where !isASignIn(operation) && !kept.contains(operation) {
            for factors in Factors.allCases {
                var request = Self.request(operation, factors, .withFactor)
                request.presented = Self.restoring(.recoveryCode)
                #expect(Self.outcome(factors.policy.decide(request)) == "X", "\(operation), \(factors.rawValue)")
            }
        }
        for factors in Factors.allCases {
            var request = Self.request(.refresh, factors, .nothing)
            request.presented = Self.restoring(nil)
            #expect(factors.policy.decide(request) == .open(Self.restoring(nil)), "\(factors.rawValue)")
        }
    }

    // MARK: Completeness

    /// A new bus operation does not compile before this switch states whether it returns tokens.
    static func sessionOperations(of operation: Identity.Operation) -> [SessionOperation] {
        switch operation {
        case .signUp: [.anonymousSignUp, .passwordSignUp, .passwordLink]
        case .signInWithPassword: [.passwordSignIn]
        case .signInWithCustomToken: [.customTokenSignIn]
        case .refreshSession: [.refresh]
        case .redeemAuthorizationCode: [.authorizationCode]
        case .updateOwnAccount: [.profileUpdate, .credentialUpdate]
        case .completeSignIn: [.secondFactorSignIn]
        case .enrollFactor: [.factorEnrollment]
        case .restoreOwnAccount: [.restoration]
        case .withdrawFactor: [.factorWithdrawal]
        case .signInWithRecoveryCode: [.recoveryCodeSignIn]
        case .signInWithRememberedDevice: [.rememberedDeviceSignIn]
        case .signInWithPhone, .signInWithTemporaryProof: [.phoneSignIn, .phoneReauthentication, .phoneAddition]
        case .signInWithPasskey: [.passkeySignIn]
        case .enrollPasskey: [.passkeyEnrollment]
        case .signInWithEmailLink, .signInWithEmailCode:
            [.emailLinkSignIn, .emailLinkReauthentication, .emailLinkAddition]
        case .createSessionCookie: [.sessionCookie]
        case .signInWithProvider: [.providerSignIn, .providerReauthentication, .providerLink]
        // For service accounts.
        case .issueAccessToken: []
        case .lookUpOwnAccount, .deleteOwnAccount, .scheduleOwnDeletion, .changePassword, .resolvePendingSignIn,
            .checkEnrollment,
            .generateRecoveryCodes, .countRecoveryCodes, .checkPhoneSignIn, .sendActionCode, .inspectActionCode,
            .resetPassword, .applyActionCode, .rejectEmailVerification, .findSignInMethods, .listActionCodes,
            .sendEmailCode, .verifyEmailWithCode, .listEmailCodes,
            .verifyIDToken,
            .resolveConfiguration, .createAccount, .updateAccount, .findAccounts, .deleteAccount, .listAccounts,
            .queryAccounts, .deleteAccounts, .readConfiguration, .replaceConfiguration,
            .listConfigurationRevisions, .readConfigurationRevision, .createTenant, .readTenant,
            .replaceTenant, .deleteTenant, .listTenants, .clearAccounts, .addServiceAccountKey,
            .listServiceAccountKeys, .removeServiceAccountKeys, .verifyAuditLog, .listAuditRecords, .resolveAPIKey,
            .listSigningKeys, .introspectAccessToken, .checkPasskeyEnrollment, .importAccounts, .exportAccounts,
            .listProjects, .createProject, .listSessions, .endSession, .listOwnSessions, .endOwnSessions,
            .downloadOwnAccount,
            .createWebhook,
            .listWebhooks, .readWebhook,
            .updateWebhook, .deleteWebhook, .rotateWebhookSecret, .testWebhook, .exportAuditRecords, .revokeSigningKey,
            .recordProviderChange, .recordNotifierChange, .recordRefusedSignIn, .recordRefusedCaller,
            .createApplication, .listApplications,
            .readApplication,
            .replaceApplication, .deleteApplication, .resolveApplication, .issueAuthorizationCode, .readLogo,
            .rememberDevice, .listRememberedDevices, .forgetRememberedDevice, .searchAccounts, .explainSignIn,
            .clearSignInAttempts, .recordActivity, .readActivity, .grantOperatorRole, .resetOperator, .removeOperator,
            .listOperators,
            // The session of the console has no tokens.
            .openOperatorSession, .resolveOperatorSession, .listOperatorSessions, .endOperatorSessions:
            []
        }
    }

    @Test func everySessionOperationIsReachableFromBus() {
        let reached = Set(Identity.Operation.allCases.flatMap(Self.sessionOperations))
        #expect(reached == Set(SessionOperation.allCases))
    }
}
