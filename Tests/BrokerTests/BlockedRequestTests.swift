import Broker
import Bus
import Contracts
import TestSupport
import Testing

/// A request that crashes workers must not crash all of them; other requests that ran at that time must not be blocked.
@Suite struct BlockedRequestTests {
    /// A broker with three identity workers of capacity four, and optionally a launcher.
    private static func scene(hasLauncher: Bool) -> BrokerHarness {
        var scene = BrokerHarness()
        if hasLauncher { scene.join(launcher, "latchkey-up", capacity: 0) }
        for peer in [worker, otherWorker, Peer(3)] { scene.join(peer, capacity: 4) }
        return scene
    }

    /// A broker with one busy identity worker.
    private static func busy(hasLauncher: Bool) -> BrokerHarness {
        var scene = BrokerHarness()
        if hasLauncher { scene.join(launcher, "latchkey-up", capacity: 0) }
        scene.join(worker, capacity: 4)
        return scene
    }

    // MARK: Reports of the launcher

    @Test func requestThatCrashedWorkerIsBlockedForOneMinute() {
        var scene = Self.busy(hasLauncher: true)
        _ = scene.send(1, from: gateway, repeatable: true, payload: 66)
        _ = scene.send(2, from: gateway, repeatable: true)
        _ = scene.send(3, from: otherGateway)
        scene.join(otherWorker, capacity: 4)
        let actions = scene.end(worker, .crashed, payload: 66)
        #expect(actions.compactMap(\.blocked) == [digest(66)])
        // The request that is not the cause continues; the one that is not idempotent is not repeated.
        #expect(actions.dispatched == [id(2)])
        #expect(Set(actions.codes) == [.requestBlocked, .unavailable])
        #expect(actions.contains(.block(to: otherWorker, digest(66), milliseconds: 60_000)))

        // Again, with another id and from another caller.
        let again = scene.send(4, from: otherGateway, repeatable: true, payload: 66)
        #expect(again.codes == [.requestBlocked] && again.notes == [])
        guard case .refuse(_, _, let error)? = again.first else { return }
        #expect(error.retryAfterSeconds == 60)
        _ = scene.pass(.milliseconds(59_950), alive: [otherWorker, launcher])
        #expect(scene.send(5, from: gateway, payload: 66).codes == [.requestBlocked])
        _ = scene.pass(.milliseconds(50), alive: [otherWorker, launcher])
        #expect(scene.send(6, from: gateway, payload: 66).workers == [otherWorker])
    }

    @Test func queuedRequestsWithBlockedPayloadAreRefused() {
        var scene = BrokerHarness()
        scene.join(launcher, "latchkey-up", capacity: 0)
        scene.join(worker)
        _ = scene.send(1, from: gateway, payload: 66)
        _ = scene.send(2, from: gateway, payload: 66)
        _ = scene.send(3, from: gateway)
        let actions = scene.end(worker, .crashed, payload: 66)
        #expect(actions.codes == [.requestBlocked, .requestBlocked])
        #expect(scene.join(otherWorker).dispatched == [id(3)])
    }

    @Test func requestsOfStoppedWorkerAreNotBlocked() {
        var scene = Self.busy(hasLauncher: true)
        _ = scene.send(1, from: gateway, repeatable: true)
        scene.join(otherWorker)
        let actions = scene.end(worker, .stopped)
        #expect(actions.workers == [otherWorker])
        #expect(actions.compactMap(\.blocked) == [])
    }

    /// The connection ends before the launcher reports the exit.
    @Test func requestsOfLostWorkerWaitForLauncherReport() {
        var scene = Self.busy(hasLauncher: true)
        _ = scene.send(1, from: gateway, repeatable: true)
        scene.join(otherWorker)
        #expect(scene.state.peerDisconnected(worker, at: scene.now) == [])
        #expect(scene.state.peerDisconnected(worker, at: scene.now) == [])
        #expect(scene.pass(.milliseconds(450), alive: [otherWorker, launcher]) == [])
        #expect(scene.end(worker, .stopped).workers == [otherWorker])
    }

    @Test func launcherReportIsAwaitedForLimitedTime() {
        var scene = Self.busy(hasLauncher: true)
        _ = scene.send(1, from: gateway, repeatable: true)
        scene.join(otherWorker)
        _ = scene.state.peerDisconnected(worker, at: scene.now)
        #expect(scene.pass(.milliseconds(450), alive: [otherWorker, launcher]).codes == [])
        #expect(scene.pass(.milliseconds(50), alive: [otherWorker, launcher]).codes == [.requestBlocked])
    }

    @Test func replyOfLostWorkerIsDelivered() {
        var scene = Self.busy(hasLauncher: true)
        _ = scene.send(1, from: gateway)
        _ = scene.state.peerDisconnected(worker, at: scene.now)
        #expect(scene.reply(1, from: worker) == [.reply(to: gateway, scene.expectedReply(1))])
        #expect(scene.end(worker, .crashed).codes == [])
        #expect(scene.state.isIdle)
    }

    @Test func exitReportsOfNonMembersAreIgnored() {
        var scene = Self.scene(hasLauncher: false)
        let ended = BusMessage.Ended(
            service: name("identity"), instance: name("1"), cause: .crashed, payload: digest(1))
        #expect(scene.receive(.ended(ended), from: gateway) == [])
        #expect(scene.receive(.block(digest(1), milliseconds: 60_000), from: gateway) == [])
        #expect(scene.send(1, from: gateway).workers.count == 1)
    }

    @Test func endedStartCannotJoinAgain() {
        var scene = Self.busy(hasLauncher: true)
        _ = scene.end(worker, .crashed)
        #expect(scene.join(worker, capacity: 4) == [])
        #expect(scene.send(1, from: gateway) == [])
        #expect(scene.join(worker, instance: "another.start", capacity: 4).dispatched == [id(1)])
    }

    // MARK: Without a report

    @Test func onlyRequestIsBlockedAfterFirstCrash() {
        var scene = Self.scene(hasLauncher: false)
        let first = scene.send(1, from: gateway, repeatable: true).workers
        let actions = scene.state.peerDisconnected(first[0], at: scene.now)
        #expect(actions.codes == [.requestBlocked])
        #expect(actions.dispatched == [])
        #expect(scene.send(2, from: gateway, payload: 1).codes == [.requestBlocked])
    }

    /// An idle worker exits, and the broker notices it only at the next request.
    @Test func undeliveredRequestIsNotBlocked() {
        for isIdempotent in [true, false] {
            var scene = Self.busy(hasLauncher: false)
            #expect(scene.send(1, from: gateway, repeatable: isIdempotent).workers == [worker])
            #expect(scene.state.deliveryFailed(id(1), to: worker, at: scene.now).withoutNotes == [])
            #expect(scene.join(otherWorker).dispatched == [id(1)])
            #expect(scene.reply(1, from: otherWorker) == [.reply(to: gateway, scene.expectedReply(1))])
            #expect(scene.state.isIdle)
        }
    }

    /// The lost worker has another request, so the broker waits for the report of its end. Those that never arrived do not
    /// wait with it.
    @Test func undeliveredRequestsGoToAFreeWorkerAtOnce() {
        var scene = Self.busy(hasLauncher: true)
        for number in 1...3 as ClosedRange<UInt64> { #expect(scene.send(number, from: gateway).workers == [worker]) }
        scene.join(otherWorker, capacity: 4)
        for number in 2...3 as ClosedRange<UInt64> {
            #expect(scene.state.deliveryFailed(id(number), to: worker, at: scene.now).workers == [otherWorker])
            #expect(scene.state.inconsistency == nil)
        }
    }

    @Test func eachRequestIsDispatchedOnceMoreAfterCrash() {
        var scene = Self.busy(hasLauncher: false)
        for number in 1...3 as ClosedRange<UInt64> { _ = scene.send(number, from: gateway, repeatable: true) }
        scene.join(otherWorker, capacity: 4)
        let again = scene.state.peerDisconnected(worker, at: scene.now)
        #expect(Set(again.dispatched) == [id(1), id(2), id(3)] && again.codes == [])
        // Two get replies; the worker crashes over the third, together with one that was not suspected.
        _ = scene.reply(1, from: otherWorker)
        _ = scene.reply(2, from: otherWorker)
        _ = scene.send(4, from: gateway, repeatable: true)
        scene.join(Peer(3), capacity: 4)
        let last = scene.state.peerDisconnected(otherWorker, at: scene.now)
        #expect(last.codes == [.requestBlocked] && last.compactMap(\.blocked) == [digest(3)])
        #expect(last.dispatched == [id(4)])
        // A reply ends the suspicion.
        _ = scene.reply(4, from: Peer(3))
        _ = scene.send(5, from: gateway, repeatable: true, payload: 1)
        _ = scene.send(6, from: gateway, repeatable: true)
        scene.join(Peer(4), capacity: 4)
        #expect(scene.state.peerDisconnected(Peer(3), at: scene.now).compactMap(\.blocked) == [])
    }

    @Test func disconnectOrTimeoutBlocksNoRequest() {
        for isSilent in [true, false] {
            var scene = Self.busy(hasLauncher: false)
            _ = scene.send(1, from: gateway, repeatable: true)
            scene.join(otherWorker)
            if isSilent {
                #expect(scene.pass(.seconds(1), alive: [otherWorker]).workers == [otherWorker])
            } else {
                _ = scene.receive(.disconnect, from: worker)
                #expect(scene.state.peerDisconnected(worker, at: scene.now).workers == [otherWorker])
            }
        }
    }

    // MARK: Other brokers

    @Test func blockOfAnotherBrokerAppliesAndIsForwardedOnce() {
        var scene = Self.scene(hasLauncher: false)
        let actions = scene.receive(.block(digest(66), milliseconds: 30_000), from: worker)
        #expect(actions.compactMap(\.blocked) == [digest(66)])
        #expect(actions.contains(.block(to: otherWorker, digest(66), milliseconds: 30_000)))
        #expect(!actions.contains(.block(to: worker, digest(66), milliseconds: 30_000)))
        #expect(scene.receive(.block(digest(66), milliseconds: 30_000), from: otherWorker) == [])
        #expect(scene.send(1, from: gateway, payload: 66).codes == [.requestBlocked])
    }

    @Test func blockIsLimitedToOneMinute() {
        var scene = Self.scene(hasLauncher: false)
        _ = scene.receive(.block(digest(66), milliseconds: .max), from: worker)
        _ = scene.pass(.seconds(60), alive: [worker, otherWorker, Peer(3)])
        #expect(scene.send(1, from: gateway, payload: 66).codes == [])
    }

    @Test func blockedPayloadsAreBounded() {
        var limits = BrokerLimits()
        limits.blockedPayloads = 3
        var scene = BrokerHarness(limits: limits)
        scene.join(worker, capacity: 9)
        for number in 1...4 as ClosedRange<UInt64> {
            _ = scene.receive(.block(digest(number), milliseconds: 10_000 + UInt32(number)), from: worker)
        }
        #expect(scene.send(1, from: gateway).codes == [])
        for number in 2...4 as ClosedRange<UInt64> {
            #expect(scene.send(number, from: gateway).codes == [.requestBlocked])
        }
    }
}
