import Foundation
import HTTPClient
import Synchronization
import TestSupport
import Testing

extension MeshTests {
    /// Two gateways on one mesh, as behind a load balancer.
    @Suite struct GatewayRestartTests {
        @Test func rollingRestartOfGatewaysFailsNoRequest() async throws {
            // The second gateway needs a broker while the first one restarts.
            try await withMesh(["--only", "gateway,identity", "--scale", "broker=1"]) { mesh in
                let brokers = try #require(try mesh.environment(of: "identity.1")["LATCHKEY_BROKERS"])
                let second = try await RunningMesh(["--only", "gateway"], environment: ["LATCHKEY_BROKERS": brokers])
                let balancer = LoadBalancer([mesh.client, second.client])
                let requests = Tally<TestUser>()
                try await withBusyClients(4, { await balancer.signUpAndLookUp(requests) }) {
                    try await requests.untilMore(4)
                    for turn in 0..<4 {
                        let restarted = turn % 2 == 0 ? mesh : second
                        let listening = restarted.publicPorts.count
                        try await restarted.stopAndReplace("gateway.1")
                        try await eventually("the gateway listens again") { restarted.publicPorts.count > listening }
                        let port = try #require(restarted.publicPorts.last)
                        balancer.replace(turn % 2, with: MeshClient("http://127.0.0.1:\(port)"))
                        try await requests.untilMore(4)
                    }
                }
                #expect(requests.surprises == [])
                #expect(try await second.stop() == .code(0))
            }
        }
    }
}

/// Sends requests to two servers in turn, and to the other one if a connection is refused. A request that reached a
/// server is not repeated.
private final class LoadBalancer: Sendable {
    private let state: Mutex<(servers: [MeshClient], turn: Int)>

    init(_ servers: [MeshClient]) {
        state = Mutex((servers, 0))
    }

    func replace(_ index: Int, with server: MeshClient) {
        state.withLock { $0.servers[index] = server }
    }

    private func send(_ request: (MeshClient) async throws -> HTTPClientResponse) async throws -> HTTPClientResponse {
        let (first, second) = state.withLock { state in
            state.turn += 1
            return (state.servers[state.turn % 2], state.servers[(state.turn + 1) % 2])
        }
        do {
            return try await request(first)
        } catch HTTPClientError.cannotConnect {
            return try await request(second)
        }
    }

    /// A step of `withBusyClients`. Every response except success is unexpected.
    func signUpAndLookUp(_ tally: Tally<TestUser>) async {
        let person = TestUser()
        do {
            let signUp = try await send { try await $0.signUp(person) }
            guard let tokens = try? Tokens(signUp) else { return tally.surprise(signUp) }
            let lookup = try await send { try await $0.lookUp(tokens.idToken) }
            if lookup.status == 200 { tally.add(person) } else { tally.surprise(lookup) }
        } catch {
            if !Task.isCancelled { tally.surprise("\(error)") }
        }
    }
}

extension RunningMesh {
    /// The ports on which the successive gateway processes listened, in order.
    fileprivate var publicPorts: [String] {
        lines(of: "http.listening").filter { $0.contains("listener=public") }
            .compactMap { $0.split(separator: " ").last { $0.hasPrefix("port=") }.map { String($0.dropFirst(5)) } }
    }
}
