// Parts of services are no interfaces: a release build has them only for tests.
#if DEBUG || TESTABLE

    import Bus
    import Contracts
    import TestSupport
    import Vocabulary

    /// The bus between services, as its callers see it: a request arrives at one of the processes that serve, twice, late or
    /// never, and so does its reply. `BusScenario` runs the real one.
    struct SimulatedPeers<Scenario: MemberScenario>: BusRequestSending {
        unowned let scenario: Scenario
        let process: SimulatedProcess

        func send<Request: BusRequest>(
            _ request: Request, _ options: CallOptions
        ) async throws(ServiceError) -> Request.Reply {
            let result: Result<Request.Reply, ServiceError>
            do {
                result = try await process.wait { resume in scenario.call(request, options, resume) }
            } catch {
                throw ServiceError(.unavailable)
            }
            return try result.get()
        }
    }

    /// What happens to requests and replies.
    struct SimulatedBus {
        var losesUntil = SimulatedTime.beginning
        var isSlowUntil = SimulatedTime.beginning
        var doublesUntil = SimulatedTime.beginning
        /// Until then a request may wait for another one of its operation, and both arrive at the same time.
        var gathersUntil = SimulatedTime.beginning
        /// The arrival of what waits, by operation.
        fileprivate var gathered: [String: () -> Void] = [:]

        /// Nil: what is on its way is lost.
        fileprivate func latency(in world: World) -> Duration? {
            if losesUntil > world.time.steady, world.random.chance(percent: 40) { return nil }
            let isSlow = isSlowUntil > world.time.steady && world.random.chance(percent: 50)
            return .microseconds(50 + world.random.index(below: isSlow ? 6_000_000 : 2_000))
        }
    }

    extension MemberScenario {
        /// - Parameter resume: takes the first result, and ignores the others.
        func call<Request: BusRequest>(
            _ request: Request, _ options: CallOptions,
            _ resume: @escaping (Result<Request.Reply, ServiceError>) -> Void
        ) {
            let deadline = world.time.steady + options.timeout
            var options = options
            switch Request.retrySemantics {
            case .idempotent, .atMostOnce: options.idempotencyKey = nil
            case .deduplicated:
                options.idempotencyKey =
                    options.idempotencyKey
                    ?? RequestID(high: world.random.next(), low: world.random.next()).description
            }
            world.schedule(after: options.timeout) { resume(.failure(ServiceError(.deadlineExceeded))) }
            let isDoubled =
                bus.doublesUntil > world.time.steady && Request.retrySemantics != .atMostOnce
                && world.random.chance(percent: 50)
            for _ in 0..<(isDoubled ? 2 : 1) {
                guard let latency = bus.latency(in: world) else { continue }
                world.schedule(after: latency) { [unowned self] in
                    gather(Request.operation.rawValue) { [unowned self] in
                        guard world.time.steady < deadline else { return }
                        arrive(request, options, until: deadline, resume)
                    }
                }
            }
        }

        /// Lets a request arrive, now or with the next one of its operation.
        private func gather(_ operation: String, _ arrive: @escaping () -> Void) {
            if let other = bus.gathered.removeValue(forKey: operation) {
                // The later one overtakes it.
                arrive()
                return other()
            }
            guard bus.gathersUntil > world.time.steady, world.random.chance(percent: 80) else { return arrive() }
            var isWaiting = true
            let arriveOnce = {
                if isWaiting { arrive() }
                isWaiting = false
            }
            bus.gathered[operation] = arriveOnce
            world.schedule(after: .seconds(4)) { arriveOnce() }
        }

        private func arrive<Request: BusRequest>(
            _ request: Request, _ options: CallOptions, until deadline: Instant,
            _ resume: @escaping (Result<Request.Reply, ServiceError>) -> Void
        ) {
            // Only the scheduler calls it.
            nonisolated(unsafe) let resume = resume
            let group = members(of: Request.Operation.service)
            guard !group.isEmpty else {
                guard let reply = reply(to: request, options), let latency = bus.latency(in: world) else { return }
                return world.schedule(after: latency) { resume(.success(reply)) }
            }
            let serving = group.compactMap { member in
                member.isServing ? member.handler.map { (member.process, $0) } : nil
            }
            guard !serving.isEmpty else { return resume(.failure(ServiceError(.unavailable))) }
            let (process, handler) = serving[world.random.index(below: serving.count)]
            process.begin { [unowned self] in
                guard world.time.steady < deadline else { return }
                let result: Result<Request.Reply, ServiceError>
                do {
                    let left = deadline - world.time.steady
                    let call = try BusCall(
                        request, deadline: process.now().wall + left, trace: options.trace,
                        idempotencyKey: options.idempotencyKey)
                    result = .success(try await handler(call).result())
                } catch {
                    let failure = error as? ServiceError ?? (error as? any DependencyFailure)?.serviceError
                    if failure == nil, !process.isEnded {
                        world.note("\(process.name) failed \(Request.operation.rawValue): \(error)")
                    }
                    result = .failure(failure ?? ServiceError(.internal))
                }
                guard !process.isEnded, let latency = bus.latency(in: world) else { return }
                world.schedule(after: latency) { resume(result) }
            }
        }
    }

    extension BusCall {
        /// The operation of a service that the request names.
        /// - Throws: `unknownOperation`.
        func named<Operation: ServiceOperation>() throws(ServiceError) -> Operation {
            guard let named = Operation(rawValue: operation) else { throw ServiceError(.unknownOperation) }
            return named
        }
    }

#endif
