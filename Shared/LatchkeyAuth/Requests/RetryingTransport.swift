package import Foundation

#if canImport(FoundationNetworking)
    package import FoundationNetworking
#endif

/// Sends requests, again if they may be repeated.
package struct RetryingTransport: Sendable {
    package let transport: HTTPTransport
    package let clock: AuthClock

    /// Sends through `transport`, and waits between two attempts on `clock`.
    package init(transport: HTTPTransport, clock: AuthClock) {
        self.transport = transport
        self.clock = clock
    }

    /// - Returns: the response to the last attempt, with any status.
    /// - Throws: `URLError` without the URL, which can contain an API key, if no attempt had a response; its code is
    ///   `dataLengthExceedsMaximum` for a response beyond the limit. `CancellationError`.
    package func send(_ request: URLRequest, repetition: Repetition) async throws -> (Data, HTTPURLResponse) {
        var schedule = RetrySchedule(repetition)
        while true {
            try Task.checkCancellation()
            let failure: AttemptFailure
            let result: Result<(Data, HTTPURLResponse), URLError>
            do {
                let (body, response) = try await transport.send(request)
                guard body.count <= HTTPTransport.maximumResponseBytes else {
                    throw URLError(.dataLengthExceedsMaximum)
                }
                guard response.statusCode == 503 else { return (body, response) }
                failure = .unavailable(retryAfterSeconds: response.retryAfterSeconds)
                result = .success((body, response))
            } catch let error as URLError {
                switch error.code {
                case .cancelled: throw CancellationError()
                case .dataLengthExceedsMaximum: throw URLError(error.code)
                default: break
                }
                failure = AttemptFailure(error)
                result = .failure(URLError(error.code))
            }
            guard let pause = schedule.pause(after: failure, jitter: .random(in: 0...1)) else {
                return try result.get()
            }
            try await clock.sleep(pause)
        }
    }
}

extension HTTPURLResponse {
    /// The seconds of `Retry-After`.
    package var retryAfterSeconds: Int? { value(forHTTPHeaderField: "Retry-After").flatMap { Int($0) } }
}

extension AttemptFailure {
    init(_ error: URLError) {
        switch error.code {
        case .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .notConnectedToInternet,
            .secureConnectionFailed:
            self = .notConnected
        case .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot,
            .serverCertificateNotYetValid, .clientCertificateRejected, .clientCertificateRequired, .badURL,
            .unsupportedURL, .appTransportSecurityRequiresSecureConnection:
            self = .permanent
        default: self = .noResponse
        }
    }
}
