internal import Contracts
package import ServiceRuntime
package import Vocabulary

/// What an operator sets of the gateway (DESIGN, sections 5 and 9).
package struct GatewaySettings: Sendable {
    package let common: CommonSettings
    /// `LATCHKEY_LISTEN`: the public listener; in dev `127.0.0.1:9099` if not set.
    package let listen: HostPort
    /// `LATCHKEY_ADMIN_LISTEN`: the admin listener; `127.0.0.1:9098` if not set, in dev none, for there the public one
    /// does both.
    package let adminListen: HostPort?
    /// `LATCHKEY_PUBLIC_URL`: where the world finds the public listener, for links in documents. Never taken from a
    /// request. In dev the listener itself if not set.
    package let publicURL: String
    /// `LATCHKEY_ADMIN_URL`: where programs find the admin listener, if not at its own address.
    package let adminURL: String?
    /// `LATCHKEY_TRUSTED_PROXIES`: who may say where a request came from.
    package let trustedProxies: [AddressRange]
    /// `LATCHKEY_RECAPTCHA_SITE_KEY`: the page that checks for an application shows reCAPTCHA instead of our own work.
    package let recaptchaSiteKey: String?
    /// `LATCHKEY_LIMIT_<KIND>_PER_MINUTE`, per client address.
    package let limits: RateLimits
    /// `LATCHKEY_LIMIT_CONNECTIONS_PER_ADDRESS`: open at a time by one client network; 0: no limit.
    package let connectionsPerAddress: Int

    package var isDev: Bool { common.isDev }
    package var project: ProjectID? { common.project }

    /// The address of each listener.
    package var listeners: [(listener: Listener, address: HostPort)] {
        [(.public, listen)] + (adminListen.map { [(.admin, $0)] } ?? [])
    }

    /// - Throws: everything that is missing, malformed or not allowed, at once.
    package init(_ environment: Environment) throws(SettingsFaults) {
        var reader = SettingsReader(environment)
        common = CommonSettings(.gateway, from: &reader)
        let isDev = common.isDev
        let listen = reader.hostPort(
            "LATCHKEY_LISTEN", default: isDev ? HostPort(host: "127.0.0.1", port: 9099) : nil)
        let admin: HostPort? = reader.value(
            "LATCHKEY_ADMIN_LISTEN", default: .some(isDev ? nil : HostPort(host: "127.0.0.1", port: 9098)),
            standIn: nil,
            expects: "HOST:PORT", example: "127.0.0.1:9098"
        ) { text in HostPort(text).map(Optional.some) }
        publicURL = reader.requiredPublicURL(default: isDev ? "http://\(listen)" : nil)
        adminURL = reader.origin(
            "LATCHKEY_ADMIN_URL", default: nil, example: "https://admin.auth.example.com")
        trustedProxies = reader.value(
            "LATCHKEY_TRUSTED_PROXIES", default: [], standIn: [],
            expects: "addresses or CIDR blocks separated by commas", example: "10.0.0.0/8,192.0.2.7"
        ) { text in
            let ranges = text.split(separator: ",", omittingEmptySubsequences: false).map { word in
                AddressRange(String(word.filter { $0 != " " }))
            }
            return ranges.contains(nil) ? nil : ranges.compactMap(\.self)
        }
        recaptchaSiteKey = reader.value(
            "LATCHKEY_RECAPTCHA_SITE_KEY", default: .some(nil), standIn: nil,
            expects: "the site key of a reCAPTCHA", example: "6LeIxAcTAAAAAJcZVRqyHh71UMIEGNQ_MXjiZKhI"
        ) { text in
            let isKey =
                text.utf8.count <= 128
                && text.utf8.allSatisfy { byte in
                    (0x61...0x7a).contains(byte | 0x20) || (0x30...0x39).contains(byte) || "-_".utf8.contains(byte)
                }
            return isKey ? .some(text) : nil
        }
        var limits = RateLimits()
        func limit(_ kind: String, _ standard: Int) -> Int {
            reader.integer("LATCHKEY_LIMIT_\(kind)_PER_MINUTE", default: standard, in: 0...1_000_000)
        }
        limits.signIn = limit("SIGN_IN", limits.signIn)
        limits.signUp = limit("SIGN_UP", limits.signUp)
        limits.refresh = limit("REFRESH", limits.refresh)
        limits.other = limit("OTHER", limits.other)
        self.limits = limits
        connectionsPerAddress = reader.integer(
            "LATCHKEY_LIMIT_CONNECTIONS_PER_ADDRESS", default: 100, in: 0...1_000_000)
        self.listen = listen
        adminListen = admin

        let allowsPlainHTTP = reader.boolean("LATCHKEY_ALLOW_PLAIN_HTTP") || !trustedProxies.isEmpty
        for (name, address) in [("LATCHKEY_LISTEN", listen), ("LATCHKEY_ADMIN_LISTEN", admin)] {
            guard let address, !address.isLoopback else { continue }
            if isDev {
                reader.fault(
                    name, "is \(address), and development mode listens on loopback only",
                    remedy: "Use 127.0.0.1, or unset LATCHKEY_DEV")
            } else if !allowsPlainHTTP {
                reader.fault(
                    name, "is \(address), and passwords would cross the network as plain HTTP",
                    remedy: "Put a proxy with TLS in front and name it in LATCHKEY_TRUSTED_PROXIES, or set"
                        + " LATCHKEY_ALLOW_PLAIN_HTTP=1")
            }
        }
        try reader.finish()
    }

    /// For `--help`.
    package static let help = [
        Program.Setting("LATCHKEY_LISTEN", "HOST:PORT of the public listener (default in dev: 127.0.0.1:9099)"),
        Program.Setting("LATCHKEY_ADMIN_LISTEN", "HOST:PORT of the admin listener (default: 127.0.0.1:9098)"),
        Program.Setting(
            "LATCHKEY_PUBLIC_URL", "where the world finds the public listener (default in dev: the listener)"),
        Program.Setting("LATCHKEY_ADMIN_URL", "where programs find the admin listener, to get access tokens"),
        Program.Setting("LATCHKEY_TRUSTED_PROXIES", "addresses or CIDR blocks that may set X-Forwarded-For"),
        Program.Setting("LATCHKEY_ALLOW_PLAIN_HTTP", "1: plain HTTP beyond loopback without a proxy"),
        Program.Setting(
            "LATCHKEY_RECAPTCHA_SITE_KEY", "shown by the page that checks for an app (default: its own work)"),
        Program.Setting("LATCHKEY_LIMIT_SIGN_IN_PER_MINUTE", "sign-ins per client address; 0: no limit (60)"),
        Program.Setting("LATCHKEY_LIMIT_SIGN_UP_PER_MINUTE", "the same for new accounts (30)"),
        Program.Setting("LATCHKEY_LIMIT_REFRESH_PER_MINUTE", "the same for token refreshes (300)"),
        Program.Setting("LATCHKEY_LIMIT_OTHER_PER_MINUTE", "the same for everything else (1200)"),
        Program.Setting(
            "LATCHKEY_LIMIT_CONNECTIONS_PER_ADDRESS",
            "open connections per client address; 0: no limit; proxies have none (100)"),
    ]
}
