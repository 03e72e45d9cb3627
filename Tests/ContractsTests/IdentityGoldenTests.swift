import Contracts
import Testing
import Vocabulary

/// The JSON of every request to identity and of every reply.
@Suite struct IdentityGoldenTests {
    static let realm = Realm(project: ProjectID("p"))
    static let tenantRealm = Realm(project: ProjectID("p"), tenant: TenantID("t"))
    static let client = ClientContext(ipAddress: "192.0.2.1", userAgent: "test/1")
    static let clientJSON = #"{"ipAddress":"192.0.2.1","userAgent":"test/1"}"#

    static let bareAccount = Account(
        id: AccountID("a"), realm: realm, validSince: Timestamp(seconds: 1), createdAt: Moment(milliseconds: 2))
    static let bareAccountJSON = """
        {"createdAt":2,"customAuthentication":false,"disabled":false,"emailLinkSignIn":false,"emailVerified":false,\
        "hasPassword":false,"id":"a","passkeys":[],"providers":[],"realm":{"project":"p"},"secondFactors":[],"validSince":1}
        """
    static let tokens = TokenSet(idToken: Secret("id"), refreshToken: Secret("refresh"), expiresInSeconds: 3600)
    static let tokensJSON = #"{"expiresInSeconds":3600,"idToken":"id","refreshToken":"refresh"}"#

    @Test func accountMatchesGoldenJSON() throws {
        try expect(Self.bareAccount, is: Self.bareAccountJSON)
        let link = ProviderLink(
            providerID: "google.com", providerAccountID: "1", email: "x@example.com", displayName: "X", photoURL: "u")
        let phone = try #require(PhoneNumber("+41790000000"))
        let full = Account(
            id: AccountID("a"), realm: Self.tenantRealm, email: EmailAddress("x@example.com"),
            initialEmail: EmailAddress("y@example.com"), emailVerified: true, emailLinkSignIn: true, displayName: "X",
            photoURL: "http://example.com/x", phoneNumber: phone, disabled: true, customAuthentication: true,
            hasPassword: true, passwordChangedAt: Moment(milliseconds: 3), validSince: Timestamp(seconds: 1),
            createdAt: Moment(milliseconds: 2), lastSignInAt: Moment(milliseconds: 4),
            lastRefreshAt: Moment(milliseconds: 5), deletionDueAt: Moment(milliseconds: 8), customClaims: "{}",
            providers: [link],
            secondFactors: [
                SecondFactor(
                    id: FactorID("f"), kind: .phone(phone), displayName: "mine", enrolledAt: Moment(milliseconds: 6)),
                SecondFactor(id: FactorID("g"), kind: .totp, displayName: nil, enrolledAt: Moment(milliseconds: 7)),
            ], passkeys: [PasskeyGoldenTests.passkey])
        try expect(
            full,
            is: """
                {"createdAt":2,"customAuthentication":true,"customClaims":"{}","deletionDueAt":8,"disabled":true,"displayName":"X",\
                "email":"x@example.com","emailLinkSignIn":true,"emailVerified":true,"hasPassword":true,"id":"a",\
                "initialEmail":"y@example.com","lastRefreshAt":5,"lastSignInAt":4,\
                "passkeys":[\(PasskeyGoldenTests.passkeyJSON)],"passwordChangedAt":3,"phoneNumber":"+41790000000","photoURL":"http://example.com/x","providers":[{"displayName":"X",\
                "email":"x@example.com","photoURL":"u","providerAccountID":"1","providerID":"google.com"}],\
                "realm":{"project":"p","tenant":"t"},"secondFactors":[{"displayName":"mine","enrolledAt":6,"id":"f",\
                "kind":{"phone":{"_0":"+41790000000"}}},{"enrolledAt":7,"id":"g","kind":{"totp":{}}}],"validSince":1}
                """)
    }

    // MARK: Requests

    struct Request: Sendable {
        let operation: Identity.Operation
        let retrySemantics: RetrySemantics
        /// Whether it says who asks, for the audit log.
        let namesClient: Bool
        let expectGolden: @Sendable () throws -> Void

        init<R: BusRequest>(
            _ request: R, _ json: String, sourceLocation: SourceLocation = #_sourceLocation
        ) where R.Operation == Identity.Operation {
            operation = R.operation
            retrySemantics = R.retrySemantics
            namesClient = json.contains(#""client":"#)
            expectGolden = { try expect(request, is: json, sourceLocation: sourceLocation) }
        }
    }

    static let requests = [
        Request(Identity.SignUp(realm: realm), #"{"client":{},"realm":{"project":"p"}}"#),
        Request(
            Identity.SignUp(
                realm: tenantRealm, email: "x@example.com", password: Secret("s"), displayName: "X", photoURL: "u",
                linkIDToken: Secret("token"), client: client),
            """
            {"client":\(clientJSON),"displayName":"X","email":"x@example.com","linkIDToken":"token","password":"s",\
            "photoURL":"u","realm":{"project":"p","tenant":"t"}}
            """),
        Request(
            Identity.SignUp(realm: realm, locale: "de"), #"{"client":{},"locale":"de","realm":{"project":"p"}}"#),
        Request(
            Identity.UpdateOwnAccount(
                realm: realm, idToken: Secret("i"), accountID: AccountID("a"),
                changes: .init(
                    email: "x@example.com", password: Secret("s"), displayName: "X", photoURL: "u",
                    removals: [.emailSignIn, .passkey(PasskeyGoldenTests.credentialID)], keepsWayIn: true,
                    renamedPasskey: .init(credentialID: PasskeyGoldenTests.credentialID, name: "key"),
                    renamedFactor: .init(id: FactorID("f"), name: "phone")), locale: "de", client: client),
            """
            {"accountID":"a","changes":{"displayName":"X","email":"x@example.com","keepsWayIn":true,\
            "password":"s","photoURL":"u",\
            "removals":[{"emailSignIn":{}},{"passkey":{"_0":"Yw"}}],"renamedFactor":{"id":"f","name":"phone"},\
            "renamedPasskey":{"credentialID":"Yw","name":"key"}},"client":\(clientJSON),"idToken":"i",\
            "locale":"de","realm":{"project":"p"}}
            """),
        Request(
            Identity.UpdateOwnAccount(realm: realm, idToken: nil, changes: .init()),
            #"{"changes":{"keepsWayIn":false,"removals":[]},"client":{},"realm":{"project":"p"}}"#),
        Request(
            Identity.ChangePassword(
                realm: realm, email: "x@example.com", oldPassword: Secret("o"), newPassword: Secret("n"),
                client: client),
            """
            {"client":\(clientJSON),"email":"x@example.com","newPassword":"n","oldPassword":"o",\
            "realm":{"project":"p"}}
            """),
        Request(
            Identity.ResolvePendingSignIn(
                project: ProjectID("p"), tenant: TenantID("t"), pendingCredential: Secret("c"), method: .phone),
            #"{"method":"phone","pendingCredential":"c","project":"p","tenant":"t"}"#),
        Request(
            Identity.CompleteSignIn(
                project: ProjectID("p"), tenant: TenantID("t"), pendingCredential: Secret("c"), factorID: FactorID("f"),
                client: client),
            #"{"client":\#(clientJSON),"factorID":"f","pendingCredential":"c","project":"p","tenant":"t"}"#),
        Request(
            Identity.SignInWithPassword(realm: realm, email: "x@example.com", password: Secret("s"), client: client),
            #"{"client":\#(clientJSON),"email":"x@example.com","password":"s","realm":{"project":"p"}}"#),
        Request(
            Identity.SignInWithPassword(realm: realm, email: nil, password: nil),
            #"{"client":{},"realm":{"project":"p"}}"#),
        Request(
            Identity.RefreshSession(project: ProjectID("p"), refreshToken: Secret("r")),
            #"{"project":"p","refreshToken":"r"}"#),
        Request(
            Identity.LookUpOwnAccount(realm: realm, idToken: Secret("i")), #"{"idToken":"i","realm":{"project":"p"}}"#),
        Request(
            Identity.DeleteOwnAccount(realm: realm, idToken: Secret("i"), accountID: AccountID("a"), client: client),
            #"{"accountID":"a","client":\#(clientJSON),"idToken":"i","realm":{"project":"p"}}"#),
        Request(
            Identity.ScheduleOwnDeletion(
                realm: realm, idToken: Secret("i"), restorationURL: "https://e.x/", locale: "de", client: client),
            """
            {"client":\(clientJSON),"idToken":"i","locale":"de","realm":{"project":"p"},"restorationURL":"https://e.x/"}
            """),
        Request(
            Identity.RestoreOwnAccount(
                realm: realm, idToken: Secret("i"), client: ClientContext(offersRestoration: true)),
            #"{"client":{"offersRestoration":true},"idToken":"i","realm":{"project":"p"}}"#),
        Request(
            Identity.UpdateAccount(realm: realm, accountID: AccountID("a"), changes: .init(cancelsDeletion: true)),
            """
            {"accountID":"a","changes":{"cancelsDeletion":true,"removals":[]},"client":{},"realm":{"project":"p"}}
            """),
        Request(
            Identity.UpdateAccount(
                realm: realm, accountID: AccountID("a"),
                changes: .init(renamedPasskey: .init(credentialID: PasskeyGoldenTests.credentialID, name: "Laptop"))),
            """
            {"accountID":"a","changes":{"removals":[],"renamedPasskey":{"credentialID":"Yw","name":"Laptop"}},\
            "client":{},"realm":{"project":"p"}}
            """),
        Request(
            Identity.VerifyIDToken(realm: realm, idToken: Secret("i"), demandsRecentSignIn: true),
            #"{"demandsRecentSignIn":true,"idToken":"i","realm":{"project":"p"}}"#),
        Request(
            Identity.CreateAccount(
                realm: realm, accountID: AccountID("a"), email: "x@example.com", emailVerified: true,
                password: Secret("s"), displayName: "X", photoURL: "u", phoneNumber: "+1", disabled: true,
                client: client),
            """
            {"accountID":"a","client":\(clientJSON),"disabled":true,"displayName":"X","email":"x@example.com",\
            "emailVerified":true,"password":"s","phoneNumber":"+1","photoURL":"u","realm":{"project":"p"}}
            """),
        Request(
            Identity.UpdateAccount(realm: realm, accountID: AccountID("a"), changes: .init(), client: client),
            """
            {"accountID":"a","changes":{"removals":[]},"client":\(clientJSON),"realm":{"project":"p"}}
            """),
        Request(
            Identity.UpdateAccount(
                realm: realm, accountID: AccountID("a"),
                changes: .init(
                    email: "x@example.com", emailVerified: false, password: Secret("s"), displayName: "X",
                    photoURL: "u", phoneNumber: "+1", disabled: true, customClaims: "{}",
                    validSince: Timestamp(seconds: 1), createdAt: Moment(milliseconds: 2),
                    lastSignInAt: Moment(milliseconds: 3), link: ProviderLink(providerID: "g", providerAccountID: "1"),
                    removals: [
                        .email, .displayName, .photoURL, .password, .phoneNumber, .provider("g"), .providers,
                    ])),
            """
            {"accountID":"a","changes":{"createdAt":2,"customClaims":"{}","disabled":true,"displayName":"X",\
            "email":"x@example.com","emailVerified":false,"lastSignInAt":3,"link":{"providerAccountID":"1",\
            "providerID":"g"},"password":"s","phoneNumber":"+1","photoURL":"u","removals":[{"email":{}},\
            {"displayName":{}},{"photoURL":{}},{"password":{}},{"phoneNumber":{}},{"provider":{"_0":"g"}},\
            {"providers":{}}],"validSince":1},"client":{},"realm":{"project":"p"}}
            """),
        Request(
            Identity.CreateAccount(
                realm: realm,
                secondFactors: [
                    .init(), .init(id: FactorID("f"), kind: .totp),
                    .init(kind: .phone(number: "+1"), displayName: "X", enrolledAt: Moment(milliseconds: 2)),
                ]),
            """
            {"client":{},"disabled":false,"emailVerified":false,"realm":{"project":"p"},"secondFactors":[\
            {"kind":{"unspecified":{}}},{"id":"f","kind":{"totp":{}}},\
            {"displayName":"X","enrolledAt":2,"kind":{"phone":{"number":"+1"}}}]}
            """),
        Request(
            Identity.UpdateAccount(realm: realm, accountID: nil, changes: .init(secondFactors: [])),
            #"{"changes":{"removals":[],"secondFactors":[]},"client":{},"realm":{"project":"p"}}"#),
        Request(
            Identity.ListAccounts(realm: realm, limit: 7, pageToken: "x"),
            #"{"limit":7,"pageToken":"x","realm":{"project":"p"}}"#
        ),
        Request(
            Identity.QueryAccounts(
                realm: realm, criteria: [.email("e")], order: .createdAt, isDescending: true, limit: 7, offset: 8,
                countOnly: true),
            """
            {"countOnly":true,"criteria":[{"email":{"_0":"e"}}],"isDescending":true,"limit":7,"offset":8,\
            "order":"createdAt","realm":{"project":"p"}}
            """),
        Request(
            Identity.DeleteAccounts(realm: realm, accountIDs: [AccountID("a")], force: true, client: client),
            #"{"accountIDs":["a"],"client":\#(clientJSON),"force":true,"realm":{"project":"p"}}"#),
        Request(
            Identity.FindAccounts(
                realm: realm,
                criteria: [
                    .accountID(AccountID("a")), .email("e"), .initialEmail("i"), .phoneNumber("+1"),
                    .provider(id: "g", accountID: "1"),
                ]),
            """
            {"criteria":[{"accountID":{"_0":"a"}},{"email":{"_0":"e"}},{"initialEmail":{"_0":"i"}},\
            {"phoneNumber":{"_0":"+1"}},{"provider":{"accountID":"1","id":"g"}}],"realm":{"project":"p"}}
            """),
        Request(
            Identity.DeleteAccount(realm: realm, accountID: AccountID("a"), client: client),
            #"{"accountID":"a","client":\#(clientJSON),"realm":{"project":"p"}}"#),
        Request(Identity.ReadConfiguration(project: ProjectID("p")), #"{"project":"p"}"#),
        Request(
            Identity.ReplaceConfiguration(
                project: ProjectID("p"), configuration: .init(), expectedRevision: 7, client: client),
            #"{"client":\#(clientJSON),"configuration":{},"expectedRevision":7,"project":"p"}"#),
        Request(Identity.ResolveAPIKey(apiKey: "key"), #"{"apiKey":"key"}"#),
        Request(Identity.ListSigningKeys(purpose: .idToken), #"{"purpose":"idToken"}"#),
        Request(Identity.ListSigningKeys(purpose: .sessionCookie), #"{"purpose":"sessionCookie"}"#),
    ]

    @Test(arguments: requests.indices) func requestMatchesGoldenJSON(number: Int) throws {
        try Self.requests[number].expectGolden()
    }

    /// Those of all files.
    private static let everyRequest =
        requests + actionCodes + emailCodes + IdentityTokenGoldens.requests + FactorGoldenTests.requests
        + PhoneGoldenTests.identityRequests + PasskeyGoldenTests.identityRequests
        + FederationGoldenTests.identityRequests + AccountImportGoldenTests.requests
        + WebhookGoldenTests.identityRequests + ApplicationGoldenTests.requests + OperatorGoldenTests.requests

    @Test func everyOperationHasAGolden() {
        #expect(Set(Self.everyRequest.map(\.operation)) == Set(Identity.Operation.allCases))
    }

    // MARK: Replies

    @Test func repliesMatchGoldenJSON() throws {
        try expect(
            Identity.SignUp.Reply(account: Self.bareAccount, tokens: Self.tokens),
            is: #"{"account":\#(Self.bareAccountJSON),"tokens":\#(Self.tokensJSON)}"#)
        try expect(
            Identity.SignInWithPassword.Reply(account: Self.bareAccount, tokens: Self.tokens),
            is: #"{"account":\#(Self.bareAccountJSON),"tokens":\#(Self.tokensJSON)}"#)
        let factor = SecondFactor(
            id: FactorID("f"), kind: .totp, displayName: nil, enrolledAt: Moment(milliseconds: 7))
        let factorJSON = #"{"enrolledAt":7,"id":"f","kind":{"totp":{}}}"#
        try expect(
            Identity.SignInWithPassword.Reply(
                account: Self.bareAccount,
                secondFactor: PendingSecondFactor(pendingCredential: Secret("c"), factors: [factor])),
            is:
                #"{"account":\#(Self.bareAccountJSON),"secondFactor":{"factors":[\#(factorJSON)],"pendingCredential":"c"}}"#
        )
        try expect(
            Identity.UpdateOwnAccount.Reply(account: Self.bareAccount, tokens: Self.tokens),
            is: #"{"account":\#(Self.bareAccountJSON),"tokens":\#(Self.tokensJSON)}"#)
        try expect(
            Identity.ChangePassword.Reply(account: Self.bareAccount), is: #"{"account":\#(Self.bareAccountJSON)}"#)
        try expect(
            Identity.ResolvePendingSignIn.Reply(
                accountID: AccountID("a"), realm: Self.realm, factors: [factor], startedAt: Moment(milliseconds: 7),
                verification: .phone),
            is:
                """
                {"accountID":"a","factors":[\(factorJSON)],"realm":{"project":"p"},"startedAt":7,\
                "verification":{"phone":{}}}
                """
        )
        try expect(
            Identity.CompleteSignIn.Reply(account: Self.bareAccount, tokens: Self.tokens),
            is: #"{"account":\#(Self.bareAccountJSON),"tokens":\#(Self.tokensJSON)}"#)
        try expect(
            Identity.ListAccounts.Reply(accounts: [Self.bareAccount], nextPageToken: "x"),
            is: #"{"accounts":[\#(Self.bareAccountJSON)],"nextPageToken":"x"}"#)
        try expect(
            Identity.QueryAccounts.Reply(total: 1, accounts: [Self.bareAccount]),
            is: #"{"accounts":[\#(Self.bareAccountJSON)],"total":1}"#)
        try expect(Identity.DeleteAccounts.Reply(skippedIndices: [1]), is: #"{"skippedIndices":[1]}"#)
        try expect(
            Identity.RefreshSession.Reply(accountID: AccountID("a"), projectNumber: "12", tokens: Self.tokens),
            is: #"{"accountID":"a","projectNumber":"12","tokens":\#(Self.tokensJSON)}"#)
        try expect(
            Identity.LookUpOwnAccount.Reply(account: Self.bareAccount), is: #"{"account":\#(Self.bareAccountJSON)}"#)
        try expect(
            Identity.CreateAccount.Reply(account: Self.bareAccount), is: #"{"account":\#(Self.bareAccountJSON)}"#)
        try expect(
            Identity.ScheduleOwnDeletion.Reply(dueAt: Moment(milliseconds: 8)), is: #"{"dueAt":8}"#)
        try expect(
            Identity.UpdateAccount.Reply(account: Self.bareAccount), is: #"{"account":\#(Self.bareAccountJSON)}"#)
        try expect(
            Identity.FindAccounts.Reply(accounts: [Self.bareAccount]), is: #"{"accounts":[\#(Self.bareAccountJSON)]}"#)
        try expect(
            Identity.ReadConfiguration.Reply(configuration: .init(), revision: 7, projectNumber: "12"),
            is: #"{"configuration":{},"projectNumber":"12","revision":7}"#)
        try expect(Identity.ResolveAPIKey.Reply(project: ProjectID("p")), is: #"{"project":"p"}"#)
        try expect(
            Identity.ListSigningKeys.Reply(
                keys: [.init(id: SigningKeyID("k"), certificatePEM: "pem", modulus: "n", exponent: "AQAB")],
                maximumAgeSeconds: 60),
            is: """
                {"keys":[{"certificatePEM":"pem","exponent":"AQAB","id":"k","modulus":"n"}],"maximumAgeSeconds":60}
                """)
        try expect(EmptyReply(), is: "{}")
    }

    @Test func principalMatchesGoldenJSON() throws {
        try expect(
            Identity.VerifyIDToken.Reply(
                principal: Principal(
                    accountID: AccountID("a"), realm: Self.tenantRealm, issuedAt: Timestamp(seconds: 1),
                    authenticatedAt: Timestamp(seconds: 2), signInProvider: "password",
                    secondFactorID: FactorID("f"))),
            is: """
                {"principal":{"accountID":"a","authenticatedAt":2,"issuedAt":1,"realm":{"project":"p","tenant":"t"},\
                "secondFactorID":"f","signInProvider":"password"}}
                """)
    }

    // MARK: The audit log

    /// What only administrators do stands in the audit log with their name (security rule AU1).
    @Test func administrationNamesItsClient() {
        let changes = Self.everyRequest.filter {
            $0.operation.callers.isSubset(of: .administrationAndCommand) && $0.retrySemantics != .idempotent
        }
        let naming = Set(changes.filter(\.namesClient).map(\.operation))
        #expect(Set(changes.map(\.operation)).subtracting(naming) == [])
    }

    // MARK: Retry semantics

    /// A request that changes something is never repeated without a key.
    @Test(arguments: everyRequest) func eachRequestHasItsRetrySemantics(request: Request) {
        let expected: RetrySemantics =
            switch request.operation {
            case .lookUpOwnAccount, .verifyIDToken, .findAccounts, .readConfiguration, .resolveAPIKey,
                .listSigningKeys, .refreshSession, .listAccounts, .queryAccounts, .resolvePendingSignIn,
                .createSessionCookie, .inspectActionCode, .findSignInMethods, .listActionCodes, .listEmailCodes,
                .resolveConfiguration, .readTenant, .listTenants, .listServiceAccountKeys, .introspectAccessToken,
                .addServiceAccountKey, .clearAccounts, .checkEnrollment, .countRecoveryCodes, .checkPhoneSignIn,
                .verifyAuditLog, .listAuditRecords, .checkPasskeyEnrollment, .exportAccounts, .listProjects,
                .listSessions, .listOwnSessions, .downloadOwnAccount, .listWebhooks, .readWebhook, .exportAuditRecords,
                .revokeSigningKey, .listApplications, .readApplication, .resolveApplication, .readLogo,
                .listRememberedDevices, .forgetRememberedDevice, .listOperators,
                .resolveOperatorSession, .listOperatorSessions, .endOperatorSessions, .searchAccounts, .explainSignIn,
                .clearSignInAttempts, .readActivity, .listConfigurationRevisions, .readConfigurationRevision:
                .idempotent
            case .signUp, .deleteOwnAccount, .scheduleOwnDeletion, .restoreOwnAccount, .createAccount, .updateAccount,
                .deleteAccount, .replaceConfiguration,
                .updateOwnAccount, .deleteAccounts, .completeSignIn, .resetPassword, .applyActionCode,
                .rejectEmailVerification, .importAccounts,
                .signInWithEmailLink, .signInWithEmailCode, .verifyEmailWithCode, .signInWithCustomToken, .createTenant,
                .replaceTenant, .deleteTenant,
                .removeServiceAccountKeys, .enrollFactor, .withdrawFactor, .signInWithPhone, .signInWithTemporaryProof,
                .enrollPasskey, .signInWithPasskey, .signInWithProvider, .recordProviderChange,
                .recordNotifierChange,
                .createProject, .endSession, .endOwnSessions, .createWebhook,
                .updateWebhook, .deleteWebhook, .rotateWebhookSecret, .testWebhook, .createApplication,
                .replaceApplication, .deleteApplication, .issueAuthorizationCode, .redeemAuthorizationCode,
                .removeOperator, .recordActivity:
                .deduplicated
            case .recordRefusedSignIn, .recordRefusedCaller, .signInWithPassword, .changePassword, .sendActionCode,
                .sendEmailCode,
                .issueAccessToken,
                .generateRecoveryCodes,
                .signInWithRecoveryCode, .rememberDevice, .signInWithRememberedDevice, .grantOperatorRole,
                .resetOperator, .openOperatorSession:
                .atMostOnce
            }
        #expect(request.retrySemantics == expected)
    }
}
