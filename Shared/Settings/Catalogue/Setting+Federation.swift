/// Settings of sign-in with other identity providers.
extension Setting {
    package static let federationPrivateHosts = Setting(
        "LATCHKEY_FEDERATION_PRIVATE_HOSTS", .list, readBy: [.federation],
        default: .described("none: providers have public addresses"), example: "sso.internal.example.com",
        "Host names of identity providers that may have private addresses",
        "Requests to other hosts go to addresses of the public Internet only. HTTPS is required in any case.")

    package static let gameCenterTrustAnchorsFile = Setting(
        "LATCHKEY_GAME_CENTER_TRUST_ANCHORS_FILE", .path, readBy: [.federation],
        default: .described("/etc/ssl/certs/ca-certificates.crt"), example: "/etc/latchkey/game-center.pem",
        "Certificates in PEM form that the certificate of Game Center must lead to",
        "Intermediate certificates are fetched from DigiCert, or may be in this file. The process reads it at its start."
    )

    package static let devEndpoints = Setting(
        "LATCHKEY_DEV_ENDPOINTS", .text, readBy: [.federation], audience: .development,
        example: #"{"graph.facebook.com":"http://127.0.0.1:9197/graph"}"#,
        "Replacements of external servers for tests: a JSON object of host names and base URLs",
        "A request for `https://HOST/PATH` goes to `BASE/PATH`.")
}

extension SettingsCatalogue {
    static let federation: [Setting] = [.federationPrivateHosts, .gameCenterTrustAnchorsFile, .devEndpoints]
}
