import Contracts
import HTTPClient
package import Vocabulary

extension SMSSettings {
    /// The SMS transport of these settings.
    package func transport(
        counters: DeliveryMetrics, now: @escaping @Sendable () -> Moment,
        instant: @escaping @Sendable () -> ContinuousClock.Instant,
        jitter: @escaping @Sendable () -> Double
    ) -> Transport {
        var limits = HTTPClient.Limits()
        limits.connectTime = min(.seconds(3), callTimeout)
        limits.totalTime = callTimeout
        limits.bodyBytes = 64 << 10
        limits.threads = connections
        limits.maximumWaiting = connections
        let client = HTTPClient(limits, caFilePath: caFilePath)
        let providers = providers.map { provider in
            switch provider {
            case .twilio(let settings): twilio(settings, .sms, client)
            case .vonage(let settings):
                VonageProvider(
                    settings: settings, callback: callback(.vonage, for: settings.baseURL), client: client,
                    callTimeout: callTimeout
                ).provider
            case .webhook(let settings):
                WebhookProvider(
                    settings: settings, callback: callback(.webhook, for: settings.url), client: client,
                    callTimeout: callTimeout, now: now
                ).provider
            }
        }
        let alternative = whatsApp.map { whatsApp in
            SMSTransport.RegionalProvider(
                provider: twilio(whatsApp.twilio, .whatsApp(from: whatsApp.from), client), regions: whatsApp.regions)
        }
        return SMSTransport(
            providers, alternative: alternative, prices: prices, counters: counters, instant: instant, jitter: jitter
        ).transport(concurrency: connections)
    }

    private func twilio(
        _ settings: TwilioProvider.Settings, _ service: TwilioProvider.Service, _ client: HTTPClient
    ) -> SMSProvider {
        let callback = callback(.twilio, for: settings.baseURL)
        return TwilioProvider(
            settings: settings, service: service,
            callback: { id in callback.map { "\($0)?message=\(id.rawValue)" } }, client: client,
            callTimeout: callTimeout
        ).provider
    }

    /// The URL for a provider's delivery receipts; nil when the provider cannot reach it, because providers reject
    /// messages with such a callback.
    private func callback(_ provider: Notifier.SMSProviderName, for baseURL: String) -> String? {
        guard let publicURL, !Self.isLoopback(publicURL) || Self.isLoopback(baseURL) else { return nil }
        return publicURL + DeliveryReceiptVerifier.path + provider.rawValue
    }
}
