import Broker
import Bus
import Contracts
import TestSupport
import Testing

@Suite struct BrokerStateTests {
    // MARK: Members

    @Test func readyIsConfirmedByHeartbeatAtOnce() {
        var scene = BrokerHarness()
        #expect(scene.join(worker).contains(.heartbeat(worker)))
        #expect(scene.join(worker).contains(.heartbeat(worker)))
    }

    @Test func heartbeatOfNonMemberIsAnsweredWithDisconnect() {
        var scene = BrokerHarness()
        #expect(scene.receive(.heartbeat, from: worker) == [.disconnect(worker)])
        scene.join(worker)
        #expect(scene.receive(.heartbeat, from: worker) == [])
    }

    @Test func onlyHeartbeatThatIsNoReplyGetsReply() {
        var scene = BrokerHarness()
        scene.join(worker)
        #expect(scene.receive(.heartbeat, from: worker) == [])  // The reply to the heartbeat of `ready`.
        for _ in 1...3 {
            #expect(scene.receive(.heartbeat, from: worker) == [.heartbeat(worker)])
            #expect(scene.receive(.heartbeat, from: worker) == [])
        }
    }

    /// A peer cannot say whose request it sends.
    @Test func callerInRequestOfPeerIsNotPassedOn() {
        var scene = BrokerHarness()
        scene.join(worker)
        var request = scene.request(1)
        request.caller = name("mfa-totp.1")
        let actions = scene.receive(.request(request), from: gateway)
        #expect(actions == [.dispatch(to: worker, scene.request(1))])
    }

    /// Processes of earlier versions send heartbeats by themselves and treat a broker as lost after a second of silence.
    @Test func reportIsReplyToHeartbeat() {
        var scene = BrokerHarness()
        scene.join(worker)
        _ = scene.tick()
        _ = scene.receive(.report(body("{}")), from: worker)
        // So this heartbeat is none.
        #expect(scene.receive(.heartbeat, from: worker) == [.heartbeat(worker)])
        #expect(scene.receive(.heartbeat, from: worker) == [])
    }

    @Test func memberWithItsOwnIntervalGetsRepliesBetweenIdleHeartbeats() {
        var scene = BrokerHarness()
        scene.join(worker)
        var silence = Duration.zero
        for step in 1...400 {
            scene.clock.advance(by: .milliseconds(50))
            silence += .milliseconds(50)
            var actions = scene.tick()
            if step.isMultiple(of: 5) { actions += scene.receive(.heartbeat, from: worker) }
            #expect(actions.notes == [])
            if actions.contains(.heartbeat(worker)) { silence = .zero }
            #expect(silence <= .milliseconds(500))
        }
    }

    @Test(arguments: [false, true]) func membersGetHeartbeatAtEachInterval(isIdle: Bool) {
        var scene = BrokerHarness()
        scene.join(worker)
        if !isIdle { _ = scene.send(1, from: gateway) }
        _ = scene.tick()
        for _ in 1...3 {
            _ = scene.receive(.heartbeat, from: worker)
            #expect(scene.tick() == [])
            scene.clock.advance(by: .milliseconds(isIdle ? 1999 : 249))
            #expect(scene.tick() == [])
            scene.clock.advance(by: .milliseconds(1))
            #expect(scene.state.dueAt <= scene.clock.instant)
            #expect(scene.tick() == [.heartbeat(worker)])
        }
    }

    /// A worker that fails while it is idle is lost as fast as a busy one, counted from the request.
    @Test func requestShortensTheInterval() {
        var scene = BrokerHarness()
        scene.join(worker)
        _ = scene.tick()
        _ = scene.receive(.heartbeat, from: worker)
        scene.clock.advance(by: .milliseconds(100))
        #expect(scene.send(1, from: gateway).workers == [worker])
        #expect(scene.pass(.milliseconds(950)).notes == [])
        #expect(
            scene.pass(.milliseconds(50)).notes
                == [.report(.memberLeft(service: name("identity"), instance: name("1"), .heartbeatTimeout))])
    }

    @Test func idleBrokerIsDueAtItsNextHeartbeat() {
        var scene = BrokerHarness()
        scene.join(worker)
        _ = scene.tick()
        _ = scene.receive(.heartbeat, from: worker)
        #expect(scene.state.dueAt == scene.clock.instant + .seconds(2))
        _ = scene.send(1, from: gateway)
        #expect(scene.state.dueAt == scene.clock.instant + .milliseconds(50))
        _ = scene.reply(1, from: worker)
        #expect(scene.state.dueAt == scene.clock.instant + .milliseconds(250))
    }

    @Test func memberIsLostAfterOneSecondOfSilence() {
        var scene = BrokerHarness()
        scene.join(worker)
        #expect(scene.pass(.milliseconds(950)).notes == [])
        #expect(
            scene.pass(.milliseconds(50))
                == [.report(.memberLeft(service: name("identity"), instance: name("1"), .heartbeatTimeout))])
    }

    /// Its silence counts from the heartbeat to which it does not reply.
    @Test func idleMemberHasTimeToReply() {
        var scene = BrokerHarness()
        scene.join(worker)
        _ = scene.tick()
        _ = scene.receive(.heartbeat, from: worker)
        #expect(scene.pass(.milliseconds(2700)).notes == [])
        #expect(scene.pass(.milliseconds(50)).notes.count == 1)
    }

    @Test func anyMessageCountsAsHeartbeat() {
        var scene = BrokerHarness()
        scene.join(worker)
        _ = scene.pass(.milliseconds(900))
        _ = scene.receive(.event(body("{}")), from: worker)
        #expect(scene.pass(.milliseconds(900)).notes == [])
    }

    @Test func brokerPauseLosesNoMember() {
        var scene = BrokerHarness()
        scene.join(worker)
        _ = scene.tick()
        scene.clock.advance(by: .seconds(60))
        #expect(scene.tick().notes == [])
        #expect(scene.pass(.milliseconds(700)).notes == [])
        #expect(scene.pass(.milliseconds(50)).notes.count == 1)
    }

    @Test func restartedProcessReplacesItsPredecessor() {
        var scene = BrokerHarness()
        scene.join(worker, instance: "identity.1")
        #expect(scene.send(1, from: gateway).workers == [worker])
        let actions = scene.join(otherWorker, instance: "identity.1")
        #expect(actions.codes == [.requestBlocked])
        #expect(scene.send(2, from: gateway).workers == [otherWorker])
    }

    @Test func processCanJoinAgainAsAnotherService() {
        var scene = BrokerHarness()
        scene.join(worker)
        scene.join(worker, "notifier")
        #expect(scene.send(1, from: gateway, "notifier").workers == [worker])
        #expect(scene.send(2, from: gateway).workers == [])
    }

    @Test func membersAboveLimitAreRefused() {
        var limits = BrokerLimits()
        limits.members = 1
        var scene = BrokerHarness(limits: limits)
        scene.join(worker)
        #expect(scene.join(otherWorker) == [.report(.memberRefused(otherWorker))])
        #expect(scene.receive(.heartbeat, from: otherWorker) == [.disconnect(otherWorker)])
    }

    // MARK: Dispatch

    @Test func requestGoesToWorkerWithMostFreeSlots() {
        var scene = BrokerHarness()
        scene.join(worker, capacity: 2)
        scene.join(otherWorker, capacity: 4)
        let order = (1...6).flatMap { scene.send(UInt64($0), from: gateway).workers }
        #expect(order == [otherWorker, otherWorker, worker, otherWorker, worker, otherWorker])
    }

    @Test func equalWorkersTakeTurns() {
        var scene = BrokerHarness()
        scene.join(worker, capacity: 8)
        scene.join(otherWorker, capacity: 8)
        var order: [Peer] = []
        for number in 1...4 as ClosedRange<UInt64> {
            let chosen = scene.send(number, from: gateway).workers
            order += chosen
            _ = scene.reply(number, from: chosen[0])
        }
        #expect(order == [worker, otherWorker, worker, otherWorker])
    }

    @Test func replyGoesToItsCaller() {
        var scene = BrokerHarness()
        scene.join(worker)
        _ = scene.send(1, from: gateway)
        #expect(scene.reply(1, from: worker) == [.reply(to: gateway, scene.expectedReply(1))])
    }

    @Test func duplicateReplyIsDropped() {
        var scene = BrokerHarness()
        scene.join(worker)
        _ = scene.send(1, from: gateway)
        _ = scene.reply(1, from: worker)
        #expect(scene.reply(1, from: worker) == [])
        #expect(scene.state.statistics.unexpectedReplies == 1)
    }

    @Test func replyOfAnotherWorkerIsDropped() {
        var scene = BrokerHarness()
        scene.join(worker)
        scene.join(otherWorker, "notifier")
        _ = scene.send(1, from: gateway)
        #expect(scene.reply(1, from: otherWorker) == [])
        #expect(scene.reply(1, from: worker) == [.reply(to: gateway, scene.expectedReply(1))])
    }

    @Test func queuedRequestsAreDispatchedInOrder() {
        var scene = BrokerHarness()
        scene.join(worker)
        #expect(scene.send(1, from: gateway).dispatched == [id(1)])
        #expect(scene.send(2, from: gateway) == [])
        #expect(scene.send(3, from: gateway) == [])
        #expect(scene.reply(1, from: worker).dispatched == [id(2)])
        #expect(scene.join(otherWorker).dispatched == [id(3)])
    }

    @Test func processWithoutCapacityGetsNoRequests() {
        var scene = BrokerHarness()
        scene.join(worker, capacity: 0)
        #expect(scene.send(1, from: gateway).workers == [])
        #expect(scene.join(worker, capacity: 1).dispatched == [id(1)])
    }

    @Test func disconnectingWorkerFinishesRunningRequestsOnly() {
        var scene = BrokerHarness()
        scene.join(worker, capacity: 2)
        _ = scene.send(1, from: gateway)
        #expect(scene.receive(.disconnect, from: worker).contains(.confirm(worker)))
        #expect(scene.send(2, from: gateway) == [])
        #expect(scene.reply(1, from: worker) == [.reply(to: gateway, scene.expectedReply(1))])
        #expect(scene.join(otherWorker).dispatched == [id(2)])
    }

    // MARK: Ids

    @Test func duplicateRequestOfSameCallerIsDropped() {
        var scene = BrokerHarness()
        scene.join(worker, capacity: 4)
        _ = scene.send(1, from: gateway)
        #expect(scene.send(1, from: gateway) == [])
        #expect(scene.state.statistics.duplicates == 1)
    }

    @Test func requestIDOfAnotherCallerIsRefused() {
        var scene = BrokerHarness()
        scene.join(worker, capacity: 4)
        _ = scene.send(1, from: gateway)
        let actions = scene.send(1, from: otherGateway)
        #expect(actions.codes == [.invalidRequest])
        #expect(actions.first?.refusal?.peer == otherGateway)
        #expect(scene.reply(1, from: worker) == [.reply(to: gateway, scene.expectedReply(1))])
    }

    // MARK: Malformed messages

    @Test func malformedMessagesAreCountedAndLoggedOncePerPeer() {
        var scene = BrokerHarness()
        let first = scene.state.receive(.malformed(.unknownProtocol), from: worker, at: scene.now)
        #expect(first == [.report(.malformedMessage(worker, .unknownProtocol))])
        #expect(scene.state.receive(.malformed(.unknownCommand), from: worker, at: scene.now) == [])
        #expect(scene.state.statistics.malformedMessages == 2)
    }

    @Test func trackedMalformedPeersAreBounded() {
        var limits = BrokerLimits()
        limits.malformedPeersTracked = 3
        var scene = BrokerHarness(limits: limits)
        let notes = (0..<10).flatMap {
            scene.state.receive(.malformed(.unknownProtocol), from: Peer($0), at: scene.now)
        }
        #expect(notes.count == 3)
        #expect(scene.state.statistics.malformedMessages == 10)
    }

    // MARK: Stopping

    @Test func stoppingBrokerServesRequestsSentBeforeAnnouncement() {
        var scene = BrokerHarness()
        scene.join(worker)
        scene.join(gateway, "gateway", capacity: 0)
        _ = scene.send(1, from: gateway)
        #expect(Set(scene.state.beginShutdown(at: scene.now).map(\.leaver)) == [worker, gateway])
        // It was sent before the announcement arrived, and has to wait for the worker.
        #expect(scene.send(2, from: gateway) == [])
        _ = scene.receive(.confirmed, from: worker)
        #expect(scene.reply(1, from: worker).withoutNotes.dispatched == [id(2)])
        #expect(!scene.state.hasDrained)
        _ = scene.receive(.confirmed, from: gateway)
        #expect(!scene.state.hasDrained)
        // A new process is refused and does not join.
        #expect(scene.send(3, from: otherGateway).codes == [.unavailable])
        #expect(scene.join(otherWorker) == [])
        #expect(scene.reply(2, from: worker) == [.reply(to: gateway, scene.expectedReply(2))])
        #expect(scene.state.hasDrained)
    }

    /// When a connection closes, libzmq drops messages that the member has received but not read, such as the last
    /// replies.
    @Test func stoppingBrokerKeepsConnectionsUntilMembersDisconnect() {
        var scene = BrokerHarness()
        scene.join(worker)
        scene.join(gateway, "gateway", capacity: 0)
        _ = scene.state.beginShutdown(at: scene.now)
        for peer in [worker, gateway] { _ = scene.receive(.confirmed, from: peer) }
        #expect(scene.state.hasDrained)
        #expect(
            Set(scene.state.beginDisconnecting(at: scene.now).compactMap(\.disconnected)) == [worker, gateway])
        #expect(!scene.state.hasDrained)
        _ = scene.receive(.confirmed, from: worker)
        #expect(!scene.state.hasDisconnected(at: scene.now))
        // Only the member without a confirmation gets another message, and none that means that it has joined.
        #expect(scene.pass(.milliseconds(250)) == [.disconnect(gateway)])
        #expect(scene.join(otherWorker) == [])
        #expect(scene.send(1, from: gateway).codes == [.unavailable])
        _ = scene.receive(.confirmed, from: gateway)
        #expect(scene.state.hasDisconnected(at: scene.now))
    }

    @Test func stoppingBrokerWaitsLimitedTimeForDisconnects() {
        var scene = BrokerHarness()
        scene.join(worker)
        _ = scene.state.beginShutdown(at: scene.now)
        _ = scene.receive(.confirmed, from: worker)
        _ = scene.state.beginDisconnecting(at: scene.now)
        _ = scene.pass(.milliseconds(1950), alive: [worker])
        #expect(!scene.state.hasDisconnected(at: scene.now))
        _ = scene.pass(.milliseconds(50), alive: [worker])
        #expect(scene.state.hasDisconnected(at: scene.now))
    }

    @Test func stoppingBrokerWaitsLimitedTimeForConfirmations() {
        var scene = BrokerHarness()
        scene.join(worker)
        _ = scene.state.beginShutdown(at: scene.now)
        _ = scene.pass(.milliseconds(1950), alive: [worker])
        #expect(!scene.state.hasDrained)
        _ = scene.pass(.milliseconds(50), alive: [worker])
        #expect(scene.state.hasDrained)
    }

    @Test func stoppingBrokerRefusesUndispatchedRequests() {
        var scene = BrokerHarness()
        scene.join(worker)
        _ = scene.send(1, from: gateway)
        _ = scene.send(2, from: gateway)
        _ = scene.state.beginShutdown(at: scene.now)
        #expect(scene.pass(.milliseconds(2950), alive: [worker]).codes == [])
        #expect(scene.pass(.milliseconds(50), alive: [worker]).codes == [.unavailable])
        #expect(scene.reply(1, from: worker) == [.reply(to: gateway, scene.expectedReply(1))])
        #expect(scene.state.hasDrained)
    }

    @Test func metricsCountQueuesAndRefusals() {
        var limits = BrokerLimits()
        limits.queuedPerService = 1
        var scene = BrokerHarness(limits: limits)
        scene.join(worker)
        for number in 1...3 as ClosedRange<UInt64> { _ = scene.send(number, from: gateway) }
        func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
            scene.state.metrics.first { $0.name == "latchkey_broker_\(name)" && $0.labels == labels }?.value
        }
        #expect(value("requests_dispatched_total") == 1)
        #expect(value("queue_duration_seconds_count", ["target_service": "identity"]) == 1)
        #expect(value("queue_duration_seconds_bucket", ["target_service": "identity", "le": "0.0005"]) == 1)
        #expect(value("queue_duration_seconds_bucket", ["target_service": "identity", "le": "+Inf"]) == 1)
        #expect(value("queued_requests", ["target_service": "identity"]) == 1)
        #expect(value("running_requests", ["target_service": "identity"]) == 1)
        #expect(value("workers", ["target_service": "identity"]) == 1)
        #expect(value("refused_requests_total", ["code": "overloaded"]) == 1)
        #expect(value("members") == 1)
    }

    /// The series of a service end with it: a process may join under any number of names.
    @Test func metricsOfServicesThatAreGoneEnd() {
        var scene = BrokerHarness()
        scene.join(worker)
        _ = scene.send(1, from: gateway)
        _ = scene.reply(1, from: worker)
        func services() -> Set<String> { Set(scene.state.metrics.compactMap { $0.labels["target_service"] }) }
        #expect(services() == ["identity"])
        _ = scene.pass(.seconds(30))
        #expect(services() == [])
    }
}
