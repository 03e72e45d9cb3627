import Bus
import Contracts
import PasskeyService
import ServiceRuntime

await Program(.passkey, "Passkeys: registration and sign-in by WebAuthn.").start { environment in
    let settings = try ProcessSettings(.passkey, environment)
    let runtime = ServiceRuntime(settings)
    let service = PasskeyService()
    let bus = try BusConnection(settings, worker: service.handle, log: runtime.log)
    try await runtime.run([bus, runtime.reporter(settings, over: bus)])
}
