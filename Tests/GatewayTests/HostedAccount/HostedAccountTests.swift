import Contracts
import FoundationEssentials
import HTTPServer
import Pages
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// The account page of a signed-in user.
@Suite struct HostedAccountTests {
    private typealias Pages = AccountPages

    private static let moment = Moment(milliseconds: 1_700_000_000_000)

    private static func passkey() throws -> AccountPasskey {
        AccountPasskey(
            credentialID: try #require(CredentialID([1, 2])), name: "<b>", relyingPartyID: "auth.example.org",
            userHandle: OctetString([1]), aaguid: "", isBackedUp: true, createdAt: moment)
    }

    /// With a session in its cookie.
    static func browser(_ change: (inout Account) throws -> Void = { _ in }) throws -> HostedBrowser {
        let browser = try HostedBrowser()
        var account = HostedBrowser.account
        account.hasPassword = true
        try change(&account)
        let mesh = browser.harness.mesh
        mesh.reply(to: Identity.LookUpOwnAccount.self) { [account] _ in .init(account: account) }
        mesh.reply(to: Identity.UpdateOwnAccount.self) { [account] request in
            if request.changes.password == Secret("weak") {
                throw ServiceError(.weakPassword, unmetPasswordRequirements: [.atLeast(characters: 12)])
            }
            if request.changes.password == Secret("old sign-in") { throw ServiceError(.recentSignInRequired) }
            return .init(account: account, tokens: tokens)
        }
        let cookie = HostedCookie(kind: .session, realm: account.realm, isSecure: true)
            .field("refresh", seconds: 1).value.halves(at: ";").before.halves(at: "=")
        browser.cookies[String(cookie.before)] = cookie.behind.map(String.init)
        return browser
    }

    /// After a change.
    static let tokens = TokenSet(
        idToken: Secret("next id"), refreshToken: Secret("next"), expiresInSeconds: 3600)

    static func location(_ response: TestResponse) throws -> String {
        #expect(response.status == 303)
        return try #require(response.header("Location"))
    }

    private static let paths =
        [
            Pages.path, Pages.namePath, Pages.emailPath, Pages.securityPath, Pages.passwordPath,
            Pages.authenticatorPath,
            Pages.recoveryCodesPath, Pages.passkeyPath, Pages.passkeyNamePath, Pages.removalPath, Pages.devicesPath,
            Pages.connectionsPath, Pages.dataPath, Pages.deletionPath, Pages.verifyEmailPath, Pages.factorNamePath,
            Pages.connectPath,
        ] + Pages.PhoneTask.allCases.flatMap { [$0.path, $0.codePath] }

    // MARK: Session

    @Test(arguments: paths) func pagesNeedASession(path: String) async throws {
        let browser = try HostedBrowser()
        let location = try Self.location(try await browser.get(path))
        #expect(location.hasPrefix("/__/auth/login?apiKey=k&hl=en&continueUrl=https%3A%2F%2Fauth.example.org%2F__"))
        #expect(location.contains(PercentEncoding.encoded(PercentEncoding.encoded("https://app.example.org/home"))))
    }

    /// Security rules HT6 and HT7.
    @Test func formsOfOtherSitesAreRefused() async throws {
        let browser = try Self.browser()
        try await browser.get(Pages.path)
        let forms =
            [
                Pages.namePath, Pages.emailPath, Pages.verifyEmailPath, Pages.passwordPath, Pages.authenticatorPath,
                Pages.recoveryCodesPath, Pages.passkeyPath, Pages.passkeyNamePath, Pages.removalPath, Pages.devicesPath,
                Pages.dataPath, Pages.deletionPath, Pages.factorNamePath, Pages.connectPath,
            ] + Pages.PhoneTask.allCases.flatMap { [$0.path, $0.codePath] }
        for path in forms {
            #expect(try await browser.post(path, ["kind": "password"], site: "cross-site").status == 403, "\(path)")
            #expect(try await browser.post(path, ["kind": "password"], token: "other").status == 403, "\(path)")
        }
    }

    @Test func oldSignInIsRepeatedAndLeadsBack() async throws {
        let browser = try Self.browser()
        try await browser.get(Pages.passwordPath)
        let location = try Self.location(try await browser.post(Pages.passwordPath, ["password": "old sign-in"]))
        #expect(location.hasPrefix("/__/auth/login?") && location.hasSuffix("&prompt=login&step=password"))
        #expect(location.contains(PercentEncoding.encoded("https://auth.example.org\(Pages.passwordPath)?apiKey=k")))
        let asked = try await browser.get(HostedSignInPages.path, String(location.halves(at: "?").behind ?? ""))
        #expect(asked.text.contains("ada@example.com") && asked.text.contains("current-password"))
    }

    /// The question is asked again after the sign-in.
    @Test func removalIsKeptInMindAtSignIn() async throws {
        let browser = try Self.browser { $0.secondFactors = HostedBrowser.factors }
        browser.harness.mesh.reply(to: Identity.WithdrawFactor.self) { _ in throw ServiceError(.secondFactorRequired) }
        try await browser.get(Pages.removalPath, HostedBrowser.query + "&kind=factor&id=f1")
        let location = try Self.location(try await browser.post(Pages.removalPath, ["kind": "factor", "id": "f1"]))
        #expect(location.contains(PercentEncoding.encoded("&kind=factor&id=f1")))
    }

    /// The session before a repeated sign-in does not stay in the list.
    @Test func signInEndsTheFormerSession() async throws {
        let browser = try Self.browser()
        browser.harness.mesh.reply(to: Identity.ListOwnSessions.self) { _ in
            .init(
                sessions: [
                    .init(
                        id: "former", createdAt: Self.moment, lastUsedAt: Self.moment, signInProvider: "password",
                        isCurrent: true)
                ], hasMore: false)
        }
        browser.harness.mesh.reply(to: Identity.EndOwnSessions.self) { _ in .init() }
        try await browser.get(HostedSignInPages.path, HostedBrowser.query + "&prompt=login")
        _ = try await browser.post(HostedSignInPages.path, ["email": "ada@example.com"])
        _ = try await browser.post(HostedSignInPages.passwordPath, ["password": "right"])
        #expect(browser.harness.mesh.sent(Identity.EndOwnSessions.self).map(\.selection) == [.listed(["former"])])
    }

    // MARK: Your details

    @Test func detailsAreShownAndChanged() async throws {
        let browser = try Self.browser { $0.displayName = "<i>Ada" }
        let page = try await browser.get(Pages.path)
        #expect(page.status == 200 && page.text.contains("&lt;i&gt;Ada") && page.text.contains("Not confirmed"))
        #expect(page.text.contains(#"aria-current="page""#) && page.text.contains("https://app.example.org/home"))
        let done = try await browser.post(Pages.namePath, ["name": "Ada L.", "picture": ""])
        #expect(try Self.location(done).hasSuffix("&done=saved"))
        let change = try #require(browser.harness.mesh.sent(Identity.UpdateOwnAccount.self).first?.changes)
        #expect(change.displayName == "Ada L." && change.photoURL == "")
        #expect(browser.cookies.values.contains("next"))
    }

    @Test func addressChangesByItsLink() async throws {
        let browser = try Self.browser()
        browser.harness.mesh.reply(to: Identity.SendActionCode.self) { request in
            guard let email = request.newEmail.flatMap(EmailAddress.init) else { throw ServiceError(.invalidNewEmail) }
            return .init(email: email)
        }
        try await browser.get(Pages.emailPath)
        let wrong = try await browser.post(Pages.emailPath, ["email": "ada"])
        #expect(wrong.status == 400 && wrong.text.contains("Enter an address such as"))
        let done = try await browser.post(Pages.emailPath, ["email": "new@example.com"])
        #expect(try Self.location(done).hasSuffix("&done=mailSent"))
        let request = try #require(browser.harness.mesh.sent(Identity.SendActionCode.self).last)
        #expect(request.purpose == .verifyAndChangeEmail && request.newEmail == "new@example.com")
    }

    // MARK: Sign-in and security

    @Test func securityPageNamesWhatTheAccountHas() async throws {
        let browser = try Self.browser {
            var unnamed = try Self.passkey()
            unnamed.name = AccountPasskey.defaultName
            $0.passkeys = [try Self.passkey(), unnamed]
            $0.secondFactors = HostedBrowser.factors
        }
        browser.harness.mesh.reply(to: Identity.CountRecoveryCodes.self) { _ in .init(remaining: 2) }
        let page = try await browser.get(Pages.securityPath)
        for text in ["&lt;b&gt;", "A passkey", "Synced", "2 left", "Make new codes", "Remove the password"] {
            #expect(page.text.contains(text), "\(text)")
        }
        #expect(!page.text.contains("Add a passkey") && !page.text.contains(AccountPasskey.defaultName))
    }

    @Test func passwordIsChanged() async throws {
        let browser = try Self.browser()
        try await browser.get(Pages.passwordPath)
        let weak = try await browser.post(Pages.passwordPath, ["password": "weak"])
        #expect(weak.status == 400 && weak.text.contains("at least 12 characters") && !weak.text.contains("\"weak\""))
        let done = try await browser.post(Pages.passwordPath, ["password": "stronger"])
        #expect(try Self.location(done).hasSuffix("&done=saved"))
    }

    @Test func authenticatorAppIsAdded() async throws {
        let browser = try Self.browser()
        let mesh = browser.harness.mesh
        mesh.reply(to: MFATOTP.StartEnrollment.self) { _ in
            .init(
                sharedSecretKey: Secret("KEY"), digits: 6, hashingAlgorithm: "SHA1", periodSeconds: 30,
                sessionInfo: Secret("enrollment"), expiresAt: Self.moment, keyURI: Secret("otpauth://"),
                qrCode: Secret("<svg><path /></svg>"))
        }
        mesh.reply(to: MFATOTP.FinishEnrollment.self) { request in
            guard request.code == Secret("123456"), request.sessionInfo == Secret("enrollment") else {
                throw ServiceError(.invalidCode)
            }
            return .init(account: HostedBrowser.account, tokens: Self.tokens)
        }
        mesh.reply(to: Identity.GenerateRecoveryCodes.self) { _ in .init(codes: [Secret("aaaa-bbbb")]) }
        let page = try await browser.get(Pages.authenticatorPath)
        #expect(page.text.contains("<svg><path /></svg>") && page.text.contains("KEY"))
        let wrong = try await browser.post(Pages.authenticatorPath, ["session": "enrollment", "code": "000000"])
        #expect(
            wrong.status == 400 && wrong.text.contains("That is not the code.") && !wrong.text.contains("<svg><path"))
        let done = try await browser.post(Pages.authenticatorPath, ["session": "enrollment", "code": "123 456"])
        #expect(try Self.location(done).hasPrefix(Pages.recoveryCodesPath))
        mesh.reply(to: Identity.RefreshSession.self) { _ in
            .init(accountID: HostedBrowser.account.id, projectNumber: "1", tokens: Self.tokens)
        }
        let asked = try await browser.follow(done)
        #expect(asked.text.contains("The ones that you have stop working."))
        let codes = try await browser.post(Pages.recoveryCodesPath, [:])
        #expect(codes.status == 200 && codes.text.contains("aaaa-bbbb"))
    }

    /// A session that can only add a second factor adds one.
    @Test func demandedFactorIsAddedFirst() async throws {
        let browser = try Self.browser()
        browser.harness.mesh.reply(to: Identity.ResolveConfiguration.self) { _ in
            var configuration = ProjectConfiguration()
            configuration.authorizedDomains = ["auth.example.org", "app.example.org"]
            configuration.mfa = .init()
            configuration.mfa?.state = .mandatory
            return .init(configuration: configuration, projectNumber: "1", isDisabled: false)
        }
        browser.harness.mesh.reply(to: Identity.ListOwnSessions.self) { _ in throw ServiceError(.secondFactorRequired) }
        #expect(try Self.location(try await browser.get(Pages.devicesPath)).hasPrefix(Pages.authenticatorPath))
    }

    @Test func passkeyIsRenamed() async throws {
        let browser = try Self.browser { $0.passkeys = [try Self.passkey()] }
        let page = try await browser.get(Pages.passkeyNamePath, HostedBrowser.query + "&id=AQI")
        #expect(page.text.contains("&lt;b&gt;"))
        _ = try await browser.post(Pages.passkeyNamePath, ["id": "AQI", "name": "Phone"])
        let change = browser.harness.mesh.sent(Identity.UpdateOwnAccount.self).first?.changes.renamedPasskey
        #expect(change?.name == "Phone")
    }

    // MARK: Removals

    @Test(arguments: [("passkey", "AQI"), ("password", ""), ("provider", "google.com")])
    func removalAsksFirst(kind: String, id: String) async throws {
        let browser = try Self.browser {
            $0.passkeys = [try Self.passkey()]
            $0.providers = [ProviderLink(providerID: "google.com", providerAccountID: "1")]
        }
        let question = try await browser.get(Pages.removalPath, HostedBrowser.query + "&kind=\(kind)&id=\(id)")
        #expect(question.status == 200 && question.text.contains("danger"))
        let done = try await browser.post(Pages.removalPath, ["kind": kind, "id": id])
        #expect(try Self.location(done).hasSuffix("&done=removed"))
        let removals = browser.harness.mesh.sent(Identity.UpdateOwnAccount.self).flatMap(\.changes.removals)
        let expected: Identity.AccountChanges.Removal =
            switch kind {
            case "passkey": .passkey(try Self.passkey().credentialID)
            case "provider": .provider(id)
            default: .password
            }
        #expect(removals == [expected])
    }

    @Test func onlyWayInIsKept() async throws {
        let browser = try Self.browser()
        let page = try await browser.get(Pages.removalPath, HostedBrowser.query + "&kind=password")
        #expect(
            page.status == 400 && page.text.contains("This is the only way to sign in") && !page.text.contains("danger")
        )
        // Identity decides, in the transaction that removes.
        browser.harness.mesh.reply(to: Identity.UpdateOwnAccount.self) { request in
            throw ServiceError(request.changes.keepsWayIn ? .onlyWayIn : .internal)
        }
        let refused = try await browser.post(Pages.removalPath, ["kind": "password"])
        #expect(refused.status == 400 && refused.text.contains("This is the only way to sign in"))
    }

    @Test func factorIsWithdrawn() async throws {
        let browser = try Self.browser { $0.secondFactors = HostedBrowser.factors }
        browser.harness.mesh.reply(to: Identity.WithdrawFactor.self) { _ in
            .init(account: HostedBrowser.account, tokens: Self.tokens)
        }
        try await browser.get(Pages.removalPath, HostedBrowser.query + "&kind=factor&id=f1")
        let done = try await browser.post(Pages.removalPath, ["kind": "factor", "id": "f1"])
        #expect(try Self.location(done).hasSuffix("&done=removed") && browser.cookies.values.contains("next"))
        #expect(browser.harness.mesh.sent(Identity.WithdrawFactor.self).map(\.factorID) == [FactorID("f1")])
    }

    // MARK: Devices and data

    @Test func sessionsAreListedAndEnded() async throws {
        let browser = try Self.browser()
        browser.harness.mesh.reply(to: Identity.ListOwnSessions.self) { _ in
            .init(
                sessions: ["one", "two"].map {
                    .init(
                        id: $0, createdAt: Self.moment, lastUsedAt: Self.moment, signInProvider: "password",
                        device: "Firefox (<Linux>)", network: "192.0.2.0/24", isCurrent: $0 == "one")
                }, hasMore: false)
        }
        browser.harness.mesh.reply(to: Identity.EndOwnSessions.self) { _ in .init() }
        let page = try await browser.get(Pages.devicesPath)
        for text in [
            "This device", "Firefox (&lt;Linux&gt;)", "192.0.2.0/24", "14 November 2023",
            "Last used within the last hour", #"value="two""#,
        ] {
            #expect(page.text.contains(text), "\(text)")
        }
        #expect(!page.text.contains(#"value="one""#))
        #expect(
            try Self.location(try await browser.post(Pages.devicesPath, ["session": "two"])).hasSuffix("done=ended"))
        _ = try await browser.post(Pages.devicesPath, ["others": "1"])
        let ended = browser.harness.mesh.sent(Identity.EndOwnSessions.self).map(\.selection)
        #expect(ended == [.listed(["two"]), .others])
    }

    @Test func dataIsDownloaded() async throws {
        let browser = try Self.browser()
        browser.harness.mesh.reply(to: Identity.DownloadOwnAccount.self) { _ in
            .init(
                account: HostedBrowser.account, sessions: [], hasMoreSessions: false, remainingRecoveryCodes: nil,
                rememberedDevices: [], actionCodes: [], auditRecords: [], hasMoreAuditRecords: false)
        }
        try await browser.get(Pages.dataPath)
        let file = try await browser.post(Pages.dataPath, [:])
        #expect(file.header("Content-Disposition") == #"attachment; filename="account.json""#)
        #expect(file.status == 200 && file.text.contains(#""email":"ada@example.com""#))
    }

    @Test func accountIsDeleted() async throws {
        let browser = try Self.browser()
        browser.harness.mesh.reply(to: Identity.DeleteOwnAccount.self) { _ in .init() }
        let question = try await browser.get(Pages.deletionPath)
        #expect(question.text.contains("Nobody can bring it back.") && question.text.contains("danger"))
        let done = try await browser.post(Pages.deletionPath, [:])
        #expect(done.status == 200 && done.text.contains("Your account is deleted"))
        #expect(!browser.cookies.values.contains("refresh"))
    }

    @Test func accountIsDeletedLater() async throws {
        let browser = try Self.browser()
        let mesh = browser.harness.mesh
        func allowGrace(days: Int) {
            mesh.reply(to: Identity.ResolveConfiguration.self) { _ in
                var configuration = ProjectConfiguration()
                configuration.authorizedDomains = ["auth.example.org", "app.example.org"]
                configuration.accountDeletion = .init()
                configuration.accountDeletion?.graceDays = days
                return .init(configuration: configuration, projectNumber: "1", isDisabled: false)
            }
        }
        allowGrace(days: 30)
        mesh.reply(to: Identity.ScheduleOwnDeletion.self) { _ in
            .init(dueAt: Moment(milliseconds: 1_700_000_000_000))
        }
        mesh.reply(to: Identity.DeleteOwnAccount.self) { _ in .init() }
        let question = try await browser.get(Pages.deletionPath)
        #expect(question.text.contains("in 30 days") && !question.text.contains("Nobody can bring it back."))
        #expect(question.text.contains(#"name="days" value="30""#))
        // Not what the page has said, or does not say any more.
        for fields in [[:], ["days": "0"], ["days": "7"]] {
            #expect(try Self.location(try await browser.post(Pages.deletionPath, fields)).contains("/delete"))
        }
        allowGrace(days: 0)
        #expect(try Self.location(try await browser.post(Pages.deletionPath, ["days": "30"])).contains("/delete"))
        #expect(mesh.sent(Identity.DeleteOwnAccount.self).isEmpty)
        allowGrace(days: 30)
        let done = try await browser.post(Pages.deletionPath, ["days": "30"])
        #expect(done.status == 200 && done.text.contains("It is deleted on 14 November 2023."))
        #expect(!browser.cookies.values.contains("refresh"))
        let request = try #require(mesh.sent(Identity.ScheduleOwnDeletion.self).first)
        #expect(request.restorationURL == "https://auth.example.org/__/auth/login?apiKey=k&hl=en")
        #expect(request.locale == "en" && mesh.sent(Identity.DeleteOwnAccount.self).isEmpty)
    }

    /// A password manager leads its user there.
    @Test func passwordPageIsWellKnown() async throws {
        let harness = try GatewayHarness.production(["LATCHKEY_PROJECT": "shop"])
        harness.mesh.reply(to: Identity.ResolveConfiguration.self) { _ in
            var configuration = ProjectConfiguration()
            configuration.client = .init()
            configuration.client?.apiKey = "k"
            return .init(configuration: configuration, projectNumber: "1", isDisabled: false)
        }
        let found = try await harness.send(.get, "/.well-known/change-password")
        #expect(found.status == 302 && found.header("Location") == "/__/auth/account/password?apiKey=k")
    }

    // MARK: Languages and well-known addresses

    @Test(arguments: Language.allCases) func everyLanguageHasItsTexts(language: Language) async throws {
        let browser = try Self.browser()
        let query = HostedBrowser.query.replacing("hl=en", with: "hl=\(language.rawValue)")
        let page = try await browser.get(Pages.path, query)
        #expect(page.text.contains(#"lang="\#(language.rawValue)""#))
        #expect(page.text.contains(language.accountTexts.security))
    }
}
