import ServiceRuntime
import Settings

/// The addresses at which applications and backends reach the mesh, by the settings of `latchkey up`.
struct MeshAddresses: Sendable, Equatable {
    /// For web and mobile applications; nil if the settings name none.
    let publicURL: String?
    /// For backends with a service account; nil if the settings name none that other processes can use.
    let adminURL: String?

    /// - Throws: `SettingsError`.
    init(_ environment: Environment) throws {
        let environment = MeshDescription.completing(environment)
        var reader = SettingsReader(environment, of: .latchkey)
        let namesNoMesh = [Setting.data, .brokers].allSatisfy { reader.optionalString($0) == nil }
        let isDev = reader.boolean(.dev) || namesNoMesh
        let listen = reader.hostPort(.listen, default: UpSettings.defaultListen)
        let ownAdmin = reader.hostPort(.adminListen, default: .init(host: "127.0.0.1", port: 9098))
        let admin = isDev && environment[.adminListen] == nil ? listen : ownAdmin
        publicURL = reader.origin(
            .publicURL, default: isDev ? Self.url(of: listen) : nil, example: "https://auth.example.com")
        adminURL = reader.origin(.adminURL, default: Self.url(of: admin), example: "https://admin.auth.example.com")
        try reader.finish()
    }

    /// Nil for every address of the machine, and for a port that the kernel chooses: neither is a destination.
    private static func url(of address: HostPort) -> String? {
        guard address.port != 0, !["0.0.0.0", "::"].contains(address.host) else { return nil }
        return "http://\(address)"
    }
}
