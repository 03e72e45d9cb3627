import Broker
import Bus
import Contracts
import TestSupport
import Testing

/// Random actions of peers in random order: each request gets one reply or its caller is gone, and no worker exceeds
/// its capacity.
@Suite struct BrokerPropertyTests {
    @Test(arguments: 0..<200 as Range<UInt64>)
    func everyRequestIsAnsweredOnceWithinCapacity(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var limits = BrokerLimits()
        limits.queuedPerService = 8
        limits.queuedPerCaller = 5
        limits.queuedInTotal = 12
        var run = Run(scene: BrokerHarness(limits: limits))
        for _ in 0..<400 { run.step(&random) }
        run.end()
        #expect(run.faults == [])
    }

    /// The peers of the broker, as far as the property requires them.
    private struct Run {
        static let workers = (1...4).map { Peer($0) }
        static let callers = (100...102).map { Peer($0) }
        static let services = ["identity", "notifier"]

        var scene: BrokerHarness
        var nextID: UInt64 = 0
        var capacity: [Peer: Int] = [:]
        /// The running requests of each worker.
        var running: [Peer: Set<RequestID>] = [:]
        /// Requests that still need a reply.
        var owed: [RequestID: Peer] = [:]
        var faults: [String] = []

        mutating func step(_ random: inout SeededRandom) {
            let worker = Self.workers.randomElement(using: &random)!  // The list is not empty.
            let caller = Self.callers.randomElement(using: &random)!
            let service = Self.services.randomElement(using: &random)!
            switch Int.random(in: 0..<20, using: &random) {
            case 0...1:
                let room = UInt16.random(in: 0...3, using: &random)
                // The old connection of the worker ends before the broker receives its new capacity.
                obey(scene.state.peerDisconnected(worker, at: scene.now), gone: worker)
                capacity[worker] = Int(room)
                running[worker] = []
                obey(scene.join(worker, service, capacity: room))
            case 2: obey(scene.receive(.disconnect, from: worker))
            case 3: obey(scene.state.peerDisconnected(worker, at: scene.now), gone: worker)
            case 4:
                owed = owed.filter { $0.value != caller }
                obey(scene.state.peerDisconnected(caller, at: scene.now))
            case 5...6:
                scene.clock.advance(by: .milliseconds(Int64.random(in: 1...300, using: &random)))
                for peer in Self.workers where Bool.random(using: &random) {
                    obey(scene.receive(.heartbeat, from: peer))
                }
                obey(scene.tick())
            case 7...12:
                nextID += 1
                owed[id(nextID)] = caller
                obey(
                    scene.send(
                        nextID, from: caller, service,
                        within: .milliseconds(Int64.random(in: 0...2000, using: &random)),
                        repeatable: Bool.random(using: &random)))
            default:
                guard let done = running[worker]?.min(by: { "\($0)" < "\($1)" }) else { return }
                running[worker]?.remove(done)
                obey(scene.receive(.reply(.init(id: done, body: body("done"))), from: worker))
            }
        }

        mutating func obey(_ actions: [BrokerState.Action], gone: Peer? = nil) {
            if let gone { running[gone] = [] }
            for action in actions {
                switch action {
                case .dispatch(let peer, let request):
                    running[peer, default: []].insert(request.id)
                    if running[peer, default: []].count > capacity[peer, default: 0] {
                        faults.append("\(peer) has more than its capacity")
                    }
                case .reply(let peer, let reply): recordReply(reply.id, peer)
                case .refuse(let peer, let id, _): recordReply(id, peer)
                case .report(.memberLeft(_, let instance, .heartbeatTimeout)):
                    // A silent worker counts as lost; its later actions have no effect.
                    if let number = UInt32(instance.rawValue) { running[Peer(number)] = [] }
                case .heartbeat, .disconnect, .event, .processReport, .report, .block, .leaving, .confirm: break
                }
            }
        }

        mutating func recordReply(_ id: RequestID, _ peer: Peer) {
            if owed[id] != peer { faults.append("\(id) was answered twice, or to the wrong caller") }
            owed[id] = nil
        }

        /// Every worker replies to its running requests; then time passes until every deadline.
        mutating func end() {
            for worker in Self.workers {
                while let done = running[worker]?.popFirst() {
                    obey(scene.receive(.reply(.init(id: done, body: body("done"))), from: worker))
                }
            }
            obey(scene.pass(.seconds(10)))
            if !scene.state.isIdle { faults.append("the broker remembers requests") }
            if !owed.isEmpty { faults.append("\(owed.count) requests were never answered") }
            checkThatQueuesAreEmpty()
        }

        /// Fills both queues behind busy workers to exactly the limits of the test.
        private mutating func checkThatQueuesAreEmpty() {
            for (number, service) in Self.services.enumerated() {
                scene.join(Self.workers[number], service, capacity: 1)
                nextID += 1
                _ = scene.send(nextID, from: Self.callers[2], service)
            }
            let plan = [(0, 0, 5, 0), (1, 0, 3, 1), (0, 1, 4, 1)]
            for (caller, service, taken, refused) in plan {
                for count in 1...(taken + refused) {
                    nextID += 1
                    let isTaken = scene.send(nextID, from: Self.callers[caller], Self.services[service]).isEmpty
                    if isTaken != (count <= taken) {
                        faults.append("caller \(caller) has \(count) in queue \(service)")
                    }
                }
            }
        }
    }
}
