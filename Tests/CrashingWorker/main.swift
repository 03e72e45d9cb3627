import Bus
import Contracts
import SQL
import SQLite
import ServiceRuntime

/// A process with an intentional error, for tests: it serves `federation`, and a request with the text "poison" crashes
/// it on a thread of the database.
enum Fragile {
    enum Operation: String, ServiceOperation {
        case say
        static let service = ServiceName.federation
        var callers: Set<BusCaller> { [.gateway] }
    }

    struct EchoRequest: BusRequest {
        static let operation = Fragile.Operation.say
        static let retrySemantics = RetrySemantics.idempotent
        var text: String
        struct Reply: Codable, Sendable { var text: String }
    }
}

await Program(
    .federation, "Crashes when it is told to.", reading: { try ProcessSettings(.federation, $0) }
) { settings, host in
    let runtime = ServiceRuntime(settings, in: host)
    let database = try SQLiteDatabase(.memory)
    let bus = try BusConnection(settings, in: host, log: runtime.log)
    bus.serve(
        BusWorker(Fragile.Operation.self) { operation, call in
            switch operation {
            case .say:
                try await call.reply { (request: Fragile.EchoRequest) in
                    try await database.write { _ in
                        precondition(request.text != "poison", "as requested")
                        return Fragile.EchoRequest.Reply(text: request.text)
                    }
                }
            }
        }.handler)
    try await runtime.run([bus])
}.main()
