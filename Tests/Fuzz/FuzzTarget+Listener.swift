import FoundationEssentials
import Synchronization
import Vocabulary

@testable import HTTPServer

extension FuzzTarget {
    private static let gatewayListener = Result { try FuzzListener() }

    /// What a client sends over one connection to the listener of a gateway: heads and bodies of several requests.
    static func readListenerInput(_ input: [UInt8]) throws {
        try gatewayListener.get().read(input)
    }
}

/// The HTTP server with small limits, and what reached its handler.
private final class FuzzListener: Sendable {
    private struct State {
        var input: [UInt8] = []
        var requests = 0
        var broken: FuzzTarget.BrokenPromise?
    }

    /// Apart from the listener, which the handler must not refer to.
    private final class Record: Sendable {
        let state = Mutex(State())
    }

    private static let bodyBytes = 512
    private let server: HTTPServer
    private let record = Record()

    init() throws {
        var settings = HTTPServerSettings(host: "127.0.0.1", port: 0)
        // The library waits for the rest of a body, and for another request after a body that is too large, although the
        // client has said that nothing follows.
        (settings.headTime, settings.bodyTime) = (.milliseconds(30), .milliseconds(30))
        settings.idleTime = .milliseconds(30)
        (settings.headBytes, settings.targetBytes) = (1024, 256)
        (settings.bodyBytes, settings.maximumDrainedBytes) = (Self.bodyBytes, 1024)
        server = try HTTPServer(settings, refusal: { HTTPResponse(status: $0.status) }) { [record] request in
            FuzzTarget.readRequest(request)
            record.state.withLock { state in
                state.requests += 1
                do throws(FuzzTarget.BrokenPromise) {
                    try Self.check(request, of: state.input)
                } catch {
                    state.broken = error
                }
            }
            return HTTPResponse(status: 200)
        }
    }

    private static func check(_ request: HTTPRequest, of input: [UInt8]) throws(FuzzTarget.BrokenPromise) {
        func demand(_ holds: Bool, _ promise: String) throws(FuzzTarget.BrokenPromise) {
            guard holds else { throw FuzzTarget.BrokenPromise(description: promise) }
        }
        try demand(
            request.path == "/" || input.firstRange(of: Array(request.path.utf8)) != nil,
            "a path is that of the client")
        try demand(
            input.firstRange(of: Array((request.method.name + " ").utf8)) != nil, "a method is that of the client")
        try demand(request.path.utf8.allSatisfy(ASCII.isTarget), "a path has no controls")
        try demand(request.body.count <= bodyBytes, "a body has its limit")
        try demand(
            request.headers.all.allSatisfy {
                !$0.name.isEmpty && $0.name.utf8.allSatisfy(ASCII.isToken)
                    && $0.value.utf8.allSatisfy(ASCII.isFieldValue)
            }, "a header is well-formed")
        try demand(
            request.version == .http10 || request.headers.values("host").count == 1, "a request names one host")
    }

    func read(_ input: [UInt8]) throws {
        record.state.withLock { $0 = State(input: input) }
        let connection = try LoopbackConnection(toPort: server.port)
        connection.sendAll(input)
        let output = connection.readAll()
        let state = record.state.withLock { $0 }
        if let broken = state.broken { throw broken }
        try checkResponses(output, to: state.requests)
    }

    /// The output is one response after the other, until a reset cuts it off.
    private func checkResponses(_ output: [UInt8], to requests: Int) throws {
        var rest = output[...]
        var accepted = 0
        while let end = rest.firstRange(of: Array("\r\n\r\n".utf8)) {
            let lines = String(decoding: rest[..<end.lowerBound], as: UTF8.self).pieces(at: "\n")
            let status = lines.first.flatMap { Int($0.dropFirst("HTTP/1.1 ".count).prefix(3)) } ?? 0
            try FuzzTarget.demand(
                lines.first?.hasPrefix("HTTP/1.") == true && (100...599).contains(status), "a response has its status")
            rest = rest[end.upperBound...]
            guard status >= 200 else { continue }
            accepted += status == 200 ? 1 : 0
            let lengths = lines.filter { $0.hasPrefix("Content-Length: ") }
            // The library refuses some heads with a page of its own.
            let length = lengths.first.flatMap { Int($0.dropFirst("Content-Length: ".count).filter(\.isNumber)) }
            try FuzzTarget.demand(
                lengths.count == 1 && (status >= 400 ? length != nil : length == 0),
                "a response has its length: \(lines)")
            rest = rest.dropFirst(length ?? 0)
        }
        try FuzzTarget.demand(accepted <= requests, "a response has a request")
    }
}
