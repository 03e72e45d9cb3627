import Bus
package import Contracts
package import MasterKey
package import ServiceRuntime
import Settings
import Storage
import UserFiles
package import Vocabulary

/// The settings of `latchkey up`.
package struct UpSettings: Sendable {
    package var isDev: Bool
    package var dataDirectory: String
    package var listen: HostPort
    /// Nil: the admin endpoints are on the public listener, as in dev mode.
    package var adminListen: HostPort?
    package var project: ProjectID?
    /// The number of processes of each kind; a kind that does not run is absent.
    package var processes: [ServiceName: Int]
    /// Whether the launcher is the process of all services, and of a broker.
    package var isOneProcess: Bool
    /// External brokers; empty if the mesh has its own.
    package var externalBrokers: [String]
    /// The brokers of the mesh itself: its processes `broker`, or those inside its gateways or the launcher.
    package var ownBrokers: Int {
        isOneProcess ? 1 : processes[.broker] ?? (containsBroker ? processes[.gateway, default: 0] : 0)
    }
    /// Whether a gateway of this mesh contains a broker.
    var containsBroker: Bool { !isOneProcess && externalBrokers.isEmpty && processes[.broker] == nil }
    /// Of the launcher; nil without keys.
    package var busKeys: BusKeyFiles?
    package var masterKey: MasterKeySettings
    /// The databases of the services that run here.
    var stores: [StorageSettings] = []
    package var log: LogSettings
    /// How much longer the gateway takes to stop.
    var drainTime = Duration.zero
    /// In dev mode only.
    var users: DevUsers.Files

    /// The address of the public listener unless a setting names another.
    static let defaultListen = HostPort(host: "127.0.0.1", port: 9099)

    /// - Throws: every invalid setting at once.
    package init(_ environment: Environment) throws(SettingsError) {
        var reader = SettingsReader(environment, of: .latchkey)
        isDev = reader.boolean(.dev)
        dataDirectory = reader.string(
            .data, default: isDev ? ProcessSettings.devDataDirectory : nil, example: "/var/lib/latchkey")
        listen = reader.hostPort(.listen, default: Self.defaultListen)
        let admin = reader.hostPort(.adminListen, default: .init(host: "127.0.0.1", port: 9098))
        let listeners = GatewayListeners(from: &reader)
        adminListen = (isDev && environment[.adminListen] == nil) || listeners == .public ? nil : admin
        if let adminListen { GatewayListeners.refuse(adminListen, like: listen, from: &reader) }
        if listeners == .admin, !isDev {
            reader.addIssue(
                .listener, "is admin, and `latchkey up` asks the public listener whether the mesh is ready",
                remedy: "Start the gateway of the admin listener by itself: gateway --listener admin")
        }
        project = reader.value(
            .project, default: isDev ? ProcessSettings.devProject : nil,
            placeholder: ProcessSettings.devProject, expects: "a project id", example: "my-project",
            parse: ProcessSettings.projectID)
        let scale = reader.value(
            .scale, default: [:], placeholder: [:],
            expects: "NAME=N, with N from 1 to 64 and the name of a process", example: "notifier=4",
            parse: Self.scale)
        let only = Self.only(from: &reader)
        isOneProcess = reader.boolean(.oneProcess)
        externalBrokers = reader.list(.brokers, default: [], example: "ipc:///run/latchkey/broker.1.sock")
        busKeys = BusKeyFiles(of: BusName.launcher.rawValue, from: &reader)
        masterKey = MasterKeySettings(from: &reader)
        log = LogSettings(from: &reader)
        let drainSeconds = reader.integer(.drainSeconds, default: 0)
        users = Self.users(from: &reader)
        // Each process reads its own settings. Invalid ones are reported before any process starts.
        for service in only.filter(\.ownsData).sorted(by: { $0.rawValue < $1.rawValue }) {
            stores.append(StorageSettings(service, from: &reader, dataDirectory: dataDirectory))
        }
        // The gateway contains a broker, unless there is none here, brokers are asked for, or processes have keys: then a
        // gateway's broker vouches for nobody (security rule BU3), and services reach each other through another one.
        let asksForBrokers = scale[.broker] != nil || (reader.optionalString(.only) != nil && only.contains(.broker))
        let runsBrokers =
            externalBrokers.isEmpty && !isOneProcess
            && (asksForBrokers || busKeys != nil || !only.contains(.gateway))
        if isOneProcess { Self.refuse(scale, externalBrokers, asksForBrokers, busKeys, from: &reader) }
        let names = runsBrokers ? only.union([.broker]) : only.subtracting([.broker])
        if !isOneProcess, !externalBrokers.isEmpty, scale[.broker] != nil {
            reader.addIssue(
                .scale, "names brokers, and LATCHKEY_BROKERS says that they run elsewhere",
                remedy: "Remove broker from LATCHKEY_SCALE, or unset LATCHKEY_BROKERS")
        }
        processes = Dictionary(uniqueKeysWithValues: names.map { ($0, scale[$0] ?? 1) })
        if names.contains(.gateway) { drainTime = .seconds(drainSeconds) }
        if !isDev, !names.isDisjoint(with: [.gateway, .identity]) { _ = reader.requiredPublicURL(default: nil) }

        for (setting, file) in [(Setting.seed, users.seed), (.exportOnExit, users.exportOnExit)]
        where file != nil && !names.isSuperset(of: [.gateway, .identity]) {
            reader.addIssue(
                setting, "has no effect without gateway and identity",
                remedy: "Remove it, or name both in LATCHKEY_ONLY")
        }
        if ownBrokers > BusSettings.maximumBrokers {
            reader.addIssue(
                .scale, "starts \(ownBrokers) brokers, and at most \(BusSettings.maximumBrokers) can be used",
                remedy: "Name a smaller number of broker, or of gateway: each contains a broker unless broker is named")
        }
        if isDev {
            for (setting, address) in [(Setting.listen, listen), (.adminListen, admin)]
            where !address.isLoopback {
                reader.addIssue(
                    setting, "is \(address), which other machines can reach; dev mode permits loopback addresses only",
                    remedy: "Listen on 127.0.0.1, or leave --dev away")
            }
        } else if reader.boolean(.emulatorTokens) {
            reader.addIssue(
                .emulatorTokens, "is allowed in dev mode only: unsigned tokens are insecure",
                remedy: "Leave --emulator-tokens away, or add --dev")
        }
        try reader.finish()
    }

    /// Reports the settings that a mesh in one process cannot follow.
    private static func refuse(
        _ scale: [ServiceName: Int], _ brokers: [String], _ asksForBrokers: Bool, _ busKeys: BusKeyFiles?,
        from reader: inout SettingsReader
    ) {
        let remedy = "Remove it, or LATCHKEY_ONE_PROCESS"
        if !scale.isEmpty {
            reader.addIssue(.scale, "has no effect in one process, which runs each service once", remedy: remedy)
        } else if asksForBrokers {
            reader.addIssue(.only, "names broker, which in one process is no process of its own", remedy: remedy)
        }
        if !brokers.isEmpty {
            reader.addIssue(.brokers, "has no effect in one process, which contains its broker", remedy: remedy)
        }
        if busKeys != nil {
            reader.addIssue(
                .busKeys, "has no effect in one process: keys distinguish processes, and there is one", remedy: remedy)
        }
    }

    /// Reports files outside dev mode, and names that show no format.
    private static func users(from reader: inout SettingsReader) -> DevUsers.Files {
        let files = DevUsers.Files(
            seed: reader.optionalString(.seed), exportOnExit: reader.optionalString(.exportOnExit))
        for (setting, file) in [(Setting.seed, files.seed), (.exportOnExit, files.exportOnExit)] {
            guard let file else { continue }
            if !reader.boolean(.dev) {
                reader.addIssue(
                    setting, "is allowed in dev mode only",
                    remedy: "Use latchkey users import or latchkey users export, or add --dev")
            } else if UserFileFormat(path: file) == nil {
                reader.addIssue(
                    setting, "names a file without a known form",
                    remedy: "Name a file that ends in .jsonl, .json or .csv")
            }
        }
        return files
    }

    /// The kinds of processes that run, apart from a broker.
    static func only(from reader: inout SettingsReader) -> Set<ServiceName> {
        reader.value(
            .only, default: Set(ServiceName.allCases), placeholder: [],
            expects: "names out of \(ServiceName.allCases.map(\.rawValue).joined(separator: ", "))",
            example: "gateway,identity", parse: names)
    }

    private static func names(_ text: String) -> Set<ServiceName>? {
        let names = text.split(separator: ",", omittingEmptySubsequences: false)
            .map { ServiceName(rawValue: String($0)) }
        return names.contains(nil) ? nil : Set(names.compactMap(\.self))
    }

    private static func scale(_ text: String) -> [ServiceName: Int]? {
        var scale: [ServiceName: Int] = [:]
        for item in text.split(separator: ",", omittingEmptySubsequences: false) {
            let parts = item.split(separator: "=", omittingEmptySubsequences: false)
            guard parts.count == 2, let name = ServiceName(rawValue: String(parts[0])), let count = Int(parts[1]),
                (1...64).contains(count)
            else { return nil }
            scale[name] = count
        }
        return scale
    }
}
