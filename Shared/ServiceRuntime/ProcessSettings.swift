import Bus
package import Contracts
import Glibc
import Settings
package import Vocabulary

/// The settings that all processes of the mesh share. `latchkey up` passes them to the processes that it starts.
package struct ProcessSettings: Sendable {
    package var service: ServiceName
    /// `LATCHKEY_INSTANCE`: the name in logs and metrics, for example `identity.1`. Default: the service and the
    /// process id.
    package var instance: String
    /// This start of the process. Its leases in databases and its membership on the bus belong to this start only.
    package var start: ProcessStart
    /// `LATCHKEY_BROKERS`: the bus endpoints of every broker. Empty for the broker itself.
    package var brokers: [String]
    /// `LATCHKEY_BUS_KEYS`: the key of this process, and the table of peers. Nil without keys.
    package var busKeys: BusKeyFiles?
    /// `LATCHKEY_DATA`: the directory of the databases. Empty if it is not set and the service owns no durable data.
    package var dataDirectory: String
    /// `LATCHKEY_DEV`: the relaxations of dev mode, on loopback only.
    package var isDev: Bool
    /// `LATCHKEY_PROJECT`: the default project; `demo-latchkey` in dev mode.
    package var project: ProjectID?
    /// `LATCHKEY_LOG`.
    package var log: LogSettings
    /// Nil without `LATCHKEY_OTLP_URL`, and for the broker, which only passes messages on.
    package var traces: TraceSettings?
    /// Those of the process that look like an example.
    package var exampleSettings: [SettingsIssue]

    package static let devProject = ProjectID("demo-latchkey")
    package static let devDataDirectory = ".latchkey"

    /// Reads these settings together with a service's own, so that the errors of both are reported at once.
    package init(_ service: ServiceName, from reader: inout SettingsReader) {
        self.service = service
        isDev = reader.boolean(.dev)
        instance = reader.value(
            .instance, default: "\(service.rawValue).\(getpid())", placeholder: "",
            expects: "1 to \(ProcessStart.maximumNameBytes) letters, digits, dots and dashes",
            example: "\(service.rawValue).1", parse: Self.instanceName)
        let startID = reader.value(
            .startID, default: ProcessStart.randomID(), placeholder: ProcessStart.randomID(),
            expects: "\(ProcessStart.idLength) lower-case hexadecimal digits", example: "0123456789abcdef",
            parse: { ProcessStart.isID($0) ? $0 : nil })
        start = ProcessStart(name: instance, id: startID)
        brokers =
            service == .broker ? [] : reader.list(.brokers, example: BusConnection.brokersExample)
        dataDirectory =
            service.ownsData
            ? reader.string(.data, default: isDev ? Self.devDataDirectory : nil, example: "/var/lib/latchkey")
            : reader.optionalString(.data) ?? ""
        project = reader.value(
            .project, default: isDev ? Self.devProject : nil, placeholder: nil, expects: "a project id",
            example: "my-project", parse: Self.projectID)
        log = LogSettings(from: &reader)
        traces = service == .broker ? nil : TraceSettings(from: &reader)
        exampleSettings = PlaceholderSettings.warnings(about: reader.environment)
        busKeys = BusKeyFiles(of: service.rawValue, from: &reader)
        // The reader has recorded missing ones.
        guard !brokers.isEmpty, busKeys != nil || reader.optionalString(.busKeys) == nil else { return }
        do throws(BusSettingsError) {
            _ = try BusSettings(
                brokers: brokers, service: service, instance: start.busInstance, keys: busKeys?.keys)
        } catch {
            reader.add(SettingsIssue(.brokers, error))
        }
    }

    /// Reads only these settings.
    /// - Throws: every missing or malformed one.
    package init(_ service: ServiceName, _ environment: Environment) throws(SettingsError) {
        var reader = SettingsReader(environment, of: .service(service))
        self.init(service, from: &reader)
        try reader.finish()
    }

    package static func projectID(_ text: String) -> ProjectID? {
        Realm.isIdentifier(text) ? ProjectID(text) : nil
    }

    private static func instanceName(_ text: String) -> String? {
        (1...ProcessStart.maximumNameBytes).contains(text.utf8.count) && text.utf8.allSatisfy(isWordByte) ? text : nil
    }

    private static func isWordByte(_ byte: UInt8) -> Bool { byte.isASCIINameByte || "._".utf8.contains(byte) }
}
