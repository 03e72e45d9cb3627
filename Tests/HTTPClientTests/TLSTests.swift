import Foundation
import HTTPClient
import TestSupport
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
        let folder = try TemporaryDirectory()
        let (key, certificate) = (folder.appending("key.pem"), folder.appending("cert.pem"))
        let made = try RunningProgram(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1", "-subj",
                "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate,
            ], in: folder)
        #expect(try await made.ending() == .code(0))
        let server = try RunningProgram(
            "/usr/bin/openssl", ["s_server", "-accept", "0", "-key", key, "-cert", certificate, "-www"], in: folder)
        defer { server.send(SIGKILL) }
        let port = try await awaited("openssl says where it listens") {
            server.output.firstMatch(of: /ACCEPT.*:(\d+)\n/).map { String($0.1) }
        }
        try await body(port, certificate)
    }
}
