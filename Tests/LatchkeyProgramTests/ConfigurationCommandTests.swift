import Bus
import CommandLineArguments
import Contracts
import Foundation
import JSON
import ServiceRuntime
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import LatchkeyProgram

/// `latchkey projects config` and `latchkey init` against one project.
@Suite struct ConfigurationCommandTests {
    /// Identity with one project, or none.
    final class FakeIdentity: Sendable {
        private struct State {
            var configuration = ProjectConfiguration()
            var revision: Int64 = 1
            var conflicts = 0
            var project: Identity.ProjectSummary?
            var keys: [Identity.ServiceAccountKey] = []
        }
        private let state: Mutex<State>

        init(hasProject: Bool = true, conflicts: Int = 0) {
            state = Mutex(State(conflicts: conflicts, project: hasProject ? Self.summary : nil))
        }

        static let summary = Identity.ProjectSummary(
            id: ProjectID("shop"), number: "123456789012", apiKey: "lk-key", createdAt: Moment(milliseconds: 0))

        var configuration: ProjectConfiguration { state.withLock { $0.configuration } }
        var keys: [Identity.ServiceAccountKey] { state.withLock { $0.keys } }

        var requests: ScriptedMesh {
            let mesh = ScriptedMesh(as: .operatorCommand)
            mesh.reply(to: Identity.ListProjects.self) { [self] _, _ in
                .init(projects: state.withLock { $0.project }.map { [$0] } ?? [], hasMore: false)
            }
            mesh.reply(to: Identity.CreateProject.self) { [self] _, _ in
                try state.withLock { state in
                    guard state.project == nil else { throw ServiceError(.projectExists) }
                    state.project = Self.summary
                    return Self.summary
                }
            }
            mesh.reply(to: Identity.ReadConfiguration.self) { [self] _, _ in
                state.withLock {
                    .init(configuration: $0.configuration, revision: $0.revision, projectNumber: "12")
                }
            }
            mesh.reply(to: Identity.ReplaceConfiguration.self) { [self] request, _ in
                try state.withLock { state in
                    guard state.conflicts == 0 else {
                        state.conflicts -= 1
                        throw ServiceError(.configurationConflict)
                    }
                    state.configuration = request.configuration
                    return .init(configuration: request.configuration, revision: 2, projectNumber: "12")
                }
            }
            mesh.reply(to: Identity.ListServiceAccountKeys.self) { [self] _, _ in .init(keys: keys) }
            mesh.reply(to: Identity.AddServiceAccountKey.self) { [self] request, _ in
                state.withLock { $0.keys.append(request.key) }
                return EmptyReply()
            }
            mesh.reply(to: Identity.ListTenants.self) { _, _ in .init(tenants: [], hasMore: false) }
            mesh.reply(to: Identity.ReadTenant.self) { _, _ in throw ServiceError(.tenantNotFound) }
            mesh.reply(to: Identity.CreateTenant.self) { _, _ in throw ServiceError(.operationNotAllowed) }
            mesh.reply(to: Identity.DeleteTenant.self) { _, _ in throw ServiceError(.tenantNotFound) }
            return mesh
        }
    }

    private static let environment = Environment([
        "LATCHKEY_BROKERS": "ipc:///tmp/none.sock", "LATCHKEY_PROJECT": "shop",
        "LATCHKEY_PUBLIC_URL": "https://auth.example.com",
    ])

    private func set(_ identity: FakeIdentity, _ words: String...) async throws -> String {
        let command = try ConfigurationSetCommand(words: words, over: Self.environment)
        let path = try FieldPath(words.first)
        return try await command.change(try path.document(with: words.last ?? ""), identity.requests)
    }

    private func get(_ identity: FakeIdentity, _ words: String...) async throws -> String {
        try await ConfigurationGetCommand(words: words, over: Self.environment).read(identity.requests)
    }

    @Test(arguments: [
        ("signIn.email.enabled", "true", "true"), ("mfa.state", "ENABLED", "\"ENABLED\""),
        ("authorizedDomains", "[\"a.example\"]", "[\n  \"a.example\"\n]"),
        ("quota.signUpQuotaConfig.quota", "7", "\"7\""),
    ])
    func valueThatIsSetReadsBack(path: String, value: String, printed: String) async throws {
        let identity = FakeIdentity()
        #expect(try await set(identity, path, value) == "\(path) of project shop is changed.")
        #expect(try await get(identity, path) == printed)
        #expect(try await set(identity, path, value) == "\(path) of project shop has this value already.")
    }

    @Test(arguments: ["signIn.mail", "", "signIn..email", "authorizedDomains.0", "nothing"])
    func unknownFieldIsRefusedByName(path: String) {
        #expect(throws: ProjectCommandError.unknownField(path)) { try FieldPath(path) }
    }

    @Test func fieldOfServerIsRefused() {
        #expect(throws: ProjectCommandError.outputField("client.apiKey")) {
            try FieldPath("client.apiKey").document(with: "x")
        }
    }

    @Test(arguments: [
        ("signIn.email.enabled", "\"yes\""), ("mfa.state", "SOMETIMES"), ("authorizedDomains", "a.example"),
    ])
    func invalidValueIsRefused(path: String, value: String) async {
        await #expect(throws: ProjectCommandError.self) { try await set(FakeIdentity(), path, value) }
    }

    @Test func unsetFieldIsNamed() async {
        await #expect(throws: ProjectCommandError.nothingToDo("quota is not set in project shop.")) {
            try await get(FakeIdentity(), "quota")
        }
    }

    @Test(arguments: [(4, true), (5, false)])
    func conflictIsRepeatedUpToLimit(conflicts: Int, isChanged: Bool) async throws {
        let identity = FakeIdentity(conflicts: conflicts)
        let result = try? await set(identity, "mfa.state", "ENABLED")
        #expect((result != nil) == isChanged && (identity.configuration.mfa?.state == .enabled) == isChanged)
    }

    @Test(arguments: [[], ["mfa.state"], ["mfa.state", "ENABLED", "--unset"], ["--unset"]])
    func setNeedsOneSource(words: [String]) {
        #expect(throws: UsageError.self) { try ConfigurationSetCommand(words: words, over: Self.environment) }
    }

    /// With a new project, and with one that `latchkey up` made from LATCHKEY_PROJECT.
    @Test(arguments: [true, false])
    func initCompletesAProjectOnce(hasProject: Bool) async throws {
        let directory = try TemporaryDirectory()
        let identity = FakeIdentity(hasProject: hasProject)
        let path = directory.path + "/key.json"
        let command = try ProjectInitCommand(words: ["-o", path], over: Self.environment)
        let result = try await command.initialize(identity.requests)
        #expect(result.project == "shop" && result.apiKey == "lk-key" && result.keyFile == path)
        #expect(result.publicURL == "https://auth.example.com" && result.adminURL == "http://127.0.0.1:9098")
        #expect(identity.keys.map(\.email) == ["admin@shop.iam.gserviceaccount.com"])
        let again = try ProjectInitCommand(words: ["-o", directory.path + "/other.json"], over: Self.environment)
        let error = await #expect(throws: ProjectCommandError.self) { try await again.initialize(identity.requests) }
        #expect(error?.messages.first?.hasPrefix("The project shop exists and has a service account.") == true)
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/other.json"))
    }
}
