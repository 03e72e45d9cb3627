import Contracts
import HTTPClient
import JSON
import TestSupport
import Testing

extension MeshTests {
    /// Two processes of the same service.
    @Suite struct ScaledMeshTests {
        @Test func killOfOneBrokerFailsNoRequest() async throws {
            try await withMesh(["--only", "gateway,identity", "--scale", "broker=2"]) { mesh in
                let tokens = try Tokens(await mesh.client.signUp(TestUser()))
                try await mesh.untilAllHaveJoined(brokers: 2)
                for broker in ["broker.1", "broker.2"] {
                    let joined = mesh.joins(brokers: 2)
                    let lookups = Tally<Void>()
                    try await withBusyClients(4, { await mesh.client.lookUp(tokens.idToken, lookups) }) {
                        try await lookups.untilMore(50)
                        try await mesh.killAndReplace(broker)
                        try await eventually("the processes were back with \(broker)") {
                            mesh.joins(brokers: 2) >= joined + 2
                        }
                        try await lookups.untilMore(50)
                    }
                    #expect(lookups.surprises == [])
                }
            }
        }

        /// Every process except the gateway is restarted in turn, under load.
        @Test(arguments: MeshEngine.allCases)
        func rollingRestartFailsNoRequest(engine: MeshEngine) async throws {
            let services = ["broker", "identity", "notifier"]
            let scale = services.map { "\($0)=2" }.joined(separator: ",")
            try await withMesh(["--only", "gateway,identity,notifier", "--scale", scale], on: engine) { mesh in
                try await mesh.untilAllHaveJoined(brokers: 2, processes: 5)
                let signUps = Tally<TestUser>()
                try await withBusyClients(4, { await mesh.client.signUpWithoutFail(signUps) }) {
                    try await signUps.untilMore(4)
                    for service in services {
                        for number in 1...2 {
                            // Five processes and the launcher join a restarted broker; any other process joins two
                            // brokers.
                            let joined = mesh.lines(of: "broker.member-joined").count
                            try await mesh.stopAndReplace("\(service).\(number)")
                            try await eventually("\(service).\(number) works again") {
                                mesh.lines(of: "broker.member-joined").count >= joined + (service == "broker" ? 6 : 2)
                            }
                            try await signUps.untilMore(4)
                        }
                    }
                }
                #expect(signUps.surprises == [])
                for person in signUps.successes {
                    #expect(try await mesh.client.signIn(person).status == 200)
                }
            }
        }

        @Test(arguments: MeshEngine.allCases)
        func parallelRefreshesReturnOneSuccessor(engine: MeshEngine) async throws {
            try await withMesh(["--only", "gateway,identity", "--scale", "identity=2"], on: engine) { mesh in
                try await mesh.untilIdentitiesWork(2)
                var refreshToken = try Tokens(await mesh.client.signUp(TestUser())).refreshToken
                for _ in 0..<8 {
                    let responses = try await mesh.client.atOnce(12) { [refreshToken] client in
                        try await client.refresh(refreshToken)
                    }
                    let successors = try Set(responses.map { try $0.text("refresh_token") })
                    #expect(successors.count == 1)
                    refreshToken = try #require(successors.first)
                }
            }
        }

        @Test(arguments: MeshEngine.allCases)
        func parallelSignUpsCreateOneAccount(engine: MeshEngine) async throws {
            try await withMesh(["--only", "gateway,identity", "--scale", "identity=2"], on: engine) { mesh in
                try await mesh.untilIdentitiesWork(2)
                for _ in 0..<4 {
                    let person = TestUser()
                    let responses = try await mesh.client.atOnce(12) { try await $0.signUp(person) }
                    #expect(responses.filter { $0.status == 200 }.count == 1)
                    #expect(responses.filter { $0.refusal == "EMAIL_EXISTS" }.count == 11)
                    #expect(try await mesh.client.signIn(person).status == 200)
                }
            }
        }

        @Test(arguments: MeshEngine.allCases)
        func changedConfigurationReachesEveryIdentity(engine: MeshEngine) async throws {
            try await withMesh(["--only", "gateway,identity", "--scale", "identity=2"], on: engine) { mesh in
                try await mesh.untilIdentitiesWork(2)
                for allowed in [false, true, false] {
                    // Both have cached the former configuration.
                    _ = try await mesh.client.atOnce(8) { try await $0.signUp(TestUser()) }
                    try await mesh.client.allowPasswordSignIn(allowed)
                    try await eventually("the change was seen everywhere") {
                        let responses = try await mesh.client.atOnce(8) { try await $0.signUp(TestUser()) }
                        return responses.allSatisfy { allowed == ($0.status == 200) }
                    }
                }
            }
        }

        @Test(arguments: MeshEngine.allCases)
        func killOfOneIdentityFailsNoRequest(engine: MeshEngine) async throws {
            try await withMesh(["--only", "gateway,identity", "--scale", "identity=2"], on: engine) { mesh in
                try await mesh.untilIdentitiesWork(2)
                let tokens = try Tokens(await mesh.client.signUp(TestUser()))
                let lookups = Tally<Void>()
                try await withBusyClients(4, { await mesh.client.lookUp(tokens.idToken, lookups) }) {
                    try await lookups.untilMore(50)
                    try await mesh.killAndReplace("identity.1")
                    try await lookups.untilMore(50)
                }
                #expect(lookups.surprises == [])
            }
        }
    }
}

extension RunningMesh {
    /// How many times a process logged connections to `brokers` brokers.
    fileprivate func joins(brokers: Int) -> Int {
        lines(of: "bus.connected").filter { $0.hasSuffix("live-brokers=\(brokers)") }.count
    }

    fileprivate func untilAllHaveJoined(brokers: Int, processes: Int = 2) async throws {
        try await eventually("\(processes) processes reached \(brokers) brokers") {
            joins(brokers: brokers) >= processes
        }
    }

    fileprivate func untilIdentitiesWork(_ count: Int) async throws {
        try await eventually("\(count) identities worked") {
            lines(of: "broker.member-joined").filter { $0.contains("service=identity ") }.count == count
        }
    }
}

extension MeshClient {
    fileprivate func allowPasswordSignIn(_ allowed: Bool) async throws {
        let response = try await send(
            .patch,
            "/identitytoolkit.googleapis.com/v2/projects/demo-latchkey/config?updateMask=signIn.email.enabled",
            .object(["signIn": .object(["email": .object(["enabled": .bool(allowed)])])]),
            headers: [("Authorization", "Bearer owner")])
        #expect(response.status == 200)
    }
}
