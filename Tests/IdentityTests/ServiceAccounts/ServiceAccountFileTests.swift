import Contracts
import Crypto
import Foundation
import JOSE
import ServiceAccountFile
import ServiceRuntime
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

@Suite struct ServiceAccountFileTests {
    /// The key file that the conformance suite signs with.
    private static let suite = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .appending(path: "Conformance/lib/service-account.json").path

    private static func document(_ change: (inout [String: String]) -> Void = { _ in }) throws -> Data {
        var members = try JSONDecoder().decode([String: String].self, from: Data(contentsOf: URL(filePath: suite)))
        members["public_key"] = nil
        change(&members)
        return try JSONEncoder().encode(members)
    }

    @Test func onlyPublicKeyIsKept() throws {
        let key = try ServiceAccountFile(path: Self.suite).key
        #expect(key.email == "suite@demo-latchkey.iam.gserviceaccount.com" && key.keyID == "suite-key-1")
        #expect(key.project.rawValue == "demo-latchkey")
        let der = try #require(Base64URL.decode(key.publicKey))
        #expect(try PublicKey(subjectPublicKeyInfo: der).algorithm == .rs256)
        #expect(try String(contentsOf: URL(filePath: Self.suite), encoding: .utf8).contains("PRIVATE KEY"))
    }

    @Test func fileWithPublicKeyAloneIsEquivalent() throws {
        let whole = try ServiceAccountFile(path: Self.suite)
        let pem = try JSONDecoder().decode([String: String].self, from: Data(contentsOf: URL(filePath: Self.suite)))
        let bare = try Self.document {
            $0["private_key"] = nil
            $0["public_key"] = pem["public_key"]
        }
        #expect(try ServiceAccountFile(bare, path: "bare.json") == whole)
    }

    @Test(arguments: ["client_email", "private_key_id", "project_id", "private_key"])
    func missingMemberIsNamed(member: String) throws {
        let fault = #expect(throws: ServiceAccountFileError.self) {
            try ServiceAccountFile(Self.document { $0[member] = nil }, path: "x.json")
        }
        #expect(fault?.description == "x.json has no \"\(member)\"")
    }

    @Test(arguments: ["", "[]", "{", #"{"client_email":7}"#]) func malformedFileIsRejected(text: String) {
        #expect(throws: ServiceAccountFileError.self) { try ServiceAccountFile(Data(text.utf8), path: "x.json") }
    }

    @Test func nonRSAKeyIsRefusedWithoutShowingIt() throws {
        let fault = #expect(throws: ServiceAccountFileError.self) {
            try ServiceAccountFile(Self.document { $0["private_key"] = "secret words" }, path: "x.json")
        }
        #expect(fault?.description == "x.json holds no RSA key of 2048 bits or more")
    }

    // MARK: In dev settings

    private func settings(_ changes: [String: String]) throws -> IdentitySettings {
        let variables = ["LATCHKEY_BROKERS": "ipc:///tmp/none.sock", "LATCHKEY_DATA": "/tmp"].merging(changes) { $1 }
        return try IdentitySettings(Environment(variables), processors: 2)
    }

    @Test func devModeRegistersConfiguredFiles() throws {
        let found = try settings(["LATCHKEY_DEV": "1", "LATCHKEY_DEV_SERVICE_ACCOUNTS": Self.suite])
        #expect(found.devServiceAccounts.map(\.keyID) == ["suite-key-1"])
    }

    @Test func everyUnusableFileIsNamed() throws {
        let faults = try #require(throws: SettingsError.self) {
            try settings([
                "LATCHKEY_DEV": "1", "LATCHKEY_DEV_SERVICE_ACCOUNTS": "/nowhere/a.json,\(Self.suite),/nowhere/b.json",
            ])
        }
        #expect(faults.messages.filter { $0.contains("/nowhere/a.json") || $0.contains("/nowhere/b.json") }.count == 2)
    }

    @Test func productionRefusesServiceAccountFiles() {
        #expect(throws: SettingsError.self) { try settings(["LATCHKEY_DEV_SERVICE_ACCOUNTS": Self.suite]) }
    }
}
