import Contracts
import FoundationEssentials
package import HTTPClient
import JSON
import Synchronization
package import Vocabulary

/// Sends events to blocking functions.
///
/// Outside dev mode it uses HTTPS, and connects to public addresses or to hosts that the operator allows. It follows no
/// redirects. The number of concurrent calls is bounded, see `BlockingFunctionSlots`.
package struct BlockingFunctionClient: Sendable {
    /// One request, as a value that a test can replace.
    package typealias Send = @Sendable (HTTPClientRequest, WebURL) async throws(HTTPClientError) -> HTTPClientResponse

    static let maximumResponseBytes = 64 << 10

    private let send: Send
    private let slots = SharedSlots()

    private final class SharedSlots: Sendable {
        let value = Mutex(BlockingFunctionSlots())
    }

    package init(send: @escaping Send) {
        self.send = send
    }

    /// - Parameters:
    ///   - isDev: allows plain HTTP and private addresses.
    ///   - privateHosts: hosts in lower case that may have private addresses.
    ///   - timeout: of one call with the resolution of the name, at most `Identity.blockingFunctionTimeout`.
    package init(isDev: Bool, privateHosts: Set<String>, timeout: Duration = Identity.blockingFunctionTimeout) {
        var limits = HTTPClient.Limits()
        (limits.totalTime, limits.connectTime) = (timeout, timeout)
        (limits.bodyBytes, limits.headerBytes) = (Self.maximumResponseBytes, 32 << 10)
        // A slot guarantees a thread.
        (limits.threads, limits.maximumWaiting) = (BlockingFunctionSlots.maximumRunning, 0)
        let client = HTTPClient(limits, addresses: isDev ? .all : .publicOnly)
        // It has the same number of threads, so it exists only if it is used.
        let privateClient = isDev || privateHosts.isEmpty ? nil : HTTPClient(limits)
        self.init { request, url throws(HTTPClientError) in
            guard isDev || url.isSecure else { throw .invalidRequest }
            let client = privateHosts.contains(url.host) ? privateClient ?? client : client
            return try await client.send(request)
        }
    }

    /// Why there is no response with status 200.
    enum Failure: Error, Equatable, Sendable {
        /// The maximum number of calls is running.
        case overloaded
        case notSent(HTTPClientError)
        /// The function refuses the sign-in.
        case declined(status: Int, BlockingFunctionError)
        /// Any other status than 200. A redirect is one too.
        case refused(status: Int, BlockingFunctionError)
    }

    /// Calls a function.
    /// - Parameter event: the signed JWT.
    /// - Returns: the body of a response with status 200.
    func call(_ url: WebURL, event: String, of project: ProjectID) async throws(Failure) -> Data {
        guard slots.value.withLock({ $0.acquire(project) }) else { throw .overloaded }
        defer { slots.value.withLock { $0.release(project) } }
        // `try?`: strings can be encoded.
        let body = try? WireJSON.encode(["data": ["jwt": event]])
        let response: HTTPClientResponse
        do {
            response = try await send(
                HTTPClientRequest(
                    .post, url.text, headers: [("Content-Type", "application/json"), ("Accept", "application/json")],
                    body: body ?? Data()), url)
        } catch {
            throw error == .overloaded ? .overloaded : .notSent(error)
        }
        guard response.status == 200 else {
            let error = BlockingFunctionError(status: response.status, body: response.body)
            throw BlockingFunctionError.isRefusal(status: response.status, body: response.body)
                ? .declined(status: response.status, error) : .refused(status: response.status, error)
        }
        return response.body
    }
}
