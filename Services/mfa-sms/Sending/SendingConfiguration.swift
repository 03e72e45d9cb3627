import Crypto
import PhoneNumbers
import Vocabulary

/// The policy of this process, and the key that hides numbers and addresses in the tables.
package struct SendingConfiguration: Sendable {
    package let policy: SendingPolicy
    /// A secret of the service, the same in all its processes and for the lifetime of the counts.
    let digestKey: [UInt8]

    /// Sixteen bytes, enough to distinguish the subjects of a day. It has a key, because all phone numbers can be
    /// tried.
    func digest(_ subject: String, _ bytes: some Sequence<UInt8>) -> [UInt8] {
        Array(HMAC.sha256(key: digestKey, message: Array(subject.utf8) + [0] + bytes).prefix(16))
    }

    /// A number as second factor counts apart from the same number in phone sign-in, so that a client that only knows
    /// the number cannot exhaust the messages of its owner (security rule RL3).
    func digest(numberOf send: CountedSend) -> [UInt8] {
        digest(send.purpose == .secondFactor ? "second factor" : "number", send.number.number.rawValue.utf8)
    }

    /// The subject that a message counts for in a scope; nil when it does not count there.
    func subject(of scope: SendingScope, _ send: CountedSend) -> [UInt8]? {
        switch scope {
        case .number: digest(numberOf: send)
        case .account: send.accountID.map { digest("account", $0.rawValue.utf8) }
        case .address: network(send).map { digest("address", $0) }
        case .site: send.ipAddress.flatMap(ClientNetwork.init)?.site.map { digest("site", $0.bytes) }
        case .prefixHour, .prefixDay: Array(NumberPrefix(send.number.number).prefix.utf8)
        case .projectHour, .projectDay, .newPrefixesHour, .newPrefixesDay: []
        }
    }

    private func network(_ send: CountedSend) -> [UInt8]? {
        guard let address = send.ipAddress, let network = ClientNetwork(address) else { return nil }
        return switch network {
        case .loopback: policy.countsLoopback ? [127] : nil
        case .network(let bytes): bytes
        }
    }
}
