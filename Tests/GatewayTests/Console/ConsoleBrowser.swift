import Contracts
import FoundationEssentials
import HTTPServer
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// A browser at the console of a scripted mesh, with the session of one operator.
final class ConsoleBrowser {
    let harness: GatewayHarness
    /// The token of the session cookie; nil without one.
    var token: String?
    static let host = "127.0.0.1:9098"

    static func found(_ grants: [Identity.OperatorGrant]) throws -> Identity.Operator {
        Identity.Operator(
            accountID: AccountID("ola"), email: try #require(EmailAddress("ola@example.com")), grants: grants,
            hasSecondFactor: true, createdAt: Moment(milliseconds: 0))
    }

    static let account = Account(
        id: AccountID("ada"), realm: Realm(project: ProjectID("shop")), email: EmailAddress("ada@example.com"),
        displayName: "<script>alert(1)</script>", hasPassword: true, validSince: Timestamp(seconds: 1),
        createdAt: Moment(milliseconds: 1_700_000_000_000), customClaims: #"{"x":"</dd><script>"}"#,
        providers: [
            ProviderLink(providerID: "oidc.<b>", providerAccountID: "1", email: "\"><img src=x onerror=alert(1)>")
        ],
        secondFactors: [
            SecondFactor(
                id: FactorID("f1"), kind: .totp, displayName: "<svg onload=alert(1)>",
                enrolledAt: Moment(milliseconds: 0))
        ],
        passkeys: [
            AccountPasskey(
                credentialID: CredentialID([1])!, name: "<script>", relyingPartyID: "<script>",
                userHandle: .init([1]), aaguid: "<script>", isBackedUp: false, createdAt: Moment(milliseconds: 0))
        ])

    /// - Parameter isFresh: both factors were verified lately.
    init(_ grants: [Identity.OperatorGrant], isFresh: Bool = true) throws {
        harness = try .production(["LATCHKEY_ADMIN_LISTEN": Self.host])
        token = "token"
        let found = try Self.found(grants)
        let mesh = harness.mesh
        mesh.reply(to: Identity.ResolveOperatorSession.self) { request in
            guard request.token == Secret("token") else { throw ServiceError(.sessionExpired) }
            return .init(operator: found, sessionID: "s1", isFresh: isFresh, formToken: "form")
        }
        mesh.reply(to: Identity.ListSigningKeys.self) { _ in .init(keys: [], maximumAgeSeconds: 60) }
        mesh.reply(to: Identity.ListProjects.self) { _ in .init(projects: [], hasMore: false) }
        mesh.reply(to: Identity.ListAuditRecords.self) { _ in
            .init(records: [
                .init(
                    sequence: 7, at: Moment(milliseconds: 0), project: "shop", tenant: "", action: "<i>act</i>",
                    outcome: "done", actor: "operator:<b>", accountID: "ada", ipAddress: "192.0.2.1", traceID: "t")
            ])
        }
        mesh.reply(to: Identity.QueryAccounts.self) { _ in .init(total: 1, accounts: [Self.account]) }
        mesh.reply(to: Identity.SearchAccounts.self) { _ in .init(accounts: [Self.account], hasMore: true) }
        mesh.reply(to: Identity.ExplainSignIn.self) { _ in
            .init(account: Self.account, obstacles: [.init(.accountDisabled)])
        }
        mesh.reply(to: MFATOTP.ReadBlocks.self) { _ in .init(blocks: []) }
        mesh.reply(to: Identity.FindAccounts.self) { _ in .init(accounts: [Self.account]) }
        mesh.reply(to: Identity.ListSessions.self) { _ in
            .init(
                sessions: [
                    .init(
                        id: "\"><script>", createdAt: Moment(milliseconds: 0), lastUsedAt: Moment(milliseconds: 0),
                        signInProvider: "oidc.<script>", secondFactor: "<script>", clientAddress: "<script>")
                ], hasMore: true)
        }
        mesh.reply(to: Identity.UpdateAccount.self) { _ in .init(account: Self.account) }
        mesh.reply(to: Identity.DeleteAccount.self) { _ in EmptyReply() }
        mesh.reply(to: Identity.EndSession.self) { _ in EmptyReply() }
        mesh.reply(to: Identity.ClearSignInAttempts.self) { _ in EmptyReply() }
        mesh.reply(to: Identity.SendActionCode.self) { _ in
            .init(email: try #require(EmailAddress("ada@example.com")))
        }
        mesh.reply(to: Identity.ReadConfiguration.self) { _ in
            .init(configuration: .init(), revision: 3, projectNumber: "1")
        }
        mesh.reply(to: Identity.ReplaceConfiguration.self) { request in
            .init(configuration: request.configuration, revision: 4, projectNumber: "1")
        }
        let tenant = Identity.Tenant(id: TenantID("t1"), configuration: .init(), revision: 3)
        mesh.reply(to: Identity.ReadTenant.self) { _ in tenant }
        mesh.reply(to: Identity.ReplaceTenant.self) { _ in tenant }
        mesh.reply(to: Identity.ListTenants.self) { _ in .init(tenants: [tenant], hasMore: false) }
        mesh.reply(to: Identity.ReadActivity.self) { _ in
            .init(start: Moment(milliseconds: 0), periodSeconds: 3600, periods: 24, counts: [:])
        }
        mesh.reply(to: Identity.ListConfigurationRevisions.self) { _ in
            .init(revisions: [.init(revision: 3, at: Moment(milliseconds: 0), actor: "operator:<b>")])
        }
        mesh.reply(to: Identity.ReadConfigurationRevision.self) { _ in
            var before = ProjectConfiguration()
            before.authorizedDomains = ["before.example"]
            return .init(before: .project(before), after: .project(.init()))
        }
        mesh.reply(to: MFASMS.ReadSendingStatus.self) { _ in
            .init(
                spentThisHourMicros: 50_000, spentThisDayMicros: 2_000_000, budgetPerHourMicros: nil,
                budgetPerDayMicros: 9_000_000, sentThisDay: 40, verifiedThisDay: 30, blockedPrefixes: [])
        }
        let google = Federation.ProviderReply(
            provider: .init(
                id: "google.com", isEnabled: true, clientID: "<b>", clientSecret: Secret("swordfish"),
                kind: .supported(nil)), revision: 3, projectNumber: "1")
        mesh.reply(to: Federation.ListProviders.self) { request in
            .init(
                providers: request.list == .supported ? [google.provider] : [], hasMore: false, projectNumber: "1")
        }
        mesh.reply(to: Federation.ReadProvider.self) { request in
            guard request.id == google.provider.id else { throw ServiceError(.providerNotFound) }
            return google
        }
        mesh.reply(to: Federation.CreateProvider.self) { _ in google }
        mesh.reply(to: Federation.ReplaceProvider.self) { _ in google }
        mesh.reply(to: Federation.DeleteProvider.self) { _ in EmptyReply() }
        mesh.reply(to: Federation.StartSignIn.self) { _ in
            .init(authorizationURL: "https://idp.example/?<script>", sessionID: Secret("s"), state: Secret("t"))
        }
        mesh.reply(to: Identity.VerifyAuditLog.self) { _ in .init(last: nil, isComplete: true) }
        mesh.reply(to: Identity.ExportAuditRecords.self) { _ in .init(records: []) }
        mesh.reply(to: Identity.ExportAccounts.self) { _ in
            .init(accounts: [.init(account: Self.account, password: nil)], nextPageToken: nil)
        }
        mesh.reply(to: Identity.ImportAccounts.self) { _ in .init(rejections: []) }
        mesh.reply(to: Identity.ListOperators.self) { _ in .init(operators: [found]) }
        mesh.reply(to: Identity.GrantOperatorRole.self) { _ in .init(operator: found, code: Secret("code")) }
        mesh.reply(to: Identity.RemoveOperator.self) { _ in EmptyReply() }
        mesh.reply(to: Identity.ListOperatorSessions.self) { _ in .init(sessions: []) }
        mesh.reply(to: Identity.EndOperatorSessions.self) { _ in EmptyReply() }
        scriptIntegrations(mesh)
    }

    static let webhook = Identity.Webhook(
        id: WebhookID("ada"), project: ProjectID("shop"), url: "https://<script>", kinds: [], isDisabled: false,
        createdAt: Moment(milliseconds: 0), revision: 1)
    static let application = Identity.Application(
        id: ApplicationID("ada"), project: ProjectID("shop"),
        registration: .init(displayName: "<script>", kind: .web, redirectURLs: ["https://<script>"]),
        apiKey: "<script>", createdAt: Moment(milliseconds: 0), revision: 1)
    static let serviceAccount = Identity.ServiceAccountKey(
        email: "<script>@shop", keyID: "ada", project: ProjectID("shop"), publicKey: "")
    static let pushKey = Notifier.APNsKey(
        id: APNsKeyID("ada"), project: ProjectID("shop"), bundleID: "<script>", environment: .both, keyID: "<script>",
        teamID: "<script>", createdAt: Moment(milliseconds: 0))

    private func scriptIntegrations(_ mesh: ScriptedMesh) {
        mesh.reply(to: Identity.ListWebhooks.self) { _ in .init(webhooks: [Self.webhook]) }
        mesh.reply(to: Identity.ReadWebhook.self) { _ in Self.webhook }
        mesh.reply(to: Identity.UpdateWebhook.self) { _ in Self.webhook }
        mesh.reply(to: Identity.CreateWebhook.self) { _ in .init(webhook: Self.webhook, secret: Secret("whsec_1")) }
        mesh.reply(to: Identity.RotateWebhookSecret.self) { _ in
            .init(webhook: Self.webhook, secret: Secret("whsec_2"))
        }
        mesh.reply(to: Identity.DeleteWebhook.self) { _ in EmptyReply() }
        mesh.reply(to: Identity.TestWebhook.self) { _ in .init(eventID: AccountEventID("evt_1")) }
        mesh.reply(to: Notifier.ReadWebhookStatus.self) { _ in
            .init(
                problem: "<script>", failingSince: nil, goneAt: nil, pendingEvents: 0, oldestPendingAt: nil,
                droppedEvents: 0,
                deliveries: [
                    .init(
                        eventID: AccountEventID("evt_<script>"), kind: .created, tenant: nil, accountID: nil,
                        occurredAt: Moment(milliseconds: 0), state: .failed, attempts: 3, lastAttemptAt: nil,
                        problem: "<script>", finishedAt: nil)
                ])
        }
        mesh.reply(to: Notifier.ReplayAccountEvents.self) { _ in .init(replayedEvents: 1, nextPosition: nil) }
        mesh.reply(to: Identity.ListApplications.self) { _ in .init(applications: [Self.application]) }
        mesh.reply(to: Identity.ReadApplication.self) { _ in Self.application }
        mesh.reply(to: Identity.CreateApplication.self) { _ in Self.application }
        mesh.reply(to: Identity.DeleteApplication.self) { _ in EmptyReply() }
        mesh.reply(to: Identity.ListServiceAccountKeys.self) { _ in .init(keys: [Self.serviceAccount]) }
        mesh.reply(to: Identity.AddServiceAccountKey.self) { _ in EmptyReply() }
        mesh.reply(to: Identity.RemoveServiceAccountKeys.self) { _ in .init(removed: 1) }
        mesh.reply(to: Notifier.ListAPNsKeys.self) { _ in .init(keys: [Self.pushKey]) }
        mesh.reply(to: Notifier.AddAPNsKey.self) { _ in Self.pushKey }
        mesh.reply(to: Notifier.RemoveAPNsKey.self) { _ in EmptyReply() }
    }

    var cookie: String {
        let field = HostedCookie(kind: .session, realm: .operators, isSecure: true).field(token ?? "", seconds: 1)
        return token == nil ? "" : String(field.value.halves(at: ";").before)
    }

    func get(
        _ path: String, _ query: String? = nil, headers: [String: String] = [:], on listener: Listener = .admin
    ) async throws -> TestResponse {
        let own = ["Host": Self.host, "Cookie": cookie]
        return try await harness.send(
            .get, path, query: query, headers: own.merging(headers) { $1 }, on: listener)
    }

    /// The request of a page, for the gateway itself.
    func request(_ path: String) throws -> HTTPRequest {
        var fields = HTTPHeaders()
        for (name, value) in ["Host": Self.host, "Cookie": cookie] { fields.append(name, value) }
        return HTTPRequest(.get, path, query: nil, headers: fields, from: try #require(IPAddress("127.0.0.1")))
    }

    /// Sends a form as a page of the console does, unless the arguments say otherwise.
    func post(
        _ path: String, _ fields: [String: String] = [:], token: String? = "form", site: String? = "same-origin",
        origin: String? = nil
    ) async throws -> TestResponse {
        let all = fields.merging(token.map { [HostedFlow.tokenField: $0] } ?? [:]) { $1 }
        let body = all.map { "\($0.key)=\(PercentEncoding.encoded($0.value))" }.joined(separator: "&")
        var headers = [
            "Host": Self.host, "Cookie": cookie, "Content-Type": "application/x-www-form-urlencoded",
        ]
        headers["Sec-Fetch-Site"] = site
        headers["Origin"] = origin
        return try await harness.send(.post, path, headers: headers, body: body, on: .admin)
    }

    /// Sends a form with a file.
    /// - Parameter field: that of the file.
    func upload(
        _ path: String, _ content: String, name: String = "users.jsonl", of field: String = "file",
        _ fields: [String: String] = [:]
    ) async throws -> TestResponse {
        let part = "--x\r\nContent-Disposition: form-data; name="
        let all = fields.merging([HostedFlow.tokenField: "form"]) { $1 }
        let values = all.map { "\(part)\"\($0.key)\"\r\n\r\n\($0.value)\r\n" }.joined()
        let body = """
            \(values)\(part)"\(field)"; filename="\(name)"\r\n\
            Content-Type: text/plain\r\n\r\n\(content)\r\n--x--\r\n
            """
        return try await harness.send(
            .post, path,
            headers: [
                "Host": Self.host, "Cookie": cookie, "Sec-Fetch-Site": "same-origin",
                "Content-Type": "multipart/form-data; boundary=x",
            ], body: body, on: .admin)
    }

    /// Runs the long work that a form has begun until its page says that it is complete.
    func finishWork(_ begun: TestResponse) async throws -> TestResponse {
        let address = try #require(begun.header("Location")).halves(at: "?")
        let works = harness.gateway.works
        return try await withThrowingTaskGroup { group in
            group.addTask { try await works.run() }
            var page = try await get(String(address.before), address.behind.map { String($0) })
            while page.header("Refresh") != nil {
                await Task.yield()
                page = try await get(String(address.before), address.behind.map { String($0) })
            }
            await works.beginShutdown()
            try await group.waitForAll()
            return page
        }
    }

    /// The path of a route in a project.
    static func path(_ route: ConsoleRoute, in project: String = "shop") -> String {
        route.path.pieces(at: "/").map { $0 == "{project}" ? project : String($0) }.joined(separator: "/")
    }

    /// Sends the form of a route, or opens its page, with what it needs.
    /// - Parameter others: further fields of a form.
    func send(
        _ route: ConsoleRoute, _ others: [String: String] = [:], in project: String = "shop"
    ) async throws -> TestResponse {
        let (path, fields) = (Self.path(route, in: project), Self.fields(of: route))
        guard route.method == .post else { return try await get(path, Self.query(fields)) }
        let form = fields.merging(others) { own, _ in own }
        guard route.takesFile else { return try await post(path, form) }
        return try await upload(
            path, #"{"localId":"ada"}"#, of: Self.name(of: route) == "settings/logo" ? "logo" : "file", form)
    }

    static func query(_ fields: [String: String]) -> String {
        fields.map { "\($0.key)=\(PercentEncoding.encoded($0.value))" }.joined(separator: "&")
    }

    /// The path of a route in the console, or in its project.
    static func name(of route: ConsoleRoute) -> String {
        let pieces = route.path.pieces(at: "/").map(String.init)
        return pieces.dropFirst(pieces.contains("{project}") ? 4 : 2).joined(separator: "/")
    }

    /// Every field of the form of a route that has an effect, and what its page needs. A new route whose form has further
    /// fields is refused by `ConsoleFormTests`.
    static func fields(of route: ConsoleRoute) -> [String: String] {
        particularFields[name(of: route)] ?? ["id": "ada", "object": "AQ"]
    }

    private static let settings = ["area": "hosts", "revision": "3", "domains": "shop.example"]
    private static let provider = ["id": "google.com", "enabled": "on", "clientID": "c", "clientSecret": "s"]

    /// Of the routes that need more than one account.
    static let particularFields: [String: [String: String]] = [
        "settings": settings, "settings/review": settings, "settings/save": settings,
        "settings/mail": ["area": "mail.verifyEmail"],
        "settings/change": ["change": "3"], "settings/undo": ["change": "3", "revision": "3"],
        "settings/logo": ["revision": "3"], "settings/logo/remove": ["revision": "3"],
        "settings/provider": provider, "settings/provider/check": provider, "settings/provider/remove": provider,
        "integrations/add-webhook": ["url": "https://shop.example/hook", "kinds": ""],
        "integrations/add-app": ["name": "Shop", "kind": "WEB", "redirects": ""],
        "integrations/add-key": ["name": "backend"],
        "integrations/add-apns-key": [
            "bundleID": "org.example.app", "environment": "BOTH", "keyID": "ABC123DEFG", "teamID": "DEF123GHIJ",
            "privateKey": "key",
        ],
        "integrations/replay": ["id": "ada", "object": "evt_1"],
        "integrations/switch-webhook": ["id": "ada", "state": "off"],
        "integrations/functions": [
            "revision": "3", "beforeCreate": "https://shop.example/f", "beforeSignIn": "", "idToken": "on",
            "accessToken": "", "refreshToken": "",
        ],
        "users/import": ["hash": "", "keep": "1"],
        "operators/grant": ["email": "eve@example.com", "role": "viewer", "scope": ""],
        "operators/remove": ["email": "eve@example.com", "scope": ""],
        "operators/end-sessions": ["account": "eve"], "sessions": ["session": "s2"],
        "passkeys/name": ["object": "AQ", "name": "Laptop"], "audit/verify": ["link": "", "chain": ""],
    ]
}
