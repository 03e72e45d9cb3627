import CommandLineArguments
import Contracts
import Foundation
import ServiceRuntime
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import LatchkeyProgram

/// `latchkey apns`, against scripted replies.
@Suite struct APNsKeyCommandTests {
    private static let environment = Environment([
        "LATCHKEY_BROKERS": "ipc:///tmp/none.sock", "LATCHKEY_PROJECT": "shop",
    ])
    private static let key = Notifier.APNsKey(
        id: APNsKeyID("k1"), project: ProjectID("shop"), bundleID: "com.example.shop", environment: .both,
        keyID: "ABC123DEFG", teamID: "DEF123GHIJ", createdAt: Moment(milliseconds: 0))

    private final class Printed: Sendable {
        private let state = Mutex<[String]>([])
        func append(_ line: String) { state.withLock { $0.append(line) } }
        var lines: [String] { state.withLock { $0 } }
    }

    @Test func keyFileIsSentWithTheIDInItsName() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.appending("AuthKey_ABC123DEFG.p8")
        try "the-key".write(toFile: path, atomically: false, encoding: .utf8)
        let mesh = ScriptedMesh(as: .operatorCommand)
        mesh.reply(to: Notifier.AddAPNsKey.self) { request in
            #expect(request.project == ProjectID("shop") && request.bundleID == "com.example.shop")
            #expect(request.keyID == "ABC123DEFG" && request.teamID == "DEF123GHIJ" && request.environment == .both)
            #expect(request.privateKey.reveal() == "the-key" && request.client.operatorName != nil)
            return Self.key
        }
        let printed = Printed()
        let command = try APNsKeyAddCommand(
            words: [path, "--bundle-id", "com.example.shop", "--team-id", "DEF123GHIJ"], over: Self.environment)
        try await command.add(mesh, to: CommandOutput(isJSON: false, printLine: printed.append))
        #expect(
            printed.lines == [
                "ID           k1", "Bundle ID    com.example.shop", "Environment  both", "Key ID       ABC123DEFG",
                "Team ID      DEF123GHIJ", "Added        1970-01-01T00:00:00.000Z",
            ])
    }

    @Test func keysAreListedAndRemoved() async throws {
        let mesh = ScriptedMesh(as: .operatorCommand)
        mesh.reply(to: Notifier.ListAPNsKeys.self) { _ in .init(keys: [Self.key]) }
        mesh.reply(to: Notifier.RemoveAPNsKey.self) { request in
            #expect(request.id == Self.key.id)
            return .init()
        }
        let printed = Printed()
        try await APNsKeyListCommand(words: [], over: Self.environment)
            .write(mesh, to: CommandOutput(isJSON: true, printLine: printed.append))
        #expect(
            printed.lines == [
                """
                {"bundleID":"com.example.shop","createdAt":"1970-01-01T00:00:00.000Z","environment":"both","id":"k1",\
                "keyID":"ABC123DEFG","teamID":"DEF123GHIJ"}
                """
            ])
        let command = try APNsKeyRemoveCommand(words: ["k1"], over: Self.environment)
        #expect(try await command.remove(mesh) == "Removed the key k1 of project shop.")
    }

    @Test(arguments: [
        ["/k.p8", "--bundle-id", "a", "--team-id", "T"], ["/AuthKey_K.p8", "--team-id", "T"],
        ["/AuthKey_K.p8", "--bundle-id", "a"],
        ["/AuthKey_K.p8", "--bundle-id", "a", "--team-id", "T", "--environment", "moon"],
    ])
    func incompleteCommandLineIsRefused(words: [String]) {
        #expect(throws: UsageError.self) { try APNsKeyAddCommand(words: words, over: Self.environment) }
    }

    @Test(arguments: [WireError.Code.apnsKeyNotFound, .invalidAPNsKey, .apnsKeyExists, .tooManyAPNsKeys])
    func errorOfTheMeshIsASentence(code: WireError.Code) {
        let messages = MeshRequestError(error: ServiceError(code, "keyId is short.")).messages
        #expect(messages.allSatisfy { !$0.contains(code.rawValue) && $0.hasSuffix(".") })
    }
}
