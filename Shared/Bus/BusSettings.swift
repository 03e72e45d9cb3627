package import Contracts

/// How a process takes part in the bus.
package struct BusSettings: Sendable {
    /// Each costs a socket and a heartbeat.
    package static let maximumBrokers = 16

    /// This process connects to all of them.
    package let brokers: [BusEndpoint]
    /// What it serves, or what it is if it only asks.
    package let service: BusName
    /// Unique for each start of a process: the second that says it counts as the first, started again.
    package let instance: BusName
    /// Requests this process works on at once for each broker.
    package var capacity: UInt16
    package var limits = Limits()

    /// Times and bounds of one process.
    package struct Limits: Sendable {
        /// Between two signs of life that a process sends to each broker.
        package var heartbeatInterval: Duration = .milliseconds(250)
        /// A broker that says nothing for so long is lost.
        package var heartbeatTimeout: Duration = .seconds(1)
        /// Calls of this process that wait for their replies.
        package var pendingReplies = 10_000
        /// How long a call waits for a broker to send it to.
        package var brokerGrace: Duration = .seconds(1)
        /// How long running requests may take to finish once the process stops.
        package var drainTimeout: Duration = .seconds(4)

        package init() {}
    }

    /// A command that joins for a question and leaves again.
    /// - Parameters:
    ///   - command: its executable, which no service is named after.
    ///   - instance: unique among the processes of the mesh.
    package init(brokers: [String], command: String, instance: String) throws(BusSettingsError) {
        guard let name = BusName(command) else { throw .malformedInstance(command) }
        try self.init(brokers: brokers, name: name, instance: instance, capacity: 0)
    }

    /// The launcher, which tells the brokers how processes end.
    package init(brokers: [String], launcher instance: String) throws(BusSettingsError) {
        try self.init(brokers: brokers, name: .launcher, instance: instance, capacity: 0)
    }

    /// - Parameters:
    ///   - brokers: all of them, as `ipc:///path`.
    ///   - instance: unique among the processes of the mesh, for example `identity.1`.
    package init(
        brokers: [String], service: ServiceName, instance: String, capacity: UInt16 = 64
    ) throws(BusSettingsError) {
        try self.init(brokers: brokers, name: BusName(service), instance: instance, capacity: capacity)
    }

    private init(
        brokers: [String], name service: BusName, instance: String, capacity: UInt16
    ) throws(BusSettingsError) {
        guard !brokers.isEmpty else { throw .noBroker }
        guard brokers.count <= Self.maximumBrokers else { throw .tooManyBrokers(brokers.count) }
        guard let name = BusName(instance) else { throw .malformedInstance(instance) }
        var endpoints: [BusEndpoint] = []
        for broker in brokers { endpoints.append(try BusEndpoint(broker)) }
        self.brokers = endpoints
        self.service = service
        self.instance = name
        self.capacity = capacity
    }
}
