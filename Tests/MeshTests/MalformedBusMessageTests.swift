import Blocking
import Foundation
import HTTPClient
import TestSupport
import Testing
import ZeroMQ

extension MeshTests {
    /// A peer that can connect to the socket of the bus and sends malformed messages.
    @Suite struct MalformedBusMessageTests {
        @Test func malformedMessagesAreCountedLoggedOncePerPeerAndDropped() async throws {
            try await withMesh(["--only", "gateway,identity"]) { mesh in
                let endpoint = "ipc://\(mesh.dataDirectory)/run/broker.1.sock"
                let pool = BlockingPool(label: "malformed", threads: 1, maximumWaiting: 1)
                try await pool.run { try Self.speak(Self.malformedMessages, to: endpoint) }
                let counted = "latchkey_broker_malformed_messages_total{process=\"gateway.1\",service=\"gateway\"} "
                try await eventually("the messages were counted") {
                    String(decoding: try await mesh.client.get("/metrics").body, as: UTF8.self)
                        .contains(counted + "\(Self.malformedMessages.count)\n")
                }
                #expect(mesh.lines(of: "broker.message-malformed").count == 1)
                #expect(try await mesh.client.signUp(TestUser()).status == 200)

                try await pool.run { try Self.speak(Self.malformedMessages, to: endpoint) }
                try await eventually("the second peer was logged") {
                    mesh.lines(of: "broker.message-malformed").count == 2
                }
                #expect(try await mesh.client.signUp(TestUser()).status == 200)
                #expect(mesh.lines(of: "process.exited") == [])
            }
        }

        @Test func peerWithoutZeroMQIsIgnored() async throws {
            try await withMesh(["--only", "gateway,identity"]) { mesh in
                for bytes in [Array("GET / HTTP/1.1\r\n\r\n".utf8), [UInt8](repeating: 0xff, count: 100_000), []] {
                    try UnixConnection(mesh.dataDirectory + "/run/broker.1.sock").send(bytes)
                }
                #expect(try await mesh.client.signUp(TestUser()).status == 200)
                #expect(mesh.lines(of: "process.exited") == [])
            }
        }

        /// Each message has another error: no tag, another version, an unknown command, a short header, too many parts,
        /// an invalid name, an invalid id, no content.
        private static let malformedMessages: [[[UInt8]]] = [
            [Array("GET / HTTP/1.1".utf8)],
            [Array("LKBUS".utf8) + [2], [4]],
            [tag + [99, 0]],
            [tag + [2, 0] + Array("identity".utf8), Array("{}".utf8)],
            [[UInt8]](repeating: tag + [4, 0], count: 40),
            [tag + [1, 0, 0, 1, 9] + Array("no name \n".utf8) + [1, 0x78]],
            [tag + [3, 0, 1, 2, 3], Array("{}".utf8)],
            [[], []],
        ]
        private static let tag = Array("LKBUS".utf8) + [3]

        /// Sends messages as a peer that joins no service. Runs on a thread that may block.
        private static func speak(_ messages: [[[UInt8]]], to endpoint: String) throws {
            let socket = try ZeroMQSocket(.dealer, in: ZeroMQContext())
            try socket.connect(to: endpoint)
            for message in messages {
                var draft = ZeroMQMessageBuilder()
                for part in message { draft.append(part) }
                while true {
                    do {
                        try socket.send(draft)
                        break
                    } catch ZeroMQError.wouldBlock {
                        sched_yield()  // Not connected yet.
                    }
                }
            }
        }
    }
}
