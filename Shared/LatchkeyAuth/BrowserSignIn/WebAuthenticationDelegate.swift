#if canImport(AuthenticationServices) && !os(watchOS) && !os(tvOS)
    internal import AuthenticationServices
    public import Foundation

    // Apple's systems only: this file is not compiled on Linux.

    extension AuthUIDelegate {
        /// Shows the page in the browser of the system, for a delegate without a way of its own.
        @MainActor
        public func present(_ url: URL, callbackURLScheme: String) async throws -> URL? {
            try await WebAuthenticationDelegate().present(url, callbackURLScheme: callbackURLScheme)
        }
    }

    /// Shows pages in the browser of the system.
    @MainActor
    final class WebAuthenticationDelegate: NSObject, AuthUIDelegate, ASWebAuthenticationPresentationContextProviding {
        private var session: ASWebAuthenticationSession?

        func present(_ url: URL, callbackURLScheme: String) async throws -> URL? {
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let session = ASWebAuthenticationSession(url: url, callbackURLScheme: callbackURLScheme) {
                        @Sendable url, _ in
                        // The session reports no other error than that the user has closed it.
                        continuation.resume(
                            with: url.map { .success($0) } ?? .failure(AuthErrorCode(.webContextCancelled)))
                    }
                    session.presentationContextProvider = self
                    self.session = session
                    // A session that does not start calls the handler with its error.
                    session.start()
                }
            } onCancel: {
                Task { @MainActor in self.session?.cancel() }
            }
        }

        func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor {
            ASPresentationAnchor()
        }
    }
#endif
