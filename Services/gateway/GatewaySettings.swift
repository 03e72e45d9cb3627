package import Bus
import Contracts
package import ServiceRuntime
import Settings
package import Vocabulary

/// The operator's settings of the gateway (docs/operate/settings.md).
package struct GatewaySettings: Sendable {
    package let process: ProcessSettings
    /// `LATCHKEY_LISTEN`: the public listener; in dev `127.0.0.1:9099` if not set. None with `LATCHKEY_LISTENER=admin`.
    package let listen: HostPort?
    /// `LATCHKEY_ADMIN_LISTEN`: the admin listener; `127.0.0.1:9098` if not set. None in dev, where the public listener
    /// serves both, and with `LATCHKEY_LISTENER=public`.
    package let adminListen: HostPort?
    /// `LATCHKEY_SHARED_ADDRESS`, which `latchkey up` sets: other gateways of the mesh listen on the same addresses.
    package let sharesAddress: Bool
    /// `LATCHKEY_BROKER_LISTEN`: where the broker inside this gateway listens; nil if it contains none.
    package let brokerListen: BusEndpoint?
    /// `LATCHKEY_PUBLIC_URL`: the external URL of the public listener, for links in documents. Never taken from a
    /// request. In dev the listener itself if not set.
    package let publicURL: String
    /// `LATCHKEY_ADMIN_URL`: the URL of the admin listener for its clients, if it differs from its own address.
    package let adminURL: String?
    /// `LATCHKEY_TRUSTED_PROXIES`: proxies whose `X-Forwarded-For` is trusted.
    package let trustedProxies: [AddressRange]
    /// `LATCHKEY_RECAPTCHA_SITE_KEY`: the app-verification page shows reCAPTCHA instead of the proof-of-work challenge.
    package let recaptchaSiteKey: String?
    /// `LATCHKEY_PASSKEY_PAGE`, and always in dev mode.
    package let hasPasskeyPage: Bool
    /// `LATCHKEY_DRAIN_SECONDS`: how long the listeners stay open while `/readyz` says that the gateway stops.
    package let drainTime: Duration
    /// `LATCHKEY_LOG_WITHOUT_PROBES`: successful probes are not in the request log.
    package let logsProbes: Bool
    /// `LATCHKEY_LIMIT_<KIND>_PER_MINUTE`, per client address.
    package let limits: RateLimits
    /// `LATCHKEY_LIMIT_CONNECTIONS_PER_ADDRESS`: open connections per client network; 0: no limit.
    package let connectionsPerAddress: Int

    package var isDev: Bool { process.isDev }
    package var project: ProjectID? { process.project }

    /// The address of each listener.
    package var listeners: [(listener: Listener, address: HostPort)] {
        (listen.map { [(.public, $0)] } ?? []) + (adminListen.map { [(.admin, $0)] } ?? [])
    }

    /// - Throws: one error with every missing, malformed or disallowed setting.
    package init(_ environment: Environment) throws(SettingsError) {
        var reader = SettingsReader(environment, of: .service(.gateway))
        process = ProcessSettings(.gateway, from: &reader)
        let isDev = process.isDev
        let served = GatewayListeners(from: &reader)
        let listen =
            served == .admin
            ? nil : reader.hostPort(.listen, default: isDev ? HostPort(host: "127.0.0.1", port: 9099) : nil)
        let configuredAdmin: HostPort? = reader.value(
            .adminListen, default: .some(isDev ? nil : HostPort(host: "127.0.0.1", port: 9098)),
            placeholder: nil,
            expects: "HOST:PORT", example: "127.0.0.1:9098"
        ) { text in HostPort(text).map(Optional.some) }
        let admin = served == .public ? nil : configuredAdmin
        sharesAddress = reader.boolean(.sharedAddress)
        brokerListen = reader.brokerEndpoint(isRequired: false, hasKeys: process.busKeys != nil)
        if let brokerListen, !process.brokers.isEmpty,
            !process.brokers.contains(where: { $0 == brokerListen.text || $0.hasSuffix("@\(brokerListen.text)") })
        {
            reader.addIssue(
                .brokerListen,
                "is \(brokerListen.text), which is none of LATCHKEY_BROKERS, so no process would find it",
                remedy: "Add it to LATCHKEY_BROKERS of every process, or unset it")
        }
        publicURL = reader.requiredPublicURL(default: isDev ? listen.map { "http://\($0)" } : nil)
        adminURL = reader.origin(
            .adminURL, default: nil, example: "https://admin.auth.example.com")
        trustedProxies = reader.value(
            .trustedProxies, default: [], placeholder: [],
            expects: "addresses or CIDR blocks separated by commas", example: "10.0.0.0/8,192.0.2.7"
        ) { text in
            let ranges = text.split(separator: ",", omittingEmptySubsequences: false).map { word in
                AddressRange(String(word.filter { $0 != " " }))
            }
            return ranges.contains(nil) ? nil : ranges.compactMap(\.self)
        }
        recaptchaSiteKey = reader.value(
            .recaptchaSiteKey, default: .some(nil), placeholder: nil,
            expects: "the site key of a reCAPTCHA", example: "6LeIxAcTAAAAAJcZVRqyHh71UMIEGNQ_MXjiZKhI"
        ) { text in
            let isKey =
                text.utf8.count <= 128
                && text.utf8.allSatisfy { byte in
                    (0x61...0x7a).contains(byte | 0x20) || (0x30...0x39).contains(byte) || "-_".utf8.contains(byte)
                }
            return isKey ? .some(text) : nil
        }
        hasPasskeyPage = reader.boolean(.passkeyPage) || isDev
        drainTime = .seconds(reader.integer(.drainSeconds, default: 0))
        logsProbes = !reader.boolean(.logWithoutProbes)
        limits = RateLimits(
            signIn: reader.integer(.limitSignInPerMinute, default: 60),
            signUp: reader.integer(.limitSignUpPerMinute, default: 30),
            refresh: reader.integer(.limitRefreshPerMinute, default: 300),
            other: reader.integer(.limitOtherPerMinute, default: 1200))
        connectionsPerAddress = reader.integer(.limitConnectionsPerAddress, default: 100)
        self.listen = listen
        adminListen = admin
        if let listen, let admin { GatewayListeners.refuse(admin, like: listen, from: &reader) }

        let allowsPlainHTTP = reader.boolean(.allowPlainHTTP) || !trustedProxies.isEmpty
        for (setting, address) in [(Setting.listen, listen), (.adminListen, admin)] {
            guard let address, !address.isLoopback else { continue }
            if isDev {
                reader.addIssue(
                    setting, "is \(address), and development mode listens on loopback only",
                    remedy: "Use 127.0.0.1, or unset LATCHKEY_DEV")
            } else if !allowsPlainHTTP {
                reader.addIssue(
                    setting, "is \(address), and passwords would cross the network as plain HTTP",
                    remedy: "Put a proxy with TLS in front and name it in LATCHKEY_TRUSTED_PROXIES, or set"
                        + " LATCHKEY_ALLOW_PLAIN_HTTP=1")
            }
        }
        try reader.finish()
    }
}
