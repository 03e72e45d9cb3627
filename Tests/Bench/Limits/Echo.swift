import Bus
import Contracts

/// A service that returns its input, to measure only the bus. It uses the name of the notifier, which must not use the
/// same broker.
enum Echo {
    enum Operation: String, ServiceOperation {
        case echo

        static let service = ServiceName.notifier
        var callers: Set<BusCaller> { [.gateway] }
    }

    struct Request: BusRequest {
        static let operation = Echo.Operation.echo
        static let retrySemantics = RetrySemantics.idempotent
        var text: String

        struct Reply: Codable, Sendable { var text: String }
    }

    static func serve(on broker: String) async throws {
        let worker = BusWorker(Operation.self) { operation, call in
            switch operation {
            case .echo: try await call.reply { (request: Request) in Request.Reply(text: request.text) }
            }
        }
        try await BusConnection(settings(broker, "echo.1", capacity: 1024), worker: worker.handler, note: { _ in })
            .run()
    }

    static func settings(_ broker: String, _ instance: String, capacity: UInt16) throws -> BusSettings {
        try BusSettings(brokers: [broker], service: Operation.service, instance: instance, capacity: capacity)
    }
}
