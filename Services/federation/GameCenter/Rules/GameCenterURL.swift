import Vocabulary

/// The addresses that certificates of Game Center are fetched from.
enum GameCenterURL {
    /// The hosts that Apple publishes keys on. Other names below the domain could be names of a stranger's choice, each
    /// with a connection and a circuit breaker of its own.
    private static let hosts: Set = ["static.gc.apple.com", "sandbox.gc.apple.com"]
    private static let path = "/public-key/"
    private static let maximumNameBytes = 64
    /// The publisher of the certificates that issued Apple's.
    private static let issuerHost = "cacerts.digicert.com"

    /// Whether a client may name this address: a file below `/public-key/` on one of the hosts of Game Center, over HTTPS.
    static func isCertificate(_ text: String) -> Bool {
        guard let url = WebURL(text), url.isSecure, url.host == url.authority.asciiLowercased, url.query == nil,
            url.fragment == nil, hosts.contains(url.host)
        else { return false }
        let filePath = text.utf8.dropFirst("https://".utf8.count + url.authority.utf8.count)
        let name = filePath.dropFirst(path.utf8.count)
        return filePath.starts(with: path.utf8) && (1...maximumNameBytes).contains(name.count)
            && name.allSatisfy { $0.isASCIINameByte || $0 == UInt8(ascii: ".") }
            && name.first != UInt8(ascii: ".")
    }

    /// The address of an issuer's certificate, over HTTPS. Certificates name addresses with plain HTTP.
    /// - Returns: nil for another host.
    static func issuer(_ text: String) -> String? {
        guard let url = WebURL(text), url.host == issuerHost, url.authority.asciiLowercased == issuerHost,
            url.query == nil, url.fragment == nil
        else { return nil }
        return url.isSecure ? text : "https" + text.dropFirst("http".count)
    }
}
