import Dispatch
import Foundation
import HTTPServer
import Synchronization
import TestSupport
import Testing

/// How connections and the server end.
struct ShutdownTests {
    private let request = "GET /p HTTP/1.1\r\nHost: h\r\n\r\n"

    /// A running server whose handler waits at a gate.
    private func heldServer(
        _ gate: Gate, shutdownTime: Duration = .seconds(600)
    ) throws -> (HTTPServer, Task<Void, Never>) {
        var settings = HTTPServerSettings.patient
        settings.shutdownTime = shutdownTime
        let server = try HTTPServer(settings, refusal: explain) { request in
            await gate.pass()
            return echo(request)
        }
        return (server, Task { await server.run() })
    }

    @Test func runningRequestFinishesAndNewConnectionsAreRefused() async throws {
        let gate = Gate()
        let (server, run) = try heldServer(gate)
        let client = try SocketClient(port: server.port)
        try await client.send(request)
        try await eventually { server.statistics.requestsInFlight == 1 }
        server.beginShutdown()
        server.beginShutdown()
        #expect(throws: SocketClient.Failure.self) { try SocketClient(port: server.port) }
        await gate.open()
        let response = try #require(try await client.response())
        #expect(response.body == "GET /p - 0")
        #expect(response.header("Connection")?.lowercased() == "close")
        await run.value
    }

    @Test func lastResponseClosesConnection() async throws {
        var settings = HTTPServerSettings.patient
        (settings.drainTime, settings.shutdownTime) = (.seconds(600), .seconds(600))
        let server = try HTTPServer(settings, refusal: explain) { echo($0) }
        let run = Task { await server.run() }
        let clients = try (0..<2).map { _ in try SocketClient(port: server.port) }
        for client in clients {
            try await client.send(request)
            #expect(try await client.response()?.header("Connection") == nil)
        }
        server.beginShutdown()
        // One request is refused, which is a response, too.
        try await clients[0].send(request)
        try await clients[1].send("GET /\(String(repeating: "p", count: 9000)) HTTP/1.1\r\nHost: h\r\n\r\n")
        for (client, status) in zip(clients, [200, 414]) {
            let response = try #require(try await client.response())
            #expect(response.status == status && response.header("Connection") == "close")
            #expect(try await client.response() == nil)
        }
        await run.value
    }

    /// Before a shutdown, what keeps connections learns that this one ends, and new ones are accepted.
    @Test func announcedShutdownClosesUsedConnections() async throws {
        let server = try HTTPServer(HTTPServerSettings.patient, refusal: explain) { echo($0) }
        let run = Task { await server.run() }
        let kept = try SocketClient(port: server.port)
        try await kept.send(request)
        #expect(try await kept.response()?.header("Connection") == nil)
        server.announceShutdown()
        for client in [kept, try SocketClient(port: server.port)] {
            try await client.send(request)
            let response = try #require(try await client.response())
            #expect(response.status == 200 && response.header("Connection") == "close")
            #expect(try await client.response() == nil)
        }
        server.beginShutdown()
        await run.value
    }

    /// The library's thread is kept busy, so that a connection waits in the kernel's queue when the server stops.
    @Test func connectionInKernelQueueIsServed() async throws {
        let gate = DispatchSemaphore(value: 0)
        let isHeld = Mutex(false)
        var settings = HTTPServerSettings.patient
        settings.shutdownTime = .seconds(600)
        let server = try HTTPServer(
            settings,
            refusal: { refusal in
                isHeld.withLock { $0 = true }
                gate.wait()
                return explain(refusal)
            }, handler: { echo($0) })
        let run = Task { await server.run() }
        let busy = try SocketClient(port: server.port)
        try await busy.send("GET /p HTTP/1.1\r\n\r\n")
        try await eventually { isHeld.withLock(\.self) }
        let waiting = try SocketClient(port: server.port)
        try await waiting.send(request)
        server.beginShutdown()
        gate.signal()
        #expect(try await busy.response()?.status == 400)
        let response = try #require(try await waiting.response())
        #expect(response.body == "GET /p - 0" && response.header("Connection") == "close")
        await run.value
    }

    /// The library's thread has accepted a connection but not yet reported it when the server stops.
    @Test func acceptedConnectionIsServed() async throws {
        let gate = DispatchSemaphore(value: 0)
        let isHeld = Mutex(false)
        var settings = HTTPServerSettings.patient
        (settings.drainTime, settings.shutdownTime) = (.seconds(600), .seconds(600))
        settings.isExemptFromAddressLimit = { _ in
            isHeld.withLock { $0 = true }
            gate.wait()
            return true
        }
        let server = try HTTPServer(settings, refusal: explain) { echo($0) }
        let run = Task { await server.run() }
        let client = try SocketClient(port: server.port)
        try await client.send(request)
        try await eventually { isHeld.withLock(\.self) }
        server.beginShutdown()
        #expect(throws: SocketClient.Failure.self, "the kernel's queue is empty") {
            try SocketClient(port: server.port)
        }
        let hasEnded = Mutex(false)
        let end = Task {
            await run.value
            hasEnded.withLock { $0 = true }
        }
        for _ in 0..<100 { await Task.yield() }
        #expect(!hasEnded.withLock { $0 })
        gate.signal()
        let response = try #require(try await client.response())
        #expect(response.body == "GET /p - 0" && response.header("Connection") == "close")
        await end.value
    }

    /// Two servers stop in turn and each is replaced by a new one, while clients reconnect.
    @Test func rollingRestartLosesNoRequest() async throws {
        func start() throws -> (server: HTTPServer, run: Task<Void, Never>) {
            let server = try HTTPServer(
                HTTPServerSettings.patient, refusal: explain, handler: { echo($0) })
            return (server, Task { await server.run() })
        }
        var running = [try start(), try start()]
        let clients = RestartingClients(ports: running.map(\.server.port))
        try await withThrowingTaskGroup { group in
            defer { clients.stop() }
            for number in 0..<4 { group.addTask { try await clients.run(number) } }
            for turn in 0..<4 {
                try await clients.untilMore(40)
                let next = try start()
                clients.replace(turn % 2, with: next.server.port)
                running[turn % 2].server.beginShutdown()
                await running[turn % 2].run.value
                running[turn % 2] = next
            }
            clients.stop()
            try await group.waitForAll()
        }
        for (server, run) in running {
            server.beginShutdown()
            await run.value
        }
    }

    @Test func idleConnectionsDoNotDelayShutdown() async throws {
        let gate = Gate()
        await gate.open()
        let (server, run) = try heldServer(gate)
        let silent = try SocketClient(port: server.port)
        let idle = try SocketClient(port: server.port)
        try await idle.send(request)
        #expect(try await idle.response()?.status == 200)
        server.beginShutdown()
        await run.value
        #expect(try await idle.response() == nil)
        try await silent.end()
    }

    @Test func requestAboveShutdownTimeIsAborted() async throws {
        let gate = Gate()
        let (server, run) = try heldServer(gate, shutdownTime: .milliseconds(20))
        let client = try SocketClient(port: server.port)
        try await client.send(request)
        try await eventually { server.statistics.requestsInFlight == 1 }
        server.beginShutdown()
        await run.value
        #expect(try await client.response() == nil)
        // The handler returns after the server has stopped.
        await gate.open()
        try await eventually { server.statistics.requestsInFlight == 0 }
    }

    /// The library's thread is processing events of a connection when the server stops accepting.
    @Test func shutdownDuringEventsEnds() async throws {
        for _ in 0..<50 {
            let gate = Gate()
            await gate.open()
            let (server, run) = try heldServer(gate)
            do {
                let client = try SocketClient(port: server.port)
                try await client.send(request)
                try await eventually { server.statistics.requests > 0 }
                server.beginShutdown()
            }
            await run.value
        }
    }

    @Test func cancellationShutsDown() async throws {
        let gate = Gate()
        let (server, run) = try heldServer(gate)
        let client = try SocketClient(port: server.port)
        try await client.send(request)
        try await eventually { server.statistics.requestsInFlight == 1 }
        run.cancel()
        await gate.open()
        #expect(try await client.response()?.status == 200)
        await run.value
    }

    @Test func unusedServerReleasesItsPort() async throws {
        var settings = HTTPServerSettings.patient
        do {
            let server = try HTTPServer(settings, refusal: explain) { echo($0) }
            settings.port = server.port
        }
        // The port is free once the library's thread has ended, which is not reported.
        while (try? HTTPServer(settings, refusal: explain) { echo($0) }) == nil { await Task.yield() }
    }

    @Test func disconnectDuringHandlingReleasesConnection() async throws {
        let gate = Gate()
        let (server, run) = try heldServer(gate)
        do {
            let client = try SocketClient(port: server.port)
            try await client.send(request)
            try await eventually { server.statistics.requestsInFlight == 1 }
            client.reset()
        }
        await gate.open()
        try await eventually { server.statistics.requestsInFlight == 0 && server.statistics.connectionsOpen == 0 }
        server.beginShutdown()
        await run.value
    }

    @Test(arguments: ["", "GET /p HT", "POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nab"])
    func disconnectDuringRequestReleasesConnection(start: String) async throws {
        try await withServer { server in
            do {
                let client = try SocketClient(port: server.port)
                try await client.send(start)
                try await eventually { server.statistics.connectionsOpen == 1 }
                client.reset()
            }
            try await eventually { server.statistics.connectionsOpen == 0 }
            #expect(server.statistics.requests == 0)
        }
    }

    /// The library misses the end of a stream that arrives together with the last bytes. The deadline of the body then
    /// ends the connection.
    @Test func halfClosedConnectionWithIncompleteBodyEnds() async throws {
        try await withServer({ $0.bodyTime = .milliseconds(200) }) { server in
            let client = try SocketClient(port: server.port)
            try await client.send("POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nab")
            client.finishSending()
            try await client.end()
            try await eventually { server.statistics.connectionsOpen == 0 }
            #expect(server.statistics.requests == 0)
        }
    }

    @Test func halfClosedConnectionAfterRequestEnds() async throws {
        try await withServer({ $0.idleTime = .milliseconds(200) }) { server in
            let client = try SocketClient(port: server.port)
            try await client.send(request)
            client.finishSending()
            try await client.end()
            try await eventually { server.statistics.connectionsOpen == 0 && server.statistics.requestsInFlight == 0 }
        }
    }
}

/// Clients that keep a connection as long as the server does, and then connect to any server.
private final class RestartingClients: Sendable {
    private let state: Mutex<(ports: [UInt16], responses: Int, isStopped: Bool)>

    init(ports: [UInt16]) {
        state = Mutex((ports, 0, false))
    }

    func stop() { state.withLock { $0.isStopped = true } }

    func replace(_ number: Int, with port: UInt16) { state.withLock { $0.ports[number] = port } }

    /// Returns early if the clients have stopped.
    func untilMore(_ count: Int) async throws {
        let goal = state.withLock { $0.responses + count }
        try await eventually { state.withLock { $0.responses >= goal || $0.isStopped } }
    }

    /// - Throws: if a sent request gets no response.
    func run(_ number: Int) async throws {
        defer { stop() }
        var client: SocketClient?
        for place in number... {
            if state.withLock(\.isStopped) { return }
            let port = state.withLock { $0.ports[place % $0.ports.count] }
            // A server that is stopping refuses the connection: nothing was sent.
            if client == nil { client = try? await onThread { try SocketClient(port: port) } }
            guard let connected = client else { continue }
            try await connected.send("GET /p HTTP/1.1\r\nHost: h\r\n\r\n")
            let response = try #require(try await connected.response())
            #expect(response.status == 200)
            state.withLock { $0.responses += 1 }
            client = response.header("Connection") == "close" ? nil : connected
        }
    }
}
