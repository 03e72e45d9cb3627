import Broker
import Bus
import Contracts
import TestSupport
import Vocabulary
import ZeroMQ

/// A broker state with a manual clock, and short names for its messages.
struct BrokerHarness {
    let clock = ManualClock()
    var state: BrokerState

    init(limits: BrokerLimits = .init()) {
        state = BrokerState(limits: limits, at: BusTime(steady: clock.instant, wall: clock.now))
    }

    var now: BusTime { BusTime(steady: clock.instant, wall: clock.now) }

    mutating func receive(_ frames: BusMessage, from peer: Peer) -> [BrokerState.Action] {
        state.receive(.frames(frames), from: peer, at: now)
    }

    mutating func tick() -> [BrokerState.Action] { state.tick(at: now) }

    /// Advances time in steps of 50 ms, while the given peers keep sending heartbeats.
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

    mutating func send(
        _ id: UInt64, from caller: Peer, _ service: String = "identity", within: Duration = .seconds(5),
        repeatable: Bool = false, payload: UInt64? = nil
    ) -> [BrokerState.Action] {
        let request = request(id, service, within: within, repeatable: repeatable, payload: payload)
        return receive(.request(request), from: caller)
    }

    /// The launcher reports how a worker ended, and time passes until the broker acts.
    mutating func end(
        _ peer: Peer, _ cause: BusMessage.Ended.Cause, service: String = "identity", payload: UInt64? = nil
    ) -> [BrokerState.Action] {
        let ended = BusMessage.Ended(
            service: name(service), instance: name("\(peer.number)"), cause: cause, payload: payload.map(digest))
        return receive(.ended(ended), from: launcher) + tick().filter { !$0.isHeartbeat }
    }

    func request(
        _ id: UInt64, _ service: String = "identity", within: Duration = .seconds(5), repeatable: Bool = false,
        payload: UInt64? = nil
    ) -> BusMessage.Request {
        .init(
            service: name(service), id: RequestID(high: 0, low: id), deadline: clock.now + within,
            isIdempotent: repeatable, payload: digest(payload ?? id), body: body("request \(id)"))
    }

    mutating func reply(_ id: UInt64, from worker: Peer) -> [BrokerState.Action] {
        receive(.reply(expectedReply(id)), from: worker)
    }

    func expectedReply(_ id: UInt64) -> BusMessage.Reply {
        .init(id: RequestID(high: 0, low: id), body: body("reply \(id)"))
    }
}

func name(_ text: String) -> BusName { BusName(text)! }  // Constant names of the tests.
func body(_ text: String) -> ZeroMQFrame { ZeroMQFrame(Array(text.utf8)) }

extension BrokerState.Action {
    var isHeartbeat: Bool { if case .heartbeat = self { true } else { false } }
    var isNote: Bool { if case .report = self { true } else { false } }

    /// The receiver and the error of a refusal.
    var refusal: (peer: Peer, id: RequestID, code: WireError.Code)? {
        if case .refuse(let peer, let id, let error) = self { (peer, id, error.code) } else { nil }
    }

    var leaver: Peer? { if case .leaving(let peer) = self { peer } else { nil } }
    var disconnected: Peer? { if case .disconnect(let peer) = self { peer } else { nil } }
    /// The newly blocked payload, according to the log.
    var blocked: PayloadDigest? { if case .report(.blocked(let payload, _, _)) = self { payload } else { nil } }

    /// The request and its worker.
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

/// Each request of a test has its own payload unless the test sets it.
func digest(_ number: UInt64) -> PayloadDigest { PayloadDigest(high: 7, low: number) }

let launcher = Peer(200)
let gateway = Peer(100)
let otherGateway = Peer(101)
let worker = Peer(1)
let otherWorker = Peer(2)
