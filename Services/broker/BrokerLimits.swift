/// What the broker may use and how long it waits. Everything it keeps has a bound here (security rule BU7).
package struct BrokerLimits: Sendable {
    /// Requests that wait for a worker of one service.
    package var queuedPerService = 1000
    /// Of those, the ones that one process asked.
    package var queuedPerCaller = 500
    /// Requests that wait, of all services.
    package var queuedInTotal = 10_000
    /// Processes that may join.
    package var members = 1024
    /// Connections whose foreign bytes are remembered, so that each is logged once.
    package var malformedPeersTracked = 256
    /// Workers that may be lost over one request before it is set aside as the cause (security rule BU8).
    package var maximumLostWorkers = 2

    /// Payloads that are refused, or suspected, at a time.
    package var blockedPayloads = 1024

    /// Starts of processes that are remembered as ended.
    package var endedInstances = 64

    /// How long a payload is refused that cost a worker its life.
    package var blockTime: Duration = .seconds(60)
    /// How long the requests of a worker that is gone wait for the launcher to say how it ended. It takes milliseconds.
    package var verdictGrace: Duration = .milliseconds(500)
    /// How long a broker that stops waits for its members to send nothing new.
    package var leavingGrace: Duration = .seconds(2)
    /// How long a broker that stops lets requests wait for a worker.
    package var stoppingDrain: Duration = .seconds(3)
    /// Between two signs of life that the broker sends to each member.
    package var heartbeatInterval: Duration = .milliseconds(250)
    /// A member that says nothing for so long is lost.
    package var heartbeatTimeout: Duration = .seconds(1)
    /// How long a request waits for a service that had a worker a moment ago: long enough for a restart.
    package var workerGrace: Duration = .seconds(1)
    /// How long after its last worker a service may still be restarting.
    package var recentWorkerWindow: Duration = .seconds(5)
    /// A deadline further away counts as this one.
    package var maximumDeadlineDistance: Duration = .seconds(60)
    /// How long after its deadline a worker's place stays taken by a request whose reply never came.
    package var replyGrace: Duration = .seconds(5)

    package init() {}
}
