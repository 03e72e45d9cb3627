import FoundationEssentials
import JSON

/// The APNs error reasons that need a decision ("Handling notification responses from APNs").
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
    // Authentication.
    case badCertificate = "BadCertificate"
    case badCertificateEnvironment = "BadCertificateEnvironment"
    case badEnvironmentKeyID = "BadEnvironmentKeyIdInToken"
    case expiredProviderToken = "ExpiredProviderToken"
    case invalidProviderToken = "InvalidProviderToken"
    case missingProviderToken = "MissingProviderToken"
    case unrelatedKeyID = "UnrelatedKeyIdInToken"
    // Rate.
    case idleTimeout = "IdleTimeout"
    case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
    case tooManyRequests = "TooManyRequests"

    /// - Parameter body: of a response, `{"reason":"…"}`.
    /// - Returns: nil for any other reason, and for a malformed body.
    init?(_ body: Data) {
        struct ResponseBody: Decodable {
            var reason: String
        }
        // `try?`: a proxy may send any body; the status is sufficient.
        guard let decoded = try? WireJSON.decode(ResponseBody.self, from: body) else { return nil }
        self.init(rawValue: decoded.reason)
    }
}

extension DeliveryOutcome {
    /// The delivery outcome of an APNs response.
    ///
    /// Device token, topic and environment come from the request of a client: their rejection must not delay other
    /// pushes.
    /// - Parameter isOfProject: the key is of a project, and its refusal concerns no other.
    init(apnsStatus status: Int, _ reason: APNsReason?, isOfProject: Bool = false) {
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
            case (401, _) where isOfProject, (403, _) where isOfProject:
                .rejected(DeliveryFailure(.authentication, code: status))
            case (401, _), (403, _): .transportUnavailable(DeliveryFailure(.authentication, code: status))
            case (400, _), (413, _): .rejected(DeliveryFailure(.contentRefused, code: status))
            case (429, .tooManyProviderTokenUpdates?) where !isOfProject:
                .transportUnavailable(DeliveryFailure(.deferred, code: status))
            case (429, _), (500..., _): .deferred(DeliveryFailure(.deferred, code: status))
            // Not a response of APNs: another server listens there.
            default: .transportUnavailable(DeliveryFailure(.serverRefused, code: status))
            }
    }
}
