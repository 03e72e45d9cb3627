import BrokerService
import Contracts
import ServiceRuntime

await Program(.broker, "Routes requests to workers.").start { environment in
    let settings = try BrokerSettings(environment)
    let runtime = ServiceRuntime(settings.process)
    let broker = try BrokerLoop(listen: settings.listen, limits: settings.limits, log: runtime.log)
    runtime.metrics.addCollector { broker.metrics }
    let reporter = ProcessReporter(settings.process, metrics: runtime.metrics) { broker.publish(.processReport($0)) }
    try await runtime.run([broker, reporter])
}
