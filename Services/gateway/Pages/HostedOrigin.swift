import Contracts
import HTTPServer
import Vocabulary

/// The origin at which a browser sees the pages of the gateway.
struct HostedOrigin: Equatable, Sendable {
    /// In lower case, without port.
    var host: String
    /// `https://auth.example.com`
    var text: String
}

extension Call {
    /// The origin of the page, if the project authorizes its host. In dev mode any name of this machine is authorized.
    ///
    /// `Host` alone decides nothing: it must be in the project's list of domains.
    func hostedOrigin(in configuration: ProjectConfiguration) -> HostedOrigin? {
        guard let header = request.headers["host"], let url = WebURL("https://\(header)/"),
            configuration.authorizes(host: url.host) || settings.isDev && url.isLoopback
        else { return nil }
        let scheme = usesPlainHTTP(authority: url.authority) ? "http" : "https"
        return HostedOrigin(host: url.host, text: "\(scheme)://\(url.authority.asciiLowercased)")
    }

    /// Browsers see the pages over HTTPS. In dev mode only those of a public URL with HTTPS.
    private func usesPlainHTTP(authority: Substring) -> Bool {
        guard settings.isDev else { return false }
        guard let publicURL = WebURL(settings.publicURL), publicURL.isSecure else { return true }
        return publicURL.authority.asciiLowercased != authority.asciiLowercased
    }
}
