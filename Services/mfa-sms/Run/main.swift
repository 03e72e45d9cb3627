import MFASMSService
import ServiceRuntime

await SMSProgram.program.main()
