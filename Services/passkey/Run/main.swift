import PasskeyService
import ServiceRuntime

await PasskeyProgram.program.main()
