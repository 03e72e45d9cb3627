import Vocabulary

/// The addresses that certificates of Game Center are fetched from.
enum GameCenterURL {
    private static let domain = "gc.apple.com"
    private static let path = "/public-key/"
    private static let maximumNameBytes = 64
    /// The publisher of the certificates that issued Apple's.
    private static let issuerHost = "cacerts.digicert.com"

    /// Whether a client may name this address: a file below `/public-key/` on a host of Game Center, over HTTPS.
    static func isCertificate(_ text: String) -> Bool {
        guard let url = WebURL(text), url.isSecure, url.host == url.authority.asciiLowercased, url.query == nil,
            url.fragment == nil, url.host.hasSuffix(".\(domain)")
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
