import Foundation
import HTTPClient
import Testing

/// Against a server that others wrote: `openssl s_server` with a certificate of its own for `localhost`.
struct TLSTests {
    @Test func aServerIsTrustedOnlyByTheAuthoritiesOfTheClient() async throws {
        try await withTLSServer { port, authorities in
            let request = HTTPClientRequest(.get, "https://localhost:\(port)/")
            let response = try await HTTPClient(authorities: authorities).send(request)
            #expect(response.status == 200)
            let stranger = await #expect(throws: HTTPClientError.self) { try await HTTPClient().send(request) }
            guard case .tls = stranger else { return #expect(stranger == .tls("")) }
        }
    }

    @Test func aServerWithAnotherNameIsNotTrusted() async throws {
        try await withTLSServer { port, authorities in
            let error = await #expect(throws: HTTPClientError.self) {
                try await HTTPClient(authorities: authorities).send(
                    HTTPClientRequest(.get, "https://127.0.0.1:\(port)/"))
            }
            guard case .tls = error else { return #expect(error == .tls("")) }
        }
    }

    private func withTLSServer(_ body: (_ port: String, _ authorities: String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // What is left in the temporary folder of a failed test harms nobody.
        defer { try? FileManager.default.removeItem(at: folder) }
        let (key, certificate) = (folder.appending(path: "key.pem").path, folder.appending(path: "cert.pem").path)
        let make = try start([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1", "-subj",
            "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate,
        ]).process
        make.waitUntilExit()
        let (server, output) = try start(["s_server", "-accept", "0", "-key", key, "-cert", certificate, "-www"])
        defer { server.terminate() }
        // "ACCEPT [::]:40123" is its last line until a client comes.
        var lines = ""
        while !lines.contains(/ACCEPT.*:\d+\n/) {
            lines += String(decoding: output.availableData, as: UTF8.self)
        }
        let port = try #require(lines.split(separator: "\n").last?.split(separator: ":").last)
        try await body(String(port), certificate)
    }

    private func start(_ arguments: [String]) throws -> (process: Process, output: FileHandle) {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = Pipe()
        try process.run()
        return (process, output.fileHandleForReading)
    }
}
