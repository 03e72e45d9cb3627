import Blocking
import Broker
import Bus
import Contracts
import EventLoop
import Glibc
import LatchkeyProgram
import ServiceRuntime
import Synchronization
import TestSupport

/// A mesh of brokers, workers, callers and a launcher, with its faults, from one seed.
///
/// `@unchecked Sendable`: the scheduler runs everything on one thread.
final class BusScenario: Scenario, @unchecked Sendable {
    typealias Instant = ContinuousClock.Instant

    struct Member {
        var process: SimulatedProcess
        var connection: BusConnection
        var instance: String
        /// The broker that its process contains.
        var broker: SimulatedBroker?
    }

    /// `@unchecked Sendable`: the scheduler runs everything on one thread.
    final class SimulatedBroker: @unchecked Sendable {
        let process: SimulatedProcess
        let inbox = BrokerInbox()
        let signal: SourceSignal
        var loop: BrokerLoop?
        /// In a gateway: it goes on when the connection of the gateway has ended.
        var goesOn = false
        /// In a gateway: its connection has ended.
        var isAlone = false

        func stop() {
            inbox.content.withLock { $0.isStopping = true }
            signal.raise()
        }

        init(_ process: SimulatedProcess) {
            self.process = process
            signal = process.taskLoop.makeSignal()
        }
    }

    let world: World
    let plan: Plan
    let endpoints: [String]
    var brokers: [SimulatedBroker?] = []
    var workers: [Member?] = []
    var callers: [Member?] = []
    private(set) var launcher: SimulatedLauncher!  // Set by `init`.
    /// The connection over which the launcher reports ends.
    var launcherConnection: Member?
    private(set) var calls: [CallRecord] = []
    private var openCalls: Set<Int> = []
    private var instanceCount = 0
    private var runningCalls: [String: Int] = [:]
    /// Since the beginning, how often workers crashed over each payload.
    private var crashes: [Payload: Int] = [:]
    /// How often a broker started. What it has learned of payloads ends with it.
    var brokerStarts = 0
    private var isSettling = false
    private var checkCount = 0

    init(seed: UInt64, plan: Plan) {
        self.plan = plan
        world = World(seed: seed, highWaterMark: plan.highWaterMark, ofBroker: plan.highWaterMarkOfBroker)
        endpoints = (1...plan.brokers).map { "ipc:///simulated/broker.\($0)" }
        brokers = Array(repeating: nil, count: plan.brokers)
        workers = Array(repeating: nil, count: plan.workers)
        callers = Array(repeating: nil, count: plan.callers)
        launcher = SimulatedLauncher(
            self,
            children: (plan.brokersAreInCallers ? [] : brokers.indices.map { .broker($0) })
                + workers.indices.map { .worker($0) }
                + callers.indices.map { .caller($0) })
    }

    var operationCount: Int { calls.count }
    var refusalCount: Int { calls.count { $0.failure != nil } }

    func newInstance(_ name: String) -> String {
        instanceCount += 1
        return "\(name).\(instanceCount)"
    }

    // MARK: Handler

    func handle(_ call: BusCall, in process: SimulatedProcess) async throws -> BusReply {
        guard let operation = SimulatedOperation(rawValue: call.operation) else {
            throw ServiceError(.unknownOperation)
        }
        switch operation {
        case .readOnce: return try await reply(to: call, as: OnceRequest.self, in: process)
        case .repeatable: return try await reply(to: call, as: RepeatableRequest.self, in: process)
        case .keyed: return try await reply(to: call, as: KeyedRequest.self, in: process)
        }
    }

    private func reply<Request: SimulatedRequest>(
        to call: BusCall, as type: Request.Type, in process: SimulatedProcess
    ) async throws -> BusReply {
        try await call.reply { [self] (request: Request) in
            guard !process.isEnded else { throw CancellationError() }
            begin(request, call, in: process)
            defer { runningCalls[process.name]? -= 1 }
            try await process.pause(for: .milliseconds(request.behavior.milliseconds))
            if request.behavior.crashes, !process.isEnded { crash(process, over: request) }
            return SimulatedReply(number: request.number)
        }
    }

    private func begin<Request: SimulatedRequest>(_ request: Request, _ call: BusCall, in process: SimulatedProcess) {
        runningCalls[process.name, default: 0] += 1
        if runningCalls[process.name, default: 0] > Int(plan.capacity) * plan.brokers {
            world.report("\(process.name) runs more calls than its capacity")
        }
        world.note("\(process.name) runs call \(request.number)")
        guard calls.indices.contains(request.number) else { return }
        calls[request.number].executions += 1
        if let key = call.idempotencyKey { calls[request.number].keys.insert(key) }
        if Request.retrySemantics == .atMostOnce, calls[request.number].executions > 1 {
            world.report("call \(request.number), which runs at most once, ran twice")
        }
        if calls[request.number].keys.count > 1 {
            world.report("call \(request.number) was repeated under another key")
        }
    }

    /// The worker crashes. In most cases the launcher learns over which request.
    private func crash<Request: SimulatedRequest>(_ process: SimulatedProcess, over request: Request) {
        crashes[Payload(operation: Request.operation, number: request.number), default: 0] += 1
        let mark = RequestMark.current.map { PayloadDigest(high: $0.high, low: $0.low) }
        let payload = world.random.chance(percent: 80) ? mark : nil
        world.note("\(process.name) crashes over call \(request.number)")
        guard let place = workers.firstIndex(where: { $0?.process === process }) else { return }
        world.schedule(after: .zero) { [self] in launcher.kill(.worker(place), .signal(SIGSEGV), payload: payload) }
    }

    // MARK: Calls

    /// The callers call at random moments until the faults have ended.
    private func scheduleCalls(of number: Int) {
        let pause = plan.pauseOfCallers * Double(1 + world.random.index(below: 200)) / 100
        world.schedule(after: pause) { [self] in
            guard !isSettling else { return }
            for _ in 0...(world.random.chance(percent: 10) ? 20 : 0) { call(from: number) }
            scheduleCalls(of: number)
        }
    }

    private func call(from number: Int) {
        guard let caller = callers[number], !caller.process.isEnded else { return }
        let isLong = world.random.chance(percent: plan.longCalls)
        var behavior = Behavior(milliseconds: world.random.index(below: isLong ? 800 : 15))
        let timeout =
            plan.profile == .everything && world.random.chance(percent: 30)
            ? Duration.milliseconds(20 + world.random.index(below: 500)) : .seconds(8)
        var callNumber = calls.count
        if plan.crashingPayloads, world.random.chance(percent: 2) {
            behavior = Behavior(milliseconds: 3, crashes: true)
            callNumber = -1 - world.random.index(below: 3)
        }
        switch world.random.index(below: 3) {
        case 0: send(OnceRequest(number: callNumber, behavior: behavior), from: caller, timeout: timeout)
        case 1: send(RepeatableRequest(number: callNumber, behavior: behavior), from: caller, timeout: timeout)
        default: send(KeyedRequest(number: callNumber, behavior: behavior), from: caller, timeout: timeout)
        }
    }

    private func send<Request: SimulatedRequest>(_ request: Request, from caller: Member, timeout: Duration) {
        let place = calls.count
        let now = world.time.steady
        calls.append(
            CallRecord(
                operation: Request.operation, caller: caller.process, expiresAt: now + timeout))
        openCalls.insert(place)
        world.note("\(caller.instance) calls \(request.number) as \(Request.operation)")
        let trace = TraceContext.random()
        Task(executorPreference: caller.process.taskLoop) { [self] in
            // A process that stands still begins its calls late.
            calls[place].expiresAt = world.time.steady + timeout
            do throws(ServiceError) {
                let reply = try await BusClient(caller.connection).send(
                    request, CallOptions(trace: trace, timeout: timeout))
                end(place, request, reply: reply.number, failure: nil)
            } catch {
                end(place, request, reply: nil, failure: error)
            }
        }
    }

    private func end<Request: SimulatedRequest>(
        _ place: Int, _ request: Request, reply: Int?, failure: ServiceError?
    ) {
        openCalls.remove(place)
        guard !calls[place].caller.isEnded else { return }
        calls[place].endedAt = world.time.steady
        calls[place].failure = failure?.code
        world.note("call \(request.number) ends: \(failure.map { "\($0.code) \($0.message ?? "")" } ?? "reply")")
        if let reply {
            if reply != request.number { world.report("call \(request.number) got the reply of \(reply)") }
            if request.number >= 0, calls[place].executions == 0 {
                world.report("call \(request.number) got a reply and ran nowhere")
            }
        } else if plan.profile != .everything {
            world.report("call \(request.number) failed without a fault: \(String(describing: failure))")
        }
    }

    // MARK: Run

    /// Runs the whole scenario.
    func run() {
        for crashing in plan.crashesAtStart {
            launcher.crashAtStart(launcher.child(at: crashing.choice), times: crashing.times)
        }
        startLauncherConnection()
        launcher.begin()
        awaitGateway()
        world.run(for: .seconds(1)) { [self] in check() }
        // What crashes at its start begins later.
        for _ in 0..<10 where !launcher.isReady { world.run(for: .milliseconds(500)) { [self] in check() } }
        for fault in plan.faults { world.schedule(after: fault.at) { [self] in begin(fault) } }
        for number in callers.indices { scheduleCalls(of: number) }
        world.run(for: Plan.faultTime) { [self] in check() }
        isSettling = true
        world.network.longestLatency = .milliseconds(2)
        // The longest call, the time in which a lost reply occupies its worker, and the restart of a process.
        world.run(for: .seconds(16)) { [self] in check() }
        guard world.violations.isEmpty else { return }
        checkThatEverythingIsDone()
        for number in callers.indices {
            guard let caller = callers[number] else { continue }
            let behavior = Behavior(milliseconds: 1)
            send(OnceRequest(number: calls.count, behavior: behavior), from: caller, timeout: .seconds(1))
        }
        let first = calls.count - callers.count
        world.run(for: .seconds(2)) { [self] in check() }
        guard world.violations.isEmpty else { return }
        for call in calls[first...] where call.failure != nil || call.endedAt == nil {
            world.report("a call after all faults failed: \(String(describing: call.failure))")
        }
        stopEverything()
    }

    /// The gateway says that the mesh is ready some time after it has joined. In some runs a process that has joined ends
    /// shortly before.
    private func awaitGateway() {
        guard let gateway = callers.first ?? nil, gateway.connection.status.connectedBrokers > 0,
            plan.endsBeforeReady == nil || launcher.haveAllJoined
        else {
            world.schedule(after: .milliseconds(20)) { [self] in awaitGateway() }
            return
        }
        if let choice = plan.endsBeforeReady { launcher.kill(launcher.child(at: choice), .signal(SIGKILL)) }
        world.schedule(after: .milliseconds(world.random.index(below: 100))) { [self] in launcher.becomeReady() }
    }

    /// The launcher stops the mesh while calls are under way. They get their replies, unless a process stands still, or a
    /// connection is full.
    private func stopEverything() {
        let first = calls.count
        let fullCount = world.network.fullCount
        for caller in callers.compactMap(\.self) {
            for _ in 0..<3 {
                let behavior = Behavior(milliseconds: world.random.index(below: 400))
                send(RepeatableRequest(number: calls.count, behavior: behavior), from: caller, timeout: .seconds(3))
            }
        }
        world.run(for: .milliseconds(50)) { [self] in check() }
        let running = world.processes.filter { $0.condition == .running }
        let hanging = plan.hangsAtStop.map { running[$0 % running.count] }
        hanging?.condition = .paused(until: world.time.steady + .seconds(60))
        launcher.stop()
        world.run(for: .seconds(8)) { [self] in check() }
        guard world.violations.isEmpty else { return }
        launcher.checkThatEverythingHasStopped()
        // A worker whose connection takes no more messages is treated as lost.
        guard hanging == nil, world.network.fullCount == fullCount else { return }
        for call in calls[first...] where call.failure != nil || call.endedAt == nil {
            world.report("a call failed while the mesh stopped: \(String(describing: call.failure))")
        }
    }

    /// Ends every process.
    func end() { world.end() }

    private func check() {
        checkCount += 1
        guard checkCount % 16 == 0 else { return }
        for place in openCalls {
            let call = calls[place]
            guard !call.caller.isEnded else {
                openCalls.remove(place)
                continue
            }
            guard call.caller.condition == .running else { continue }
            let due = max(call.expiresAt, call.caller.resumedAt) + .milliseconds(200)
            if world.time.steady > due { world.report("call \(place) has no result after its deadline") }
        }
        // Every worker may run a copy while the first one crashes. If the broker does not learn over which of its requests, one
        // more runs it.
        let most = brokerStarts * (plan.workers + 1)
        for (payload, count) in crashes where count > most {
            world.report("\(count) workers crashed over \(payload.operation) \(payload.number)")
        }
    }

    /// Requests that a broker cannot tell apart but by their ids.
    private struct Payload: Hashable {
        var operation: SimulatedOperation
        var number: Int
    }

    private func checkThatEverythingIsDone() {
        for broker in brokers {
            guard let broker, broker.loop?.state.isIdle == false else { continue }
            world.report("\(broker.process.name) still has requests")
        }
        for member in (workers + callers + [launcherConnection]).compactMap({ $0 }) {
            let status = member.connection.status
            if status.connectedBrokers != plan.brokers {
                world.report("\(member.instance) has joined \(status.connectedBrokers) of \(plan.brokers) brokers")
            }
            if status.pendingReplies != 0 || status.running != 0 { world.report("\(member.instance) still has calls") }
        }
        launcher.checkThatEverythingRuns()
    }
}
