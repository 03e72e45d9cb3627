import GatewayService

await GatewayProgram.run()
