import Blocking
package import Crypto
import FoundationEssentials

/// The certification authorities that lead to the certificates of Game Center.
package enum GameCenterAnchors: Sendable {
    /// Those of the operating system. They are read for each new certificate of Game Center, which is rare: most meshes
    /// never need them, and they take memory and a part of the start.
    case system
    /// Those that the operator named.
    case chosen(TrustAnchors)

    static let systemFile = "/etc/ssl/certs/ca-certificates.crt"

    /// None if the operating system has no file of them: then Game Center is not available.
    func trustAnchors() async -> TrustAnchors {
        switch self {
        case .chosen(let anchors):
            return anchors
        case .system:
            let pool = BlockingPool(label: "anchors", threads: 1, maximumWaiting: 0)
            defer { pool.shutDown() }
            // `try?`: only a cancelled request does not wait for the file.
            return (try? await pool.run { Self.anchors(inFile: Self.systemFile) }) ?? TrustAnchors([])
        }
    }

    /// Reads a file of certificates in PEM form. It blocks.
    static func anchors(inFile path: String) -> TrustAnchors? {
        // `try?`: the error message names the file.
        guard let data = try? Data(contentsOf: URL(filePath: path)),
            let text = String(validating: data, as: UTF8.self),
            let certificates = try? Certificate.all(inPEM: text)
        else { return nil }
        return TrustAnchors(certificates)
    }
}
