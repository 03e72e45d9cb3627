import CommandLineArguments
import ConfigurationDocuments
import Contracts
import Foundation
import JSON
import ServiceRuntime
import Testing

@testable import LatchkeyProgram

/// The files of `latchkey client-config`.
@Suite struct ClientConfigurationTests {
    private static let configuration = ClientConfiguration(
        project: "shop", projectNumber: "123456789012", apiKey: "lk-a&<b>\"", publicURL: "https://auth.example.com")

    @Test func propertyListHasTheKeysOfTheLibrary() throws {
        let application = ClientApplication(.ios, "org.example.app", projectNumber: "123456789012")
        let text = Self.configuration.propertyList(of: application)
        let list = try PropertyListSerialization.propertyList(from: Data(text.utf8), format: nil)
        let members = try #require(list as? [String: Any])
        #expect(members["API_KEY"] as? String == "lk-a&<b>\"")
        #expect(members["GCM_SENDER_ID"] as? String == "123456789012")
        #expect(members["SERVER_URL"] as? String == Self.configuration.publicURL)
        #expect(members["PROJECT_ID"] as? String == "shop")
        #expect(members["BUNDLE_ID"] as? String == "org.example.app")
        #expect(members["PLIST_VERSION"] as? String == "1")
        #expect(members["IS_SIGNIN_ENABLED"] as? Bool == true)
        let appID = try #require(members["GOOGLE_APP_ID"] as? String)
        #expect(ClientApplication.isAppID(appID, .ios) && !ClientApplication.isAppID(appID, .android))
    }

    /// The guides tell to copy the reversed client ID into the URL schemes of the application.
    @Test func propertyListHasTheClientIDAndItsReverse() throws {
        typealias App = ProjectConfiguration.MobileApp
        var withClient = App()
        withClient.bundleId = "org.example.app"
        withClient.clientId = "5501-abc.apps.example.com"
        var withoutClient = withClient
        withoutClient.clientId = nil
        func members(_ registered: App?, clientID: String? = nil) throws -> [String: Any] {
            let application = ClientApplication.ios(
                "org.example.app", projectNumber: "1", registered: registered, clientID: clientID)
            let text = Self.configuration.propertyList(of: application)
            let list = try PropertyListSerialization.propertyList(from: Data(text.utf8), format: nil)
            return list as? [String: Any] ?? [:]
        }
        let known = try members(withClient)
        #expect(known["CLIENT_ID"] as? String == "5501-abc.apps.example.com")
        #expect(known["REVERSED_CLIENT_ID"] as? String == "com.example.apps.5501-abc")
        #expect(try members(withoutClient)["CLIENT_ID"] == nil)
        #expect(try members(withoutClient)["REVERSED_CLIENT_ID"] == nil)
        #expect(try members(withClient, clientID: "a.b")["REVERSED_CLIENT_ID"] as? String == "b.a")
        let derived = try members(nil)
        #expect(App.isClientID(try #require(derived["CLIENT_ID"] as? String)))
        #expect((derived["REVERSED_CLIENT_ID"] as? String)?.hasPrefix("latchkey.apps.1-") == true)
        #expect(try members(nil)["CLIENT_ID"] as? String == derived["CLIENT_ID"] as? String)
    }

    @Test func servicesNameTheApplication() {
        let application = ClientApplication(
            .android, "org.example.app", projectNumber: "123456789012", appID: "1:5:android:0a")
        let document = Self.configuration.services(of: application)
        #expect(document["project_info"]?["project_number"] == .string("123456789012"))
        guard case .array(let clients)? = document["client"], let client = clients.first else {
            Issue.record("no client")
            return
        }
        #expect(client["client_info"]?["mobilesdk_app_id"] == .string("1:5:android:0a"))
        #expect(client["client_info"]?["android_client_info"]?["package_name"] == .string("org.example.app"))
        #expect(client["api_key"] == .array([.object(["current_key": .string("lk-a&<b>\"")])]))
    }

    /// A command with the data directory alone knows what the mesh there has said about itself.
    @Test func descriptionOfTheMeshCompletesTheSettings() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path + "/run", withIntermediateDirectories: false)
        let given = Environment([
            "LATCHKEY_DATA": folder.path, "LATCHKEY_PROJECT": "shop", "LATCHKEY_PUBLIC_URL": "https://auth.shop.test",
            "LATCHKEY_LISTEN": "127.0.0.1:7001", "LATCHKEY_ONLY": "gateway",
            "LATCHKEY_SMTP_URL": "smtp://u:s3cret@mail.shop.test",
        ])
        let commands = Environment(["LATCHKEY_DATA": folder.path])
        #expect(MeshDescription.completing(commands).entries == commands.entries)
        try MeshDescription.write(try UpSettings(given), given, in: folder.path + "/run")
        let text = try String(contentsOfFile: folder.path + "/run/mesh.env", encoding: .utf8)
        #expect(!text.contains("s3cret"))
        let completed = MeshDescription.completing(commands)
        #expect(completed["LATCHKEY_PROJECT"] == "shop" && completed["LATCHKEY_DEV"] == nil)
        #expect(completed["LATCHKEY_ONLY"] == "gateway")
        let addresses = try MeshAddresses(commands)
        #expect(addresses.publicURL == "https://auth.shop.test" && addresses.adminURL == "http://127.0.0.1:9098")
        // What the command says wins, and brokers name another mesh.
        let other = commands.changing(["LATCHKEY_PROJECT": "other"])
        #expect(MeshDescription.completing(other)["LATCHKEY_PROJECT"] == "other")
        let elsewhere = commands.changing(["LATCHKEY_BROKERS": "ipc:///run/b.sock"])
        #expect(MeshDescription.completing(elsewhere)["LATCHKEY_PROJECT"] == nil)
    }

    @Test func snippetEscapesItsValues() throws {
        let text = try Self.configuration.webSnippet()
        #expect(text.contains(#"apiKey: "lk-a&\u003cb>\"","#))
        #expect(text.contains(#"authDomain: "auth.example.com","#))
        #expect(text.contains(#"connectAuthEmulator(auth, "https://auth.example.com""#))
        #expect(text.contains("appVerificationDisabledForTesting = false;"))
    }

    @Test func derivedAppIDIsStable() {
        let first = ClientApplication(.ios, "org.example.app", projectNumber: "1")
        #expect(first == ClientApplication(.ios, "org.example.app", projectNumber: "1"))
        #expect(first.appID != ClientApplication(.ios, "org.example.other", projectNumber: "1").appID)
    }

    @Test(arguments: ["app", "a..b", "a b.c", "<a>.b", String(repeating: "a.", count: 90) + "a"])
    func malformedIdentifierIsRefused(text: String) { #expect(!ClientApplication.isIdentifier(text)) }

    @Test(arguments: ["1:2:ios", "1:2:android:0a", "a:2:ios:0a", "1:2:ios:xyz", "1:2:ios:", ""])
    func malformedAppIDIsRefused(text: String) { #expect(!ClientApplication.isAppID(text, .ios)) }

    @Test func publicURLIsRequiredOutsideDevMode() {
        let environment = Environment(["LATCHKEY_BROKERS": "ipc:///tmp/none.sock", "LATCHKEY_PROJECT": "shop"])
        let error = #expect(throws: UsageError.self) {
            try WebClientConfigurationCommand(words: [], over: environment)
        }
        #expect(error?.sentence.contains("LATCHKEY_PUBLIC_URL") == true)
    }

    @Test func documentIsIndented() {
        let document = JSONValue.object(["b": .array([.integer(1), .bool(true)]), "a": .object([:])])
        #expect(
            IndentedJSON.text(document) == """
                {
                  "a": {},
                  "b": [
                    1,
                    true
                  ]
                }
                """)
    }
}
