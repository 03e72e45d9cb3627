import Contracts
import FoundationEssentials
import HTTPServer
import Pages
import Vocabulary

/// The frame that the JavaScript library embeds in the page of the application (REST 7.2). It is invisible.
enum SignInFrame {
    /// Google's loader of `gapi.iframes`: the only script of these pages from another host.
    private static let loader = "https://apis.google.com/js/api.js"

    /// - Throws: `invalidArgument` without an application; errors of identity.
    static func open(_ call: Call) async throws -> HTTPResponse {
        guard let apiKey = call.request.queryItem("apiKey").nilIfEmpty,
            call.request.queryItem("appName").nilIfEmpty != nil
        else { throw APIError.invalidArgument() }
        let project = try await call.project(ofKey: apiKey)
        let configuration = try await call.send(
            Identity.ResolveConfiguration(realm: Realm(project: project))
        ).configuration
        guard call.hostedOrigin(in: configuration) != nil else { throw APIError.invalidArgument() }
        return response(ancestors: ancestors(in: configuration, isDev: call.settings.isDev))
    }

    /// The pages that may embed the frame: those of authorized domains, with any port.
    static func ancestors(in configuration: ProjectConfiguration, isDev: Bool) -> [String] {
        let domains = (configuration.authorizedDomains ?? []).filter { WebURL.isHostName($0) }.map(\.asciiLowercased)
        let hosts = domains + (isDev ? ["localhost", "127.0.0.1"] : [])
        var sources: [String] = []
        for host in hosts where !sources.contains("https://\(host):*") {
            sources.append("https://\(host):*")
            if isDev || host.isLoopbackHost { sources.append("http://\(host):*") }
        }
        return sources
    }

    private static func response(ancestors: [String]) -> HTTPResponse {
        let policy =
            "default-src 'none'; script-src 'self' https://apis.google.com; form-action 'none';"
            + " base-uri 'none'; frame-ancestors \(ancestors.isEmpty ? "'none'" : ancestors.joined(separator: " "))"
        let html: HTML = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8" />
            <title>Sign-in</title>
            \(ScriptFile.iframe.onPage().html)
            <script src="\(loader)" defer="defer"></script>
            </head>
            <body></body>
            </html>
            """
        return HTTPResponse(
            status: 200,
            headers: [
                ("Content-Type", "text/html; charset=utf-8"), ("Content-Security-Policy", policy),
                ("Cross-Origin-Resource-Policy", "cross-origin"),
            ], body: Data(html.text.utf8))
    }
}
