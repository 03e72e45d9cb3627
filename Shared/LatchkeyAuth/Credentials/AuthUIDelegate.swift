public import Foundation

/// Shows pages of the server and of identity providers.
///
/// On Apple's systems a call with `nil` instead of a delegate uses `ASWebAuthenticationSession`. Elsewhere the
/// application has two ways to show a page:
///
/// - in a web view of its own, which intercepts the first URL with `callbackURLScheme`;
/// - in the browser of the system, if the application has registered the scheme there. It passes the URLs with this
///   scheme to ``Auth/canHandle(_:)``.
///
/// The page of a provider returns only to a URL scheme: a program that has none, such as a command-line tool, signs in
/// with ``Auth/signIn(withHostedPage:open:)``.
public protocol AuthUIDelegate: AnyObject, Sendable {
    /// Shows a page. The task is canceled when the page is of no use any more: close it then.
    /// - Parameters:
    ///   - url: of the page.
    ///   - callbackURLScheme: of the URL with which the page returns to the application.
    /// - Returns: this URL; nil if the application passes it to ``Auth/canHandle(_:)``.
    /// - Throws: `webContextCancelled` when the user closes the page. Every error ends the call that shows the page.
    @MainActor func present(_ url: URL, callbackURLScheme: String) async throws -> URL?
}
