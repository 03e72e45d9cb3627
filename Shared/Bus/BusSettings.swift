package import Contracts

/// How a process takes part in the bus.
package struct BusSettings: Sendable {
    /// Each broker costs a socket and a heartbeat.
    package static let maximumBrokers = 16

    /// The process connects to all of them.
    package let brokers: [BusEndpoint]
    /// The service that the process provides, or the name of a process that only sends requests.
    package let service: BusName
    /// Unique for each start of a process. A second process with the same instance counts as a restart of the first.
    package let instance: BusName
    /// Requests that this process handles at once for each broker.
    package var capacity: UInt16
    package var limits = Limits()
    /// Nil without keys.
    package let keys: BusKeys?

    /// Timeouts and limits of one process.
    package struct Limits: Sendable {
        /// After this silence of a broker while calls wait for replies, a heartbeat is sent to it.
        package var heartbeatInterval: Duration = .milliseconds(250)
        /// The same while no call waits: longer than the interval of the broker's own heartbeats.
        package var idleHeartbeatInterval: Duration = .seconds(3)
        /// A broker that sends nothing for this time is lost, if a heartbeat was sent to it `answerTimeout` ago.
        package var heartbeatTimeout: Duration = .seconds(1)
        /// Calls of this process that wait for their replies.
        package var pendingReplies = 10_000
        /// How long a call waits for a broker.
        package var brokerGrace: Duration = .seconds(1)
        /// How long running requests may take to finish once the process stops.
        package var drainTimeout: Duration = .seconds(4)

        package init() {}

        /// The minimum time that a broker has to reply to a heartbeat.
        package var answerTimeout: Duration { max(.zero, heartbeatTimeout - heartbeatInterval) }
    }

    /// For a command that joins, sends a request and leaves.
    /// - Parameters:
    ///   - command: the name of its executable, which is not the name of a service.
    ///   - instance: unique among the processes of the mesh.
    ///   - keys: nil without keys.
    package init(
        brokers: [String], command: String, instance: String, keys: BusKeys? = nil
    ) throws(BusSettingsError) {
        guard let name = BusName(command) else { throw .malformedInstance(command) }
        try self.init(brokers: brokers, name: name, instance: instance, capacity: 0, keys: keys)
    }

    /// For the launcher, which reports to the brokers how processes end.
    package init(brokers: [String], launcher instance: String, keys: BusKeys? = nil) throws(BusSettingsError) {
        try self.init(brokers: brokers, name: .launcher, instance: instance, capacity: 0, keys: keys)
    }

    /// - Parameters:
    ///   - brokers: all brokers, as `ipc:///path`, and with keys as `NAME@ipc:///path` or `NAME@tcp://ADDRESS:PORT`.
    ///   - instance: unique among the processes of the mesh, for example `identity.1`.
    ///   - keys: nil without keys.
    package init(
        brokers: [String], service: ServiceName, instance: String, capacity: UInt16 = 64, keys: BusKeys? = nil
    ) throws(BusSettingsError) {
        try self.init(brokers: brokers, name: BusName(service), instance: instance, capacity: capacity, keys: keys)
    }

    private init(
        brokers: [String], name service: BusName, instance: String, capacity: UInt16, keys: BusKeys?
    ) throws(BusSettingsError) {
        guard !brokers.isEmpty else { throw .noBroker }
        guard brokers.count <= Self.maximumBrokers else { throw .tooManyBrokers(brokers.count) }
        guard let name = BusName(instance) else { throw .malformedInstance(instance) }
        var endpoints: [BusEndpoint] = []
        for broker in brokers {
            let endpoint = try BusEndpoint(broker, hasKeys: keys != nil)
            if let keys, let peer = endpoint.peer, keys.table[peer] == nil { throw .unknownPeer(endpoint: broker) }
            endpoints.append(endpoint)
        }
        self.brokers = endpoints
        self.service = service
        self.instance = name
        self.capacity = capacity
        self.keys = keys
    }
}
