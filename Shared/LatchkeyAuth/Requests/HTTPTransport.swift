package import Foundation

#if canImport(FoundationNetworking)
    package import FoundationNetworking
#endif

/// Sends one HTTP request and returns its response.
package struct HTTPTransport: Sendable {
    /// The longest response that is read, in bytes.
    package static let maximumResponseBytes = 4 << 20

    /// - Throws: `URLError`, with the code `dataLengthExceedsMaximum` for a response beyond the limit;
    ///   `CancellationError`.
    package var send: @Sendable (URLRequest) async throws -> (Data, HTTPURLResponse)

    /// A transport of the given closure, as tests use it.
    package init(send: @escaping @Sendable (URLRequest) async throws -> (Data, HTTPURLResponse)) { self.send = send }

    /// The network, without cookies and without a cache: responses hold tokens. A redirect is not followed: it would
    /// send tokens and passwords to another server.
    package static func urlSession() -> HTTPTransport { shared }

    /// One for all applications of the process: a session of `URLSession` is never released.
    private static let shared: HTTPTransport = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.timeoutIntervalForRequest = 30
        configuration.timeoutIntervalForResource = 60
        let responses = ResponseCollector()
        let session = URLSession(configuration: configuration, delegate: responses, delegateQueue: nil)
        return HTTPTransport { request in
            let task = session.dataTask(with: request)
            for try await response in responses.response(of: task) { return response }
            throw CancellationError()
        }
    }()
}

/// Collects the bodies of responses up to the limit.
private final class ResponseCollector: NSObject, URLSessionDataDelegate, Sendable {
    private struct Exchange {
        let result: AsyncThrowingStream<(Data, HTTPURLResponse), any Error>.Continuation
        var body = Data()
        var isTooLong = false
    }

    private let exchanges = Locked<[Int: Exchange]>([:])

    /// Starts a task. The cancellation of the reader cancels it.
    func response(of task: URLSessionDataTask) -> AsyncThrowingStream<(Data, HTTPURLResponse), any Error> {
        let (stream, result) = AsyncThrowingStream<(Data, HTTPURLResponse), any Error>.makeStream()
        exchanges.withLock { $0[task.taskIdentifier] = Exchange(result: result) }
        result.onTermination = { if case .cancelled = $0 { task.cancel() } }
        task.resume()
        return stream
    }

    func urlSession(_: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLong = exchanges.withLock { exchanges in
            guard var exchange = exchanges[dataTask.taskIdentifier] else { return true }
            exchange.isTooLong = exchange.body.count + data.count > HTTPTransport.maximumResponseBytes
            if !exchange.isTooLong { exchange.body.append(data) }
            exchanges[dataTask.taskIdentifier] = exchange
            return exchange.isTooLong
        }
        if isTooLong { dataTask.cancel() }
    }

    func urlSession(_: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let exchange = exchanges.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        if exchange.isTooLong {
            exchange.result.finish(throwing: URLError(.dataLengthExceedsMaximum))
        } else if let error, (error as? URLError)?.code == .cancelled {
            exchange.result.finish(throwing: CancellationError())
        } else if let error {
            // A new error: the received one contains the URL with the API key.
            exchange.result.finish(throwing: URLError((error as? URLError)?.code ?? .unknown))
        } else if let response = task.response as? HTTPURLResponse {
            exchange.result.yield((exchange.body, response))
            exchange.result.finish()
        } else {
            exchange.result.finish(throwing: URLError(.badServerResponse))
        }
    }

    func urlSession(
        _: URLSession, task _: URLSessionTask, willPerformHTTPRedirection _: HTTPURLResponse,
        newRequest _: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
