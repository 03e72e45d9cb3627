/// Names that a user chooses stand in e-mails. E-mail clients turn what resembles a web or e-mail address into a link, so
/// a name could lead the reader to a page of a stranger's choice.
extension String {
    /// The full stops of domain names (UTS #46).
    private static let fullStops: Set<Unicode.Scalar> = [".", "\u{3002}", "\u{FF0E}", "\u{FF61}"]

    /// The text in a form that no mail client links: `evil[.]example`, `https[:]//localhost`. Other full stops and colons
    /// stay, as in `St. Gallen`, `J.R. Smith`, `iPhone 15.2` and `12:30`.
    var withoutLinks: String {
        var result = String.UnicodeScalarView()
        var rest = unicodeScalars[...]
        var previous: Unicode.Scalar?
        while let scalar = rest.popFirst() {
            if isLinked(scalar, after: previous, before: rest) {
                result.append("[")
                result.append(scalar)
                result.append("]")
            } else {
                result.append(scalar)
            }
            previous = scalar
        }
        return String(result)
    }

    private func isLinked(
        _ scalar: Unicode.Scalar, after previous: Unicode.Scalar?, before rest: Substring.UnicodeScalarView
    ) -> Bool {
        if Self.fullStops.contains(scalar) {
            // A top-level domain has two letters at least. Four numbers are an IPv4 address.
            let next = rest.prefix(2)
            return next.count == 2 && next.allSatisfy(\.properties.isAlphabetic) || hasFourNumbers
        }
        // `https://`, `mailto:` and the like.
        return scalar == ":" && previous?.properties.isAlphabetic == true && rest.first.map { $0 != " " } ?? false
    }

    private var hasFourNumbers: Bool {
        let stops = unicodeScalars.count { Self.fullStops.contains($0) }
        return stops >= 3 && unicodeScalars.contains { $0.properties.numericType != nil }
    }
}
