import BrokerService
import Contracts
import ServiceRuntime

await Program(.broker, "Routes requests to workers.").start { environment in
    let settings = try BrokerSettings(environment)
    let runtime = ServiceRuntime(settings.common)
    let broker = try BrokerLoop(listen: settings.listen, limits: settings.limits, log: runtime.log)
    runtime.metrics.measure { broker.metrics }
    let reporter = ProcessReporter(settings.common, metrics: runtime.metrics) { broker.publish(.processReport($0)) }
    try await runtime.run([broker, reporter])
}
