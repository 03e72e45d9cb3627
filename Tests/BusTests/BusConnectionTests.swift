import Bus
import Contracts
import Synchronization
import Testing
import Vocabulary

@Suite struct BusConnectionTests {
    @Test func aReplyComesBack() async throws {
        try await withMesh { mesh in
            try mesh.startBroker()
            _ = try mesh.join(.notifier, worker: Echo.worker.handler)
            let client = try mesh.client()
            #expect(try await client.ask(Echo.Say(text: "hello"), trace: .random()).text == "hello")
        }
    }
}
