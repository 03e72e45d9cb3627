import Crypto
import FoundationEssentials

/// The JSON payload of a metadata BLOB (FIDO Metadata Service §3.1.6). Unused members are ignored.
struct MetadataPayload: Decodable {
    struct Entry: Decodable {
        struct Statement: Decodable {
            let description: String?
            /// Certificates in base64.
            let attestationRootCertificates: [String]?
        }

        struct StatusReport: Decodable {
            let status: String
        }

        let aaguid: String?
        /// In hexadecimal.
        let attestationCertificateKeyIdentifiers: [String]?
        let metadataStatement: Statement?
        let statusReports: [StatusReport]
    }

    let no: Int
    /// A date, such as `2026-11-30`.
    let nextUpdate: String
    let entries: [Entry]

    /// - Parameter base64: the DER form. White space in it is ignored: published statements contain some.
    static func certificate(base64: String) -> Certificate? {
        Data(base64Encoded: base64, options: .ignoreUnknownCharacters).flatMap { try? Certificate(der: Array($0)) }
    }

    /// - Returns: seconds since 1970 at the start of the day in UTC.
    static func seconds(date: String) -> Int64? {
        let format = Date.ISO8601FormatStyle().year().month().day()
        return (try? Date(date, strategy: format)).flatMap { Int64(exactly: $0.timeIntervalSince1970) }
    }
}
