import Contracts
import Crypto
import FoundationEssentials
import Vocabulary

/// The sign-up quota of one address per hour, if the project has one (REST 5.1, `quota.signUpQuotaConfig`).
struct SignUpQuota: Equatable, Sendable {
    /// A hash of project, address and hour, so that addresses are not stored in plain text.
    var subjectDigest: [UInt8]
    var limit: Int64
    /// When the next hour and its count begin.
    var endsAt: Moment

    /// - Returns: nil when the project has no quota at this time, or the address of the client is unknown.
    init?(_ configuration: ProjectConfiguration, of project: ProjectID, for client: ClientContext, at now: Moment) {
        guard let quota = configuration.quota?.signUpQuotaConfig, let limit = quota.quota.flatMap({ Int64($0) }),
            let window = quota.window, window.contains(now), let address = client.ipAddress
        else { return nil }
        self.limit = limit
        let hour = now.timestamp.seconds / 3600
        endsAt = Moment(Timestamp(seconds: hour.addingSaturated(1).multipliedSaturated(by: 3600)))
        subjectDigest = SHA2.sha256(Array("\(project)\n\(address)\n\(hour)".utf8))
    }
}

extension ProjectConfiguration.Quota.SignUpQuota {
    /// From `startTime` for `quotaDuration`; nil for values that `check` would reject.
    fileprivate var window: Range<Moment>? {
        guard let startTime, let seconds = quotaDuration.flatMap({ Int64($0.dropLast()) }), seconds > 0,
            // `check` has validated the format; fractions of the second do not matter here.
            let start = try? Date("\(startTime.prefix(19))Z", strategy: .iso8601)  // `try?`: no such day.
        else { return nil }
        let first = Moment(Timestamp(seconds: Int64(saturating: start.timeIntervalSince1970)))
        return first..<(first + .seconds(seconds))
    }
}
