import Contracts
import Foundation
import HTTPServer
import Pages
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// The visible text of each page in each language, as a file of `Tests/PageSnapshots`: a text that changes is seen in a review.
///
/// `LATCHKEY_PAGE_SNAPSHOTS=DIRECTORY` writes the files instead of comparing them.
@Suite struct PageSnapshotTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../PageSnapshots")
    static let moment = Moment(milliseconds: 1_690_000_000_000)

    /// A page with the state in which it is shown.
    struct Shown {
        var name: String
        var response: TestResponse
    }

    // MARK: Pages

    private static func account() throws -> Account {
        var account = HostedBrowser.account
        account.hasPassword = true
        account.displayName = "Ada"
        account.passwordChangedAt = moment
        account.secondFactors = HostedBrowser.factors
        account.passkeys = [
            AccountPasskey(
                credentialID: try #require(CredentialID([1, 2])), name: "Laptop", relyingPartyID: "auth.example.org",
                userHandle: OctetString([1]), aaguid: "", isBackedUp: true, createdAt: moment)
        ]
        account.providers = [ProviderLink(providerID: "google.com", providerAccountID: "1", email: "ada@example.com")]
        return account
    }

    static func browser() throws -> HostedBrowser {
        let (browser, account) = (try HostedBrowser(), try account())
        let mesh = browser.harness.mesh
        mesh.reply(to: Identity.ResolveConfiguration.self) { _ in
            var configuration = ProjectConfiguration()
            configuration.authorizedDomains = ["auth.example.org", "app.example.org"]
            configuration.signIn = .init()
            configuration.signIn?.email = .init()
            configuration.signIn?.email?.enabled = true
            configuration.signIn?.email?.passwordRequired = false
            configuration.signIn?.emailCode = .init()
            configuration.signIn?.emailCode?.enabled = true
            configuration.mfa = .init()
            configuration.mfa?.rememberedDeviceDays = 30
            return .init(configuration: configuration, projectNumber: "1", isDisabled: false)
        }
        mesh.reply(to: Passkey.DescribeRelyingParty.self) { _ in
            .init(
                relyingPartyID: "auth.example.org", relatedOrigins: [], appleApps: [], androidApps: [], enrollURL: nil,
                manageURL: nil)
        }
        mesh.reply(to: Identity.LookUpOwnAccount.self) { _ in .init(account: account) }
        mesh.reply(to: Identity.CountRecoveryCodes.self) { _ in .init(remaining: 2) }
        mesh.reply(to: Identity.SendActionCode.self) { _ in throw ServiceError(.emailNotFound) }
        mesh.reply(to: Identity.ListOwnSessions.self) { _ in
            .init(
                sessions: [true, false].map {
                    .init(
                        id: "\($0)", createdAt: moment, lastUsedAt: moment, signInProvider: "password",
                        device: "Firefox (Linux)", network: "192.0.2.0/24", isCurrent: $0)
                }, hasMore: true)
        }
        mesh.reply(to: Identity.ListRememberedDevices.self) { _ in
            .init(devices: [.init(id: "hash", createdAt: moment, lastUsedAt: moment, expiresAt: moment)])
        }
        return browser
    }

    private static func signInPages(_ language: Language) async throws -> [Shown] {
        typealias Pages = HostedSignInPages
        let query = "apiKey=k&hl=\(language.rawValue)"
        let browser = try browser()
        var shown: [Shown] = []
        func get(_ name: String, _ path: String, _ more: String = "") async throws {
            shown.append(Shown(name: name, response: try await browser.get(path, query + more)))
        }
        func post(_ name: String?, _ path: String, _ fields: [String: String]) async throws {
            let response = try await browser.post(path, fields, query: query)
            if let name { shown.append(Shown(name: name, response: response)) }
        }
        try await get("sign-in", Pages.path)
        try await post("sign-in refused", Pages.path, ["email": "no address"])
        try await get("sign-up", Pages.registerPath)
        try await post("sign-up refused", Pages.registerPath, ["email": "ada@example.com", "password": ""])
        try await post(nil, Pages.path, ["email": "ada@example.com"])
        try await get("password", Pages.path, "&step=password")
        try await post("password refused", Pages.passwordPath, ["password": "wrong"])
        try await get("link sent", Pages.path, "&step=linkSent")
        try await get("reset sent", Pages.path, "&step=resetSent")
        try await post(nil, Pages.passwordPath, ["password": "second"])
        try await get("second factor", Pages.path, "&step=secondFactor")
        try await post("second factor refused", Pages.codePath, ["code": "000000"])
        try await get("recovery code", Pages.path, "&step=recoveryCode")
        try await post(nil, Pages.codePath, ["code": "123456"])
        try await get("session", Pages.path)
        shown.append(
            Shown(name: "unknown application", response: try await browser.get(Pages.path, query + "&tenantId=%2F")))
        let stranger = try Self.browser()
        try await stranger.get(Pages.path, query)
        shown.append(
            Shown(
                name: "form of another site",
                response: try await stranger.post(Pages.path, [:], token: "other", query: query)))
        return shown
    }

    private static func accountPages(_ language: Language) async throws -> [Shown] {
        typealias Pages = AccountPages
        let query = "apiKey=k&hl=\(language.rawValue)&continueUrl=https%3A%2F%2Fapp.example.org%2Fhome"
        let browser = try browser()
        keepSession(in: browser)
        let paths: [(name: String, path: String, more: String)] = [
            ("details", Pages.path, "&done=saved"), ("name", Pages.namePath, ""), ("address", Pages.emailPath, ""),
            ("security", Pages.securityPath, ""), ("new password", Pages.passwordPath, ""),
            ("recovery codes", Pages.recoveryCodesPath, ""), ("name of a passkey", Pages.passkeyNamePath, "&id=AQI"),
            ("removal of a password", Pages.removalPath, "&kind=password"),
            ("removal of a passkey", Pages.removalPath, "&kind=passkey&id=AQI"),
            ("removal of a factor", Pages.removalPath, "&kind=factor&id=f1"),
            ("removal of a provider", Pages.removalPath, "&kind=provider&id=google.com"),
            ("devices", Pages.devicesPath, ""), ("connected accounts", Pages.connectionsPath, ""),
            ("data", Pages.dataPath, ""), ("deletion", Pages.deletionPath, ""),
        ]
        var shown: [Shown] = []
        for page in paths {
            let response = try await browser.get(page.path, query + page.more)
            shown.append(Shown(name: "account: \(page.name)", response: response))
        }
        return shown
    }

    /// Its user is signed in.
    static func keepSession(in browser: HostedBrowser) {
        let cookie = HostedCookie(kind: .session, realm: HostedBrowser.account.realm, isSecure: true)
            .field("refresh", seconds: 1).value.halves(at: ";").before.halves(at: "=")
        browser.cookies[String(cookie.before)] = cookie.behind.map(String.init)
    }

    private static func actionPages(_ language: Language) throws -> [Shown] {
        let email = try #require(EmailAddress("ada@example.com"))
        let view = ActionView(
            link: ActionLinkQuery { ["lang": language.rawValue][$0] }, allTexts: language.pageTextSet)
        func shown(_ name: String, _ page: Page) -> Shown {
            Shown(name: "link: \(name)", response: TestResponse(page.response))
        }
        return Identity.ActionPurpose.allCases.flatMap { purpose -> [Shown] in
            let action = Identity.InspectActionCode.Reply(
                purpose: purpose, email: email, newEmail: EmailAddress("grace@example.com"),
                signInMethods: .init(
                    hasPassword: true, hasEmailLink: true, providers: ["google.com"],
                    passkeys: ActionPageTests.passkeys),
                passkeys: ActionPageTests.passkeys)
            return [
                shown("\(purpose)", view.confirmationPage(for: action)),
                shown("\(purpose), done", view.completionPage(for: action)),
            ]
        } + [
            shown(
                "new password refused",
                view.passwordForm(
                    .init(purpose: .passwordReset, email: email), refusal: .init(unmetRequirements: [.hardToGuess])))
        ]
    }

    /// The texts of messages, which depend on nothing.
    private static func messages(_ language: Language) -> [Shown] {
        let texts = language.pageTexts
        let messages: [(name: String, message: PageTexts.Message)] = [
            ("incomplete link", texts.incompleteLink), ("invalid link", texts.invalidLink),
            ("expired link", texts.expiredLink), ("disabled account", texts.accountDisabled),
            ("too many attempts", texts.tooManyAttempts), ("unavailable", texts.unavailable),
            ("sign-in ended", texts.providerSignIn.expired), ("provider refused", texts.providerSignIn.refused),
            ("signed out", texts.hostedSignIn.signedOut), ("deleted", language.accountTexts.deleted),
            (
                "deleted later",
                .init(
                    title: language.accountDeletionTexts.scheduledTitle,
                    body: language.accountDeletionTexts.scheduled(language.date(moment)))
            ),
        ]
        return messages.map { name, message in
            Shown(name: "message: \(name)", response: TestResponse(Page.message(message, in: language).response))
        }
    }

    // MARK: Comparison

    private static func snapshot(_ language: Language) async throws -> String {
        let shown =
            try await signInPages(language) + firstFactorPages(language) + secondFactorPages(language)
            + restorationPages(language) + accountPages(language) + accountCeremonyPages(language)
            + actionPages(language) + messages(language)
        #expect(Set(shown.map(\.name)).count == shown.count)
        return try shown.map { page in
            let visible = try #require(VisibleText(page.response), "\(page.name) is not well formed")
            #expect(page.response.status != 303 && !visible.lines.isEmpty, "\(page.name)")
            return "== \(page.name)\n\n\(visible.lines.joined(separator: "\n"))\n"
        }.joined(separator: "\n")
    }

    @Test(arguments: Language.allCases) func textsAreThoseOfTheSnapshot(language: Language) async throws {
        let text = try await Self.snapshot(language)
        if let folder = ProcessInfo.processInfo.environment["LATCHKEY_PAGE_SNAPSHOTS"] {
            let file = URL(filePath: folder).appending(path: "\(language.rawValue).txt")
            try Data(text.utf8).write(to: file)
            return
        }
        let file = Self.folder.appending(path: "\(language.rawValue).txt")
        let kept = try String(decoding: Data(contentsOf: file), as: UTF8.self)
        let (own, other) = (text.split(separator: "\n"), kept.split(separator: "\n"))
        let difference = zip(own, other).first { $0 != $1 }
        #expect(
            text == kept,
            """
            \(language): \(difference.map { "\($0.0) is not \($0.1)" } ?? "lines were added or removed"). If the change \
            is meant, write the snapshots again and read their difference.
            """)
    }
}
