import Broker
import Bus
import Contracts
import TestSupport
import Testing

/// Queued requests, late requests, and requests of lost workers.
@Suite struct BrokerQueueTests {
    // MARK: Bounds

    @Test func fullQueueIsOverloadedAtOnce() {
        var limits = BrokerLimits()
        limits.queuedPerService = 2
        var scene = BrokerHarness(limits: limits)
        scene.join(worker)
        let actions = (1...4).map { scene.send($0, from: gateway) }
        #expect(actions[1] == [] && actions[2] == [])
        #expect(actions[3] == [.refuse(gateway, id(4), WireError(.overloaded, retryAfterSeconds: 1))])
        #expect(scene.reply(1, from: worker).dispatched == [id(2)])
        #expect(scene.send(5, from: gateway) == [])
    }

    @Test func allQueuesTogetherAreBounded() {
        var limits = BrokerLimits()
        limits.queuedInTotal = 2
        var scene = BrokerHarness(limits: limits)
        #expect(scene.send(1, from: gateway, "identity") == [])
        #expect(scene.send(2, from: gateway, "passkey") == [])
        #expect(scene.send(3, from: gateway, "notifier").codes == [.overloaded])
    }

    @Test func oneCallerCannotFillQueue() {
        var limits = BrokerLimits()
        limits.queuedPerCaller = 2
        var scene = BrokerHarness(limits: limits)
        scene.join(worker)
        _ = scene.send(1, from: gateway)
        let codes = (2...5).flatMap { scene.send($0, from: gateway).codes }
        #expect(codes == [.overloaded, .overloaded])
        #expect(scene.send(6, from: otherGateway) == [])
        #expect(scene.reply(1, from: worker).dispatched == [id(2)])
        #expect(scene.send(7, from: gateway) == [])
    }

    // MARK: Time

    /// Security rule BU5.
    @Test func lateRequestIsRefusedWithoutDispatch() {
        var scene = BrokerHarness()
        scene.join(worker)
        #expect(scene.send(1, from: gateway, within: .zero).codes == [.deadlineExceeded])
        #expect(scene.send(2, from: gateway, within: .milliseconds(1)).workers == [worker])
    }

    @Test func queuedRequestIsRefusedAtItsDeadline() {
        var scene = BrokerHarness()
        scene.join(worker)
        _ = scene.send(1, from: gateway)
        _ = scene.send(2, from: gateway, within: .milliseconds(200))
        #expect(scene.pass(.milliseconds(150), alive: [worker]) == [])
        #expect(scene.pass(.milliseconds(50), alive: [worker]).codes == [.deadlineExceeded])
    }

    @Test func expiredRequestIsNotDispatchedToFreeWorker() {
        var scene = BrokerHarness()
        scene.join(worker)
        _ = scene.send(1, from: gateway)
        _ = scene.send(2, from: gateway, within: .milliseconds(10))
        _ = scene.send(3, from: gateway)
        scene.clock.advance(by: .milliseconds(10))
        let actions = scene.reply(1, from: worker)
        #expect(actions.codes == [.deadlineExceeded])
        #expect(actions.dispatched == [id(3)])
    }

    @Test func deadlineIsLimitedToOneMinute() {
        var limits = BrokerLimits()
        limits.recentWorkerWindow = .seconds(600)
        limits.workerGrace = .seconds(600)
        var scene = BrokerHarness(limits: limits)
        _ = scene.send(1, from: gateway, within: .seconds(86_400))
        #expect(scene.pass(.seconds(59)) == [])
        #expect(scene.pass(.seconds(1)).codes == [.deadlineExceeded])
    }

    @Test func missingReplyFreesItsSlotAfterDeadline() {
        var scene = BrokerHarness()
        scene.join(worker)
        _ = scene.send(1, from: gateway, within: .seconds(1))
        _ = scene.pass(.milliseconds(5900), alive: [worker])
        #expect(scene.send(2, from: gateway) == [])
        #expect(scene.pass(.milliseconds(100), alive: [worker]).dispatched == [id(2)])
        #expect(scene.state.statistics.timedOutReplies == 1)
    }

    // MARK: No worker

    @Test func serviceWithoutRecentWorkerIsUnavailableAtOnce() {
        var scene = BrokerHarness()
        _ = scene.pass(.seconds(5))
        #expect(scene.send(1, from: gateway).codes == [.unavailable])
    }

    @Test func newBrokerWaitsOneSecondForWorkers() {
        var scene = BrokerHarness()
        #expect(scene.send(1, from: gateway) == [])
        #expect(scene.send(2, from: gateway, "passkey") == [])
        #expect(scene.join(worker).dispatched == [id(1)])
        #expect(scene.pass(.milliseconds(950), alive: [worker]) == [])
        #expect(scene.pass(.milliseconds(50), alive: [worker]).codes == [.unavailable])
    }

    @Test func restartedWorkerGetsQueuedRequests() {
        var scene = BrokerHarness()
        _ = scene.pass(.seconds(60))
        scene.join(worker, instance: "identity.1")
        _ = scene.receive(.disconnect, from: worker)
        _ = scene.pass(.seconds(4), alive: [worker])
        #expect(scene.send(1, from: gateway) == [])
        _ = scene.pass(.milliseconds(900), alive: [worker])
        #expect(scene.join(otherWorker, instance: "identity.1").dispatched == [id(1)])
    }

    @Test func restartGraceIsLimited() {
        var scene = BrokerHarness()
        _ = scene.pass(.seconds(60))
        scene.join(worker)
        _ = scene.receive(.disconnect, from: worker)
        _ = scene.send(1, from: gateway)
        #expect(scene.pass(.milliseconds(950), alive: [worker]).codes == [])
        #expect(scene.pass(.milliseconds(50), alive: [worker]).codes == [.unavailable])
        _ = scene.pass(.seconds(4), alive: [worker])
        #expect(scene.send(2, from: gateway).codes == [.unavailable])
    }

    // MARK: Lost workers

    @Test func requestOfLostWorkerIsUnavailable() {
        var scene = BrokerHarness()
        scene.join(worker, capacity: 2)
        _ = scene.send(1, from: gateway)
        _ = scene.send(2, from: gateway)
        #expect(scene.state.peerDisconnected(worker, at: scene.now).codes == [.unavailable, .unavailable])
        #expect(scene.state.isIdle)
    }

    @Test func idempotentRequestOfLostWorkerIsRepeated() {
        var scene = BrokerHarness()
        scene.join(worker, capacity: 2)
        _ = scene.send(1, from: gateway, repeatable: true)
        _ = scene.send(2, from: gateway)
        scene.join(otherWorker)
        let actions = scene.state.peerDisconnected(worker, at: scene.now)
        #expect(actions.workers == [otherWorker])
        #expect(scene.reply(1, from: worker) == [])
        #expect(scene.reply(1, from: otherWorker) == [.reply(to: gateway, scene.expectedReply(1))])
    }

    @Test func repeatedRequestIsFirstInQueue() {
        var scene = BrokerHarness()
        scene.join(launcher, "latchkey-up", capacity: 0)
        scene.join(worker)
        _ = scene.send(1, from: gateway, repeatable: true)
        _ = scene.send(2, from: gateway, repeatable: true)
        _ = scene.end(worker, .stopped)
        #expect(scene.join(otherWorker, capacity: 2).dispatched == [id(1), id(2)])
    }

    @Test func requestThatCrashedTwoWorkersIsQuarantined() {
        var scene = BrokerHarness()
        scene.join(launcher, "latchkey-up", capacity: 0)
        for peer in [worker, otherWorker, Peer(3)] { scene.join(peer) }
        let first = scene.send(1, from: gateway, repeatable: true).workers[0]
        let second = scene.end(first, .stopped).workers[0]
        let actions = scene.end(second, .stopped)
        #expect(actions.codes == [.internal])
        #expect(actions.contains(.report(.requestQuarantined(id(1), service: name("identity")))))
        #expect(actions.dispatched == [])
    }

    @Test func requestOfSilentWorkerIsRepeated() {
        var scene = BrokerHarness()
        scene.join(worker)
        _ = scene.send(1, from: gateway, repeatable: true)
        scene.join(otherWorker)
        #expect(scene.pass(.seconds(1), alive: [otherWorker]).workers == [otherWorker])
    }

    // MARK: Lost callers

    @Test func requestsOfLostCallerAreDropped() {
        var scene = BrokerHarness()
        scene.join(worker)
        _ = scene.send(1, from: gateway)
        _ = scene.send(2, from: gateway)
        _ = scene.send(3, from: otherGateway)
        #expect(scene.state.peerDisconnected(gateway, at: scene.now) == [])
        #expect(scene.reply(1, from: worker).withoutNotes.dispatched == [id(3)])
        #expect(scene.reply(3, from: worker) == [.reply(to: otherGateway, scene.expectedReply(3))])
        #expect(scene.state.isIdle)
    }
}
