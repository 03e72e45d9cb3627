import BrokerService
import Bus
import Contracts
import TestSupport
import Vocabulary
import ZeroMQ

/// A broker state, a clock that stands still, and short names for what the tests say.
struct Scene {
    let clock = ManualClock()
    var state: BrokerState

    init(limits: BrokerLimits = .init()) {
        state = BrokerState(limits: limits, at: BusTime(steady: clock.instant, wall: clock.now))
    }

    var now: BusTime { BusTime(steady: clock.instant, wall: clock.now) }

    mutating func receive(_ frames: Frames, from peer: Peer) -> [BrokerState.Action] {
        state.receive(.frames(frames), from: peer, at: now)
    }

    mutating func tick() -> [BrokerState.Action] { state.tick(at: now) }

    /// Lets time pass in steps of 50 ms, while the given peers go on giving signs of life.
    mutating func pass(_ duration: Duration, alive: [Peer] = []) -> [BrokerState.Action] {
        var actions: [BrokerState.Action] = []
        var passed = Duration.zero
        while passed < duration {
            clock.advance(by: .milliseconds(50))
            passed += .milliseconds(50)
            for peer in alive { actions += receive(.heartbeat, from: peer) }
            actions += tick()
        }
        return actions.filter { !$0.isHeartbeat }
    }

    @discardableResult
    mutating func join(
        _ peer: Peer, _ service: String = "identity", instance: String? = nil, capacity: UInt16 = 1
    ) -> [BrokerState.Action] {
        receive(
            .ready(.init(service: name(service), instance: name(instance ?? "\(peer.number)"), capacity: capacity)),
            from: peer)
    }

    mutating func ask(
        _ id: UInt64, from caller: Peer, _ service: String = "identity", within: Duration = .seconds(5),
        repeatable: Bool = false
    ) -> [BrokerState.Action] {
        receive(.request(request(id, service, within: within, repeatable: repeatable)), from: caller)
    }

    func request(
        _ id: UInt64, _ service: String = "identity", within: Duration = .seconds(5), repeatable: Bool = false
    ) -> Frames.Request {
        .init(
            service: name(service), id: RequestID(high: 0, low: id), deadline: clock.now + within,
            isRepeatable: repeatable, body: body("request \(id)"))
    }

    mutating func reply(_ id: UInt64, from worker: Peer) -> [BrokerState.Action] {
        receive(.reply(answer(id)), from: worker)
    }

    func answer(_ id: UInt64) -> Frames.Reply { .init(id: RequestID(high: 0, low: id), body: body("reply \(id)")) }
}

func name(_ text: String) -> BusName { BusName(text)! }  // Our own words.
func body(_ text: String) -> ZeroMQFrame { ZeroMQFrame(Array(text.utf8)) }

extension BrokerState.Action {
    var isHeartbeat: Bool { if case .heartbeat = self { true } else { false } }
    var isNote: Bool { if case .note = self { true } else { false } }

    /// Who was refused what.
    var refusal: (peer: Peer, id: RequestID, code: WireError.Code)? {
        if case .refuse(let peer, let id, let error) = self { (peer, id, error.code) } else { nil }
    }

    /// Which request went to whom.
    var dispatch: (peer: Peer, id: RequestID)? {
        if case .dispatch(let peer, let request) = self { (peer, request.id) } else { nil }
    }
}

extension [BrokerState.Action] {
    var codes: [WireError.Code] { compactMap { $0.refusal?.code } }
    var workers: [Peer] { compactMap { $0.dispatch?.peer } }
    var dispatched: [RequestID] { compactMap { $0.dispatch?.id } }
    var notes: [BrokerState.Action] { filter(\.isNote) }
    var withoutNotes: [BrokerState.Action] { filter { !$0.isNote } }
}

func id(_ low: UInt64) -> RequestID { RequestID(high: 0, low: low) }

let gateway = Peer(100)
let otherGateway = Peer(101)
let worker = Peer(1)
let otherWorker = Peer(2)
