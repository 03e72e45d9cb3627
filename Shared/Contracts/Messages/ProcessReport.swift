/// The metrics of one process, published on the bus and shown by the gateway's `/metrics`.
package struct ProcessReport: Codable, Equatable, Sendable {
    package var service: ServiceName
    /// Unique among the processes of the mesh, for example `identity.1`.
    package var instance: String
    package var metrics: [Metric]

    package init(service: ServiceName, instance: String, metrics: [Metric]) {
        self.service = service
        self.instance = instance
        self.metrics = metrics
    }

    /// One Prometheus sample: a counter or a gauge.
    package struct Metric: Codable, Equatable, Sendable {
        package enum Kind: String, Codable, Sendable { case counter, gauge }
        package var name: String
        package var kind: Kind
        /// Label names and values, without the labels `service` and `process` that the gateway adds.
        package var labels: [String: String]
        package var value: Double

        /// The gauge of a component outage with an external cause. Its value is the duration in seconds, its labels are
        /// `part` and `problem`. It is present during the outage.
        package static let outageName = "latchkey_component_outage_seconds"

        /// A gauge with the value 1 for each setting of the process that looks like one of an example, with the labels
        /// `setting` and `problem`.
        package static let exampleSettingName = "latchkey_process_example_setting"

        /// A gauge with the value 1, and the labels `version` and `pid` of the process.
        package static let processInfoName = "latchkey_process_info"

        /// The value of `part` for a required store: the service's database.
        package static func storePart(_ store: String) -> String { "store \(store)" }

        /// Whether this is the outage of a required store.
        package var isStoreOutage: Bool {
            name == Self.outageName && labels["component"]?.hasPrefix(Self.storePart("")) == true
        }

        package init(name: String, kind: Kind, labels: [String: String] = [:], value: Double) {
            self.name = name
            self.kind = kind
            self.labels = labels
            self.value = value
        }
    }
}
