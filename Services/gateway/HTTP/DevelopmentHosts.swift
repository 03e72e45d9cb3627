import HTTPServer
import Vocabulary

/// The names under which dev mode is reached. A page of a stranger can give its own name the address of this machine (DNS
/// rebinding), and then has the origin of the mesh, which needs no credentials in dev mode.
struct DevelopmentHosts: Sendable {
    /// The host of a machine that runs the Android emulator, for the applications in it.
    private static let androidEmulator = "10.0.2.2"

    private let publicHost: String?

    init(publicURL: String) {
        publicHost = WebURL(publicURL)?.host
    }

    /// - Parameter header: `Host`; nil for a request without one, which no browser sends.
    func contains(_ header: String?) -> Bool {
        guard let header else { return true }
        let name = Self.name(of: header)
        return name.isLoopbackHost || name.hasSuffix(".localhost") || name == Self.androidEmulator || name == publicHost
            // Nobody else can give these an address; a developer may, for this machine.
            || APIHost(rawValue: name) != nil
    }

    /// The name in lower case, without the port.
    private static func name(of header: String) -> String {
        let text = header.asciiLowercased
        guard text.utf8.first != UInt8(ascii: "[") else { return "\(text.halves(at: "]").before)]" }
        return String(text.halves(at: ":").before)
    }
}
