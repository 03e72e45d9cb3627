import Contracts
package import DatabaseService
package import SMTPClient
package import ServiceRuntime
import Settings
import Vocabulary

/// The environment settings of the notifier.
package struct NotifierSettings: Sendable {
    /// The transport of e-mails.
    package enum Email: Sendable {
        case smtp(SMTPServer, SMTPClient.Limits, caFilePath: String?)
        /// Dev mode without a server.
        case inbox
        /// Other processes deliver them.
        case notHandledHere
    }

    package var common: DatabaseServiceSettings
    package var channels: Set<Channel>
    /// Whether this process sends account events to webhooks.
    package var deliversWebhooks: Bool
    package var webhooks: WebhookTransport.Policy
    package var webhookHistory: WebhookHistory
    package var email: Email
    package var sender: EmailTransport.Sender
    /// The SMS providers. Also set in a process that does not send SMS: it may receive delivery receipts.
    package var sms: SMSSettings?
    /// Nil if other processes deliver the pushes.
    package var push: APNsSettings?
    package var limits: EmailLimits
    /// How long the record of a finished message is kept.
    package var history: Duration

    /// - Throws: one error with every missing or malformed setting.
    package init(_ environment: Environment) throws(SettingsError) {
        var reader = SettingsReader(environment, of: .service(.notifier))
        common = DatabaseServiceSettings(.notifier, from: &reader)
        let names = Channel.allCases.map(\.rawValue) + [Self.webhookChannel]
        (channels, deliversWebhooks) = reader.value(
            .notifierChannels, default: (Set(Channel.allCases), true), placeholder: ([], false),
            expects: "names out of \(names.joined(separator: ", "))", example: "email",
            parse: Self.channels)
        webhooks = Self.webhooks(isDev: common.process.isDev, from: &reader)
        webhookHistory = WebhookHistory(
            time: reader.duration(.webhookHistory, default: WebhookHistory.standard.time),
            maximumEvents: reader.integer(.webhookMaximumEvents, default: WebhookHistory.standard.maximumEvents))
        email =
            channels.contains(.email)
            ? Self.email(isDev: common.process.isDev, from: &reader) : .notHandledHere
        // In dev mode messages stay in the inbox, so any sender is valid.
        let needsSender =
            switch email {
            case .smtp: true
            case .inbox: !common.process.isDev
            case .notHandledHere: false
            }
        sender = reader.value(
            .smtpFrom, default: needsSender ? nil : Self.devSender, placeholder: Self.devSender,
            expects: "an e-mail address, with or without a name", example: "Example <noreply@example.com>",
            parse: EmailTransport.Sender.init)
        sms = SMSSettings(from: &reader, isDev: common.process.isDev)
        push = channels.contains(.push) ? APNsSettings.read(from: &reader) : nil
        // Test runs reuse their addresses.
        let recipientLimit = reader.integer(
            .emailPerRecipientPerHour, default: common.process.isDev ? 0 : 10)
        let projectLimit = reader.integer(
            .emailPerProjectPerHour, default: common.process.isDev ? 0 : 10_000)
        limits = EmailLimits(
            perRecipient: recipientLimit == 0 ? nil : recipientLimit, perProject: projectLimit == 0 ? nil : projectLimit
        )
        history = reader.duration(.notifierHistory, default: .seconds(30 * 86_400))
        if history < .seconds(86_400) {
            reader.addIssue(
                .notifierHistory, "is shorter than the day for which a message must not be sent again",
                remedy: "Set it to 1d or more")
        }
        try reader.finish()
    }

    private static let devSender: EmailTransport.Sender = {
        guard let sender = EmailTransport.Sender("noreply@latchkey.localhost") else {
            preconditionFailure("it is an address")
        }
        return sender
    }()

    /// The name of webhooks among the channels.
    private static let webhookChannel = "webhook"

    private static func channels(_ text: String) -> (channels: Set<Channel>, deliversWebhooks: Bool)? {
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map { $0.filter { $0 != " " } }
        let channels = names.filter { $0 != webhookChannel }.map { Channel(rawValue: $0) }
        return channels.contains(nil) ? nil : (Set(channels.compactMap(\.self)), names.contains(webhookChannel))
    }

    private static func webhooks(isDev: Bool, from reader: inout SettingsReader) -> WebhookTransport.Policy {
        let example = "hooks.internal.example.com"
        let hosts = reader.list(.webhookPrivateHosts, default: [], example: example)
        for host in hosts where !WebURL.isHostName(host) {
            reader.addIssue(
                .webhookPrivateHosts,
                "has \"\(LogEscaping.escaped(host, maximumBytes: 100))\", which is not a host name",
                remedy: "Write it like \(example), without scheme and port")
        }
        return .init(isDev: isDev, privateHosts: Set(hosts.map(\.asciiLowercased)))
    }

    private static func email(isDev: Bool, from reader: inout SettingsReader) -> Email {
        var limits = SMTPClient.Limits()
        limits.connections = reader.integer(.smtpConnections, default: limits.connections)
        limits.connectTime = reader.duration(.smtpConnectTimeout, default: limits.connectTime)
        limits.totalTime = reader.duration(.smtpTimeout, default: limits.totalTime)
        let caFilePath = reader.optionalString(.smtpCAFile)
        let name = Setting.smtpURL.name
        let example = "smtp://user:password@mail.example.com:587"
        guard let text = reader.optionalSecret(.smtpURL)?.reveal() else {
            if !isDev {
                reader.addIssue(
                    .smtpURL, "is not set",
                    remedy: "Set it to the mail server, for example \(name)=\(example); without one there is no e-mail")
            }
            return .inbox
        }
        do throws(SMTPServerURLError) {
            return .smtp(try SMTPServer(text), limits, caFilePath: caFilePath)
        } catch {
            reader.addIssue(.smtpURL, error.description, remedy: "Write it like \(name)=\(example)")
            return .inbox
        }
    }
}
