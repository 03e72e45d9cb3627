import IdentityService
import ServiceRuntime

await IdentityProgram.program.main()
