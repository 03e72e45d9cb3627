package import Contracts
package import ServiceRuntime
internal import Vocabulary

/// The processes of one mesh: what each is called, started with, and listens on.
package struct MeshPlan: Sendable {
    /// One process.
    package struct Process: Sendable {
        package var service: ServiceName
        /// Unique, for example `identity.1`.
        package var instance: String
        package var environment: Environment
        /// For the table that people read.
        package var listens: String
    }

    /// Brokers first: everybody else connects to them.
    package var processes: [Process]

    /// - Parameters:
    ///   - environment: the operator's.
    ///   - masterKeyFile: nil when the master key is in the environment.
    ///   - brokers: the endpoints of the mesh's own brokers.
    package init(
        _ settings: UpSettings, _ environment: Environment, dataDirectory: String, masterKeyFile: String?,
        brokers: [String]
    ) {
        let allBrokers = settings.foreignBrokers + brokers
        let shared: [String: String?] = [
            "LATCHKEY_DATA": dataDirectory,
            "LATCHKEY_DEV": settings.isDev ? "1" : nil,
            "LATCHKEY_PROJECT": settings.project?.rawValue,
            "LATCHKEY_LOG": settings.log.setting,
            "LATCHKEY_MASTER_KEY_FILE": masterKeyFile,
            "LATCHKEY_BROKERS": allBrokers.joined(separator: ","),
            "LATCHKEY_LISTEN": nil,
            "LATCHKEY_ADMIN_LISTEN": nil,
            "LATCHKEY_SCALE": nil,
            "LATCHKEY_ONLY": nil,
            ProcessSignals.lifelineVariable: "stdin",
        ]
        let base = environment.changing(shared)
        processes = ServiceName.allCases.flatMap { service in
            (0..<settings.processes[service, default: 0]).map { number in
                let instance = "\(service.rawValue).\(number + 1)"
                var own: [String: String?] = ["LATCHKEY_INSTANCE": instance]
                var listens = ""
                switch service {
                case .broker:
                    own["LATCHKEY_BROKER_LISTEN"] = brokers[number]
                    listens = brokers[number]
                case .gateway:
                    own["LATCHKEY_LISTEN"] = settings.listen.description
                    own["LATCHKEY_ADMIN_LISTEN"] = settings.adminListen?.description
                    listens = "http://\(settings.listen)"
                    if let admin = settings.adminListen { listens += "  admin http://\(admin)" }
                case .identity, .notifier:
                    // The gateway knows where it listens; whoever writes links, or says where receipts go, must be told.
                    if settings.isDev, environment["LATCHKEY_PUBLIC_URL"] == nil {
                        own["LATCHKEY_PUBLIC_URL"] = "http://\(settings.listen)"
                    }
                case .mfaSMS, .mfaTOTP, .passkey, .federation:
                    break
                }
                return Process(
                    service: service, instance: instance,
                    environment: ChildEnvironment.visible(to: service, of: base).changing(own), listens: listens)
            }
        }
    }

    /// Whether nothing can work without it: what every request needs, and a service that is alone here.
    private func isEssential(_ service: ServiceName) -> Bool {
        switch service {
        case .broker, .gateway, .identity: true
        case .mfaSMS, .mfaTOTP, .passkey, .federation, .notifier:
            processes.allSatisfy { $0.service == service || $0.service == .broker }
        }
    }

    /// The gateway stops first, so that nothing new comes in; the brokers last, so that what runs can be answered.
    package var members: [SupervisorState.Member] {
        processes.map { process in
            let stage =
                switch process.service {
                case .gateway: 0
                case .identity, .mfaSMS, .mfaTOTP, .passkey, .federation, .notifier: 1
                case .broker: 2
                }
            return .init(process.instance, stopStage: stage, isEssential: isEssential(process.service))
        }
    }
}
