package import Contracts
package import ServiceRuntime

/// The receiver of an outbox that has one.
package enum SoleReceiver: DeliveryReceiver {
    case sole
}

/// The outcome of a request that hands rows over to another service.
package enum HandoverOutcome: Equatable, Sendable {
    /// The service has stored them, now or before.
    case accepted
    /// The service will never accept them.
    case rejected(WireError.Code)
    /// The service failed on them.
    case failed(WireError.Code)
    /// The service is unavailable.
    case unavailable(WireError.Code)
    /// This process is stopping.
    case interrupted

    private static let acceptances: Set<WireError.Code> = [.idempotencyKeyReused]
    private static let rejections: Set<WireError.Code> = [.invalidRequest, .invalidEmailTemplate]
    private static let outages: Set<WireError.Code> = [.unavailable, .overloaded, .deadlineExceeded, .unknownOperation]

    /// - Parameter error: thrown by the request.
    package init(_ error: ServiceError) {
        if Self.acceptances.contains(error.code) {
            self = .accepted
        } else if Self.rejections.contains(error.code) {
            self = .rejected(error.code)
        } else if Self.outages.contains(error.code) {
            self = .unavailable(error.code)
        } else {
            // `internal`, or a code of a later version: the rows are kept.
            self = .failed(error.code)
        }
    }

    /// Sends a request.
    /// - Returns: nil in place of a reply that did not arrive.
    package static func of<Reply: Sendable>(
        _ request: () async throws -> Reply
    ) async -> (outcome: HandoverOutcome, reply: Reply?) {
        do {
            return (.accepted, try await request())
        } catch {
            let error = error as? ServiceError ?? ServiceError(.internal)
            return (Task.isCancelled ? .interrupted : HandoverOutcome(error), nil)
        }
    }

    /// What it says about the service, if each row that it does not take has a delay of its own.
    package var report: ReceiverReport {
        switch self {
        case .accepted, .rejected, .failed: .works
        case .unavailable(let code): .unavailable(reason: code.rawValue)
        case .interrupted: .nothing
        }
    }

    /// What it says about the service, if the rows that it does not take stay the first ones.
    package var reportOfFirstRows: ReceiverReport {
        switch self {
        case .accepted: .works
        case .rejected(let code), .failed(let code), .unavailable(let code): .unavailable(reason: code.rawValue)
        case .interrupted: .nothing
        }
    }
}

extension DeliveryLimits {
    /// For services as receivers.
    package static func service(attempts: Int, perReceiver: Int? = nil, pace: Duration = .zero) -> DeliveryLimits {
        var limits = DeliveryLimits(
            attempts: attempts, perReceiver: perReceiver,
            backoff: Backoff(first: .milliseconds(250), longest: .seconds(5)))
        limits.pace = pace
        return limits
    }
}

extension Outbox where Outcome == HandoverOutcome {
    package static var interrupted: HandoverOutcome { .interrupted }
}

extension Outbox {
    /// Logs an outage of a service.
    package func show(_ change: OutageChange, ofService service: String, in log: Log) {
        switch change {
        case .began(let outage):
            log.warn(
                .deliveryReceiverUnavailable,
                ["outbox": .public(name), "receiver": .public(service), "reason": .public(outage.reason)])
        case .continues: break
        case .ended(let duration):
            log.info(
                .deliveryReceiverAvailable,
                [
                    "outbox": .public(name), "receiver": .public(service),
                    "outageInSeconds": .public(duration.components.seconds),
                ])
        }
    }
}
