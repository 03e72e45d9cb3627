import MFATOTPService

await TOTPProgram.run()
