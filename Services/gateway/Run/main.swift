import GatewayService
import ServiceRuntime

await GatewayProgram.program.main()
