package import Vocabulary

/// The mail server in the settings of the operator: `smtp://user:password@host:port/greeting?starttls=required` or
/// `smtps://...`. User and password are percent-encoded; the greeting is the name in EHLO.
package struct SMTPServer: Sendable, Equatable {
    /// The protection of a connection.
    package enum Security: String, Sendable, Equatable {
        /// TLS from the first byte (RFC 8314 §3.3): `smtps`.
        case implicitTLS
        /// STARTTLS is required (RFC 3207): `smtp` to other machines.
        case startTLS
        /// `smtp` on loopback, or if the operator wrote `?starttls=never`.
        case none
    }

    package var host: String
    package var port: UInt16
    package var security: Security
    package var user: String?
    package var password: Secret<String>?
    /// Nil: the name of this machine.
    package var greeting: String?

    /// - Throws: the error, without any part of the password.
    package init(_ text: String) throws(SMTPServerURLError) {
        guard text.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value < 0x7f }) else { throw .notVisibleASCII }
        let isImplicit = text.asciiLowercased.hasPrefix("smtps://")
        guard isImplicit || text.asciiLowercased.hasPrefix("smtp://") else { throw .scheme }
        var rest = text.dropFirst(isImplicit ? 8 : 7)
        guard !rest.contains("#") else { throw .unexpected("#") }

        var query: Substring?
        if let mark = rest.firstIndex(of: "?") {
            query = rest[mark...].dropFirst()
            rest = rest[..<mark]
        }
        if let slash = rest.firstIndex(of: "/") {
            let name = rest[slash...].dropFirst()
            guard name.utf8.count <= 253, name.utf8.allSatisfy(Self.isHostByte) else { throw .greeting }
            greeting = name.isEmpty ? nil : String(name)
            rest = rest[..<slash]
        }
        if let at = rest.lastIndex(of: "@") {
            let credentials = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard credentials.count == 2, let user = Self.decoded(credentials[0]), !user.isEmpty,
                let password = Self.decoded(credentials[1]), !password.isEmpty
            else { throw .credentials }
            self.user = user
            self.password = Secret(password)
            rest = rest[rest.index(after: at)...]
        }
        (host, port) = try Self.hostAndPort(rest, default: isImplicit ? 465 : 587)
        security = try Self.security(isImplicit: isImplicit, isLoopback: host.isLoopbackHost, query)
        guard user == nil || security != .none || host.isLoopbackHost else { throw .credentialsInTheClear }
    }

    private static func security(
        isImplicit: Bool, isLoopback: Bool, _ query: Substring?
    ) throws(SMTPServerURLError) -> Security {
        switch (isImplicit, query) {
        case (true, nil): return .implicitTLS
        case (true, let query?): throw .unexpected("?\(query.prefix(40))")
        case (false, nil): return isLoopback ? .none : .startTLS
        case (false, "starttls=required"): return .startTLS
        case (false, "starttls=never"): return .none
        case (false, let query?): throw .unexpected("?\(query.prefix(40))")
        }
    }

    private static func hostAndPort(
        _ text: Substring, default standard: UInt16
    ) throws(SMTPServerURLError) -> (String, UInt16) {
        var host = text
        var port = standard
        let afterBracket = text.lastIndex(of: "]").map { text[$0...].dropFirst() } ?? text
        if let colon = afterBracket.lastIndex(of: ":") {
            let digits = text[colon...].dropFirst()
            guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
                let number = UInt16(digits), number > 0
            else { throw .port }
            port = number
            host = text[..<colon]
        }
        if host.hasPrefix("["), host.hasSuffix("]") {
            let address = host.dropFirst().dropLast()
            guard address.contains(":"), address.utf8.allSatisfy({ isHostByte($0) || $0 == UInt8(ascii: ":") }) else {
                throw .host
            }
        } else {
            guard !host.isEmpty, host.utf8.allSatisfy(isHostByte) else { throw .host }
        }
        return (String(host), port)
    }

    private static func isHostByte(_ byte: UInt8) -> Bool { byte.isASCIINameByte || "._".utf8.contains(byte) }

    /// - Returns: nil for a percent sign without its two digits, for what is not UTF-8, and for controls.
    private static func decoded(_ text: Substring) -> String? {
        guard let text = PercentEncoding.decoded(text),
            text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7f })
        else { return nil }
        return text
    }
}

extension SMTPServer: CustomStringConvertible {
    /// `smtp://host:port`, without user and password.
    package var description: String { "\(security == .implicitTLS ? "smtps" : "smtp")://\(host):\(port)" }

    /// For libcurl: the path is the greeting.
    var url: String { "\(description)/\(greeting ?? "")" }
}

/// The error in the URL of a mail server. The description completes the sentence "it ...", and quotes no password.
package enum SMTPServerURLError: Error, Equatable, Sendable, CustomStringConvertible {
    case notVisibleASCII, scheme, credentials, host, port, greeting
    case unexpected(String)
    case credentialsInTheClear

    package var description: String {
        switch self {
        case .notVisibleASCII: "holds a blank or a character that must be percent-encoded"
        case .scheme: "does not begin with smtp:// or smtps://"
        case .credentials: "has no \"user:password\" before the @, percent-encoded where needed"
        case .host: "names no host"
        case .port: "has a port that is not 1 to 65535"
        case .greeting: "has a path that is no host name to greet with"
        case .unexpected(let text): "has \"\(text)\" where only ?starttls=required or ?starttls=never may stand"
        case .credentialsInTheClear: "would send the password unencrypted, by ?starttls=never"
        }
    }
}
