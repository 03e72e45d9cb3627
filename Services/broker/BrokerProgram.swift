import Broker
import Contracts
import ServiceRuntime

/// The process `broker`: what it is made of, and how it starts and ends.
package enum BrokerProgram {
    /// Runs the process until it is stopped or fails, and ends it.
    package static func run() async -> Never {
        await Program(.broker, "Routes requests to workers.").start(reading: BrokerSettings.init) {
            settings in
            let runtime = ServiceRuntime(settings.process)
            let broker = try Broker(
                listen: settings.listen, keys: settings.process.busKeys?.keys, log: runtime.log,
                whenListening: { SystemdUnit.ofProcess?.send(.ready) })
            runtime.metrics.addCollector { broker.metrics }
            let reporter = ProcessReporter(
                settings.process, metrics: runtime.metrics, log: runtime.log, publish: broker.publish)
            try await runtime.on(broker.loop).run([broker, reporter])
        }
    }
}
