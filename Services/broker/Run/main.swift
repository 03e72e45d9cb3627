import BrokerService
import ServiceRuntime

await BrokerProgram.program.main()
