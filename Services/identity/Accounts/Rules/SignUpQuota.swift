import Contracts
import FoundationEssentials
import Vocabulary

/// The sign-up quota of one client network per hour, if the project has one (REST 5.1, `quota.signUpQuotaConfig`).
struct SignUpQuota: Equatable, Sendable {
    /// What is counted, and its limit.
    struct Subject: Equatable, Sendable {
        /// A keyed hash of project, network and hour: all networks can be tried, and a copy of the database must not
        /// reveal them.
        var digest: [UInt8]
        var limit: Int64
    }

    /// The network and, for IPv6, the /48 around it (security rule RL1).
    var subjects: [Subject]
    /// When the next hour and its count begin.
    var endsAt: Moment

    /// - Parameter digest: a keyed hash with the key of this installation.
    /// - Returns: nil when the project has no quota at this time, or the address of the client is unknown.
    init?(
        _ configuration: ProjectConfiguration, of project: ProjectID, for client: ClientContext, at now: Moment,
        digest: ([UInt8]) -> [UInt8]
    ) {
        guard let quota = configuration.quota?.signUpQuotaConfig, let limit = quota.quota.flatMap({ Int64($0) }),
            let window = quota.window, window.contains(now),
            let network = client.ipAddress.flatMap(ClientNetwork.init)
        else { return nil }
        let hour = now.timestamp.seconds / 3600
        endsAt = Moment(Timestamp(seconds: hour.addingSaturated(1).multipliedSaturated(by: 3600)))
        subjects = network.counted.map { network, factor in
            let subject = "sign-ups\n\(project)\n\(hour)\n\(network.bytes.count)\n"
            return Subject(
                digest: digest(Array(subject.utf8) + network.bytes),
                limit: limit.multipliedSaturated(by: Int64(factor)))
        }
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
