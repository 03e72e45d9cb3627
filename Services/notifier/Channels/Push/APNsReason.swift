import FoundationEssentials

/// Why APNs does not take a push, as far as it matters to us ("Handling notification responses from APNs").
enum APNsReason: String, CaseIterable, Sendable {
    // The device.
    case badDeviceToken = "BadDeviceToken"
    case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
    case expiredToken = "ExpiredToken"
    case unregistered = "Unregistered"
    // The topic, which is the application's bundle id.
    case badTopic = "BadTopic"
    case missingTopic = "MissingTopic"
    case topicDisallowed = "TopicDisallowed"
    // Who we are.
    case badCertificate = "BadCertificate"
    case badCertificateEnvironment = "BadCertificateEnvironment"
    case badEnvironmentKeyID = "BadEnvironmentKeyIdInToken"
    case expiredProviderToken = "ExpiredProviderToken"
    case invalidProviderToken = "InvalidProviderToken"
    case missingProviderToken = "MissingProviderToken"
    case unrelatedKeyID = "UnrelatedKeyIdInToken"
    // How fast we are.
    case idleTimeout = "IdleTimeout"
    case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
    case tooManyRequests = "TooManyRequests"

    /// - Parameter body: of an answer, `{"reason":"…"}`.
    /// - Returns: nil for a reason that is none of these, and for anything else.
    init?(_ body: Data) {
        struct Answer: Decodable {
            var reason: String
        }
        // `try?`: a proxy between may answer what it likes; the status says enough.
        guard let answer = try? JSONDecoder().decode(Answer.self, from: body) else { return nil }
        self.init(rawValue: answer.reason)
    }
}

extension DeliveryOutcome {
    /// What an answer of APNs means for the push, and for those behind it.
    ///
    /// Device token, topic and environment come from whoever asks for a push: a refusal of them must not hold others up.
    init(apnsStatus status: Int, _ reason: APNsReason?) {
        self =
            switch (status, reason) {
            case (200, _): .delivered
            case (410, _): .rejected(DeliveryFailure(.deviceGone, code: status))
            case (400, .badDeviceToken?), (400, .deviceTokenNotForTopic?):
                .rejected(DeliveryFailure(.recipientRefused, code: status))
            case (400...403, .badTopic?), (400...403, .missingTopic?), (400...403, .topicDisallowed?):
                .rejected(DeliveryFailure(.senderRefused, code: status))
            case (400, .idleTimeout?): .deferred(DeliveryFailure(.deferred, code: status))
            case (403, .badCertificateEnvironment?), (403, .badEnvironmentKeyID?):
                .rejected(DeliveryFailure(.authentication, code: status))
            case (401, _), (403, _): .transportUnavailable(DeliveryFailure(.authentication, code: status))
            case (400, _), (413, _): .rejected(DeliveryFailure(.contentRefused, code: status))
            case (429, .tooManyProviderTokenUpdates?): .transportUnavailable(DeliveryFailure(.deferred, code: status))
            case (429, _), (500..., _): .deferred(DeliveryFailure(.deferred, code: status))
            // No answer of APNs: something else listens there.
            default: .transportUnavailable(DeliveryFailure(.serverRefused, code: status))
            }
    }
}
