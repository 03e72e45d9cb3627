package import Contracts
package import ServiceRuntime
import Settings
import Vocabulary

/// The processes of one mesh with their names, environments and listen addresses.
package struct MeshPlan: Sendable {
    /// One process.
    package struct PlannedProcess: Sendable {
        package var service: ServiceName
        /// Unique, for example `identity.1`.
        package var instance: String
        package var environment: Environment
        /// For the table in the output of `latchkey up`.
        package var listens: String
        /// Whether it is a broker, or contains one.
        var isBroker: Bool { environment[.brokerListen] != nil }
    }

    /// Processes `broker` first: all others connect to them.
    package var processes: [PlannedProcess]

    /// - Parameters:
    ///   - environment: of the operator.
    ///   - masterKeyFile: nil if the master key is in the environment.
    ///   - brokers: the endpoints of the mesh's own brokers.
    ///   - allBrokers: the addresses of every broker, as the other processes connect to them. Nil if they are those of
    ///     the settings and these.
    package init(
        _ settings: UpSettings, _ environment: Environment, dataDirectory: String, masterKeyFile: String?,
        brokers: [String], allBrokers: [String]? = nil
    ) {
        let allBrokers = allBrokers ?? settings.externalBrokers + brokers
        let shared: [Setting: String?] = [
            .data: dataDirectory,
            .dev: settings.isDev ? "1" : nil,
            .project: settings.project?.rawValue,
            .log: settings.log.level.rawValue,
            .logFormat: settings.log.format.rawValue,
            .masterKeyFile: masterKeyFile,
            .brokers: allBrokers.joined(separator: ","),
            .brokerListen: nil,
            .listen: nil,
            .adminListen: nil,
            .lifeline: "stdin",
            .sharedAddress: nil,
        ]
        let base = environment.changing(shared)
        processes = ServiceName.allCases.flatMap { service in
            (0..<settings.processes[service, default: 0]).map { number in
                let instance = "\(service.rawValue).\(number + 1)"
                var own: [Setting: String?] = [.instance: instance]
                var listens = ""
                switch service {
                case .broker:
                    own[.brokerListen] = brokers[number]
                    listens = brokers[number]
                case .gateway:
                    own[.listen] = settings.listen.description
                    own[.adminListen] = settings.adminListen?.description
                    listens = "http://\(settings.listen)"
                    if let admin = settings.adminListen { listens += "  admin http://\(admin)" }
                    if settings.processes[.gateway, default: 1] > 1 { own[.sharedAddress] = "1" }
                    if settings.containsBroker { own[.brokerListen] = brokers[number] }
                case .identity, .notifier:
                    // The gateway knows its address. Services that create links or callback URLs need it as a setting.
                    if settings.isDev, environment[.publicURL] == nil {
                        own[.publicURL] = "http://\(settings.listen)"
                    }
                case .mfaSMS, .mfaTOTP, .passkey, .federation:
                    break
                }
                return PlannedProcess(
                    service: service, instance: instance,
                    environment: ChildEnvironment.visible(to: service, of: base).changing(own), listens: listens)
            }
        }
    }

    /// Whether the mesh cannot work without it: every request needs it, or it is the only service here.
    private func isEssential(_ service: ServiceName) -> Bool {
        switch service {
        case .broker, .gateway, .identity: true
        case .mfaSMS, .mfaTOTP, .passkey, .federation, .notifier:
            processes.allSatisfy { $0.service == service || $0.service == .broker }
        }
    }

    /// The processes in the order in which a mesh in one process starts them: each stops before those that precede it.
    var inOrderOfStart: [PlannedProcess] {
        zip(processes, members).sorted { $0.1.stopStage > $1.1.stopStage }.map(\.0)
    }

    /// The gateway stops first, so that no new request enters; the brokers stop last, so that running requests get
    /// replies. A gateway that contains a broker closes first and stops last.
    package var members: [SupervisorState.Member] {
        processes.map { process in
            let stage =
                switch process.service {
                case .gateway: process.isBroker ? 2 : 0
                case .identity, .mfaSMS, .mfaTOTP, .passkey, .federation, .notifier: 1
                case .broker: 2
                }
            return .init(
                process.instance, stopStage: stage, isEssential: isEssential(process.service),
                joinsBus: process.service != .broker,
                closesFirst: process.service == .gateway && process.isBroker)
        }
    }
}
