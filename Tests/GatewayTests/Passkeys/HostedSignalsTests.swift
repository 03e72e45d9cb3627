import Contracts
import FoundationEssentials
import HTTPServer
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// What the hosted pages tell the password manager of the browser.
@Suite struct HostedSignalsTests {
    /// A browser with a session of an account that has passkeys.
    private static func browser(_ passkeys: [AccountPasskey]) throws -> HostedBrowser {
        let browser = try HostedBrowser()
        var account = HostedBrowser.account
        account.passkeys = passkeys
        browser.harness.mesh.reply(to: Identity.LookUpOwnAccount.self) { [account] _ in .init(account: account) }
        let cookie = HostedCookie(kind: .session, realm: account.realm, isSecure: true)
            .field("refresh", seconds: 1).value.halves(at: ";").before.halves(at: "=")
        browser.cookies[String(cookie.before)] = cookie.behind.map(String.init)
        return browser
    }

    @Test func securityPageNamesThePasskeysOfTheAccount() async throws {
        let browser = try Self.browser([.example(1) { $0.isBackedUp = false }, .example(2) { $0.isBackedUp = true }])
        let response = try await browser.get(AccountPages.securityPath)
        let page = try #require(ReadPage(response))
        let signals = try #require(page.elements.first { $0.attributes["id"] == "passkeySignals" })
        let json = try WireJSON.decode(
            JSONValue.self, from: Data((signals.attributes["data-signals"] ?? "").utf8))
        #expect(json["allAcceptedCredentialIds"] == .array([.string("AQEBAQ"), .string("AgICAg")]))
        #expect(page.all("script").map { $0["src"] } == ["/__/auth/account-signals.js"])
        #expect(response.header("Content-Security-Policy")?.contains("form-action 'self'") == true)
        #expect(page.text.contains("On one device only") && page.text.contains("Synced"))
        let file = try await browser.get("/__/auth/account-signals.js", "")
        #expect(file.status == 200)
    }

    /// The model is that of a list: what an authenticator says about itself is not shown otherwise.
    @Test func knownModelIsNamedBesideTheNameOfItsUser() async throws {
        let named = [
            ("Desk", "cb69481e-8ff7-4039-93ec-0a2729a154a8", true),
            ("Phone", "ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4", true),
            ("YubiKey 5 Series (unverified)", "cb69481e-8ff7-4039-93ec-0a2729a154a8", false), ("Other", "<b>", false),
        ]
        for (name, aaguid, isNamed) in named {
            let browser = try Self.browser([
                .example(1) { passkey in
                    passkey.name = name
                    passkey.aaguid = aaguid
                }
            ])
            let text = try await browser.get(AccountPages.securityPath).text
            let models = ["<bdi>YubiKey 5 Series</bdi> · ", "<bdi>Google Password Manager</bdi> · "]
            #expect(models.contains { text.contains($0) } == isNamed, "\(name)")
            #expect(text.contains(name) && !text.contains("<b>"))
        }
    }

    @Test func accountWithoutPasskeysHasNoScript() async throws {
        let response = try await Self.browser([]).get(AccountPages.securityPath)
        #expect(
            response.status == 200 && !response.text.contains("passkeySignals") && !response.text.contains("<script"))
    }

    /// A passkey that the password manager offers and no account has.
    @Test func unknownPasskeyIsNamedToItsBrowserAlone() async throws {
        let browser = try HostedBrowser()
        browser.harness.mesh.reply(to: Passkey.DescribeRelyingParty.self) { _ in
            .init(
                relyingPartyID: "auth.example.org", relatedOrigins: [], appleApps: [], androidApps: [], enrollURL: nil,
                manageURL: nil)
        }
        let refusals = [ServiceError(.passkeyNotFound), ServiceError(.passkeyChallengeTimedOut)]
        for refusal in refusals {
            browser.harness.mesh.reply(to: Passkey.FinishSignIn.self) { _ in throw refusal }
            try await browser.get(HostedSignInPages.path)
            let refused = try await browser.post(
                HostedSignInPages.passkeyPath,
                [
                    "response":
                        #"{"id":"AQEBAQ","response":{"clientDataJSON":"AQ","authenticatorData":"AQ","signature":"AQ"}}"#
                ])
            let isUnknown = refusal.code == .passkeyNotFound
            #expect(refused.status == 400)
            #expect(
                refused.text.contains(#"data-relying-party="auth.example.org" data-credential="AQEBAQ""#) == isUnknown)
        }
    }
}
