import FoundationEssentials
import JSON

/// The members of a key file in the format of Google Cloud and its command line.
struct KeyFileDocument: Sendable {
    static let maximumBytes = 64 << 10

    enum Member: String, CodingKey, CaseIterable {
        case email = "client_email"
        case keyID = "private_key_id"
        case project = "project_id"
        case privateKey = "private_key"
        /// Replaces the private key, for an operator who does not want to transfer it.
        case publicKey = "public_key"
        case tokenURL = "token_uri"
    }

    private struct Members: Decodable {
        var texts: [Member: String] = [:]

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Member.self)
            for member in Member.allCases { texts[member] = try container.decodeIfPresent(String.self, forKey: member) }
        }
    }

    private let path: String
    private let texts: [Member: String]

    /// Parses the text of a file.
    /// - Parameter path: for error messages.
    init(_ bytes: Data, path: String) throws(ServiceAccountFileError) {
        guard bytes.count <= Self.maximumBytes,
            let members = try? WireJSON.decode(Members.self, from: bytes)  // `try?`: the error message is sufficient.
        else { throw .init(path: path, problem: "is no key file of a service account") }
        self.path = path
        texts = members.texts.filter { !$0.value.isEmpty }
    }

    static func read(path: String) throws(ServiceAccountFileError) -> Data {
        do {
            return try Data(contentsOf: URL(filePath: path))
        } catch {
            throw .init(path: path, problem: "cannot be read")
        }
    }

    /// Nil for an absent or empty member.
    subscript(member: Member) -> String? { texts[member] }

    func require(_ member: Member) throws(ServiceAccountFileError) -> String {
        guard let text = texts[member] else { throw .init(path: path, problem: "has no \"\(member.rawValue)\"") }
        return text
    }

    /// The key of the file.
    /// - Parameter parse: throws a `CryptoError` for text that is no RSA key.
    func key<Key>(_ parse: () throws -> Key) throws(ServiceAccountFileError) -> Key {
        do {
            return try parse()
        } catch let error as ServiceAccountFileError {
            throw error
        } catch {
            throw .init(path: path, problem: "holds no RSA key of 2048 bits or more")
        }
    }
}

/// The error in a key file. The description never shows its content.
package struct ServiceAccountFileError: Error, Equatable, Sendable, CustomStringConvertible {
    package var path: String
    /// The rest of a sentence that begins with the path.
    package var problem: String

    package var description: String { "\(path) \(problem)" }
}
