// Parts of services are no interfaces: a release build has them only for tests.
#if DEBUG || TESTABLE

    import Bus
    import Contracts
    import TestSupport
    import Vocabulary

    @testable import NotifierService

    /// The bus between services, as its callers see it: a request arrives at one of the processes that serve, twice, late or
    /// never, and so does its reply. `BusScenario` runs the real one.
    struct SimulatedPeers: BusRequestSending {
        unowned let scenario: DeliveryScenario
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

    extension DeliveryScenario {
        /// - Parameter resume: takes the first result, and ignores the others.
        func call<Request: BusRequest>(
            _ request: Request, _ options: CallOptions,
            _ resume: @escaping (Result<Request.Reply, ServiceError>) -> Void
        ) {
            let deadline = world.time.steady + options.timeout
            world.schedule(after: options.timeout) { resume(.failure(ServiceError(.deadlineExceeded))) }
            let isDoubled = callsAreDoubledUntil > world.time.steady && world.random.chance(percent: 50)
            for _ in 0..<(isDoubled ? 2 : 1) {
                guard let latency = latency() else { continue }
                world.schedule(after: latency) { [unowned self] in
                    guard world.time.steady < deadline else { return }
                    arrive(request, options, until: deadline, resume)
                }
            }
        }

        /// Nil: what is on its way is lost.
        private func latency() -> Duration? {
            if callsAreLostUntil > world.time.steady, world.random.chance(percent: 40) { return nil }
            let isSlow = callsAreSlowUntil > world.time.steady && world.random.chance(percent: 50)
            return .microseconds(50 + world.random.index(below: isSlow ? 6_000_000 : 2_000))
        }

        private func arrive<Request: BusRequest>(
            _ request: Request, _ options: CallOptions, until deadline: Instant,
            _ resume: @escaping (Result<Request.Reply, ServiceError>) -> Void
        ) {
            // Only the scheduler calls it.
            nonisolated(unsafe) let resume = resume
            guard let operation = Request.operation as? Notifier.Operation else {
                judge.isTold(request)
                // `as?`: only the requests about deleted accounts have other receivers.
                guard let reply = EmptyReply() as? Request.Reply, let latency = latency() else { return }
                return world.schedule(after: latency) { resume(.success(reply)) }
            }
            let serving = notifiers.compactMap { member in
                member.flatMap { member in
                    member.process.isEnded || member.isStopping ? nil : member.notifier.map { (member.process, $0) }
                }
            }
            guard !serving.isEmpty else { return resume(.failure(ServiceError(.unavailable))) }
            let (process, service) = serving[world.random.index(below: serving.count)]
            process.begin { [unowned self] in
                guard world.time.steady < deadline else { return }
                let result: Result<Request.Reply, ServiceError>
                do {
                    let left = deadline - world.time.steady
                    let call = try BusCall(
                        request, deadline: process.now().wall + left, trace: options.trace,
                        idempotencyKey: options.idempotencyKey)
                    result = .success(try await service.handle(operation, call).result())
                } catch {
                    let failure = error as? ServiceError ?? (error as? any DependencyFailure)?.serviceError
                    result = .failure(failure ?? ServiceError(.internal))
                }
                guard !process.isEnded, let latency = latency() else { return }
                world.schedule(after: latency) { resume(result) }
            }
        }
    }

#endif
