import Contracts
import HTTPServer
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

@Suite struct ConsoleIntegrationTests {
    private static let path = "/console/projects/shop/integrations"
    private static let shop = ProjectID("shop")

    private static func browser(_ role: Identity.OperatorRole = .administrator) throws -> ConsoleBrowser {
        try ConsoleBrowser([.init(role: role)])
    }

    @Test func viewerSeesWhatThereIsAndNoButtons() async throws {
        let viewer = try await Self.browser(.viewer).get(Self.path).text
        let administrator = try await Self.browser().get(Self.path).text
        for text in ["https://&lt;script&gt;", "Webhooks", "Service accounts"] {
            #expect(viewer.contains(text) && administrator.contains(text), "\(text)")
        }
        for page in ["add-webhook", "remove-app", "revoke-key", "add-apns-key"] {
            #expect(!viewer.contains(page) && administrator.contains(page), "\(page)")
        }
        let webhook = try await Self.browser(.viewer).get("\(Self.path)/webhook", "id=ada").text
        #expect(webhook.contains("failed") && !webhook.contains("test-webhook") && !webhook.contains("replay"))
    }

    @Test func secretOfAWebhookIsShownOnce() async throws {
        let browser = try Self.browser()
        let added = try await browser.post(
            "\(Self.path)/add-webhook",
            ["url": "https://a.example/hook", "kinds": "account.created\r\n account.deleted \r\n"])
        #expect(added.status == 200 && added.text.contains("whsec_1"))
        let request = try #require(browser.harness.mesh.sent(Identity.CreateWebhook.self).first)
        #expect(request.project == Self.shop && request.url == "https://a.example/hook")
        #expect(request.kinds == [.created, .deleted] && request.client.operatorName == "ola@example.com")
        for page in ["", "/webhook", "/new-secret", "/remove-webhook"] {
            #expect(try await !browser.get(Self.path + page, "id=ada").text.contains("whsec_"))
        }
        let rotated = try await browser.post("\(Self.path)/new-secret", ["id": "ada"])
        #expect(rotated.text.contains("whsec_2"))
    }

    @Test func refusedWebhookKeepsWhatWasTyped() async throws {
        let browser = try Self.browser()
        let unknown = try await browser.post(
            "\(Self.path)/add-webhook", ["url": "https://a.example", "kinds": "account.eaten"])
        #expect(unknown.status == 400 && unknown.text.contains("account.eaten"))
        #expect(browser.harness.mesh.sent(Identity.CreateWebhook.self).isEmpty)
        browser.harness.mesh.reply(to: Identity.CreateWebhook.self) { _ in
            throw ServiceError(.invalidWebhook, "url is not https.")
        }
        let refused = try await browser.post("\(Self.path)/add-webhook", ["url": "http://a.example"])
        #expect(refused.status == 400 && refused.text.contains("url is not https."))
        #expect(refused.text.contains(#"value="http://a.example""#))
    }

    @Test func eventsAreSentAgainAndWebhooksSwitchedOff() async throws {
        let browser = try Self.browser()
        let replayed = try await browser.post("\(Self.path)/replay", ["id": "ada", "object": "evt_1"])
        #expect(replayed.header("Location") == "\(Self.path)/webhook?id=ada&done=done")
        let request = try #require(browser.harness.mesh.sent(Notifier.ReplayAccountEvents.self).first)
        #expect(request.project == Self.shop && request.eventIDs == [AccountEventID("evt_1")])
        for (state, isDisabled) in [("off", true), ("on", false)] {
            _ = try await browser.post("\(Self.path)/switch-webhook", ["id": "ada", "state": state])
            #expect(browser.harness.mesh.sent(Identity.UpdateWebhook.self).last?.isDisabled == isDisabled)
        }
    }

    @Test func keyFileOfAServiceAccountIsShownOnce() async throws {
        let browser = try Self.browser()
        let refused = try await browser.post("\(Self.path)/add-key", ["name": "Shop Backend"])
        #expect(refused.status == 400 && browser.harness.mesh.sent(Identity.AddServiceAccountKey.self).isEmpty)
        let created = try await browser.post("\(Self.path)/add-key", ["name": "backend"])
        #expect(created.text.contains("PRIVATE KEY") && created.text.contains("backend@shop.iam.gserviceaccount.com"))
        #expect(created.text.contains("http://127.0.0.1:9098/token"))
        let request = try #require(browser.harness.mesh.sent(Identity.AddServiceAccountKey.self).first)
        #expect(request.key.project == Self.shop && request.client?.operatorName == "ola@example.com")
        #expect(try await !browser.get(Self.path).text.contains("PRIVATE KEY"))
    }

    /// The keys of service accounts have one address for all projects.
    @Test func keyOfAnotherProjectIsNotRevoked() async throws {
        let browser = try Self.browser()
        let other = try await browser.post("\(Self.path)/revoke-key", ["id": "other"])
        #expect(other.status == 404 && browser.harness.mesh.sent(Identity.RemoveServiceAccountKeys.self).isEmpty)
        let own = try await browser.post("\(Self.path)/revoke-key", ["id": "ada"])
        #expect(own.status == 303)
        let request = try #require(browser.harness.mesh.sent(Identity.RemoveServiceAccountKeys.self).first)
        #expect(request.email == ConsoleBrowser.serviceAccount.email && request.keyID == "ada")
    }

    @Test func pushKeyIsAddedAndNotShown() async throws {
        let browser = try Self.browser()
        let form = [
            "bundleID": "com.example.shop", "keyID": "ABC123DEFG", "teamID": "DEF123GHIJ", "environment": "BOTH",
            "privateKey": "the-key",
        ]
        #expect(try await browser.post("\(Self.path)/add-apns-key", form).status == 303)
        let request = try #require(browser.harness.mesh.sent(Notifier.AddAPNsKey.self).first)
        #expect(request.project == Self.shop && request.privateKey.reveal() == "the-key")
        browser.harness.mesh.reply(to: Notifier.AddAPNsKey.self) { _ in
            throw ServiceError(.invalidAPNsKey, "privateKey is not a P-256 key.")
        }
        let refused = try await browser.post("\(Self.path)/add-apns-key", form)
        #expect(refused.status == 400 && refused.text.contains("privateKey is not a P-256 key."))
        #expect(refused.text.contains("com.example.shop") && !refused.text.contains("the-key"))
    }

    @Test func functionsAreChangedAndRemoved() async throws {
        let browser = try Self.browser()
        let path = "\(Self.path)/functions"
        let form = ["revision": "3", "beforeCreate": "https://a.example/f", "idToken": "on", "accessToken": "off"]
        #expect(try await browser.post(path, form).status == 303)
        let changed = try #require(browser.harness.mesh.sent(Identity.ReplaceConfiguration.self).first)
        let functions = try #require(changed.configuration.blockingFunctions)
        #expect(functions.triggers?.mapValues(\.functionUri) == ["beforeCreate": "https://a.example/f"])
        #expect(functions.forwardInboundCredentials?.idToken == true)
        #expect(functions.forwardInboundCredentials?.accessToken == false && changed.expectedRevision == 3)
        #expect(changed.client.operatorName == "ola@example.com")
        #expect(try await browser.post(path, ["revision": "2"]).status == 400, "others have changed it")
        #expect(try await browser.post(path, ["revision": "3", "beforeCreate": ""]).status == 303)
        let removed = browser.harness.mesh.sent(Identity.ReplaceConfiguration.self).last
        #expect(removed?.configuration.blockingFunctions?.triggers == [:])
        browser.harness.mesh.reply(to: Identity.ReplaceConfiguration.self) { _ in
            throw ServiceError(.invalidBlockingFunction, "must be an https URL")
        }
        let refused = try await browser.post(path, ["revision": "3", "beforeCreate": "http://a.example"])
        #expect(refused.text.contains("must be an https URL") && refused.text.contains(#"value="http://a.example""#))
    }

    @Test func codeOfApplicationsHasTheKeyAndTheAddress() async throws {
        let browser = try Self.browser(.viewer)
        browser.harness.mesh.reply(to: Identity.ReadConfiguration.self) { _ in
            var configuration = ProjectConfiguration()
            configuration.client = .init()
            configuration.client?.apiKey = "the-api-key"
            var app = ProjectConfiguration.MobileApp()
            app.bundleId = "com.example.shop"
            configuration.mobileApps = [app]
            return .init(configuration: configuration, revision: 1, projectNumber: "123")
        }
        let page = try await browser.get("\(Self.path)/code").text
        #expect(page.contains("the-api-key") && page.contains("initializeApp") && page.contains("com.example.shop"))
    }
}
