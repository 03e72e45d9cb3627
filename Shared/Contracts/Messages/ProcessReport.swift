/// One process's own measurements, published on the bus and shown by the gateway's `/metrics`.
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

    /// One sample in Prometheus' terms: a counter only rises, a gauge is a momentary value.
    package struct Metric: Codable, Equatable, Sendable {
        package enum Kind: String, Codable, Sendable { case counter, gauge }
        package var name: String
        package var kind: Kind
        /// Label names and values, without the labels `service` and `instance` that the gateway adds.
        package var labels: [String: String]
        package var value: Double

        /// The gauge by which a process says that a part of it does not work at present, for other reasons than itself:
        /// its value is since how many seconds, its labels are `part` and `problem`. It is there for as long as the
        /// trouble.
        package static let outageName = "latchkey_component_outage_seconds"

        /// The value of `part` for a store that a service cannot do without: its database.
        package static func storePart(_ store: String) -> String { "store \(store)" }

        /// Whether this says that such a store does not work.
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
