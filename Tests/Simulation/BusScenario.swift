import Blocking
import BrokerService
import Bus
import Contracts
import EventLoop
import ServiceRuntime
import TestSupport

/// A mesh of brokers, workers, callers and a launcher, with its faults, from one seed.
///
/// `@unchecked Sendable`: the scheduler runs everything on one thread.
final class BusScenario: @unchecked Sendable {
    typealias Instant = ContinuousClock.Instant

    struct Member {
        var process: SimulatedProcess
        var connection: BusConnection
        var service: ServiceName?
        var instance: String
    }

    /// `@unchecked Sendable`: the scheduler runs everything on one thread.
    final class SimulatedBroker: @unchecked Sendable {
        let process: SimulatedProcess
        let inbox = BrokerInbox()
        var loop: BrokerLoop?

        init(_ process: SimulatedProcess) { self.process = process }
    }

    let world: World
    let plan: Plan
    let endpoints: [String]
    var brokers: [SimulatedBroker?] = []
    var workers: [Member?] = []
    var callers: [Member?] = []
    var launcher: Member?
    private(set) var calls: [CallRecord] = []
    private var openCalls: Set<Int> = []
    private var instanceCount = 0
    private var runningCalls: [String: Int] = [:]
    /// Since the beginning, how often workers crashed over each payload.
    private var crashes: [Int: Int] = [:]
    private var isSettling = false
    private var checkCount = 0

    init(seed: UInt64, plan: Plan) {
        self.plan = plan
        world = World(seed: seed, highWaterMark: plan.highWaterMark, ofBroker: plan.highWaterMarkOfBroker)
        endpoints = (1...plan.brokers).map { "ipc:///simulated/broker.\($0)" }
    }

    // MARK: Processes

    private func process(_ name: String) -> SimulatedProcess {
        var offsets = ClockOffsets()
        offsets.steady = .milliseconds(world.random.index(below: 1_000_000))
        offsets.wall = .milliseconds(world.random.index(below: 7_200_000) - 3_600_000)
        let process = SimulatedProcess(name, in: world, offsets: offsets)
        world.add(process)
        return process
    }

    private func newInstance(_ name: String) -> String {
        instanceCount += 1
        return "\(name).\(instanceCount)"
    }

    func startBroker(_ number: Int) {
        guard let endpoint = try? BusEndpoint(endpoints[number]) else { return world.report("a broken endpoint") }
        let process = process(newInstance("broker"))
        let broker = SimulatedBroker(process)
        brokers[number] = broker
        let router = SimulatedRouter(of: process, at: endpoint)
        process.endpoints.append(router)
        world.network.listen(router)
        process.inspect = { [weak broker] in broker?.loop?.state.inconsistency }
        let log = Log(instance: process.name, write: { _ in })
        process.attach(
            EventSourceStart(
                make: { [unowned broker] in
                    let loop = try BrokerLoop(
                        router, limits: .init(), inbox: broker.inbox, log: log, now: { process.now() })
                    broker.loop = loop
                    return loop
                },
                ended: { [unowned self] error in
                    if !process.isEnded { self.closeAfterLastMessages(process) { self.restartBroker(number) } }
                    broker.loop = nil
                }))
    }

    func killBroker(_ number: Int) {
        guard let broker = brokers[number] else { return }
        broker.process.end()
        restartBroker(number)
    }

    private func restartBroker(_ number: Int) {
        brokers[number] = nil
        world.schedule(after: .milliseconds(20 + world.random.index(below: 400))) { [self] in startBroker(number) }
    }

    /// A process that ends by itself sends what it has sent, for 500 milliseconds at most (`lingerMilliseconds`).
    private func closeAfterLastMessages(_ process: SimulatedProcess, _ then: @escaping () -> Void) {
        let end = world.time.steady + .milliseconds(500)
        func look() {
            guard !process.isEnded else { return }
            let isWaiting = world.network.connections.contains { connection in
                !connection.isCut
                    && (connection.router.process === process && !connection.toMember.isEmpty
                        || connection.dealer.process === process && !connection.toBroker.isEmpty)
            }
            if isWaiting, world.time.steady < end {
                world.schedule(after: .milliseconds(1), look)
            } else {
                process.end()
                then()
            }
        }
        look()
    }

    private func member(
        _ settings: BusSettings, _ name: String, service: ServiceName?, worker: BusHandler? = nil,
        process: SimulatedProcess, ended: @escaping @Sendable () -> Void
    ) -> Member? {
        let machine = SimulatedMachine(process: process)
        guard
            let connection = try? BusConnection(
                settings, worker: worker, on: process.taskLoop, machine: machine, note: { _ in })
        else {
            world.report("\(name) cannot start")
            return nil
        }
        Task(executorPreference: process.taskLoop) { [self] in
            try? await connection.run()
            if !process.isEnded { closeAfterLastMessages(process, ended) }
        }
        return Member(process: process, connection: connection, service: service, instance: settings.instance.rawValue)
    }

    func startWorker(_ number: Int) {
        let instance = newInstance("notifier")
        let process = process(instance)
        guard
            let settings = try? BusSettings(
                brokers: endpoints, service: .notifier, instance: instance, capacity: plan.capacity)
        else { return world.report("broken settings") }
        workers[number] = member(
            settings, instance, service: .notifier, worker: { [unowned self] in try await handle($0, in: process) },
            process: process, ended: { [unowned self] in restartWorker(number, instance, .stopped, payload: nil) })
    }

    func startCaller(_ number: Int) {
        let instance = newInstance("gateway")
        let process = process(instance)
        guard let settings = try? BusSettings(brokers: endpoints, service: .gateway, instance: instance, capacity: 0)
        else { return world.report("broken settings") }
        callers[number] = member(settings, instance, service: .gateway, process: process, ended: {})
    }

    func startLauncher() {
        let process = process(newInstance("launcher"))
        guard let settings = try? BusSettings(brokers: endpoints, launcher: process.name) else {
            return world.report("broken settings")
        }
        launcher = member(settings, process.name, service: nil, process: process, ended: {})
    }

    /// The launcher reports the end of a worker and starts another one.
    private func restartWorker(
        _ number: Int, _ instance: String, _ cause: BusMessage.Ended.Cause, payload: PayloadDigest?
    ) {
        workers[number] = nil
        runningCalls[instance] = nil
        world.schedule(after: .milliseconds(1 + world.random.index(below: 50))) { [self] in
            if let launcher, !launcher.process.isEnded, let name = BusName(instance) {
                launcher.connection.report(
                    .init(service: BusName(.notifier), instance: name, cause: cause, payload: payload))
            }
        }
        world.schedule(after: .milliseconds(20 + world.random.index(below: 500))) { [self] in startWorker(number) }
    }

    func killWorker(_ number: Int, _ cause: BusMessage.Ended.Cause, payload: PayloadDigest? = nil) {
        guard let worker = workers[number] else { return }
        worker.process.end()
        restartWorker(number, worker.instance, cause, payload: payload)
    }

    // MARK: Handler

    private func handle(_ call: BusCall, in process: SimulatedProcess) async throws -> BusReply {
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
            if request.behavior.crashes, !process.isEnded { crash(process, over: request.number) }
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
    private func crash(_ process: SimulatedProcess, over number: Int) {
        crashes[number, default: 0] += 1
        let mark = RequestMark.current.map { PayloadDigest(high: $0.high, low: $0.low) }
        let payload = world.random.chance(percent: 80) ? mark : nil
        world.note("\(process.name) crashes over call \(number)")
        guard let place = workers.firstIndex(where: { $0?.process === process }) else { return }
        world.schedule(after: .zero) { [self] in killWorker(place, .crashed, payload: payload) }
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
        brokers = Array(repeating: nil, count: plan.brokers)
        workers = Array(repeating: nil, count: plan.workers)
        callers = Array(repeating: nil, count: plan.callers)
        for number in brokers.indices { startBroker(number) }
        for number in workers.indices { startWorker(number) }
        for number in callers.indices { startCaller(number) }
        startLauncher()
        world.run(for: .seconds(1)) { [self] in check() }
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
        for (number, count) in crashes where count > Self.maximumCrashes {
            world.report("\(count) workers crashed over payload \(number)")
        }
    }

    /// Each broker may lose two workers before it knows the payload, and the members pass it on after the first.
    private static let maximumCrashes = 8

    private func checkThatEverythingIsDone() {
        for broker in brokers {
            guard let broker, let loop = broker.loop else {
                world.report("a broker does not run")
                continue
            }
            if !loop.state.isIdle { world.report("\(broker.process.name) still has requests") }
        }
        for member in (workers + callers + [launcher]).compactMap({ $0 }) {
            let status = member.connection.status
            if status.connectedBrokers != plan.brokers {
                world.report("\(member.instance) has joined \(status.connectedBrokers) of \(plan.brokers) brokers")
            }
            if status.pendingReplies != 0 || status.running != 0 { world.report("\(member.instance) still has calls") }
        }
        if workers.contains(where: { $0 == nil }) { world.report("a worker does not run") }
    }
}
