import Foundation
import HTTPServer
import Testing

/// Ends: of connections, and of the server.
struct ShutdownTests {
    private let request = "GET /p HTTP/1.1\r\nHost: h\r\n\r\n"

    /// A server whose handler waits at a gate, in a task that runs it.
    private func heldServer(
        _ gate: Gate, shutdownTime: Duration = .seconds(600)
    ) throws -> (HTTPServer, Task<Void, Never>) {
        var settings = HTTPServerSettings(host: "127.0.0.1", port: 0)
        settings.shutdownTime = shutdownTime
        let server = try HTTPServer(settings, refusal: explain) { request in
            await gate.pass()
            return echo(request)
        }
        return (server, Task { await server.run() })
    }

    @Test func aRunningRequestIsFinishedAndNothingNewAccepted() async throws {
        let gate = Gate()
        let (server, run) = try heldServer(gate)
        let client = try SocketClient(port: server.port)
        try await client.send(request)
        await eventually { server.statistics.requestsInFlight == 1 }
        server.beginShutdown()
        server.beginShutdown()
        #expect(throws: SocketClient.Failure.self) { try SocketClient(port: server.port) }
        await gate.open()
        let answer = try #require(try await client.answer())
        #expect(answer.body == "GET /p - 0")
        #expect(answer.header("Connection")?.lowercased() == "close")
        await run.value
    }

    @Test func idleConnectionsDoNotHoldUpAShutdown() async throws {
        let gate = Gate()
        await gate.open()
        let (server, run) = try heldServer(gate)
        let silent = try SocketClient(port: server.port)
        let idle = try SocketClient(port: server.port)
        try await idle.send(request)
        #expect(try await idle.answer()?.status == 200)
        server.beginShutdown()
        await run.value
        #expect(try await idle.answer() == nil)
        try await silent.end()
    }

    @Test func aRequestThatTakesTooLongIsCutOff() async throws {
        let gate = Gate()
        let (server, run) = try heldServer(gate, shutdownTime: .milliseconds(20))
        let client = try SocketClient(port: server.port)
        try await client.send(request)
        await eventually { server.statistics.requestsInFlight == 1 }
        server.beginShutdown()
        await run.value
        #expect(try await client.answer() == nil)
        // The handler comes back after the server has gone.
        await gate.open()
        await eventually { server.statistics.requestsInFlight == 0 }
    }

    /// The library's thread is at work on the events of a connection when it is told to accept no more.
    @Test func aShutdownAmongEventsEnds() async throws {
        for _ in 0..<50 {
            let gate = Gate()
            await gate.open()
            let (server, run) = try heldServer(gate)
            do {
                let client = try SocketClient(port: server.port)
                try await client.send(request)
                await eventually { server.statistics.requests > 0 }
                server.beginShutdown()
            }
            await run.value
        }
    }

    @Test func cancellationIsAShutdown() async throws {
        let gate = Gate()
        let (server, run) = try heldServer(gate)
        let client = try SocketClient(port: server.port)
        try await client.send(request)
        await eventually { server.statistics.requestsInFlight == 1 }
        run.cancel()
        await gate.open()
        #expect(try await client.answer()?.status == 200)
        await run.value
    }

    @Test func aServerThatWasNeverRunLetsItsPortGo() async throws {
        var settings = HTTPServerSettings(host: "127.0.0.1", port: 0)
        do {
            let server = try HTTPServer(settings, refusal: explain) { echo($0) }
            settings.port = server.port
        }
        // The port is free once the library's thread has ended, which nobody tells.
        while (try? HTTPServer(settings, refusal: explain) { echo($0) }) == nil { await Task.yield() }
    }

    @Test func aClientThatLeavesWhileItsRequestRunsIsForgotten() async throws {
        let gate = Gate()
        let (server, run) = try heldServer(gate)
        do {
            let client = try SocketClient(port: server.port)
            try await client.send(request)
            await eventually { server.statistics.requestsInFlight == 1 }
            client.reset()
        }
        await gate.open()
        await eventually { server.statistics.requestsInFlight == 0 && server.statistics.connectionsOpen == 0 }
        server.beginShutdown()
        await run.value
    }

    @Test(arguments: ["", "GET /p HT", "POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nab"])
    func aClientThatLeavesInTheMiddleOfItsRequestIsForgotten(start: String) async throws {
        try await withServer { server in
            do {
                let client = try SocketClient(port: server.port)
                try await client.send(start)
                await eventually { server.statistics.connectionsOpen == 1 }
                client.reset()
            }
            await eventually { server.statistics.connectionsOpen == 0 }
            #expect(server.statistics.requests == 0)
        }
    }

    /// The library overlooks the end of a stream that it is told of together with the last bytes before it. Then the
    /// deadline of the body ends the connection.
    @Test func aConnectionHalfClosedInsideOfABodyEnds() async throws {
        try await withServer({ $0.bodyTime = .milliseconds(200) }) { server in
            let client = try SocketClient(port: server.port)
            try await client.send("POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nab")
            client.finishSending()
            try await client.end()
            await eventually { server.statistics.connectionsOpen == 0 }
            #expect(server.statistics.requests == 0)
        }
    }

    @Test func aConnectionHalfClosedAfterItsRequestEnds() async throws {
        try await withServer({ $0.idleTime = .milliseconds(200) }) { server in
            let client = try SocketClient(port: server.port)
            try await client.send(request)
            client.finishSending()
            try await client.end()
            await eventually { server.statistics.connectionsOpen == 0 && server.statistics.requestsInFlight == 0 }
        }
    }
}
