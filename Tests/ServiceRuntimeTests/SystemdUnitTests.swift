import Dispatch
import EventLoop
import Foundation
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

/// The receiving end of sd_notify(3): a socket for datagrams.
private final class NotifySocket: Sendable {
    let path: String
    private let descriptor: Int32

    init(_ path: String) throws {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(path.utf8)
        if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + bytes.count)
        let isBound = withUnsafePointer(to: address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) == 0 }
        }
        try #require(isBound)
    }

    deinit { close(descriptor) }

    /// Waits for a datagram, on a thread of its own.
    func receive() async -> String {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [descriptor] in
                var buffer = [UInt8](repeating: 0, count: 64)
                let count = recv(descriptor, &buffer, buffer.count, 0)
                continuation.resume(returning: String(decoding: buffer.prefix(max(0, count)), as: UTF8.self))
            }
        }
    }
}

@Suite struct SystemdUnitTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    @Test func processWithoutAManagerSendsNothing() {
        #expect(SystemdUnit(Environment([:])) == nil)
        #expect(SystemdUnit(Environment(["NOTIFY_SOCKET": "relative"])) == nil)
        #expect(
            SystemdUnit(Environment(["NOTIFY_SOCKET": "/" + String(repeating: "a", count: 200)])) == nil)
    }

    @Test(arguments: [false, true])
    func statesAreDatagrams(isAbstract: Bool) async throws {
        let socket = try NotifySocket(isAbstract ? "@latchkey-test-\(UUID())" : folder.path + "/notify")
        let manager = try #require(SystemdUnit(Environment(["NOTIFY_SOCKET": socket.path])))
        #expect(manager.heartbeat == nil)
        for state in [SystemdUnit.State.ready, .alive, .stopping] {
            manager.send(state)
            #expect(await socket.receive() == state.rawValue)
        }
    }

    @Test(arguments: [("3000000", Duration.milliseconds(1500)), ("0", nil), ("-5", nil), ("soon", nil)])
    func heartbeatIsHalfOfTheTimeOfTheWatchdog(microseconds: String, heartbeat: Duration?) throws {
        let manager = try #require(
            SystemdUnit(Environment(["NOTIFY_SOCKET": "/run/notify", "WATCHDOG_USEC": microseconds])))
        #expect(manager.heartbeat == heartbeat)
    }

    /// A runtime reports while its components run, and at once when they are to stop.
    @Test func runtimeReportsItsLife() async throws {
        let socket = try NotifySocket(folder.path + "/notify")
        let manager = try #require(
            SystemdUnit(Environment(["NOTIFY_SOCKET": socket.path, "WATCHDOG_USEC": "2000"])))
        let (requests, request) = AsyncStream.makeStream(of: StopRequest.self)
        let runtime = ServiceRuntime(
            log: Log(instance: "test", write: { _ in }), stopRequests: { requests }, manager: manager)
        let running = Task { try await runtime.run([Waiting()]) }
        #expect(await socket.receive() == "WATCHDOG=1")
        #expect(await socket.receive() == "WATCHDOG=1")
        request.yield(.terminate)
        try await running.value
        var last = ""
        repeat { last = await socket.receive() } while last == "WATCHDOG=1"
        #expect(last == "STOPPING=1")
    }

    /// The components of a launcher go on while the loop of its services cannot: the watchdog must see the loop.
    @Test func reportsEndWithTheLoopThatTheyAreAbout() async throws {
        let socket = try NotifySocket(folder.path + "/notify")
        let manager = try #require(
            SystemdUnit(Environment(["NOTIFY_SOCKET": socket.path, "WATCHDOG_USEC": "2000"])))
        let loop = try EventLoop(label: "services")
        let (requests, request) = AsyncStream.makeStream(of: StopRequest.self)
        let runtime = ServiceRuntime(
            log: Log(instance: "test", write: { _ in }), stopRequests: { requests }, manager: manager
        ).reporting(from: loop)
        let hasReport = Mutex(false)
        let held = DispatchSemaphore(value: 0)
        let isHeld = AsyncStream.makeStream(of: Void.self)
        loop.attach(loop.makeSignal()) {
            isHeld.continuation.finish()
            held.wait()
            throw CancellationError()
        } ended: { _ in
        }
        for await _ in isHeld.stream {}
        let report = Task {
            let state = await socket.receive()
            hasReport.withLock { $0 = true }
            return state
        }
        let (starts, start) = AsyncStream.makeStream(of: Void.self)
        let running = Task { try await runtime.run([Waiting(start: start)]) }
        for await _ in starts {}
        for _ in 0..<1000 { await Task.yield() }
        #expect(hasReport.withLock { !$0 })
        held.signal()
        #expect(await report.value == "WATCHDOG=1")
        request.yield(.terminate)
        try await running.value
    }

    private struct Waiting: SignaledComponent {
        let stop = StopSignal()
        var start: AsyncStream<Void>.Continuation?
        func run() async throws {
            start?.finish()
            await stop.wait()
        }
    }
}
