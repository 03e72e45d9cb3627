import Contracts
import Testing
import Vocabulary

/// The JSON of identity's operations for custom tokens, cookies, tenants and service accounts.
@Suite struct IdentityTokenGoldens {
    typealias Request = IdentityGoldenTests.Request
    private static let project = ProjectID("p")
    private static let tenant = TenantID("t")
    private static let realm = IdentityGoldenTests.realm
    private static let client = IdentityGoldenTests.client
    private static let clientJSON = IdentityGoldenTests.clientJSON
    private static let key = Identity.ServiceAccountKey(
        email: "robot@example.com", keyID: "k", project: project, publicKey: "AA")
    private static let keyJSON = #"{"email":"robot@example.com","keyID":"k","project":"p","publicKey":"AA"}"#

    static let requests = [
        Request(
            Identity.SignInWithCustomToken(realm: realm, token: Secret("c"), client: client),
            #"{"client":\#(clientJSON),"realm":{"project":"p"},"token":"c"}"#),
        Request(
            Identity.CreateSessionCookie(realm: realm, idToken: Secret("i"), lifetimeSeconds: 300, client: client),
            #"{"client":\#(clientJSON),"idToken":"i","lifetimeSeconds":300,"realm":{"project":"p"}}"#),
        Request(
            Identity.CreateTenant(project: project, configuration: .init(), client: client),
            #"{"client":\#(clientJSON),"configuration":{},"project":"p"}"#),
        Request(Identity.ReadTenant(project: project, tenant: tenant), #"{"project":"p","tenant":"t"}"#),
        Request(
            Identity.ReplaceTenant(
                project: project, tenant: tenant, configuration: .init(), expectedRevision: 7, client: client),
            #"{"client":\#(clientJSON),"configuration":{},"expectedRevision":7,"project":"p","tenant":"t"}"#),
        Request(
            Identity.DeleteTenant(project: project, tenant: tenant, client: client),
            #"{"client":\#(clientJSON),"project":"p","tenant":"t"}"#),
        Request(
            Identity.ListTenants(project: project, after: tenant, limit: 20),
            #"{"after":"t","limit":20,"project":"p"}"#),
        Request(Identity.ResolveConfiguration(realm: realm), #"{"realm":{"project":"p"}}"#),
        Request(Identity.ReadLogo(digest: "2fc0"), #"{"digest":"2fc0"}"#),
        Request(
            Identity.ClearAccounts(realm: realm, client: client), #"{"client":\#(clientJSON),"realm":{"project":"p"}}"#),
        Request(Identity.AddServiceAccountKey(key: key), #"{"key":\#(keyJSON)}"#),
        Request(Identity.ListServiceAccountKeys(project: project), #"{"project":"p"}"#),
        Request(
            Identity.RemoveServiceAccountKeys(email: "robot@example.com", keyID: "k"),
            #"{"email":"robot@example.com","keyID":"k"}"#),
        Request(
            Identity.AddServiceAccountKey(key: key, client: .init(operatorName: "root")),
            #"{"client":{"operatorName":"root"},"key":\#(keyJSON)}"#),
        Request(
            Identity.RemoveServiceAccountKeys(email: "robot@example.com", client: .init(operatorName: "root")),
            #"{"client":{"operatorName":"root"},"email":"robot@example.com"}"#),
        Request(
            Identity.UpdateAccount(
                realm: realm, accountID: AccountID("a"),
                changes: .init(removals: [.secondFactor(FactorID("f"))]), client: client),
            """
            {"accountID":"a","changes":{"removals":[{"secondFactor":{"_0":"f"}}]},"client":\(clientJSON),\
            "realm":{"project":"p"}}
            """),
        Request(Identity.ListProjects(after: project, limit: 20), #"{"after":"p","limit":20}"#),
        Request(
            Identity.CreateProject(project: project, client: client), #"{"client":\#(clientJSON),"project":"p"}"#),
        Request(
            Identity.ListSessions(realm: realm, accountID: AccountID("a"), limit: 20),
            #"{"accountID":"a","limit":20,"realm":{"project":"p"}}"#),
        Request(
            Identity.EndSession(realm: realm, accountID: AccountID("a"), sessionID: "s", client: client),
            #"{"accountID":"a","client":\#(clientJSON),"realm":{"project":"p"},"sessionID":"s"}"#),
        Request(
            Identity.DownloadOwnAccount(realm: realm, idToken: Secret("i"), client: client),
            #"{"client":\#(clientJSON),"idToken":"i","realm":{"project":"p"}}"#),
        Request(
            Identity.ListOwnSessions(realm: realm, idToken: Secret("i")), #"{"idToken":"i","realm":{"project":"p"}}"#),
        Request(
            Identity.EndOwnSessions(realm: realm, idToken: Secret("i"), selection: .listed(["s"]), client: client),
            """
            {"client":\(clientJSON),"idToken":"i","realm":{"project":"p"},"selection":{"listed":{"_0":["s"]}}}
            """),
        Request(
            Identity.EndOwnSessions(realm: realm, idToken: Secret("i"), selection: .others, client: client),
            #"{"client":\#(clientJSON),"idToken":"i","realm":{"project":"p"},"selection":{"others":{}}}"#),
        Request(Identity.VerifyAuditLog(), #"{}"#),
        Request(
            Identity.VerifyAuditLog(after: .init(link: 7, chain: "AQ")), #"{"after":{"chain":"AQ","link":7}}"#),
        Request(
            Identity.ListAuditRecords(project: project, accountID: AccountID("a"), before: 9, limit: 20),
            #"{"accountID":"a","before":9,"limit":20,"project":"p"}"#),
        Request(Identity.ExportAuditRecords(), #"{"afterLink":0,"limit":500}"#),
        Request(
            Identity.RecordProviderChange(
                change: .replaced, realm: realm, at: Moment(milliseconds: 5), client: client),
            #"{"at":5,"change":"replaced","client":\#(clientJSON),"realm":{"project":"p"}}"#),
        Request(
            Identity.RecordNotifierChange(
                change: .apnsKeyAdded, realm: realm, at: Moment(milliseconds: 5), client: client),
            #"{"at":5,"change":"added","client":\#(clientJSON),"realm":{"project":"p"}}"#),
        Request(
            Identity.RecordRefusedSignIn(
                realm: realm, accountID: AccountID("a"), reason: .counterRegression, client: client),
            #"{"accountID":"a","client":\#(clientJSON),"realm":{"project":"p"},"reason":"counterRegression"}"#),
        Request(
            Identity.RecordRefusedCaller(caller: "edge", service: .notifier, refused: "sendSMS"),
            #"{"caller":"edge","refused":"sendSMS","service":"notifier"}"#),
        Request(Identity.RevokeSigningKey(keyID: SigningKeyID("k")), #"{"keyID":"k"}"#),
        Request(
            Identity.IssueAccessToken(assertion: Secret("a"), audiences: ["https://x/token"], client: client),
            #"{"assertion":"a","audiences":["https://x/token"],"client":\#(clientJSON)}"#),
        Request(Identity.IntrospectAccessToken(accessToken: Secret("t")), #"{"accessToken":"t"}"#),
    ]

    @Test(arguments: requests.indices) func requestMatchesGoldenJSON(number: Int) throws {
        try Self.requests[number].expectGolden()
    }

    @Test func repliesMatchGoldenJSON() throws {
        let accountJSON = IdentityGoldenTests.bareAccountJSON
        try expect(
            Identity.SignInWithCustomToken.Reply(
                account: IdentityGoldenTests.bareAccount, tokens: IdentityGoldenTests.tokens, isNewAccount: true),
            is: #"{"account":\#(accountJSON),"isNewAccount":true,"tokens":\#(IdentityGoldenTests.tokensJSON)}"#)
        try expect(
            Identity.CreateSessionCookie.Reply(sessionCookie: Secret("c")), is: #"{"sessionCookie":"c"}"#)
        let made = Identity.Tenant(id: Self.tenant, configuration: .init(), revision: 1)
        let madeJSON = #"{"configuration":{},"id":"t","revision":1}"#
        try expect(made, is: madeJSON)
        try expect(
            Identity.ListTenants.Reply(tenants: [made], hasMore: true),
            is: #"{"hasMore":true,"tenants":[\#(madeJSON)]}"#)
        try expect(
            Identity.ResolveConfiguration.Reply(configuration: .init(), projectNumber: "12", isDisabled: false),
            is: #"{"configuration":{},"isDisabled":false,"projectNumber":"12"}"#)
        let project = Identity.ProjectSummary(
            id: Self.project, number: "12", apiKey: "k", createdAt: Moment(milliseconds: 1))
        let projectJSON = #"{"apiKey":"k","createdAt":1,"id":"p","number":"12"}"#
        try expect(project, is: projectJSON)
        try expect(
            Identity.ListProjects.Reply(projects: [project], hasMore: false),
            is: #"{"hasMore":false,"projects":[\#(projectJSON)]}"#)
        let session = Identity.AccountSession(
            id: "s", createdAt: Moment(milliseconds: 1), lastUsedAt: Moment(milliseconds: 2),
            signInProvider: "password", secondFactor: "totp", clientAddress: "192.0.2.1")
        try expect(
            Identity.ListSessions.Reply(sessions: [session], hasMore: true),
            is: """
                {"hasMore":true,"sessions":[{"clientAddress":"192.0.2.1","createdAt":1,"id":"s",\
                "isEnrollmentOnly":false,"lastUsedAt":2,"secondFactor":"totp","signInProvider":"password"}]}
                """)
        let own = Identity.OwnSession(
            id: "s", createdAt: Moment(milliseconds: 1), lastUsedAt: Moment(milliseconds: 2),
            signInProvider: "password", secondFactor: "totp", device: "Firefox (Linux)", network: "192.0.2.0/24",
            isCurrent: true)
        try expect(
            Identity.ListOwnSessions.Reply(sessions: [own], hasMore: false),
            is: """
                {"hasMore":false,"sessions":[{"createdAt":1,"device":"Firefox (Linux)","id":"s","isCurrent":true,\
                "lastUsedAt":2,"network":"192.0.2.0/24","secondFactor":"totp","signInProvider":"password"}]}
                """)
        let row = Identity.StoredSession(
            id: "s", createdAt: Moment(milliseconds: 1), lastUsedAt: Moment(milliseconds: 2),
            endedAt: Moment(milliseconds: 3), signInProvider: "custom", clientAddress: "192.0.2.1", claims: "{}")
        let code = Identity.StoredActionCode(
            purpose: .verifyEmail, email: try #require(EmailAddress("a@example.com")),
            createdAt: Moment(milliseconds: 1), expiresAt: Moment(milliseconds: 2))
        let entry = Identity.OwnAuditRecord(
            at: Moment(milliseconds: 5), action: "session.created", outcome: "done", actor: .owner)
        try expect(
            Identity.DownloadOwnAccount.Reply(
                account: IdentityGoldenTests.bareAccount, sessions: [row], hasMoreSessions: false,
                remainingRecoveryCodes: 9, rememberedDevices: [], actionCodes: [code], auditRecords: [entry],
                hasMoreAuditRecords: true),
            is: """
                {"account":\(accountJSON),"actionCodes":[{"createdAt":1,"email":"a@example.com","expiresAt":2,\
                "purpose":"verifyEmail"}],"auditRecords":[{"action":"session.created","actor":"owner","at":5,\
                "outcome":"done"}],"hasMoreAuditRecords":true,"hasMoreSessions":false,"remainingRecoveryCodes":9,\
                "rememberedDevices":[],"sessions":[{"claims":"{}","clientAddress":"192.0.2.1","createdAt":1,"endedAt":3,"id":"s",\
                "lastUsedAt":2,"signInProvider":"custom"}]}
                """)
        try expect(Identity.ClearAccounts.Reply(hasMore: false), is: #"{"hasMore":false}"#)
        try expect(Identity.ListServiceAccountKeys.Reply(keys: [Self.key]), is: #"{"keys":[\#(Self.keyJSON)]}"#)
        try expect(Identity.RemoveServiceAccountKeys.Reply(removed: 1), is: #"{"removed":1}"#)
        try expect(
            Identity.VerifyAuditLog.Reply(
                last: .init(link: 7, chain: "AQ"), isComplete: true, violation: .alteredRecord, violatedLink: 8),
            is: #"{"isComplete":true,"last":{"chain":"AQ","link":7},"violatedLink":8,"violation":"alteredRecord"}"#)
        let record = Identity.AuditLogRecord(
            sequence: 9, at: Moment(milliseconds: 5), project: "p", tenant: "", action: "account.created",
            outcome: "done", actor: "system", accountID: nil, ipAddress: nil, traceID: "t", count: nil)
        let recordJSON = """
            {"action":"account.created","actor":"system","at":5,"outcome":"done","project":"p","sequence":9,"tenant":"",\
            "traceID":"t"}
            """
        try expect(Identity.ListAuditRecords.Reply(records: [record]), is: #"{"records":[\#(recordJSON)]}"#)
        try expect(
            Identity.ExportAuditRecords.Reply(records: [
                .init(link: 7, chain: "AQ", chainBefore: "Ag", record: record)
            ]), is: #"{"records":[{"chain":"AQ","chainBefore":"Ag","link":7,"record":\#(recordJSON)}]}"#)
        try expect(Identity.RevokeSigningKey.Reply(), is: #"{}"#)
        try expect(
            Identity.RevokeSigningKey.Reply(purpose: .idToken, activeKeyID: SigningKeyID("k")),
            is: #"{"activeKeyID":"k","purpose":"idToken"}"#)
        try expect(
            Identity.IssueAccessToken.Reply(accessToken: Secret("t"), expiresInSeconds: 3600),
            is: #"{"accessToken":"t","expiresInSeconds":3600}"#)
        try expect(
            Identity.IntrospectAccessToken.Reply(
                project: Self.project, serviceAccount: "robot@example.com", permissions: [.read, .write],
                expiresAt: Moment(milliseconds: 1)),
            is: """
                {"expiresAt":1,"permissions":["read","write"],"project":"p","serviceAccount":"robot@example.com"}
                """)
    }

    /// Settings of a tenant, and settings inherited from the project.
    @Test func tenantSettingsTakePrecedenceOverProject() {
        var project = ProjectConfiguration()
        project.authorizedDomains = ["example.com"]
        project.signIn = .init()
        project.signIn?.email = .init()
        project.signIn?.email?.enabled = true
        project.signIn?.anonymous = .init()
        project.signIn?.anonymous?.enabled = true
        project.emailPrivacyConfig = .init()
        project.emailPrivacyConfig?.enableImprovedEmailPrivacy = false
        project.notification = .init()
        project.notification?.sendEmail = .init()
        project.notification?.defaultLocale = "de"
        var tenant = TenantConfiguration()
        #expect(!project.applying(tenant).allowsPasswordSignIn && !project.applying(tenant).allowsAnonymousSignIn)
        #expect(!project.applying(tenant).allowsEmailLinkSignIn && !project.applying(tenant).preventsEmailEnumeration)
        #expect(project.applying(tenant).authorizedDomains == ["example.com"])
        #expect(project.applying(tenant).notification?.sendEmail == nil)
        #expect(project.applying(tenant).notification?.defaultLocale == "de")
        tenant.enableEmailLinkSignin = true
        #expect(!project.applying(tenant).allowsPasswordSignIn && project.applying(tenant).allowsEmailLinkSignIn)
        tenant.allowPasswordSignup = true
        tenant.emailPrivacyConfig = .init()
        tenant.emailPrivacyConfig?.enableImprovedEmailPrivacy = true
        tenant.inheritance = .init()
        tenant.inheritance?.emailSendingConfig = true
        #expect(project.applying(tenant).allowsPasswordSignIn && project.applying(tenant).preventsEmailEnumeration)
        #expect(project.applying(tenant).notification?.sendEmail != nil)
    }
}
