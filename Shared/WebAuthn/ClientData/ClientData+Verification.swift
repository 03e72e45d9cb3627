import Crypto
import Vocabulary

extension ClientData {
    /// Steps 7 to 11 of Web Authentication Level 3 §7.1, which are steps 10 to 14 of §7.2.
    func verify(
        _ ceremony: Ceremony, challenge: [UInt8], relyingParty: RelyingParty
    ) throws(WebAuthnError) {
        // Step 7 (10); WR4, WA4.
        guard type.utf8.elementsEqual(ceremony.rawValue.utf8) else { throw .clientDataType }
        // Step 8 (11); WR5. The text is compared, as several texts could decode to the same bytes.
        guard constantTimeEquals(Array(self.challenge.utf8), Array(Base64URL.encode(challenge).utf8)) else {
            throw .challenge
        }
        // Step 9 (12).
        guard relyingParty.allows(origin: origin) else { throw .origin }
        switch relyingParty.framing {
        case .notAllowed:
            // Step 10 (13).
            guard !crossOrigin else { throw .crossOrigin }
            // Step 11 (14).
            guard topOrigin == nil else { throw .topOrigin }
        case .allowed(let topOrigins):
            if let topOrigin {
                guard topOrigins.contains(where: { $0.utf8.elementsEqual(topOrigin.utf8) }) else { throw .topOrigin }
            }
        }
    }
}

extension RelyingParty {
    /// Origins are compared by their bytes: Swift's `==` ignores the Unicode form.
    fileprivate func allows(origin: String) -> Bool {
        origins.contains { $0.utf8.elementsEqual(origin.utf8) }
            || allowsLocalhostOrigins && Self.isLocalhost(origin)
    }

    /// `http://localhost`, or with a port from 1 to 65535 without leading zeros.
    private static func isLocalhost(_ origin: String) -> Bool {
        var rest = Array(origin.utf8)[...]
        let base = "http://localhost".utf8
        guard rest.starts(with: base) else { return false }
        rest = rest.dropFirst(base.count)
        guard let colon = rest.popFirst() else { return true }
        guard colon == UInt8(ascii: ":"), rest.first != UInt8(ascii: "0"), (1...5).contains(rest.count),
            rest.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let port = Int(String(decoding: rest, as: UTF8.self))
        else { return false }
        return port <= 65535
    }
}
