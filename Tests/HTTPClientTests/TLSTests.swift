import Foundation
import HTTPClient
import TestSupport
import Testing

/// Tests with an independent server: `openssl s_server` with its own certificate for `localhost`.
struct TLSTests {
    @Test func serverRequiresTrustedAuthority() async throws {
        try await withTLSServer { port, caFilePath in
            let request = HTTPClientRequest(.get, "https://localhost:\(port)/")
            let response = try await HTTPClient(caFilePath: caFilePath).send(request)
            #expect(response.status == 200)
            let untrusted = await #expect(throws: HTTPClientError.self) { try await HTTPClient().send(request) }
            guard case .tls = untrusted else { return #expect(untrusted == .tls("")) }
        }
    }

    @Test func serverRequiresMatchingName() async throws {
        try await withTLSServer { port, caFilePath in
            let error = await #expect(throws: HTTPClientError.self) {
                try await HTTPClient(caFilePath: caFilePath).send(
                    HTTPClientRequest(.get, "https://127.0.0.1:\(port)/"))
            }
            guard case .tls = error else { return #expect(error == .tls("")) }
        }
    }

    /// The server offers only HTTP/1.1.
    @Test func requiredHTTP2RefusesHTTP1() async throws {
        try await withTLSServer("-alpn", "http/1.1") { port, caFilePath in
            let client = HTTPClient(caFilePath: caFilePath)
            let url = "https://localhost:\(port)/"
            await #expect(throws: HTTPClientError.noHTTP2) {
                try await client.send(HTTPClientRequest(.get, url, version: .http2))
            }
            let plain = try await client.send(HTTPClientRequest(.get, url))
            #expect(plain.status == 200)
        }
    }

    /// The server negotiates nothing, and does not understand HTTP/2.
    @Test func requiredHTTP2FailsWithoutNegotiation() async throws {
        try await withTLSServer { port, caFilePath in
            var limits = HTTPClient.Limits()
            // It waits for the end of a line that never comes.
            limits.totalTime = .milliseconds(500)
            let client = HTTPClient(limits, caFilePath: caFilePath)
            await #expect(throws: HTTPClientError.self) {
                try await client.send(HTTPClientRequest(.get, "https://localhost:\(port)/", version: .http2))
            }
        }
    }

    @Test func clientPresentsItsCertificate() async throws {
        try await withTLSServer("-Verify", "1", "-verify_return_error", "-CAfile", "cert.pem") { port, caFilePath in
            let url = "https://localhost:\(port)/"
            // The server's certificate and key also serve as those of the client.
            let both =
                try String(contentsOfFile: caFilePath, encoding: .utf8)
                + String(contentsOfFile: caFilePath.replacing("cert.pem", with: "key.pem"), encoding: .utf8)
            let own = caFilePath.replacing("cert.pem", with: "own.pem")
            try both.write(toFile: own, atomically: true, encoding: .utf8)
            let known = HTTPClient(caFilePath: caFilePath, certificate: own)
            let response = try await known.send(HTTPClientRequest(.get, url))
            #expect(response.status == 200)
            await #expect(throws: HTTPClientError.self) {
                try await HTTPClient(caFilePath: caFilePath).send(HTTPClientRequest(.get, url))
            }
        }
    }

    private func withTLSServer(
        _ options: String..., body: (_ port: String, _ caFilePath: String) async throws -> Void
    ) async throws {
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
            "/usr/bin/openssl",
            ["s_server", "-accept", "0", "-key", key, "-cert", certificate, "-www"] + options, in: folder)
        defer { server.send(SIGKILL) }
        let port = try await waitFor("openssl says where it listens") {
            server.output.firstMatch(of: /ACCEPT.*:(\d+)\n/).map { String($0.1) }
        }
        try await body(port, certificate)
    }
}
