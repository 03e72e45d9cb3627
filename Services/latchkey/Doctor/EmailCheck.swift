import Contracts
import SMTPClient
import ServiceRuntime
import Settings
import Vocabulary

/// Connects to the mail server as the notifier does, without a message.
enum EmailCheck {
    /// - Parameter environment: of the operator, from which the settings of the notifier are resolved.
    static func findings(_ environment: Environment, isDev: Bool) async -> [Finding] {
        let subject = "mail server"
        do {
            let notifier = SettingsProcess.service(.notifier)
            let own = try ChildEnvironment.visible(to: .notifier, of: environment).resolved(for: notifier)
            let reader = SettingsReader(own, of: notifier)
            let caFilePath = reader.optionalString(.smtpCAFile)
            guard let url = reader.optionalSecret(.smtpURL)?.reveal() else {
                return [
                    isDev
                        ? Finding(subject, .skipped, "None is set; dev mode keeps e-mails in /dev/inbox.")
                        : Finding(
                            subject, .error, "\(Setting.smtpURL.name) is not set, so no e-mail is sent.",
                            remedy: "Set it to your mail server.")
                ]
            }
            let server = try SMTPServer(url)
            let place = "\(server.host):\(server.port)"
            do throws(SMTPError) {
                try await SMTPClient(server, caFilePath: caFilePath).checkConnection()
                let user = server.user == nil ? "" : " and accepts the user"
                return [Finding(subject, .ok, "\(place) replies with \(words(server.security))\(user).")]
            } catch {
                return [Finding(subject, .error, "\(place): \(sentence(error))", remedy: remedy(error))]
            }
        } catch let error as any ExitError {
            return [Finding(subject, .error, error.messages.joined(separator: " "))]
        } catch {
            return [
                Finding(
                    subject, .error, "\(Setting.smtpURL.name) is invalid: \(error).",
                    remedy: "Write it like smtp://user:password@host:587.")
            ]
        }
    }

    private static func words(_ security: SMTPServer.Security) -> String {
        switch security {
        case .implicitTLS: "TLS"
        case .startTLS: "STARTTLS"
        case .none: "no encryption"
        }
    }

    private static func sentence(_ error: SMTPError) -> String {
        switch error {
        case .refused(_, let code): "The server refused with \(code)."
        case .cannotResolve: "The host name has no address."
        case .cannotConnect: "The server does not accept the connection."
        case .timedOut: "The server did not reply in time."
        case .connectionLost: "The server closed the connection."
        case .noTLS: "The server does not offer STARTTLS, which is required."
        case .tls(let message): "The certificate or the TLS version is not accepted: \(TextTable.escaped(message))."
        case .authentication: "The server rejected the user name and password."
        case .noInternationalAddresses, .invalidDomain, .aborted, .overloaded: "The connection failed."
        case .other(let code): "The connection failed with error \(code) of libcurl."
        }
    }

    private static func remedy(_ error: SMTPError) -> String {
        switch error {
        case .authentication: "Check user and password in \(Setting.smtpURL.name), percent-encoded."
        case .tls:
            "Set \(Setting.smtpCAFile.name) to the certificate authority of the server, or renew its certificate."
        case .noTLS: "Use smtps:// or another port; ?starttls=never sends in the clear."
        case .refused, .cannotResolve, .cannotConnect, .timedOut, .connectionLost, .noInternationalAddresses,
            .invalidDomain, .aborted, .overloaded, .other:
            "Check host and port in \(Setting.smtpURL.name), and the firewall between."
        }
    }
}
