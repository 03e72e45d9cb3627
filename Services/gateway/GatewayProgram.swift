import Broker
import Bus
import Contracts
import EventLoop
import HTTPServer
package import ServiceRuntime
import Settings

/// The process `gateway`: what it is made of, and how it starts and ends.
package enum GatewayProgram {
    package static var program: Program {
        Program(
            .gateway, "HTTP in, one bus request each.",
            options: [.init("listener", .listener, GatewayListeners.allCases.map(\.rawValue).joined(separator: "|"))],
            reading: GatewaySettings.init
        ) { settings, host in
            let runtime = ServiceRuntime(settings.process, in: host).allowing(settings.drainTime)
            // One thread reads a request, handles it, sends it over the bus, and sends the response.
            let loop = try host.loop ?? EventLoop(label: "gateway")
            // The requests of the gateway reach its own broker in memory.
            let broker = settings.brokerListen.map {
                Broker(
                    listen: $0, keys: settings.process.busKeys?.keys, inside: loop, log: runtime.log)
            }
            if let broker { runtime.metrics.addCollector { broker.metrics } }
            let bus = try BusConnection(
                settings.process, in: host, capacity: 0, on: loop, machine: broker?.machine(ofMember: 0),
                log: runtime.log)
            let activity = ActivityCounts()
            let peers = BusClient(bus)
            let gateway = Gateway(
                GatewayDependencies(
                    settings: settings, bus: peers, now: { .now }, wallTime: WallClock.now,
                    report: { runtime.log.error(.requestFailed, ["error": .kind(of: $0)], trace: $1) },
                    reportRefusedPage: { error, trace in
                        runtime.log.info(
                            .pageRefused,
                            ["parameter": .public(error.parameter.rawValue), "domain": .public(error.domain ?? "-")],
                            trace: trace)
                    },
                    reportCompleted: { runtime.log.report($0, isDev: settings.isDev, logsProbes: settings.logsProbes) },
                    metrics: RequestMetrics(runtime.metrics), activity: activity, spans: runtime.spans))
            let reporter = runtime.reporter(settings.process, in: host, over: bus, note: gateway.record)
            let events = EventSubscription(bus.subscribe(), to: gateway.handle)
            let reports = EventSubscription(bus.watchReports(), to: gateway.record)
            let listeners = try HTTPListeners(gateway, on: loop, besides: host.descriptorsOfOthers, log: runtime.log)
            for (listener, server) in zip(settings.listeners, listeners.servers) {
                runtime.log.info(
                    .httpListening, ["listener": .public(listener.listener.rawValue), "port": .public(server.port)])
            }
            let activityReporter = ActivityReporter(activity, peers: peers, log: runtime.log)
            try await runtime.on(loop).run(
                [bus, reporter, events, reports, activityReporter, gateway.works, listeners],
                servingOthers: broker.map { [$0] } ?? [])
        }
    }
}
