import Bus
import Contracts
import MFATOTPService
import ServiceRuntime

await Program("mfa-totp", "Time-based codes: second factors from an authenticator app.").start { environment in
    let settings = try CommonSettings(.mfaTOTP, environment)
    let runtime = ServiceRuntime(settings)
    let service = MFATOTPService()
    let bus = try BusConnection(settings, worker: service.handle, log: runtime.log)
    try await runtime.run([bus, runtime.reporter(settings, over: bus)])
}
