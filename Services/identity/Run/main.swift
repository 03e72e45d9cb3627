import IdentityService

await IdentityProgram.run()
