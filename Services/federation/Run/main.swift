import Bus
import Contracts
import FederationService
import ServiceRuntime

await Program(.federation, "Sign-in with other identity providers.").start { environment in
    let settings = try ProcessSettings(.federation, environment)
    let runtime = ServiceRuntime(settings)
    let service = FederationService()
    let bus = try BusConnection(settings, worker: service.handle, log: runtime.log)
    try await runtime.run([bus, runtime.reporter(settings, over: bus)])
}
