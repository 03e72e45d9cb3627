import Blocking
import Curl
import FoundationEssentials
import Glibc
import Tracing
import Vocabulary

/// Sends requests to external servers with libcurl.
///
/// Redirects are not followed and proxies of the environment are not used: a request goes to the host in its URL.
/// Connections are kept for the next request to the same server. A connection carries one request at a time, also with
/// HTTP/2. There are never more connections to one server than `Limits.threads`, and no more than there were concurrent
/// requests.
package struct HTTPClient: Sendable {
    /// Timeouts and limits of the client.
    package struct Limits: Sendable {
        /// From the start to the end of the handshakes.
        package var connectTime = Duration.seconds(5)
        /// From the start to the last byte of the response.
        package var totalTime = Duration.seconds(30)
        /// The body of a response; beyond: `tooLarge`.
        package var bodyBytes = 1 << 20
        /// All header fields of a response; beyond: `tooLarge`.
        package var headerBytes = 64 << 10
        /// Requests that run at the same time.
        package var threads = 4
        /// Requests that wait for a thread; more are rejected as `overloaded`.
        package var maximumWaiting = 64

        package init() {}
    }

    private let limits: Limits
    private let addresses: AddressPolicy
    private let trust: CurlTransfer.TLSFiles
    private let pool: BlockingPool
    private let handles = CurlHandlePool(closing: .immediate)

    /// - Parameters:
    ///   - addresses: the addresses that requests may go to.
    ///   - caFilePath: a PEM file with the trusted certificates, instead of those of the system; nil: that of
    ///     `SSL_CERT_FILE`, if it is set.
    ///   - certificate: a PEM file with a client certificate and its private key, for servers that require one.
    package init(
        _ limits: Limits = Limits(), addresses: AddressPolicy = .all, caFilePath: String? = nil,
        certificate: String? = nil
    ) {
        self.limits = limits
        self.addresses = addresses
        trust = .init(caFilePath: caFilePath ?? Self.environmentCAFilePath, certificate: certificate)
        pool = BlockingPool(label: "http-client", threads: limits.threads, maximumWaiting: limits.maximumWaiting)
    }

    /// The variable of OpenSSL, which libcurl does not read.
    private static let environmentCAFilePath = getenv("SSL_CERT_FILE").map { String(cString: $0) }
        .flatMap { $0.isEmpty ? nil : $0 }

    /// Sends a request and waits for the complete response. A cancelled task leaves the queue; a running request is not
    /// interrupted. In a process that records traces it is a span of the work that it belongs to.
    package func send(_ request: HTTPClientRequest) async throws(HTTPClientError) -> HTTPClientResponse {
        let span = ActiveSpan.current?.beginRequest()
        let result = await result(of: request)
        span?.end(request, result)
        return try result.get()
    }

    private func result(of request: HTTPClientRequest) async -> Result<HTTPClientResponse, HTTPClientError> {
        do {
            return try await pool.run { [limits, addresses, trust, handles] in
                handles.withHandle { handle in
                    Result { () throws(HTTPClientError) in
                        try CurlTransfer(limits, addresses).perform(request, trust, on: handle)
                    }
                }
            }
        } catch is CancellationError {
            return .failure(.cancelled)
        } catch {
            // The pool belongs to this value and is never shut down before it, so the only other error is
            // `OverloadedError`.
            return .failure(.overloaded)
        }
    }
}

extension ActiveSpan {
    /// Ends the span of a request. Its path and query are no attributes: they can hold codes and addresses of users.
    fileprivate func end(_ request: HTTPClientRequest, _ result: Result<HTTPClientResponse, HTTPClientError>) {
        var status: Int?
        var error: String?
        switch result {
        case .success(let response):
            status = response.status
            if response.status >= 400 { error = String(response.status) }
        case .failure(let failure): error = failure.kind
        }
        var attributes: [Span.Attribute] {
            let url = WebURL(request.url)
            var attributes: [Span.Attribute] = [("http.request.method", .text(request.method.rawValue))]
            if let url {
                attributes += [
                    ("server.address", .text(url.host)), ("server.port", .number(Int(url.port))),
                    ("url.scheme", .text(url.isSecure ? "https" : "http")),
                ]
            }
            if let status { attributes.append(("http.response.status_code", .number(status))) }
            return attributes
        }
        end(request.method.rawValue, attributes, error: error)
    }
}
