internal import Blocking
internal import Curl
internal import FoundationEssentials

/// Requests to somebody else's servers, on libcurl.
///
/// Redirections are not followed and proxies of the environment are not used: a request goes where its URL says.
/// Connections are kept for the next request to the same server. A connection carries one request at a time, in HTTP/2
/// too: there are never more of them to one server than `Limits.threads`, and no more than there were requests at once.
package struct HTTPClient: Sendable {
    /// What the client puts up with.
    package struct Limits: Sendable {
        /// From the start to the end of the handshakes.
        package var connectTime = Duration.seconds(5)
        /// From the start to the last byte of the answer.
        package var totalTime = Duration.seconds(30)
        /// The body of an answer; beyond: `tooLarge`.
        package var bodyBytes = 1 << 20
        /// All header fields of an answer; beyond: `tooLarge`.
        package var headerBytes = 64 << 10
        /// Requests that run at the same time.
        package var threads = 4
        /// Requests that wait for a thread; more are refused as `overloaded`.
        package var maximumWaiting = 64

        package init() {}
    }

    private let limits: Limits
    private let trust: CurlTransfer.TLSFiles
    private let pool: BlockingPool
    private let handles = CurlHandlePool(closing: .immediate)

    /// - Parameters:
    ///   - authorities: a PEM file with the certificates to trust, instead of the system's.
    ///   - certificate: a PEM file with a certificate of our own and its private key, for servers that ask who we are.
    package init(_ limits: Limits = Limits(), authorities: String? = nil, certificate: String? = nil) {
        self.limits = limits
        trust = .init(authorities: authorities, certificate: certificate)
        pool = BlockingPool(label: "http-client", threads: limits.threads, waiting: limits.maximumWaiting)
    }

    /// Sends a request and waits for the whole answer. A cancelled task gives up its place in the waiting line; a
    /// request that runs is not interrupted.
    package func send(_ request: HTTPClientRequest) async throws(HTTPClientError) -> HTTPClientResponse {
        let result: Result<HTTPClientResponse, HTTPClientError>
        do {
            result = try await pool.run { [limits, trust, handles] in
                handles.withHandle { handle in
                    Result { () throws(HTTPClientError) in
                        try CurlTransfer(limits).perform(request, trust, on: handle)
                    }
                }
            }
        } catch is CancellationError {
            throw .cancelled
        } catch {
            // The pool belongs to this value and is never shut down before it: what is left is `Overloaded`.
            throw .overloaded
        }
        return try result.get()
    }
}
