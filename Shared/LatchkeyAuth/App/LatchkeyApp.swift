import Foundation

/// The connection of an application to one project of one server.
///
/// Most applications have one, which they configure at the start:
///
/// ```swift
/// LatchkeyApp.configure(LatchkeyOptions(apiKey: "…", serverURL: URL(string: "https://auth.example.org")))
/// ```
public final class LatchkeyApp: Sendable {
    /// The name of the application that ``Auth/auth()`` uses.
    public static let defaultName = "[DEFAULT]"

    /// The name; part of the key under which the session is stored.
    public let name: String
    /// The options at the configuration.
    public let options: LatchkeyOptions
    let auth: Auth

    /// An application apart from the configured ones, such as one of several projects of a server.
    /// - Parameters:
    ///   - name: distinct for each application with stored sessions.
    ///   - options: the server and the project.
    ///   - persistence: where the session is stored.
    public convenience init(
        name: String = LatchkeyApp.defaultName, options: LatchkeyOptions, persistence: AuthPersistence = .automatic
    ) {
        self.init(name: name, options: options, persistence: persistence, transport: .urlSession(), clock: .system)
    }

    /// An application of the given network and time, as tests use it.
    package init(
        name: String, options: LatchkeyOptions, persistence: AuthPersistence, transport: HTTPTransport,
        clock: AuthClock
    ) {
        self.name = name
        self.options = options
        let account = "\(name).\(options.projectID ?? options.apiKey)"
        auth = Auth(
            options: options, storage: persistence.storage(for: account), transport: transport, clock: clock,
            groupStorage: { AuthPersistence.groupStorage(for: account, accessGroup: $0) })
        auth.app = self
    }

    // MARK: - The configured applications

    private static let configured = Locked<[String: LatchkeyApp]>([:])

    /// Configures the default application from the `GoogleService-Info.plist` of the main bundle.
    ///
    /// Ends the process if the file is missing or malformed: the application was built without its configuration.
    public static func configure() {
        guard let file = Bundle.main.url(forResource: "GoogleService-Info", withExtension: "plist") else {
            preconditionFailure("The main bundle has no GoogleService-Info.plist.")
        }
        do {
            configure(try LatchkeyOptions(contentsOf: file))
        } catch {
            preconditionFailure("GoogleService-Info.plist cannot be used: \(error)")
        }
    }

    /// Configures the default application. A second call replaces it.
    public static func configure(_ options: LatchkeyOptions, persistence: AuthPersistence = .automatic) {
        configure(name: defaultName, options: options, persistence: persistence)
    }

    /// Configures the default application. A second call replaces it.
    public static func configure(options: LatchkeyOptions) {
        configure(name: defaultName, options: options)
    }

    /// Configures an application with a name. A second call with the same name replaces it.
    public static func configure(
        name: String, options: LatchkeyOptions, persistence: AuthPersistence = .automatic
    ) {
        let app = LatchkeyApp(name: name, options: options, persistence: persistence)
        configured.withLock { $0[name] = app }
    }

    /// The default application; nil before it was configured.
    public static func app() -> LatchkeyApp? { app(name: defaultName) }

    /// The application with a name; nil before it was configured.
    public static func app(name: String) -> LatchkeyApp? { configured.withLock { $0[name] } }
}
