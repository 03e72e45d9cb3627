/// Settings of webhooks, which receive account events.
extension Setting {
    package static let webhookPrivateHosts = Setting(
        "LATCHKEY_WEBHOOK_PRIVATE_HOSTS", .list, readBy: [.notifier],
        default: .described("none: endpoints have public addresses"), example: "hooks.internal.example.com",
        "Host names of webhooks that may have private addresses",
        "Events for other hosts go to addresses of the public Internet only. HTTPS is required in any case.")

    package static let webhookHistory = Setting(
        "LATCHKEY_WEBHOOK_HISTORY", .duration(maximumSeconds: 366 * 86_400), readBy: [.notifier],
        default: .value("7d"), "How long a delivered or failed event of a webhook can be replayed")

    package static let webhookMaximumEvents = Setting(
        "LATCHKEY_WEBHOOK_MAXIMUM_EVENTS", .integer(1000...10_000_000), readBy: [.notifier],
        default: .value("1000000"), "Maximum stored events of a webhook",
        "Beyond it the oldest events are deleted, also those that wait for an endpoint that does not respond.")
}

extension SettingsCatalogue {
    static let webhooks: [Setting] = [.webhookPrivateHosts, .webhookHistory, .webhookMaximumEvents]
}
