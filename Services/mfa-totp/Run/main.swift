import MFATOTPService
import ServiceRuntime

await TOTPProgram.program.main()
