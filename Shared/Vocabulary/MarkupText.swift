extension String {
    /// The text for HTML and XML, between tags and in quoted attribute values. It replaces scalars: a quotation mark with
    /// a combining mark is another `Character`, and ends an attribute all the same.
    package var markupEscaped: String {
        var escaped = ""
        escaped.reserveCapacity(utf8.count)
        for scalar in unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
