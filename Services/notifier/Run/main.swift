import Bus
import Contracts
import NotifierService
import ServiceRuntime

await Program("notifier", "Delivers SMS, e-mail, push messages and webhooks.").start { environment in
    let settings = try CommonSettings(.notifier, environment)
    let runtime = ServiceRuntime(settings)
    let service = NotifierService()
    let bus = try BusConnection(settings, worker: service.handle, log: runtime.log)
    try await runtime.run([bus, runtime.reporter(settings, over: bus)])
}
