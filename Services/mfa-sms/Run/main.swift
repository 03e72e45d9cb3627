import Bus
import Contracts
import MFASMSService
import ServiceRuntime

await Program("mfa-sms", "Phone codes: second factors by SMS, and sign-in with a phone number.").start { environment in
    let settings = try CommonSettings(.mfaSMS, environment)
    let runtime = ServiceRuntime(settings)
    let service = MFASMSService()
    let bus = try BusConnection(settings, worker: service.handle, log: runtime.log)
    try await runtime.run([bus, runtime.reporter(settings, over: bus)])
}
