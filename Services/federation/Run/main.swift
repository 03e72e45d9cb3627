import FederationService

await FederationProgram.run()
