import Broker
import Contracts
package import ServiceRuntime

/// The process `broker`: what it is made of, and how it starts and ends.
package enum BrokerProgram {
    package static var program: Program {
        Program(.broker, "Routes requests to workers.", reading: BrokerSettings.init) { settings, host in
            let runtime = ServiceRuntime(settings.process, in: host)
            let broker = try Broker(
                listen: settings.listen, keys: settings.process.busKeys?.keys, log: runtime.log,
                whenListening: host.joined)
            runtime.metrics.addCollector { broker.metrics }
            let reporter = ProcessReporter(
                settings.process, in: host, metrics: runtime.metrics, log: runtime.log, publish: broker.publish)
            try await runtime.on(broker.loop).run([broker, reporter])
        }
    }
}
