public import Foundation

/// A page that returns to the application.
protocol VisitedPage: Sendable {
    var url: URL { get }
    /// The scheme of the URL with which it returns.
    var callbackScheme: String { get }
    /// What it returned; nil for a URL that is not the result of this page.
    func result(in url: URL) -> BrowserResult?
}

/// The page that an `Auth` shows. One at a time: two pages would confuse the user.
final class BrowserVisit: Sendable {
    /// The server ends a sign-in of a browser after this time.
    static let timeout = Duration.seconds(600)

    private struct Open {
        let page: any VisitedPage
        let results: AsyncThrowingStream<BrowserResult, any Error>.Continuation
    }

    private let open = Locked<Open?>(nil)

    /// Shows a page until its result is there.
    /// - Throws: `webContextAlreadyPresented`; `webContextCancelled` after ``timeout``; the error of the page or of the
    ///   delegate; `CancellationError`.
    func show(_ page: any VisitedPage, by delegate: any AuthUIDelegate, clock: AuthClock) async throws -> String {
        let (results, continuation) = AsyncThrowingStream.makeStream(
            of: BrowserResult.self, bufferingPolicy: .bufferingOldest(1))
        try begin(Open(page: page, results: continuation))
        let presentation = Task { @MainActor in
            do {
                let url = try await delegate.present(page.url, callbackURLScheme: page.callbackScheme)
                guard let url else { return }
                continuation.yield(page.result(in: url) ?? .failure(AuthErrorCode(.webInternalError)))
            } catch {
                continuation.finish(throwing: error)
            }
        }
        let timer = Task {
            // `try?`: the timer is canceled when the result is there.
            guard (try? await clock.sleep(Self.timeout)) != nil else { return }
            continuation.finish(throwing: AuthErrorCode(.webContextCancelled))
        }
        defer {
            open.withLock { $0 = nil }
            presentation.cancel()
            timer.cancel()
        }
        for try await result in results {
            switch result {
            case .value(let value): return value
            case .failure(let error): throw error
            }
        }
        throw CancellationError()
    }

    private func begin(_ new: Open) throws(AuthErrorCode) {
        let isFree = open.withLock { open in
            guard open == nil else { return false }
            open = new
            return true
        }
        guard isFree else { throw AuthErrorCode(.webContextAlreadyPresented) }
    }

    /// Accepts the result of the open page.
    func accept(_ url: URL) -> Bool {
        guard let open = open.withLock({ $0 }), let result = open.page.result(in: url) else { return false }
        open.results.yield(result)
        return true
    }
}

extension Auth {
    /// Passes a URL with which the system has opened the application, such as in
    /// `application(_:open:options:)`.
    /// - Returns: whether it is the result of a page that this library shows. The application ignores it then.
    public func canHandle(_ url: URL) -> Bool { browserVisit.accept(url) }

    /// Shows a page of the server.
    /// - Throws: `missingIosBundleID`, `missingClientIdentifier`; as ``BrowserVisit/show(_:by:clock:)``.
    func show(_ purpose: BrowserPage.Purpose, by delegate: any AuthUIDelegate) async throws -> String {
        let page = try BrowserPage(
            purpose, server: try server.pagesURL, apiKey: server.options.apiKey,
            app: try RegisteredApp(server.options, mainBundleID: Bundle.main.bundleIdentifier),
            eventID: Self.randomEventID(), tenantID: tenantID, languageCode: languageCode)
        return try await browserVisit.show(page, by: delegate, clock: clock)
    }

    private static func randomEventID() -> String {
        var random = SystemRandomNumberGenerator()
        return randomNonceString(
            length: 16, of: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", using: &random)
    }

    /// The delegate of the system, if there is one.
    @MainActor static var systemUIDelegate: (any AuthUIDelegate)? {
        #if canImport(AuthenticationServices) && !os(watchOS) && !os(tvOS)
            WebAuthenticationDelegate()
        #else
            nil
        #endif
    }
}
