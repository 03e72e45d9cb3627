import PasskeyService

await PasskeyProgram.run()
