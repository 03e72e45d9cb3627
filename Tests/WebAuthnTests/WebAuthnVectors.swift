import Foundation
import JSON
import TestSupport
import Testing

/// One case of a vector file, or why its file cannot be used: the test of the case then fails.
struct WebAuthnVector: Sendable, CustomTestStringConvertible {
    let name: String
    let content: Result<WebAuthnCase, any Error>

    var testDescription: String { name }

    struct Unusable: Error, CustomStringConvertible {
        let description: String
    }
}

extension WebAuthnVector {
    /// `Tests/Vectors/webauthn`
    static let own = load(folder: VectorFile.folder.appending(path: "webauthn"))

    /// The files of `LATCHKEY_PUBLIC_VECTORS` whose names begin with `webauthn-`.
    static let published = PublicVectors.folder.map { load(folder: $0, prefix: "webauthn-") } ?? []

    /// The folders that `LATCHKEY_WEBAUTHN_VECTORS` names, separated by colons.
    static let further = (furtherFolders ?? "").split(separator: ":").flatMap {
        load(folder: URL(filePath: String($0)))
    }
    static let furtherFolders = ProcessInfo.processInfo.environment["LATCHKEY_WEBAUTHN_VECTORS"]

    private struct File: Decodable {
        let format: String
        let count: Int
        let cases: [JSONValue]
        let trustAnchors: [String: TrustAnchor]?
    }

    struct TrustAnchor: Decodable {
        let x509Der: String
    }

    static func load(folder: URL, prefix: String = "") -> [WebAuthnVector] {
        do {
            let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
                .filter { $0.pathExtension == "json" && $0.lastPathComponent.hasPrefix(prefix) }
                .sorted { $0.path < $1.path }
            guard !files.isEmpty else { throw Unusable(description: "\(folder.path) has no file with cases") }
            return files.flatMap(load(file:))
        } catch {
            return [WebAuthnVector(name: folder.path, content: .failure(error))]
        }
    }

    private static func load(file: URL) -> [WebAuthnVector] {
        do {
            let content = try WireJSON.decodeUnchecked(File.self, from: Data(contentsOf: file))
            guard content.format == "webauthn-cases/1", content.count == content.cases.count, content.count > 0 else {
                throw Unusable(description: "\(file.path) has another format or number of cases")
            }
            return content.cases.enumerated().map { index, json in
                let name = if case .string(let id)? = json["id"] { id } else { "\(file.lastPathComponent) \(index)" }
                return WebAuthnVector(
                    name: name, content: Result { try WebAuthnCase(json, content.trustAnchors ?? [:]) })
            }
        } catch {
            return [WebAuthnVector(name: file.path, content: .failure(error))]
        }
    }
}
