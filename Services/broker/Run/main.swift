import BrokerService

await BrokerProgram.run()
