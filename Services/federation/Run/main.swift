import FederationService
import ServiceRuntime

await FederationProgram.program.main()
