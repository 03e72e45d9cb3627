import Broker
import Bus
import Contracts
import TestSupport
import Testing

/// Events and reports.
@Suite struct BrokerHeldMessageTests {
    @Test func eventReachesEveryOtherMember() {
        var scene = BrokerHarness()
        for peer in [worker, otherWorker, gateway] { scene.join(peer) }
        _ = scene.tick()
        #expect(scene.receive(.event(body("{}")), from: worker) == [])
        #expect(scene.tick() == [])
        scene.clock.advance(by: .milliseconds(20))
        #expect(scene.state.dueAt == scene.clock.instant)
        let actions = scene.tick()
        #expect(Set(actions.map { "\($0)" }).count == 2)
        #expect(actions.contains(.event(to: otherWorker, body("{}"))))
        #expect(actions.contains(.event(to: gateway, body("{}"))))
    }

    @Test func eventIsNotOvertakenByLaterReply() {
        var scene = BrokerHarness()
        scene.join(worker)
        scene.join(gateway)
        _ = scene.send(1, from: gateway)
        _ = scene.receive(.event(body("{}")), from: worker)
        #expect(
            scene.reply(1, from: worker)
                == [.event(to: gateway, body("{}")), .reply(to: gateway, scene.expectedReply(1))])
    }

    @Test func heldEventsAreBounded() {
        var scene = BrokerHarness()
        scene.join(worker)
        scene.join(gateway)
        for _ in 1..<64 { #expect(scene.receive(.event(body("{}")), from: worker) == []) }
        let actions = scene.receive(.event(body("{}")), from: worker)
        #expect(actions == Array(repeating: .event(to: gateway, body("{}")), count: 64))
    }

    @Test func reportReachesOtherMembersThatWatchReports() {
        var scene = BrokerHarness()
        for peer in [worker, otherWorker, gateway] { scene.join(peer) }
        _ = scene.tick()
        for peer in [worker, gateway] { #expect(scene.receive(.watch, from: peer) == []) }
        #expect(scene.receive(.report(body("{}")), from: worker) == [])
        scene.clock.advance(by: .milliseconds(20))
        #expect(scene.tick() == [.processReport(to: gateway, body("{}"))])
    }

    @Test func reportOfBrokerReachesMembersThatWatchReports() {
        var scene = BrokerHarness()
        for peer in [worker, gateway] { scene.join(peer) }
        _ = scene.tick()
        _ = scene.receive(.watch, from: gateway)
        let early = scene.state.publish(body("{}"), at: scene.now)
        #expect(early == [])
        scene.clock.advance(by: .milliseconds(20))
        #expect(scene.tick() == [.processReport(to: gateway, body("{}"))])
    }

    @Test func restartedMemberWatchesReportsOnlyIfItAsksAgain() {
        var scene = BrokerHarness()
        scene.join(gateway, "gateway", instance: "gateway.1")
        _ = scene.receive(.watch, from: gateway)
        scene.join(otherGateway, "gateway", instance: "gateway.1")
        _ = scene.tick()
        _ = scene.state.publish(body("{}"), at: scene.now)
        scene.clock.advance(by: .milliseconds(20))
        #expect(scene.tick() == [])
    }

    @Test(arguments: [BusMessage.watch, .report(body("{}"))])
    func processThatIsNoMemberJoinsFirst(_ message: BusMessage) {
        var scene = BrokerHarness()
        scene.join(gateway)
        #expect(scene.receive(message, from: worker) == [.disconnect(worker)])
    }

    @Test func eventOfNonMemberIsDropped() {
        var scene = BrokerHarness()
        scene.join(gateway)
        #expect(scene.receive(.event(body("{}")), from: worker) == [.disconnect(worker)])
    }
}
