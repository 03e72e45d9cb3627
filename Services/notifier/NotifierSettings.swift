import Contracts
package import MasterKey
package import SMTPClient
package import ServiceRuntime
package import Storage
import Vocabulary

/// What the notifier reads from its environment.
package struct NotifierSettings: Sendable {
    /// How e-mails leave.
    package enum Email: Sendable {
        case smtp(SMTPServer, SMTPClient.Limits, authorities: String?)
        /// Dev mode without a server.
        case inbox
        /// Left to other processes.
        case elsewhere
    }

    /// How pushes leave.
    package enum Push: Equatable, Sendable {
        case apns(APNsSettings)
        /// Dev mode without APNs.
        case inbox
        /// There is no APNs, or they are left to other processes.
        case none
    }

    package var common: CommonSettings
    package var storage: StorageSettings
    package var masterKey: MasterKeyPlace
    package var channels: Set<Channel>
    package var email: Email
    package var sender: EmailTransport.Sender
    /// Providers of text messages. Also of a process that does not send them: it may be told of receipts.
    package var sms: SMSSettings?
    package var push: Push
    package var limits: SendLimits
    /// How long a finished message is remembered.
    package var history: Duration

    /// - Throws: every missing or malformed setting.
    package init(_ environment: Environment) throws(SettingsFaults) {
        var reader = SettingsReader(environment)
        common = CommonSettings(.notifier, from: &reader)
        storage = StorageSettings(.notifier, from: &reader, dataDirectory: common.dataDirectory)
        masterKey = MasterKeySettings(from: &reader).place(dataDirectory: common.dataDirectory)
        channels = reader.value(
            "LATCHKEY_NOTIFIER_CHANNELS", default: Set(Channel.allCases), standIn: [],
            expects: "names out of \(Channel.allCases.map(\.rawValue).joined(separator: ", "))", example: "email",
            parse: Self.channels)
        email =
            channels.contains(.email)
            ? Self.email(environment, isDev: common.isDev, from: &reader) : .elsewhere
        // The sender of messages that stay here, in dev, may be anybody.
        let needsSender =
            switch email {
            case .smtp: true
            case .inbox: !common.isDev
            case .elsewhere: false
            }
        sender = reader.value(
            "LATCHKEY_SMTP_FROM", default: needsSender ? nil : Self.devSender, standIn: Self.devSender,
            expects: "an e-mail address, with or without a name", example: "Example <noreply@example.com>",
            parse: EmailTransport.Sender.init)
        sms = SMSSettings(from: &reader, isDev: common.isDev)
        let apns = channels.contains(.push) ? APNsSettings.read(environment, from: &reader) : nil
        push = apns.map(Push.apns) ?? (common.isDev && channels.contains(.push) ? .inbox : .none)
        // A run of tests meets its own addresses again and again.
        let recipientLimit = reader.integer(
            "LATCHKEY_EMAIL_PER_RECIPIENT_PER_HOUR", default: common.isDev ? 0 : 10, in: 0...1_000_000)
        let projectLimit = reader.integer(
            "LATCHKEY_EMAIL_PER_PROJECT_PER_HOUR", default: common.isDev ? 0 : 10_000, in: 0...100_000_000)
        limits = SendLimits(
            perRecipient: recipientLimit == 0 ? nil : recipientLimit, perProject: projectLimit == 0 ? nil : projectLimit
        )
        history = reader.duration(
            "LATCHKEY_NOTIFIER_HISTORY", default: .seconds(30 * 86_400), atMost: .seconds(3650 * 86_400))
        if history < .seconds(86_400) {
            reader.fault(
                "LATCHKEY_NOTIFIER_HISTORY", "is shorter than the day for which a message must not be sent again",
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

    private static func channels(_ text: String) -> Set<Channel>? {
        let channels = text.split(separator: ",", omittingEmptySubsequences: false).map {
            Channel(rawValue: $0.filter { $0 != " " })
        }
        return channels.contains(nil) ? nil : Set(channels.compactMap(\.self))
    }

    private static func email(
        _ environment: Environment, isDev: Bool, from reader: inout SettingsReader
    ) -> Email {
        var limits = SMTPClient.Limits()
        limits.connections = reader.integer("LATCHKEY_SMTP_CONNECTIONS", default: limits.connections, in: 1...64)
        limits.connectTime = reader.duration(
            "LATCHKEY_SMTP_CONNECT_TIMEOUT", default: limits.connectTime, atMost: .seconds(60))
        limits.totalTime = reader.duration("LATCHKEY_SMTP_TIMEOUT", default: limits.totalTime, atMost: .seconds(600))
        let authorities = reader.optionalString("LATCHKEY_SMTP_CA_FILE")
        let name = "LATCHKEY_SMTP_URL"
        let example = "smtp://user:password@mail.example.com:587"
        guard let text = environment[name] else {
            if !isDev {
                reader.fault(
                    name, "is not set",
                    remedy: "Set it to the mail server, for example \(name)=\(example); without one there is no e-mail")
            }
            return .inbox
        }
        do throws(SMTPServerFault) {
            return .smtp(try SMTPServer(text), limits, authorities: authorities)
        } catch {
            reader.fault(name, error.description, remedy: "Write it like \(name)=\(example)")
            return .inbox
        }
    }

    package static let help =
        StorageSettings.help(.notifier) + MasterKeyPlace.help + [
            Program.Setting(
                "LATCHKEY_SMTP_URL", "mail server, smtp://user:password@host:port or smtps://...; STARTTLS is"),
            Program.Setting("", "demanded beyond loopback, unless ?starttls=never (in dev without one: /dev/inbox)"),
            Program.Setting("LATCHKEY_SMTP_FROM", "sender of all messages, as in Example <noreply@example.com>"),
            Program.Setting("LATCHKEY_SMTP_CA_FILE", "certificates to trust instead of the system's"),
            Program.Setting("LATCHKEY_SMTP_CONNECTIONS", "messages sent at a time (4)"),
            Program.Setting("LATCHKEY_SMTP_CONNECT_TIMEOUT", "until the server is ready for a message (10s)"),
            Program.Setting("LATCHKEY_SMTP_TIMEOUT", "until it has taken the message (60s)"),
            Program.Setting(
                "LATCHKEY_EMAIL_PER_RECIPIENT_PER_HOUR", "e-mails to one address; 0: no limit (10; dev: 0)"),
            Program.Setting(
                "LATCHKEY_EMAIL_PER_PROJECT_PER_HOUR", "e-mails of one project; 0: no limit (10000; dev: 0)"),
        ] + SMSSettings.help + APNsSettings.help + [
            Program.Setting("LATCHKEY_NOTIFIER_HISTORY", "how long deliveries are remembered (30d)")
        ]
}
