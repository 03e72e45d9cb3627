/// Settings of silent pushes to Apple devices.
extension Setting {
    package static let apnsKeyFile = Setting(
        "LATCHKEY_APNS_KEY_FILE", .path, readBy: [.notifier], dev: .described("/dev/inbox"),
        example: "/etc/latchkey/AuthKey_ABC123DEFG.p8",
        "Key of the developer team, which only the owner of the file may read",
        "It is for applications without a key of their project, which `latchkey apns add` stores.")

    package static let apnsKeyID = Setting(
        "LATCHKEY_APNS_KEY_ID", .text, readBy: [.notifier], example: "ABC123DEFG", "Id of that key")

    package static let apnsTeamID = Setting(
        "LATCHKEY_APNS_TEAM_ID", .text, readBy: [.notifier], example: "DEF123GHIJ", "Id of the developer team")

    package static let apnsCertFile = Setting(
        "LATCHKEY_APNS_CERT_FILE", .path, readBy: [.notifier], example: "/etc/latchkey/apns.pem",
        "Instead of the key: certificate and private key in one PEM file, which only its owner may read")

    package static let apnsTopic = Setting(
        "LATCHKEY_APNS_TOPIC", .text, readBy: [.notifier], default: .described("the one that the request names"),
        example: "com.example.app", "Bundle id of all pushes with that key or certificate")

    package static let apnsBaseURL = Setting(
        "LATCHKEY_APNS_BASE_URL", .url, readBy: [.notifier], default: .described("the hosts of Apple"),
        example: "https://api.push.apple.com", "Address of the push service")

    package static let apnsCAFile = Setting(
        "LATCHKEY_APNS_CA_FILE", .path, readBy: [.notifier], default: .described("those of the system"),
        "Certificates to trust for the push service")

    package static let apnsConnections = Setting(
        "LATCHKEY_APNS_CONNECTIONS", .integer(1...64), readBy: [.notifier], default: .value("4"),
        "Pushes that are sent at a time, each over its own connection")

    package static let apnsTimeout = Setting(
        "LATCHKEY_APNS_TIMEOUT", .duration(maximumSeconds: 60), readBy: [.notifier], default: .value("10s"),
        "Timeout of a push")
}

extension SettingsCatalogue {
    static let push: [Setting] = [
        .apnsKeyFile, .apnsKeyID, .apnsTeamID, .apnsCertFile, .apnsTopic, .apnsBaseURL, .apnsCAFile,
        .apnsConnections, .apnsTimeout,
    ]
}
