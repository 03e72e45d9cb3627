/// Settings of the HTTP listeners.
extension Setting {
    package static let listen = Setting(
        "LATCHKEY_LISTEN", .address, readBy: [.latchkey, .gateway], requiredBy: [.gateway],
        default: .described("127.0.0.1:9099 with `latchkey up`"), dev: .value("127.0.0.1:9099"),
        example: "127.0.0.1:9099", "Address of the public listener", "Put a proxy that ends TLS in front.")

    package static let adminListen = Setting(
        "LATCHKEY_ADMIN_LISTEN", .address, readBy: [.latchkey, .gateway], default: .value("127.0.0.1:9098"),
        dev: .described("the public listener"), example: "127.0.0.1:9098",
        "Address of the admin listener, which has the metrics too",
        "Keep it on loopback, or behind the proxy with rules of its own.")

    package static let listener = Setting(
        "LATCHKEY_LISTENER", .text, readBy: [.latchkey, .gateway], default: .value("both"), example: "public",
        "The listeners of a gateway: both, public or admin",
        "With keys of the bus a gateway of the public listener alone needs no right to administration. Not for dev mode, and "
            + "admin not with `latchkey up`.")

    package static let publicURL = Setting(
        "LATCHKEY_PUBLIC_URL", .url, readBy: [.latchkey, .gateway, .identity, .notifier],
        requiredBy: [.latchkey, .gateway, .identity], dev: .described("the public listener"),
        example: "https://auth.example.com",
        "URL of the public listener for clients: for links in e-mails, discovery documents and delivery receipts",
        "It is never taken from a request. All processes need the same value. A callbackUri in the configuration of a "
            + "project wins. Without it the notifier gets no delivery receipts.")

    package static let adminURL = Setting(
        "LATCHKEY_ADMIN_URL", .url, readBy: [.latchkey, .gateway, .passkey],
        default: .described("the address of the admin listener"),
        example: "https://admin.auth.example.com",
        "URL of the admin listener for service accounts: they may name it in what they sign",
        "Passkeys of operators belong to its host. Without it they belong to localhost.")

    package static let trustedProxies = Setting(
        "LATCHKEY_TRUSTED_PROXIES", .list, readBy: [.gateway], example: "127.0.0.1",
        "Addresses or CIDR blocks of the proxies that may set X-Forwarded-For",
        "With one, the listeners may leave loopback.")

    package static let allowPlainHTTP = Setting(
        "LATCHKEY_ALLOW_PLAIN_HTTP", .boolean, readBy: [.gateway], default: .value("0"),
        "1: plain HTTP beyond loopback without a proxy")

    package static let passkeyPage = Setting(
        "LATCHKEY_PASSKEY_PAGE", .boolean, readBy: [.gateway], default: .value("0"), dev: .value("1"),
        "1: serves the page /__/auth/passkeys, where users sign in with passkeys and manage them",
        "Without it, applications have pages of their own.")

    package static let drainSeconds = Setting(
        "LATCHKEY_DRAIN_SECONDS", .integer(0...60), readBy: [.latchkey, .gateway], default: .value("0"), example: "5",
        "Time from the request to stop until the listeners close: /readyz says 503 meanwhile, and requests are served",
        "For a load balancer: three times as long as it takes to look. The process takes as much longer to stop.")

    package static let logWithoutProbes = Setting(
        "LATCHKEY_LOG_WITHOUT_PROBES", .boolean, readBy: [.gateway], default: .value("0"),
        "1: leaves successful requests for /livez, /readyz and /metrics out of the request log",
        "Refused ones are in it.")

    package static let limitSignInPerMinute = rateLimit("SIGN_IN", "60", "Sign-ins")
    package static let limitSignUpPerMinute = rateLimit("SIGN_UP", "30", "New accounts")
    package static let limitRefreshPerMinute = rateLimit("REFRESH", "300", "Token refreshes")
    package static let limitOtherPerMinute = rateLimit("OTHER", "1200", "All other requests")

    private static func rateLimit(_ word: String, _ standard: String, _ what: String) -> Setting {
        Setting(
            "LATCHKEY_LIMIT_\(word)_PER_MINUTE", .integer(0...1_000_000), readBy: [.gateway],
            default: .value(standard), "\(what) per minute and client network; 0: no limit")
    }

    package static let limitConnectionsPerAddress = Setting(
        "LATCHKEY_LIMIT_CONNECTIONS_PER_ADDRESS", .integer(0...1_000_000), readBy: [.gateway],
        default: .value("100"), "Open connections of one client network; 0: no limit",
        "A client network is an IPv4 address or an IPv6 /64. Trusted proxies have no limit.")
}

/// The setting of a broker, alone or inside a gateway.
extension Setting {
    package static let brokerListen = Setting(
        "LATCHKEY_BROKER_LISTEN", .text, readBy: [.broker, .gateway], requiredBy: [.broker],
        example: "ipc:///run/latchkey/broker.1.sock",
        "Bus endpoint of the broker: an entry of LATCHKEY_BROKERS",
        "A gateway with it contains a broker. With `latchkey up` the launcher sets it.")
}

extension SettingsCatalogue {
    static let gateway: [Setting] = [
        .listen, .adminListen, .listener, .publicURL, .adminURL, .trustedProxies, .allowPlainHTTP, .passkeyPage,
        .drainSeconds, .logWithoutProbes, .limitSignInPerMinute,
        .limitSignUpPerMinute, .limitRefreshPerMinute, .limitOtherPerMinute, .limitConnectionsPerAddress,
    ]
    static let broker: [Setting] = [.brokerListen]
}
