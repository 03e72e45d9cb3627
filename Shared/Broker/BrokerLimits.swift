/// Limits and timeouts of the broker. Everything that it stores has a bound here (security rule BU7).
package struct BrokerLimits: Sendable {
    /// Requests that wait for a worker of one service.
    package var queuedPerService = 1000
    /// The part of them that one process may send.
    package var queuedPerCaller = 500
    /// Waiting requests of all services.
    package var queuedInTotal = 10_000
    /// Processes that may join.
    package var members = 1024
    /// Connections that are recorded for malformed messages, so that each is logged once.
    package var malformedPeersTracked = 256
    /// Lost workers of one request before it is quarantined as the cause (security rule BU8).
    package var maximumLostWorkers = 2

    /// Blocked and suspected payloads that are stored at the same time.
    package var blockedPayloads = 1024

    /// Instances that are recorded as ended.
    package var endedInstances = 64

    /// How long a payload that crashed a worker is blocked.
    package var blockTime: Duration = .seconds(60)
    /// How long the requests of a lost worker wait for the launcher to report how it ended. The report takes
    /// milliseconds.
    package var endReportGrace: Duration = .milliseconds(500)
    /// How long a stopping broker waits for its members to confirm that they send no new requests.
    package var leavingGrace: Duration = .seconds(2)
    /// How long a stopping broker lets requests wait for a worker.
    package var stoppingDrain: Duration = .seconds(3)
    /// Between two heartbeats that the broker sends to each member while it has requests.
    package var heartbeatInterval: Duration = .milliseconds(250)
    /// Between two heartbeats while it has none.
    package var idleHeartbeatInterval: Duration = .seconds(2)
    /// A member that sends nothing for this time is lost, if a heartbeat was sent to it `heartbeatInterval` after the
    /// beginning of its silence or later, and `answerTimeout` ago.
    package var heartbeatTimeout: Duration = .seconds(1)
    /// How long an event or a report is held back, so that the next ones wake their receivers with it.
    package var holdTime: Duration = .milliseconds(20)
    /// Events and reports that are held back at the same time.
    package var heldMessages = 64
    /// Between two checks of the deadlines of requests. Without requests the broker waits for the next heartbeat.
    package var checkInterval: Duration = .milliseconds(50)
    /// How long a request waits for a service that had a worker recently: long enough for a restart.
    package var workerGrace: Duration = .seconds(1)
    /// After the last worker left, a service may be restarting for this time.
    package var recentWorkerWindow: Duration = .seconds(5)
    /// A deadline further away counts as this one.
    package var maximumDeadlineDistance: Duration = .seconds(60)
    /// How long after its deadline a request without a reply still occupies a slot of its worker.
    package var replyGrace: Duration = .seconds(5)

    package init() {}

    /// The minimum time that a member has to reply to a heartbeat.
    package var answerTimeout: Duration { max(.zero, heartbeatTimeout - heartbeatInterval) }
}
