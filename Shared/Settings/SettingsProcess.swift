package import Contracts

/// An executable that reads settings: the operator's command, or one of the services.
package enum SettingsProcess: Hashable, Sendable, CaseIterable {
    /// `latchkey`, with all its subcommands.
    case latchkey
    case service(ServiceName)

    package static let allCases: [SettingsProcess] = [.latchkey] + ServiceName.allCases.map(Self.service)

    /// The name of the executable.
    package var name: String {
        switch self {
        case .latchkey: "latchkey"
        case .service(let service): service.rawValue
        }
    }

    /// - Returns: nil if no executable has this name.
    package init?(name: String) {
        guard let process = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = process
    }

    static let broker = Self.service(.broker)
    static let gateway = Self.service(.gateway)
    static let identity = Self.service(.identity)
    static let mfaSMS = Self.service(.mfaSMS)
    static let passkey = Self.service(.passkey)
    static let federation = Self.service(.federation)
    static let notifier = Self.service(.notifier)
}

extension Set<SettingsProcess> {
    /// All executables.
    static var all: Self { Set(SettingsProcess.allCases) }
    /// Every process of the mesh.
    static var services: Self { Set(ServiceName.allCases.map(SettingsProcess.service)) }
    /// The processes with a database.
    static var databaseOwners: Self { Set(ServiceName.allCases.filter(\.ownsData).map(SettingsProcess.service)) }
}

extension ServiceName {
    /// Whether the service has its own database, with secrets in it.
    package var ownsData: Bool {
        switch self {
        case .broker, .gateway: false
        case .identity, .mfaSMS, .mfaTOTP, .passkey, .federation, .notifier: true
        }
    }
}
