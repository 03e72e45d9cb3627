import Bus
import Contracts
import HTTPClient
import TestSupport
import Testing

extension MeshTests {
    /// A process is killed under load: no acknowledged change is lost, and the mesh continues.
    @Suite struct ProcessCrashTests {
        @Test(
            arguments: [
                ("broker.1", MeshEngine.sqlite), ("gateway.1", .sqlite), ("identity.1", .sqlite),
                ("identity.1", .postgres), ("notifier.1", .sqlite),
            ])
        func acknowledgedSignUpsSurviveKilledProcess(instance: String, engine: MeshEngine) async throws {
            // A broker of its own runs only if it is asked for. The gateway contains one otherwise.
            let brokers = instance == "broker.1" ? ["--scale", "broker=1"] : []
            try await withMesh(["--only", "gateway,identity,notifier"] + brokers, on: engine) { mesh in
                let before = mesh.pids
                let signUps = Tally<TestUser>()
                try await withBusyClients(4, { await mesh.client.signUpAndLookUp(signUps) }) {
                    try await signUps.untilMore(8)
                    try await mesh.killAndReplace(instance)
                    try await mesh.untilReady()
                    try await signUps.untilMore(8)
                }
                #expect(signUps.surprises == [])
                for person in signUps.successes {
                    #expect(try await mesh.client.signIn(person).status == 200)
                }

                let after = mesh.pids
                #expect(after[instance] != before[instance])
                #expect(after.filter { $0.key != instance } == before.filter { $0.key != instance })
                let deaths = mesh.lines(of: "process.exited")
                #expect(deaths.count == 1)
                #expect(deaths.allSatisfy { $0.contains("process=\(instance) exit=\"signal 9\"") })
            }
        }

        /// Sends a request that is repeatable, as services do.
        private static func asking(_ bus: BusClient, _ replies: Tally<Void>) -> @Sendable () async -> Void {
            {
                do {
                    _ = try await bus.send(
                        Identity.ListSigningKeys(purpose: .idToken), trace: .random(), timeout: .seconds(120))
                    replies.add(())
                } catch {
                    if !Task.isCancelled { replies.surprise("\(error)") }
                }
            }
        }

        /// The broker is in the gateway. Services wait for the next one, and repeat what is repeatable.
        @Test func repeatableRequestsOfServicesSurviveKilledGateway() async throws {
            try await withMesh(["--only", "gateway,identity"]) { mesh in
                try await mesh.onBus(of: "identity.1", brokerGrace: .seconds(60)) { bus in
                    let replies = Tally<Void>()
                    let ask = Self.asking(bus, replies)
                    try await withBusyClients(4, ask) {
                        try await replies.untilMore(50)
                        try await mesh.killAndReplace("gateway.1")
                        try await replies.untilMore(50)
                    }
                    #expect(replies.surprises == [])
                }
            }
        }

        /// Each of two gateways contains a broker: requests of services go through the other one at once, and so do those of
        /// clients on a new connection.
        @Test func killOfOneOfTwoGatewaysIsNotFelt() async throws {
            try await withMesh(["--only", "gateway,identity", "--scale", "gateway=2"]) { mesh in
                try await mesh.onBus(of: "identity.1") { bus in
                    let replies = Tally<Void>()
                    let lookups = Tally<Void>()
                    let ask = Self.asking(bus, replies)
                    let tokens = try Tokens(await mesh.client.signUp(TestUser()))
                    let lookUp: @Sendable () async -> Void = {
                        // A connection to the killed gateway breaks, as with any server.
                        guard let response = try? await mesh.client.lookUp(tokens.idToken), !Task.isCancelled else {
                            return
                        }
                        if response.status == 200 { lookups.add(()) } else { lookups.surprise("\(response.status)") }
                    }
                    try await withBusyClients(4, ask) {
                        try await withBusyClients(4, lookUp) {
                            try await replies.untilMore(50)
                            for gateway in ["gateway.1", "gateway.2"] {
                                try await mesh.killAndReplace(gateway)
                                try await replies.untilMore(50)
                                try await lookups.untilMore(50)
                                try await eventually("\(gateway) has joined again") {
                                    try await mesh.client.get("/readyz").status == 200
                                }
                            }
                        }
                    }
                    #expect(replies.surprises == [])
                    #expect(lookups.surprises == [])
                }
            }
        }

        @Test(arguments: MeshEngine.allCases)
        func signingKeysSurviveExitOfTheirProcess(engine: MeshEngine) async throws {
            try await withMesh(["--only", "gateway,identity"], on: engine) { mesh in
                let tokens = try Tokens(await mesh.client.signUp(TestUser()))
                try await mesh.killAndReplace("identity.1")
                try await mesh.untilReady()
                #expect(try await mesh.client.lookUp(tokens.idToken).status == 200)
                #expect(try await mesh.client.refresh(tokens.refreshToken).status == 200)
            }
        }

        @Test func processesExitWhenLauncherIsKilled() async throws {
            let mesh = try await RunningMesh()
            mesh.killLauncher()
            try await eventually("all processes ended") { try RunningMesh.processes(in: mesh.directory) == [] }
            // No remaining file prevents the next start.
            let next = try await RunningMesh(in: mesh.directory)
            #expect(try await next.stop() == .code(0))
        }
    }
}
