import Contracts
import HTTPServer
import ServiceRuntime
import Vocabulary

extension IdentityToolkit {
    /// The SMS cost of a project and the limits in effect. A Latchkey extension of the protocol.
    static let smsSending: [Route] = [
        Route(.get, .v2Project("/smsSending"), .v2, .administrator) { call in
            let project = try call.project()
            return .json(
                SMSSendingDocument(try await call.send(MFASMS.ReadSendingStatus(project: project)), of: project))
        }
    ]
}

/// Amounts are decimal strings in the currency of the operator's prices: a double would not be exact.
struct SMSSendingDocument: Encodable {
    struct Spending: Encodable {
        var spent: String
        /// Absent: no budget.
        var budget: String?
    }
    struct ClosedPrefix: Encodable {
        var prefix: String
        /// RFC 3339.
        var until: String
    }
    var name: String
    var thisHour: Spending
    var thisDay: Spending
    var sentThisDay: Int
    var verifiedThisDay: Int
    var closedPrefixes: [ClosedPrefix]

    init(_ reply: MFASMS.ReadSendingStatus.Reply, of project: ProjectID) {
        name = "projects/\(project.rawValue)/smsSending"
        thisHour = Spending(
            spent: Self.decimal(reply.spentThisHourMicros), budget: reply.budgetPerHourMicros.map(Self.decimal))
        thisDay = Spending(
            spent: Self.decimal(reply.spentThisDayMicros), budget: reply.budgetPerDayMicros.map(Self.decimal))
        sentThisDay = reply.sentThisDay
        verifiedThisDay = reply.verifiedThisDay
        closedPrefixes = reply.blockedPrefixes.map { ClosedPrefix(prefix: $0.prefix, until: $0.blockedUntil.text) }
    }

    /// Formats millionths: `20`, `0.05`.
    static func decimal(_ micros: Int64) -> String {
        let (whole, rest) = micros.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
        let digits = String(rest + 1_000_000).dropFirst()
        let fraction = digits.prefix(through: digits.lastIndex { $0 != "0" } ?? digits.startIndex)
        return (micros < 0 ? "-" : "") + (rest == 0 ? "\(whole)" : "\(whole).\(fraction)")
    }
}
