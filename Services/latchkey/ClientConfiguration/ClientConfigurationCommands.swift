import Bus
import CommandLineArguments
import ConfigurationDocuments
import Contracts
import ServiceRuntime
import Settings
import Vocabulary

/// The project and the address of the commands about client configurations.
struct ClientConfigurationArguments: Sendable {
    private static let publicURL = CommandOption(
        "public-url", value: "URL", overrides: .publicURL, "URL of the public listener for applications")
    static let options: [CommandOption] = [publicURL] + MeshArguments.projectOptions

    private let publicURL: String
    private let target: ProjectArguments

    /// - Throws: `UsageError` without a public URL, `SettingsError`, and `LauncherError` if the mesh does not run.
    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        guard let publicURL = try MeshAddresses(environment).publicURL else {
            throw UsageError("An application needs the public URL: set LATCHKEY_PUBLIC_URL, or add --public-url.")
        }
        self.publicURL = publicURL
        target = try ProjectArguments(arguments, environment)
    }

    /// - Returns: the configuration, and the registered iOS applications of the project.
    /// - Throws: `ProjectCommandError` without such a project or without an API key.
    func load() async throws -> (ClientConfiguration, [ProjectConfiguration.MobileApp]) {
        try await target.mesh.withRequests(load)
    }

    func load(_ bus: any BusRequestSending) async throws -> (ClientConfiguration, [ProjectConfiguration.MobileApp]) {
        guard let project = try await bus.project(target.project) else {
            throw ProjectCommandError.noProject(target.project)
        }
        guard !project.apiKey.isEmpty else {
            throw ProjectCommandError.nothingToDo("The project \(project.id) has no API key.")
        }
        let reply = try await bus.send(
            Identity.ReadConfiguration(project: target.project), .ofOperator())
        return (
            ClientConfiguration(
                project: project.id.rawValue, projectNumber: project.number, apiKey: project.apiKey,
                publicURL: publicURL),
            reply.configuration.iosApps
        )
    }
}

/// `latchkey client-config web`.
struct WebClientConfigurationCommand: Command {
    static let declaration = CommandDeclaration(
        "web", "print the code that connects a web application", options: ClientConfigurationArguments.options)

    private let arguments: ClientConfigurationArguments

    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        self.arguments = try ClientConfigurationArguments(arguments, environment)
    }

    func run() async throws { print(try await arguments.load().0.webSnippet()) }
}

/// `latchkey client-config ios BUNDLE-ID`.
struct IOSClientConfigurationCommand: Command {
    private static let bundleID = Operand("BUNDLE-ID", "bundle ID of the application, such as org.example.app")
    private static let appID = CommandOption(
        "app-id", value: "ID", "app ID, such as 1:123:ios:0a1b; without it, that of the configuration or a derived one")

    private static let clientID = CommandOption(
        "client-id", value: "ID",
        "client ID, such as 5501-abc.apps.example.com; without it, that of the configuration or a derived one")

    static let declaration = CommandDeclaration(
        "ios", "print GoogleService-Info.plist of an iOS application",
        operands: [bundleID], options: [appID, clientID] + ClientConfigurationArguments.options)

    private let bundleID: String
    private let appID: String?
    private let clientID: String?
    private let arguments: ClientConfigurationArguments

    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        bundleID = try ClientApplication.identifier(arguments[Self.bundleID])
        appID = try ClientApplication.appID(arguments.value(Self.appID), .ios)
        clientID = try ClientApplication.clientID(arguments.value(Self.clientID))
        self.arguments = try ClientConfigurationArguments(arguments, environment)
    }

    func run() async throws {
        let (configuration, apps) = try await arguments.load()
        let application = ClientApplication.ios(
            bundleID, projectNumber: configuration.projectNumber,
            registered: apps.first { $0.bundleId == bundleID }, appID: appID, clientID: clientID)
        print(configuration.propertyList(of: application))
    }
}

/// `latchkey client-config android PACKAGE`.
struct AndroidClientConfigurationCommand: Command {
    private static let package = Operand("PACKAGE", "package name of the application, such as org.example.app")
    private static let appID = CommandOption(
        "app-id", value: "ID", "app ID, such as 1:123:android:0a1b; without it, a derived one")

    static let declaration = CommandDeclaration(
        "android", "print google-services.json of an Android application",
        operands: [package], options: [appID] + ClientConfigurationArguments.options)

    private let packageName: String
    private let appID: String?
    private let arguments: ClientConfigurationArguments

    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        packageName = try ClientApplication.identifier(arguments[Self.package])
        appID = try ClientApplication.appID(arguments.value(Self.appID), .android)
        self.arguments = try ClientConfigurationArguments(arguments, environment)
    }

    func run() async throws {
        let configuration = try await arguments.load().0
        let application = ClientApplication(
            .android, packageName, projectNumber: configuration.projectNumber, appID: appID)
        print(IndentedJSON.text(configuration.services(of: application)))
    }
}

extension ClientApplication {
    /// - Throws: `UsageError` for a text that is neither a bundle ID nor a package name.
    fileprivate static func identifier(_ text: String) throws(UsageError) -> String {
        guard isIdentifier(text) else {
            throw UsageError("\(UsageError.quoted(text)) is no bundle ID or package name, such as org.example.app.")
        }
        return text
    }

    /// - Throws: `UsageError` for a text that is no client ID.
    fileprivate static func clientID(_ text: String?) throws(UsageError) -> String? {
        guard let text else { return nil }
        guard ProjectConfiguration.MobileApp.isClientID(text) else {
            throw UsageError("--client-id has the form 5501-abc.apps.example.com.")
        }
        return text
    }

    /// - Throws: `UsageError` for a text that is no app ID of the platform.
    fileprivate static func appID(_ text: String?, _ platform: Platform) throws(UsageError) -> String? {
        guard let text else { return nil }
        guard isAppID(text, platform) else {
            throw UsageError("--app-id has the form 1:123456789012:\(platform.rawValue):0a1b2c3d.")
        }
        return text
    }
}
