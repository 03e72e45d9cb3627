import Foundation
import HTTPClient
import TestSupport
import Testing

extension MeshTests {
    /// More requests than the mesh can serve: it refuses some with a request to retry, soon, and serves the others.
    @Suite struct OverloadTests {
        @Test func frozenProcessIsOverloadedAndWorksAfterwards() async throws {
            try await withMesh(["--only", "gateway,identity"], connections: 48) { mesh in
                let person = TestUser()
                let tokens = try Tokens(await mesh.client.signUp(person))
                try await mesh.suspend("identity.1")

                async let lookups = mesh.client.atOnce(16) { try await $0.lookUp(tokens.idToken) }
                async let signIns = mesh.client.atOnce(16) { try await $0.signIn(person) }
                #expect(try await mesh.client.get("/livez").status == 200)
                #expect(try await mesh.client.get("/readyz").status == 503)
                let responses = try await lookups + signIns
                #expect(responses.filter { !$0.asksToComeAgain }.map(\.summary) == [])
                #expect(try await mesh.client.get("/livez").status == 200)

                try mesh.resume("identity.1")
                try await mesh.untilReady()
                #expect(try await mesh.client.lookUp(tokens.idToken).status == 200)
                #expect(try await mesh.client.signIn(person).status == 200)
                #expect(mesh.lines(of: "process.exited") == [])
            }
        }

        /// A gateway with few descriptors, and clients that open many connections: some descriptors stay free for the
        /// process itself.
        @Test(arguments: [(["--only", "gateway,identity"], 160), (["--one-process"], 360)])
        func exhaustedDescriptorsStopNoProcess(arguments: [String], descriptors: Int) async throws {
            try await withMesh(arguments, descriptors: descriptors) { mesh in
                let address = try #require(URL(string: mesh.client.origin))
                let port = try #require(address.port.flatMap(UInt16.init(exactly:)))
                for _ in 0..<3 {
                    let connections = try (0..<300).map { _ in try LoopbackConnection(port: port) }
                    #expect(connections.count == 300)
                }
                try await eventually("it responded again") { (try? await mesh.client.get("/livez"))?.status == 200 }
                #expect(try await mesh.client.signUp(TestUser()).status == 200)
                #expect(mesh.lines(of: "process.exited") == [])
            }
        }

        /// One hashing thread, a bounded queue before it, and four hundred parallel requests: some must be refused.
        @Test func passwordLoadIsBoundedAndLookupsContinue() async throws {
            try await withMesh(
                ["--only", "gateway,identity"], environment: ["LATCHKEY_PASSWORD_THREADS": "1"], connections: 416
            ) { mesh in
                let tokens = try Tokens(await mesh.client.signUp(TestUser()))
                let lookups = Tally<Void>()
                let signUps = Tally<TestUser>()
                let refused = Tally<Void>()
                try await withBusyClients(2, { await mesh.client.lookUp(tokens.idToken, lookups) }) {
                    _ = try await mesh.client.atOnce(400) { client in
                        let person = TestUser()
                        let response = try await client.signUp(person)
                        switch response.status {
                        case 200: signUps.add(person)
                        case _ where response.asksToComeAgain: refused.add(())
                        default: signUps.surprise(response)
                        }
                        return response
                    }
                    try await lookups.untilMore(1)
                }
                #expect(lookups.surprises == [])
                #expect(signUps.surprises == [])
                #expect(refused.successes.count > 0)
                #expect(signUps.successes.count > 0)
                let newcomer = TestUser()
                try await eventually("passwords were taken again") {
                    try await mesh.client.signUp(newcomer).status == 200
                }
                for person in signUps.successes {
                    #expect(try await mesh.client.signIn(person).status == 200)
                }
                #expect(mesh.lines(of: "process.exited") == [])
            }
        }
    }
}
