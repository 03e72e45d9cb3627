import MFASMSService

await SMSProgram.run()
