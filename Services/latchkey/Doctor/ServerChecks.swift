import Bus
import Contracts
import FoundationEssentials
import HTTPClient
import JSON
import ServiceRuntime
import Settings
import Synchronization
import Vocabulary

/// Checks whether the HTTPS servers of text messages, push messages and identity providers are reachable.
final class ServerChecks: Sendable {
    private let client: HTTPClient
    private let samples = Mutex<[ClockSample]>([])

    init() {
        var limits = HTTPClient.Limits()
        limits.totalTime = .seconds(10)
        limits.threads = 1
        client = HTTPClient(limits)
    }

    /// The clocks of the servers that replied.
    var clocks: [ClockSample] { samples.withLock(\.self) }

    // MARK: Delivery

    /// The servers of the SMS providers and of Apple that the settings of the notifier name. Any response proves that
    /// the server is reachable: the request has no credentials.
    func deliveryServers(_ environment: Environment, isDev: Bool) async -> [Finding] {
        let names = environment[.smsProvider]?.split(separator: ",").map { String($0) } ?? []
        var findings: [Finding] = []
        for provider in names.compactMap(Notifier.SMSProviderName.init(rawValue:)) {
            let url: String? =
                switch provider {
                case .twilio: environment[.twilioBaseURL] ?? "https://api.twilio.com"
                case .vonage: environment[.vonageBaseURL] ?? "https://rest.nexmo.com"
                case .webhook: environment[.smsWebhookURL]
                }
            guard let url else { continue }
            findings.append(await reach("SMS provider \(provider.rawValue)", url, via: .head))
        }
        if names.isEmpty {
            findings.append(
                Finding(
                    "SMS provider", .skipped,
                    isDev ? "None is set; dev mode keeps messages in /dev/inbox." : "None is set, so no SMS is sent."))
        }
        if environment[.apnsKeyFile] != nil || environment[.apnsCertFile] != nil {
            findings.append(
                await reach("push server", environment[.apnsBaseURL] ?? "https://api.push.apple.com", via: .http2))
        }
        return findings
    }

    private enum Probe {
        case head
        /// Apple's servers speak HTTP/2 only.
        case http2
    }

    private func reach(_ subject: String, _ url: String, via probe: Probe) async -> Finding {
        let version: HTTPClientRequest.Version =
            switch probe {
            case .head: .negotiated
            case .http2: .http2
            }
        do throws(HTTPClientError) {
            _ = try await send(HTTPClientRequest(.head, url, version: version))
            return Finding(subject, .ok, "\(Self.host(of: url)) replies.")
        } catch {
            return Self.unreachable(subject, url, error)
        }
    }

    // MARK: Identity providers

    /// The discovery document of each enabled OIDC provider of a project (OpenID Connect Discovery 1.0 §4).
    /// - Throws: `ServiceError`.
    func identityProviders(of project: ProjectID, _ mesh: MeshArguments) async throws -> [Finding] {
        let providers = try await mesh.withBus { bus in
            try await bus.send(
                Federation.ListProviders(
                    realm: Realm(project: project), list: .oidc, pageSize: Federation.ListProviders.maximumPageSize),
                trace: .random()
            ).providers
        }
        var findings: [Finding] = []
        for provider in providers where provider.isEnabled {
            guard case .oidc(let openID) = provider.kind else { continue }
            findings.append(await discovery("identity provider \(TextTable.escaped(provider.id))", openID.issuer))
        }
        return findings
    }

    private struct Discovery: Decodable {
        var issuer: String
    }

    private func discovery(_ subject: String, _ issuer: String) async -> Finding {
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        let url = base + "/.well-known/openid-configuration"
        let remedy = "Check the issuer of the provider."
        do throws(HTTPClientError) {
            let response = try await send(HTTPClientRequest(.get, url))
            guard response.status == 200 else {
                return Finding(
                    subject, .error, "\(TextTable.escaped(url)) replies with status \(response.status).", remedy: remedy
                )
            }
            // `try?`: any other body is not a discovery document.
            guard let document = try? WireJSON.decode(Discovery.self, from: response.body) else {
                return Finding(
                    subject, .error, "\(TextTable.escaped(url)) is not a discovery document.", remedy: remedy)
            }
            guard document.issuer == issuer else {
                return Finding(
                    subject, .error, "The document names another issuer, \(TextTable.escaped(document.issuer)).",
                    remedy: remedy)
            }
            return Finding(subject, .ok, "\(TextTable.escaped(url)) is readable.")
        } catch {
            return Self.unreachable(subject, url, error)
        }
    }

    // MARK: Requests

    private func send(_ request: HTTPClientRequest) async throws(HTTPClientError) -> HTTPClientResponse {
        let response = try await client.send(request)
        let now = WallClock.now().timestamp.seconds
        if let date = response.header("Date"),
            let sample = ClockSample(Self.host(of: request.url), httpDate: date, now: now)
        {
            samples.withLock { $0.append(sample) }
        }
        return response
    }

    private static func unreachable(_ subject: String, _ url: String, _ error: HTTPClientError) -> Finding {
        let reason =
            switch error {
            case .invalidRequest: "the URL is invalid"
            case .cannotResolve: "the host name has no address"
            case .addressRefused: "its address is not allowed"
            case .cannotConnect: "the server does not accept the connection"
            case .timedOut: "the server did not reply in time"
            case .tls(let message): "the certificate or the TLS version is not accepted: \(message)"
            case .noHTTP2: "the server does not speak HTTP/2"
            case .tooLarge: "the response is too large"
            case .overloaded, .cancelled: "the request was not sent"
            case .other(_, let message): message
            }
        return Finding(
            subject, .error, "\(host(of: url)) is not reachable: \(TextTable.escaped(reason)).",
            remedy: "Check the address and the firewall.")
    }

    /// Without path and query, which may contain a secret.
    private static func host(of url: String) -> String {
        let rest = url.split(separator: "/", omittingEmptySubsequences: false).dropFirst(2).first ?? ""
        let host = rest.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        return TextTable.escaped(String(host))
    }
}
