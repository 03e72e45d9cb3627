import CommandLineArguments
import Contracts
import ServiceRuntime
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import LatchkeyProgram

/// `latchkey apps`, against scripted replies.
@Suite struct ApplicationCommandTests {
    private static let environment = Environment([
        "LATCHKEY_BROKERS": "ipc:///tmp/none.sock", "LATCHKEY_PROJECT": "shop",
    ])
    private static let application = Identity.Application(
        id: ApplicationID("c1"), project: ProjectID("shop"),
        registration: .init(
            displayName: "Shop", kind: .ios, redirectURLs: ["com.example.shop:/signed-in", "https://a.example/"]),
        apiKey: "the-key", createdAt: Moment(milliseconds: 0), revision: 1)

    private final class Printed: Sendable {
        private let state = Mutex<[String]>([])
        func append(_ line: String) { state.withLock { $0.append(line) } }
        var lines: [String] { state.withLock { $0 } }
    }

    @Test func applicationIsAdded() async throws {
        let mesh = ScriptedMesh(as: .operatorCommand)
        mesh.reply(to: Identity.CreateApplication.self) { request in
            #expect(request.project == ProjectID("shop") && request.registration == Self.application.registration)
            #expect(request.client.operatorName != nil)
            return Self.application
        }
        let printed = Printed()
        let command = try ApplicationAddCommand(
            words: [
                "Shop", "--kind", "ios", "--redirect", "com.example.shop:/signed-in", "--redirect",
                "https://a.example/",
            ], over: Self.environment)
        try await command.add(mesh, to: CommandOutput(isJSON: false, printLine: printed.append))
        #expect(
            printed.lines == [
                "Client ID           c1", "Kind                ios", "Name                Shop",
                "Redirect addresses  com.example.shop:/signed-in https://a.example/",
                "API key             the-key", "Created             1970-01-01T00:00:00.000Z",
            ])
    }

    @Test func applicationsAreListedAsJSON() async throws {
        let mesh = ScriptedMesh(as: .operatorCommand)
        mesh.reply(to: Identity.ListApplications.self) { _ in .init(applications: [Self.application]) }
        let printed = Printed()
        let command = try ApplicationListCommand(words: [], over: Self.environment)
        try await command.write(mesh, to: CommandOutput(isJSON: true, printLine: printed.append))
        #expect(
            printed.lines == [
                """
                {"apiKey":"the-key","clientID":"c1","createdAt":"1970-01-01T00:00:00.000Z","displayName":"Shop",\
                "kind":"ios","origins":[],"redirectURLs":["com.example.shop:/signed-in","https://a.example/"]}
                """
            ])
    }

    @Test func emptyListIsNoted() async throws {
        let mesh = ScriptedMesh(as: .operatorCommand)
        mesh.reply(to: Identity.ListApplications.self) { _ in .init(applications: []) }
        let printed = Printed()
        let command = try ApplicationListCommand(words: [], over: Self.environment)
        try await command.write(mesh, to: CommandOutput(isJSON: false, printLine: printed.append))
        #expect(printed.lines == ["The project shop has no applications."])
    }

    @Test func applicationIsRemoved() async throws {
        let mesh = ScriptedMesh(as: .operatorCommand)
        mesh.reply(to: Identity.DeleteApplication.self) { request in
            #expect(request.id == ApplicationID("c1"))
            return .init()
        }
        let command = try ApplicationRemoveCommand(words: ["c1"], over: Self.environment)
        #expect(try await command.remove(mesh) == "Removed the application c1 of project shop.")
    }

    @Test(arguments: [
        [], ["Shop"], ["Shop", "--kind", "web"], ["Shop", "--redirect", "https://a.example/"],
        ["Shop", "--kind", "fridge", "--redirect", "https://a.example/"],
    ])
    func incompleteCommandLineIsRefused(words: [String]) {
        #expect(throws: UsageError.self) { try ApplicationAddCommand(words: words, over: Self.environment) }
    }

    @Test(arguments: [WireError.Code.applicationNotFound, .invalidApplication, .tooManyApplications])
    func errorOfTheMeshIsASentence(code: WireError.Code) {
        let messages = MeshRequestError(error: ServiceError(code, "redirectUris is empty")).messages
        #expect(messages.allSatisfy { !$0.contains(code.rawValue) && $0.hasSuffix(".") })
    }
}
